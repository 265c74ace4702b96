"""The outbox for MLflow: marks on sweeps and trials that have been exported by `dse.tracking`.

Everything without a mark still has to be exported. The cost of each query is bounded by the number of trials shown in
MLflow, not by the number of trials of a sweep.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Any

from sqlalchemy import Engine, Select, and_, bindparam, delete, or_, select, tuple_, update

from dse.store.database.engine import WRITES
from dse.store.database.locks import Lock, held
from dse.store.errors import StoreError
from dse.store.records import Place
from dse.store.schema.tables import (
    DELETED_SWEEPS,
    NOT_EXPORTED,
    RESULT_IS_KNOWN,
    RESULTS,
    SWEEPS,
    TRIALS,
    VALUES_PER_QUERY,
    chunks,
)

#: PostgreSQL's advisory lock of the exporter; an arbitrary constant, unique to this program.
EXPORT_LOCK = 0x6D6C66
LOCK_POLL_S = 0.1


#: What identifies a trial of a sweep in MLflow: its GPU and its number, which an extension of the sweep leaves alone.
Entry = tuple[str, int]
_ENTRY = (TRIALS.c.gpu, TRIALS.c.number)


class OutboxBusy(StoreError):
    """Another process is exporting to MLflow."""


@dataclass(frozen=True)
class Child:
    """A trial with a run in MLflow.

    Attributes:
        run_id: the run's id in MLflow.
        logged: whether the run is complete; if not, it was only created.
    """

    run_id: str
    logged: bool


@dataclass(frozen=True)
class DeletedSweepRecord:
    """A deleted sweep.

    Attributes:
        id: a number unrelated to the sweep's own.
        name, key, created_at: identify its runs in MLflow.
    """

    id: int
    name: str
    key: str
    created_at: datetime


class Outbox:
    """The marks of one database; created by a `Store`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writer = engine.execution_options(**{WRITES: True})

    @contextmanager
    def lock(self, patience_s: float) -> Iterator[Callable[[], None]]:
        """Hold the lock for exporting this database to MLflow; only one thread of one process can.

        Yields a function that raises OutboxBusy if the lock was lost, as after a restart of the database server.

        Raises:
            OutboxBusy: another process has held it for more than `patience_s` seconds.
        """
        deadline = monotonic() + patience_s
        path = f"{self._engine.url.database}.mlflow.lock"
        with held(self._engine, path, EXPORT_LOCK, lambda: monotonic() > deadline, LOCK_POLL_S) as lock:
            if lock is None:
                raise OutboxBusy(f"another process has held its lock for {patience_s:g} s")
            yield partial(_confirm, lock)

    # Sweeps

    def behind(self) -> list[int]:
        """The incompletely exported sweeps: managed ones and those with a run, oldest first."""
        is_shown = or_(SWEEPS.c.mlflow_run_id.is_not(None), SWEEPS.c.managed.is_(True))
        is_whole = and_(
            SWEEPS.c.mlflow_run_id.is_not(None),
            SWEEPS.c.finished_at.is_not(None),
            SWEEPS.c.finished_at.is_not_distinct_from(SWEEPS.c.mlflow_finished_at),
        )
        with self._engine.connect() as connection:
            return list(connection.scalars(select(SWEEPS.c.id).where(is_shown, ~is_whole).order_by("id")))

    def parent(self, sweep_id: int) -> str | None:
        """The run of a sweep."""
        with self._engine.connect() as connection:
            run_id: str | None = connection.scalar(
                select(SWEEPS.c.mlflow_run_id).where(SWEEPS.c.id == sweep_id)
            )
        return run_id

    def set_parent(self, sweep_id: int, run_id: str) -> None:
        """Store the run of a sweep."""
        self._mark_sweep(sweep_id, mlflow_run_id=run_id)

    def set_page(self, sweep_id: int, page: str) -> None:
        """Store the path of a sweep's runs in MLflow's web interface."""
        self._mark_sweep(sweep_id, mlflow_page=page)

    def is_dirty(self, sweep_id: int) -> bool:
        """Whether an export of this sweep was interrupted, so that MLflow may have runs without a mark."""
        with self._engine.connect() as connection:
            return bool(connection.scalar(select(SWEEPS.c.mlflow_dirty).where(SWEEPS.c.id == sweep_id)))

    def begin(self, sweep_id: int) -> None:
        """Mark the start of an export."""
        self._mark_sweep(sweep_id, mlflow_dirty=True)

    def end(self, sweep_id: int, finished_at: datetime | None) -> None:
        """Mark the end of an export: MLflow shows the sweep as of its end at `finished_at`."""
        self._mark_sweep(sweep_id, mlflow_dirty=False, mlflow_finished_at=finished_at)

    def forget(self, sweep_id: int) -> None:
        """Forget all runs of a sweep, so that it is exported again."""
        shown = and_(TRIALS.c.sweep_id == sweep_id, TRIALS.c.mlflow_run_id.is_not(None))
        with self._writer.begin() as connection:
            connection.execute(update(TRIALS).where(shown).values(mlflow_run_id=None, mlflow_logged=False))
            forgotten = {**NOT_EXPORTED, "mlflow_finished_at": None}
            connection.execute(update(SWEEPS).where(SWEEPS.c.id == sweep_id).values(forgotten))

    def deleted(self) -> list[DeletedSweepRecord]:
        """The deleted sweeps that may have runs in MLflow."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(DELETED_SWEEPS).order_by("id")).mappings()
            return [DeletedSweepRecord(**row) for row in rows]

    def forget_deleted(self, deleted: DeletedSweepRecord) -> None:
        """Forget a deleted sweep whose runs in MLflow are deleted."""
        with self._writer.begin() as connection:
            connection.execute(delete(DELETED_SWEEPS).where(DELETED_SWEEPS.c.id == deleted.id))

    # Trials

    def children(self, sweep_id: int) -> dict[Entry, Child]:
        """The trials with a run, in point order."""
        query = (
            select(*_ENTRY, TRIALS.c.mlflow_run_id, TRIALS.c.mlflow_logged)
            .where(TRIALS.c.sweep_id == sweep_id, TRIALS.c.mlflow_run_id.is_not(None))
            .order_by(TRIALS.c.gpu, TRIALS.c.point_index)
        )
        with self._engine.connect() as connection:
            return {
                (gpu, number): Child(run_id, logged)
                for gpu, number, run_id, logged in connection.execute(query)
            }

    def pending(self, sweep_id: int, limit: int) -> list[Entry]:
        """Up to `limit` trials with known results that are not completely exported."""
        query = self._pending(sweep_id).order_by(TRIALS.c.number).limit(limit)
        with self._engine.connect() as connection:
            return [(gpu, number) for gpu, number in connection.execute(query)]

    def pending_numbers(self, sweep_id: int, numbers: Iterable[int]) -> list[Entry]:
        """The same, only for trials with one of these numbers."""
        found: list[Entry] = []
        with self._engine.connect() as connection:
            for chunk in chunks(sorted(numbers)):
                query = self._pending(sweep_id).where(TRIALS.c.number.in_(chunk)).order_by(TRIALS.c.number)
                found += [(gpu, number) for gpu, number in connection.execute(query)]
        return found

    def recorded(self, sweep_id: int, entries: Iterable[Entry]) -> dict[Entry, Place]:
        """Those of the trials that the sweep has, with their places."""
        found: dict[Entry, Place] = {}
        columns = *_ENTRY, TRIALS.c.point_index
        with self._engine.connect() as connection:
            for chunk in chunks(entries, VALUES_PER_QUERY // len(_ENTRY)):
                query = select(*columns).where(TRIALS.c.sweep_id == sweep_id, tuple_(*_ENTRY).in_(chunk))
                found |= {(gpu, number): (gpu, index) for gpu, number, index in connection.execute(query)}
        return found

    def set_children(self, sweep_id: int, runs: Mapping[Entry, str | None], logged: bool) -> None:
        """Store the run of each trial, None for none, and whether the run is complete."""
        if not runs:
            return
        is_trial = and_(
            TRIALS.c.sweep_id == sweep_id,
            TRIALS.c.gpu == bindparam("of_gpu"),
            TRIALS.c.number == bindparam("of_number"),
        )
        rows = [
            {"of_gpu": gpu, "of_number": number, "mlflow_run_id": run_id, "mlflow_logged": logged}
            for (gpu, number), run_id in runs.items()
        ]
        with self._writer.begin() as connection:
            connection.execute(update(TRIALS).where(is_trial), rows)

    # Internal

    @staticmethod
    def _pending(sweep_id: int) -> Select[Any]:
        return (
            select(*_ENTRY)
            .join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)
            .where(TRIALS.c.sweep_id == sweep_id, TRIALS.c.mlflow_logged.is_(False), RESULT_IS_KNOWN)
        )

    def _mark_sweep(self, sweep_id: int, **marks: object) -> None:
        with self._writer.begin() as connection:
            connection.execute(update(SWEEPS).where(SWEEPS.c.id == sweep_id).values(marks))


def _confirm(lock: Lock) -> None:
    if not lock.is_held():
        raise OutboxBusy("its lock was lost with the connection to the database")
