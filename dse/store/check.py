"""Integrity check of a database: its schema, its file, and denormalised data."""

from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, Engine, RowMapping, func, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from dse.store.database.engine import open_engine, parse_url, schema_problem
from dse.store.database.retrying import is_passing, unavailable
from dse.store.errors import StoreError
from dse.store.parts.recording import SHOWN, Ranking
from dse.store.schema.tables import RESULTS, SWEEPS, TRIAL_COUNTS, TRIALS

#: Rows that are read from the database at a time.
MANY_AT_ONCE = 10_000


def problems(where: str | Path) -> list[str]:
    """The problems of the database at a path or URL, without changing it; empty if there are none.

    Raises:
        StoreError: there is no database, or it is not one of this program.
    """
    url = parse_url(where)
    _require_file(url)
    engine = open_engine(url)
    try:
        return list(_problems(engine))
    except DBAPIError as error:
        if is_passing(error):
            raise unavailable(error) from error
        raise StoreError(f"{url.render_as_string()} cannot be read: {error.orig}") from error
    finally:
        engine.dispose()


def _require_file(url: URL) -> None:
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise StoreError(f"no database at {url.database}; `dse db upgrade` creates one")


def _problems(engine: Engine) -> Iterator[str]:
    with engine.connect() as connection:
        outdated = schema_problem(connection)
        if outdated:
            yield outdated
            return
        if engine.dialect.name == "sqlite":
            yield from _file_problems(connection)
        for sweep_id, key in connection.execute(
            select(SWEEPS.c.id, SWEEPS.c.key).order_by(SWEEPS.c.id)
        ).all():
            yield from (f"sweep {key}: {problem}" for problem in _sweep_problems(connection, sweep_id))


def _file_problems(connection: Connection) -> Iterator[str]:
    for (line,) in connection.execute(text("PRAGMA integrity_check")):
        if line != "ok":
            yield line
    for table, row, parent, _ in connection.execute(text("PRAGMA foreign_key_check")):
        yield f"row {row} of {table} refers to a missing row of {parent}"


def _sweep_problems(connection: Connection, sweep_id: int) -> Iterator[str]:
    counted = _counted(connection, sweep_id)
    recorded = _recorded(connection, sweep_id)
    for kind in sorted(counted.keys() | recorded.keys()):
        if counted.get(kind, 0) != recorded.get(kind, 0):
            words = " ".join(word for word in kind if word)
            yield f"{recorded.get(kind, 0)} trials are {words}, and {counted.get(kind, 0)} are counted"
    differing = _differing(connection, sweep_id)
    if differing:
        yield f"{differing} trials differ from their results"


def _counted(connection: Connection, sweep_id: int) -> dict[tuple[str, str, str], int]:
    kind = TRIAL_COUNTS.c.state, TRIAL_COUNTS.c.reason, TRIAL_COUNTS.c.source
    query = select(*kind, TRIAL_COUNTS.c.trials).where(TRIAL_COUNTS.c.sweep_id == sweep_id)
    return {(state, reason, source): trials for state, reason, source, trials in connection.execute(query)}


def _recorded(connection: Connection, sweep_id: int) -> dict[tuple[str, str, str], int]:
    kind = TRIALS.c.state, func.coalesce(TRIALS.c.reason, ""), TRIALS.c.source
    query = select(*kind, func.count()).where(TRIALS.c.sweep_id == sweep_id).group_by(*kind)
    return {(state, reason, source): trials for state, reason, source, trials in connection.execute(query)}


def _differing(connection: Connection, sweep_id: int) -> int:
    """Number of trials that differ from their results, or have none."""
    ranking = Ranking.of_sweep(connection, sweep_id)
    shown = TRIALS.c.parameters, *(TRIALS.c[name].label(f"shown_{name}") for name in SHOWN)
    query = select(*shown, RESULTS.c.point_hash, *ranking.columns)
    query = query.outerjoin(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash).where(
        TRIALS.c.sweep_id == sweep_id
    )
    rows = connection.execution_options(yield_per=MANY_AT_ONCE).execute(query).mappings()
    return sum(row["point_hash"] is None or not _agrees(ranking, row) for row in rows)


def _agrees(ranking: Ranking, row: RowMapping) -> bool:
    true = ranking.shown(row, row["parameters"])
    return all(row[f"shown_{name}"] == true[name] for name in SHOWN)
