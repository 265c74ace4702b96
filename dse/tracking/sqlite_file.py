"""MLflow's SQLite file: where it is, what makes it, and whether its tables are those that are written."""

import shutil
from importlib.metadata import version
from pathlib import Path
from time import time

from filelock import FileLock
from sqlalchemy import Connection, MetaData, Table, create_engine, make_url, text

from dse.errors import DseError
from simcore.paths import cache_directory

#: The columns that are written, by table; they must exist, and every other column must have a default.
WRITTEN = {
    name: set(columns.split())
    for name, columns in {
        "experiments": "name artifact_location lifecycle_stage creation_time last_update_time",
        "experiment_tags": "key value experiment_id",
        "runs": "run_uuid name artifact_uri experiment_id source_type source_name entry_point_name user_id status "
        "start_time end_time source_version lifecycle_stage deleted_time",
        "tags": "run_uuid key value",
        "params": "run_uuid key value",
        "metrics": "run_uuid key value timestamp step is_nan",
        "latest_metrics": "run_uuid key value timestamp step is_nan",
    }.items()
}


class UnknownTables(DseError):
    """The file has no tables of MLflow, or those of a version that this program does not know."""


def path(tracking_uri: str) -> Path:
    """The file that a URI names."""
    return Path(make_url(tracking_uri).database or "mlflow.db").absolute()


def artifact_folder(database: Path) -> Path:
    """The folder for the files of new experiments."""
    return database.parent / "mlartifacts"


def make(database: Path) -> None:
    """Make the file if there is none: under another name, then renamed, so that nobody finds a part of it."""
    database.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{database}.lock"):
        if not database.exists():
            new = _new_name(database)
            shutil.copyfile(_empty(), new)
            _set_default_experiment(new, artifact_folder(database))
            new.replace(database)


def _new_name(database: Path) -> Path:
    """A file's name until it is whole; what remains of one that never was is gone, or SQLite would use its journal."""
    new = database.with_name(f"{database.name}.new")
    for remains in (new, new.with_name(f"{new.name}-journal")):
        remains.unlink(missing_ok=True)
    return new


def _empty() -> Path:
    """A file with tables alone, once for each version: MLflow takes seconds to be imported and to make them."""
    empty = cache_directory("mlflow") / f"{version('mlflow')}.db"
    with FileLock(f"{empty}.lock"):
        if not empty.exists():
            _make_tables(empty)
    return empty


def _make_tables(empty: Path) -> None:
    """Have MLflow make the tables, and import it for that."""
    from dse.tracking.client_runs import make_database

    new = _new_name(empty)
    make_database(new, artifact_folder(empty).as_uri())
    new.replace(empty)


def _set_default_experiment(database: Path, artifacts: Path) -> None:
    """The experiment that MLflow makes with the tables is of now, and of this folder."""
    now_ms = int(time() * 1000)
    values = (
        "artifact_location = :root || '/' || experiment_id, creation_time = :now, last_update_time = :now"
    )
    engine = create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        connection.execute(
            text(f"UPDATE experiments SET {values}"), {"root": artifacts.as_uri(), "now": now_ms}
        )
    engine.dispose()


def tables(connection: Connection) -> dict[str, Table]:
    """MLflow's tables as the file has them.

    Raises:
        UnknownTables: a table or a column is missing, or there is a column that this program would have to fill in.
    """
    known = MetaData()
    known.reflect(connection, only=lambda name, _: name in WRITTEN)
    for name, written in WRITTEN.items():
        if name not in known.tables:
            raise UnknownTables(f"it has no table {name}")
        columns = known.tables[name].columns
        if missing := written - {column.name for column in columns}:
            raise UnknownTables(f"its table {name} has no column {min(missing)}")
        for column in columns:
            is_filled_in = column.nullable or column.server_default is not None or column.primary_key
            if column.name not in written and not is_filled_in:
                raise UnknownTables(f"its table {name} has a column {column.name}, unknown to this program")
    return dict(known.tables)
