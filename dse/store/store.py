"""The truth about every sweep: one class over one database.

Reads and writes are plain statements on the models' tables, a batch at a time; nothing that the database owns
leaves this module, only the records of `dse.store.records`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Select, Table, and_, bindparam, delete, func, insert, or_, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from dse.store.database import WRITES, migrate, open_engine, parse_url
from dse.store.errors import SweepNotFound
from dse.store.filters import equalities, metric_column, parse_filter, parse_order
from dse.store.models import Result, Sweep, Trial
from dse.store.records import (
    DETERMINISTIC_FAILURES,
    NewTrial,
    Place,
    ResultRecord,
    SweepCounts,
    SweepRecord,
    SweepSpec,
    SweepState,
    TrialRecord,
)
from dse.store.rows import result_record, result_row, sweep_record, sweep_row, trial_record, trial_row

#: Values bound in one statement; below every database's limit.
VALUES_PER_QUERY = 500

_SWEEPS, _RESULTS, _TRIALS = (cast(Table, model.__table__) for model in (Sweep, Result, Trial))
_KNOWN = or_(
    Result.state == "complete",
    *(Result.reason.is_not_distinct_from(reason) for reason in sorted(DETERMINISTIC_FAILURES)),
)
_TRIALS_WITH_RESULTS = select(
    _TRIALS, *(column for column in _RESULTS.c if column.name != "point_hash")
).join(_RESULTS, _RESULTS.c.point_hash == _TRIALS.c.point_hash)


class Store:
    """Sweeps, trials and results in a database.

    One store may be used by many threads; many processes may open the same database.

    Attributes:
        url: the database's URL, without a password.
    """

    def __init__(self, where: str | Path) -> None:
        url = parse_url(where)
        self.url = url.render_as_string()
        self._engine = open_engine(url)
        self._writer = self._engine.execution_options(**{WRITES: True})

    @classmethod
    def open(cls, where: str | Path) -> "Store":
        """The store at a path or URL, made or brought to the newest schema if need be.

        Raises:
            StoreError: it is not a database of ours, or one from a newer version.
        """
        store = cls(where)
        store.upgrade()
        return store

    def upgrade(self) -> None:
        """Bring the schema to the newest version; safe when many processes do so at once."""
        migrate(self._engine)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    # Sweeps

    def create_sweep(self, spec: SweepSpec) -> int:
        """Store a new running sweep; its id."""
        row = {**sweep_row(spec), "state": "running", "created_at": datetime.now(UTC)}
        with self._writer.begin() as connection:
            return connection.execute(insert(Sweep).values(row).returning(Sweep.id)).scalar_one()

    def sweep(self, sweep_id: int) -> SweepRecord:
        """One sweep.

        Raises:
            SweepNotFound: there is none of that id.
        """
        with self._engine.connect() as connection:
            row = connection.execute(select(_SWEEPS).where(_SWEEPS.c.id == sweep_id)).mappings().one_or_none()
        if row is None:
            raise _not_found(sweep_id, self.url)
        return sweep_record(row)

    def sweeps(self) -> list[SweepRecord]:
        """All sweeps, oldest first."""
        with self._engine.connect() as connection:
            return [
                sweep_record(row)
                for row in connection.execute(select(_SWEEPS).order_by(_SWEEPS.c.id)).mappings()
            ]

    def set_state(self, sweep_id: int, state: SweepState) -> None:
        """Say where a sweep is; any state but `running` also sets when it ended."""
        ended = None if state == "running" else datetime.now(UTC)
        self._update_sweep(sweep_id, {"state": state, "finished_at": ended})

    def set_budget(self, sweep_id: int, trials: int | None, timeout_s: float | None, planned: int) -> None:
        """Change a sweep's budget, to extend it; the arguments are `SweepSpec`'s."""
        self._update_sweep(sweep_id, {"trials": trials, "timeout_s": timeout_s, "planned": planned})

    def delete_sweep(self, sweep_id: int) -> None:
        """Forget a sweep and its trials; the results stay known."""
        with self._writer.begin() as connection:
            if not connection.execute(delete(_SWEEPS).where(_SWEEPS.c.id == sweep_id)).rowcount:
                raise _not_found(sweep_id, self.url)

    # Results and trials

    def known(self, hashes: Iterable[str]) -> dict[str, ResultRecord]:
        """Results that need no evaluation, by point hash: complete ones, and failures that would repeat."""
        wanted = list(dict.fromkeys(hashes))
        found: dict[str, ResultRecord] = {}
        with self._engine.connect() as connection:
            for start in range(0, len(wanted), VALUES_PER_QUERY):
                chunk = wanted[start : start + VALUES_PER_QUERY]
                query = select(_RESULTS).where(Result.point_hash.in_(chunk), _KNOWN)
                for row in connection.execute(query).mappings():
                    found[row["point_hash"]] = result_record(row)
        return found

    def record(self, sweep_id: int, trials: Sequence[NewTrial]) -> None:
        """Store trials with their results, all or none, in one transaction.

        Recording the same again changes nothing: a sweep keeps the first trial of a point on a GPU, and a
        result that is known keeps its row. A result that is not (its worker was lost) is replaced.
        """
        if not trials:
            return
        results = {trial.result.point_hash: result_row(trial.result) for trial in trials}
        with self._writer.begin() as connection:
            new_result = self._insert(_RESULTS)
            replace = {name: new_result.excluded[name] for name in next(iter(results.values()))}
            connection.execute(
                new_result.on_conflict_do_update(index_elements=["point_hash"], set_=replace, where=~_KNOWN),
                list(results.values()),
            )
            connection.execute(
                self._insert(_TRIALS).on_conflict_do_nothing(),
                [trial_row(sweep_id, trial) for trial in trials],
            )

    def finished_points(self, sweep_id: int, gpu: str) -> set[int]:
        """Indices of the points of a sweep that need no more work on a GPU."""
        query = (
            select(Trial.point_index)
            .join(Result, Result.point_hash == Trial.point_hash)
            .where(Trial.sweep_id == sweep_id, Trial.gpu == gpu, _KNOWN)
        )
        with self._engine.connect() as connection:
            return set(connection.scalars(query))

    def trials(
        self,
        sweep_id: int,
        filter: str | None = None,
        order_by: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[TrialRecord]:
        """The recorded trials of a sweep.

        Args:
            sweep_id: which sweep.
            filter: as in `params.unroll >= 4 and metrics.time_us < 10`; see `dse.store.filters`.
            order_by: names, each with an optional `asc` or `desc`, as in `metrics.time_us desc`; missing
                values come last. Ties, and everything without it, are in point order: GPU, then point index.
            limit: the most trials to return.

        Raises:
            SweepNotFound: there is no such sweep.
            FilterError: the filter or the order cannot be read.
        """
        parameters = self.sweep(sweep_id).spec.parameters
        query = _TRIALS_WITH_RESULTS.where(Trial.sweep_id == sweep_id)
        if filter:
            query = query.where(parse_filter(filter, parameters))
        query = query.order_by(*parse_order(order_by, parameters), Trial.gpu, Trial.point_index)
        return self._trials(query.limit(limit))

    def trials_at(self, sweep_id: int, places: Iterable[Place]) -> list[TrialRecord]:
        """The recorded trials at some places of a sweep, in point order."""
        wanted = list(places)
        found: list[TrialRecord] = []
        for start in range(0, len(wanted), VALUES_PER_QUERY // 2):
            chunk = wanted[start : start + VALUES_PER_QUERY // 2]
            at_place = tuple_(Trial.gpu, Trial.point_index).in_(chunk)
            found += self._trials(_TRIALS_WITH_RESULTS.where(Trial.sweep_id == sweep_id, at_place))
        return sorted(found, key=lambda trial: trial.place)

    def best(
        self, sweep_id: int, gpu: str | None = None, filter: str | None = None
    ) -> dict[str, TrialRecord]:
        """The best complete trial of each GPU by the first objective; of equals, the lowest point index.

        Args:
            sweep_id: which sweep.
            gpu: only this one.
            filter: only among the trials that pass it, as in `params.n = 512`.
        """
        spec = self.sweep(sweep_id).spec
        direction, name = spec.objectives[0]
        metric = metric_column(name)
        rank = metric.asc() if direction == "minimize" else metric.desc()
        query = (
            _TRIALS_WITH_RESULTS.where(
                Trial.sweep_id == sweep_id, Result.state == "complete", metric.is_not(None)
            )
            .order_by(rank, Trial.point_index)
            .limit(1)
        )
        if filter:
            query = query.where(parse_filter(filter, spec.parameters))
        bests = [self._trials(query.where(Trial.gpu == name)) for name in ([gpu] if gpu else spec.gpus)]
        return {trial.gpu: trial for best in bests for trial in best}

    def winners(self, sweep_id: int) -> list[TrialRecord]:
        """The best complete trial of each GPU and workload, in the order of the sweep's GPUs."""
        spec = self.sweep(sweep_id).spec
        bests = [self.best(sweep_id, filter=equalities(workload)) for workload in spec.workloads]
        return [best[gpu] for gpu in spec.gpus for best in bests if gpu in best]

    def counts(self, sweep_id: int) -> SweepCounts:
        """How many trials are recorded, by state, source and reason of failure."""
        query = (
            select(Result.state, Result.reason, Trial.source, func.count())
            .join(Result, Result.point_hash == Trial.point_hash)
            .where(Trial.sweep_id == sweep_id)
            .group_by(Result.state, Result.reason, Trial.source)
        )
        complete, failures, sources = 0, Counter[str](), Counter[str]()
        with self._engine.connect() as connection:
            for state, reason, source, count in connection.execute(query):
                sources[source] += count
                if state == "complete":
                    complete += count
                else:
                    failures[reason or "unknown"] += count
        return SweepCounts(
            complete=complete,
            failed=failures.total(),
            new=sources["new"],
            known=sources["known"],
            failures=dict(failures.most_common()),
        )

    # What `dse.tracking` has written to MLflow

    def set_mlflow_run(self, sweep_id: int, run_id: str) -> None:
        """Remember a sweep's parent run."""
        self._update_sweep(sweep_id, {"mlflow_run_id": run_id})

    def set_trial_runs(self, sweep_id: int, runs: Mapping[Place, str], logged: bool) -> None:
        """Remember the run of each trial, and whether the run has its content."""
        if not runs:
            return
        at_place = and_(
            _TRIALS.c.sweep_id == sweep_id,
            _TRIALS.c.gpu == bindparam("of_gpu"),
            _TRIALS.c.point_index == bindparam("of_point"),
        )
        rows = [
            {"of_gpu": gpu, "of_point": index, "mlflow_run_id": run_id, "mlflow_logged": logged}
            for (gpu, index), run_id in runs.items()
        ]
        with self._writer.begin() as connection:
            connection.execute(update(_TRIALS).where(at_place), rows)

    def untracked(self, sweep_id: int) -> dict[Place, str | None]:
        """The trials with a known result that MLflow does not show in full; their run if one was begun."""
        query = (
            select(Trial.gpu, Trial.point_index, Trial.mlflow_run_id)
            .join(Result, Result.point_hash == Trial.point_hash)
            .where(Trial.sweep_id == sweep_id, Trial.mlflow_logged.is_(False), _KNOWN)
            .order_by(Trial.gpu, Trial.point_index)
        )
        with self._engine.connect() as connection:
            return {(gpu, index): run_id for gpu, index, run_id in connection.execute(query)}

    def tracked_count(self, sweep_id: int) -> int:
        """How many of a sweep's trials MLflow shows in full."""
        query = select(func.count()).where(Trial.sweep_id == sweep_id, Trial.mlflow_logged.is_(True))
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def forget_mlflow_runs(self, sweep_id: int) -> None:
        """Forget every run of a sweep, so that all is written again."""
        forgotten = {"mlflow_run_id": None, "mlflow_logged": False}
        with self._writer.begin() as connection:
            connection.execute(update(_TRIALS).where(_TRIALS.c.sweep_id == sweep_id).values(forgotten))
            connection.execute(update(_SWEEPS).where(_SWEEPS.c.id == sweep_id).values(mlflow_run_id=None))

    # Inside

    def _update_sweep(self, sweep_id: int, values: Mapping[str, Any]) -> None:
        with self._writer.begin() as connection:
            changed = connection.execute(update(_SWEEPS).where(_SWEEPS.c.id == sweep_id).values(values))
            if not changed.rowcount:
                raise _not_found(sweep_id, self.url)

    def _trials(self, query: Select[Any]) -> list[TrialRecord]:
        with self._engine.connect() as connection:
            return [trial_record(row) for row in connection.execute(query).mappings()]

    def _insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """The insert statement of this database's dialect; the two have the same `on_conflict` clauses."""
        return postgresql.insert(table) if self._engine.dialect.name == "postgresql" else sqlite.insert(table)


def _not_found(sweep_id: int, url: str) -> SweepNotFound:
    return SweepNotFound(f"no sweep {sweep_id} in {url}; `dse list` shows those there are")
