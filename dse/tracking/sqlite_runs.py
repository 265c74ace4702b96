"""Runs in the tables of MLflow's SQLite file: a batch in two transactions, at about 0.5 ms per run.

MLflow itself is imported only to make the first file of its version, or to copy files to a place that is no folder.
"""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from sqlalchemy import Connection, Table, create_engine, delete, exists, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from dse.store.database.engine import BUSY_TIMEOUT_S
from dse.store.schema.tables import chunks
from dse.tracking import sqlite_file
from dse.tracking.runs import ChildRun, ExperimentDeleted, FoundRun, Runs


class SqliteRuns(Runs):
    """Runs in a SQLite file, which is created if necessary.

    New experiments keep their files in `mlartifacts/` next to it. The file is in WAL mode, so `mlflow ui` can read
    while a sweep writes.

    Raises:
        UnknownTables: the tables cannot be written.
    """

    def __init__(self, tracking_uri: str) -> None:
        self._uri = tracking_uri
        self._database = sqlite_file.path(tracking_uri)
        self._artifact_folder = sqlite_file.artifact_folder(self._database)
        sqlite_file.make(self._database)
        self._engine = create_engine(
            f"sqlite:///{self._database}", connect_args={"timeout": BUSY_TIMEOUT_S}, hide_parameters=True
        )
        with self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            tables = sqlite_file.tables(connection)
        self._experiments, self._runs = tables["experiments"], tables["runs"]
        self._experiment_tags = tables["experiment_tags"]
        self._tags, self._params = tables["tags"], tables["params"]
        self._metrics, self._latest = tables["metrics"], tables["latest_metrics"]
        self._file_id = self._database.stat().st_ino

    def is_current(self) -> bool:
        """Whether the file is still the one that was opened; a deleted file would silently accept writes."""
        try:
            return self._database.stat().st_ino == self._file_id
        except OSError:
            return False

    def close(self) -> None:
        self._engine.dispose()

    def experiment(self, name: str) -> str:
        if known := self._experiment(name):
            experiment_id, stage = known
            if stage == "deleted":
                raise ExperimentDeleted(name, experiment_id)
            return experiment_id
        now_ms = int(1000 * time())
        row = {
            "name": name,
            "artifact_location": (self._artifact_folder / name).as_uri(),
            "lifecycle_stage": "active",
            "creation_time": now_ms,
            "last_update_time": now_ms,
        }
        with self._engine.begin() as connection:
            return str(
                connection.scalar(
                    insert(self._experiments).values(row).returning(self._experiments.c.experiment_id)
                )
            )

    def known_experiment(self, name: str) -> str | None:
        known = self._experiment(name)
        return known[0] if known and known[1] != "deleted" else None

    def version(self) -> str | None:
        return version("mlflow")

    def set_experiment_tag(self, experiment_id: str, key: str, value: str) -> None:
        tag = insert(self._experiment_tags).values(experiment_id=int(experiment_id), key=key, value=value)
        index = [self._experiment_tags.c.key, self._experiment_tags.c.experiment_id]
        with self._engine.begin() as connection:
            connection.execute(tag.on_conflict_do_update(index_elements=index, set_={"value": value}))

    def delete_experiment_tag(self, experiment_id: str, key: str) -> None:
        tag = self._experiment_tags.c
        is_it = (tag.experiment_id == int(experiment_id)) & (tag.key == key)
        with self._engine.begin() as connection:
            connection.execute(delete(self._experiment_tags).where(is_it))

    def find(self, experiment_id: str, tags: Mapping[str, str]) -> Iterator[FoundRun]:
        runs, tag = self._runs.c, self._tags.c
        query = select(runs.run_uuid, runs.status, runs.start_time).where(
            runs.experiment_id == int(experiment_id), runs.lifecycle_stage == "active"
        )
        for key, value in tags.items():
            has_tag = (tag.run_uuid == runs.run_uuid) & (tag.key == key) & (tag.value == value)
            query = query.where(exists().where(has_tag))
        with self._engine.connect() as connection:
            for rows in chunks(connection.execute(query).all()):
                ids = [row.run_uuid for row in rows]
                contents = [
                    _by_run(connection, table, ids) for table in (self._tags, self._params, self._latest)
                ]
                for run_id, status, start_ms in rows:
                    yield FoundRun(
                        run_id, experiment_id, status, start_ms, *(each[run_id] for each in contents)
                    )

    def begin(self, experiment_id: str, name: str, start_ms: int, tags: Mapping[str, str]) -> FoundRun:
        child = ChildRun(name, "RUNNING", start_ms, start_ms, tags, {}, {})
        (run_id,) = self.create(experiment_id, [child])
        return FoundRun(run_id, experiment_id, child.status, start_ms, tags, {}, {})

    def log_metrics(self, run_id: str, metrics: Mapping[str, float], step: int) -> None:
        if not metrics:
            return
        rows = _metric_rows(run_id, metrics, int(1000 * time()), step)
        latest = insert(self._latest)
        new = latest.excluded
        values = {name: new[name] for name in ("value", "timestamp", "step", "is_nan")}
        is_newer = or_(new.step >= self._latest.c.step, new.timestamp > self._latest.c.timestamp)
        key = [self._latest.c.key, self._latest.c.run_uuid]
        with self._engine.begin() as connection:
            connection.execute(insert(self._metrics).on_conflict_do_nothing(), rows)
            connection.execute(
                latest.on_conflict_do_update(index_elements=key, set_=values, where=is_newer), rows
            )

    def log_files(self, run_id: str, folder: Path) -> None:
        with self._engine.connect() as connection:
            uri = connection.scalar(select(self._runs.c.artifact_uri).where(self._runs.c.run_uuid == run_id))
        place = urlsplit(uri or "")
        if place.scheme in ("", "file"):
            shutil.copytree(folder, unquote(place.path), dirs_exist_ok=True)
            return
        from dse.tracking.client_runs import ClientRuns

        ClientRuns(self._uri).log_files(run_id, folder)

    def set_tag(self, run_id: str, key: str, value: str) -> None:
        tag = insert(self._tags).values(run_uuid=run_id, key=key, value=value)
        index = [self._tags.c.key, self._tags.c.run_uuid]
        with self._engine.begin() as connection:
            connection.execute(tag.on_conflict_do_update(index_elements=index, set_={"value": value}))

    def set_status(self, run_id: str, status: str, ended_at: datetime | None) -> None:
        ended = {"end_time": int(1000 * ended_at.timestamp())} if ended_at else {}
        self._update([run_id], {"status": status, **ended})

    def delete(self, run_ids: Iterable[str]) -> None:
        for ids in chunks(run_ids):
            self._update(ids, {"lifecycle_stage": "deleted", "deleted_time": int(1000 * time())})

    def create(self, experiment_id: str, children: Sequence[ChildRun]) -> list[str]:
        """Create the runs in one transaction."""
        begun = {uuid4().hex: child for child in children}
        if not begun:
            return []
        tags = [
            row
            for run_id, child in begun.items()
            for row in _text_rows(run_id, {**child.tags, "mlflow.runName": child.name})
        ]
        experiments = self._experiments.c
        with self._engine.begin() as connection:
            root = connection.scalar(
                select(experiments.artifact_location).where(experiments.experiment_id == int(experiment_id))
            )
            rows = [_run_row(*item, experiment_id, str(root)) for item in begun.items()]
            connection.execute(insert(self._runs), rows)
            connection.execute(insert(self._tags), tags)
        return list(begun)

    def finish(self, children: Mapping[str, ChildRun]) -> None:
        """Finish the runs that have not ended, in one transaction."""
        runs = self._runs.c
        with self._engine.begin() as connection:
            unfinished = select(runs.run_uuid).where(
                runs.run_uuid.in_(list(children)), runs.status == "RUNNING"
            )
            open_runs = {run_id: children[run_id] for run_id in connection.scalars(unfinished)}
            metrics = [
                row
                for run_id, child in open_runs.items()
                for row in _metric_rows(run_id, child.metrics, child.end_ms, 0)
            ]
            parameters = [
                row for run_id, child in open_runs.items() for row in _text_rows(run_id, child.parameters)
            ]
            for table, rows in (
                (self._metrics, metrics),
                (self._latest, metrics),
                (self._params, parameters),
            ):
                if rows:
                    connection.execute(insert(table), rows)
            for run_id, child in open_runs.items():
                ended = {"status": child.status, "end_time": child.end_ms}
                connection.execute(update(self._runs).where(runs.run_uuid == run_id).values(ended))

    def _experiment(self, name: str) -> tuple[str, str] | None:
        """The id and the stage of an experiment."""
        table = self._experiments.c
        with self._engine.connect() as connection:
            query = select(table.experiment_id, table.lifecycle_stage).where(table.name == name)
            row = connection.execute(query).first()
        return (str(row[0]), str(row[1])) if row else None

    def _update(self, run_ids: Sequence[str], values: Mapping[str, Any]) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(self._runs).where(self._runs.c.run_uuid.in_(run_ids)).values(values))


def _by_run(connection: Connection, table: Table, run_ids: Sequence[str]) -> defaultdict[str, dict[str, Any]]:
    """The values of a table by run and key."""
    values: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    columns = table.c.run_uuid, table.c.key, table.c.value
    for run_id, key, value in connection.execute(select(*columns).where(table.c.run_uuid.in_(run_ids))):
        values[run_id][key] = value
    return values


def _run_row(run_id: str, child: ChildRun, experiment_id: str, artifact_root: str) -> dict[str, Any]:
    """A row of `runs`, as created by MLflow's `create_run`."""
    return {
        "run_uuid": run_id,
        "name": child.name,
        "artifact_uri": f"{artifact_root}/{run_id}/artifacts",
        "experiment_id": int(experiment_id),
        "source_type": "UNKNOWN",
        "source_name": "",
        "entry_point_name": "",
        "user_id": "unknown",
        "status": "RUNNING",
        "start_time": child.start_ms,
        "source_version": "",
        "lifecycle_stage": "active",
    }


def _text_rows(run_id: str, values: Mapping[str, str]) -> list[dict[str, str]]:
    """Rows of tags or of parameters."""
    return [{"run_uuid": run_id, "key": key, "value": value} for key, value in values.items()]


def _metric_rows(
    run_id: str, metrics: Mapping[str, float], timestamp_ms: int, step: int
) -> list[dict[str, Any]]:
    same = {"run_uuid": run_id, "timestamp": timestamp_ms, "step": step, "is_nan": False}
    return [{"key": name, "value": value, **same} for name, value in metrics.items()]
