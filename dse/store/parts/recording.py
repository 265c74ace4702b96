"""Recording: known results of points, and trials with their results and counters.

A result is stored once for all sweeps that contain its point. A result whose worker was lost reports nothing about the
point and is replaced by a later one, in all sweeps that contain the point. Denormalised columns of trials and the
counters are updated in the same transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Connection, Executable, RowMapping, delete, select, update

from dse.evaluation.tasks import Outcome
from dse.store.database.connection import Database
from dse.store.database.retrying import retried
from dse.store.errors import SweepNotFound, SweepReplanned
from dse.store.parts.columns import PART
from dse.store.records import Trial, workload_key
from dse.store.schema.models import METRIC_COLUMNS
from dse.store.schema.rows import outcome, result_row, trial_row
from dse.store.schema.tables import (
    RESULT_IS_KNOWN,
    RESULTS,
    SWEEPS,
    TRIAL_COLUMNS,
    TRIAL_COUNTS,
    TRIALS,
    chunks,
)
from search_spaces import Point
from search_spaces.metrics import UserMetrics

_NEW_TRIAL_COLUMNS = [column.name for column in TRIALS.c if column.name != "mlflow_run_id"]
#: The columns of a trial that follow from its result.
SHOWN = ("state", "reason", "score", "user_metrics")
#: State, reason and source: the key of a sweep's counters.
_Kind = tuple[str, str | None, str]


@dataclass(frozen=True)
class Ranking:
    """The ranking criterion of a sweep, and its own metrics."""

    sweep_id: int
    direction: str
    metric: str
    workload: tuple[str, ...]
    own: UserMetrics
    revision: int

    @classmethod
    def of_sweep(cls, connection: Connection, sweep_id: int) -> "Ranking":
        """Read it and lock the sweep until the transaction ends."""
        spec = SWEEPS.c.spec
        expressions = (spec["extra", name] for name in ("metrics", "values"))
        columns = spec["objectives"], spec["workload"], *expressions, SWEEPS.c.revision
        row = connection.execute(
            select(*columns).where(SWEEPS.c.id == sweep_id).with_for_update(read=True)
        ).one_or_none()
        if row is None:
            raise SweepNotFound(sweep_id)
        ((direction, metric), *_), workload, metrics, values, revision = row
        own = UserMetrics(metrics or {}, values or {})
        return cls(sweep_id, direction, metric, tuple(workload or ()), own, revision)

    @cached_property
    def ingredients(self) -> list[str]:
        """The metrics with columns that the first objective and the sweep's own metrics depend on."""
        needed = set[str]().union(*(self.own.ingredients(name) for name in (self.metric, *self.own.metrics)))
        return [name for name in METRIC_COLUMNS if name in needed]

    @property
    def columns(self) -> list[ColumnElement[Any]]:
        """The columns of results that `shown` takes."""
        return [RESULTS.c[name] for name in ("state", "reason", *self.ingredients)]

    def shown(self, standing: RowMapping, parameters: Point) -> dict[str, Any]:
        """What a trial repeats of its result, and what follows from it.

        Its score is the first objective, negated if maximised, so that lower is better.
        """
        found = {name: value for name in self.ingredients if (value := standing[name]) is not None}
        is_complete = standing["state"] == "complete"
        own = self.own.at(parameters, found) if is_complete else {}
        value = (found | own).get(self.metric) if is_complete else None
        score = -value if value is not None and self.direction == "maximize" else value
        repeated = {"state": standing["state"], "reason": standing["reason"]}
        return {**repeated, "score": score, "user_metrics": own or None}


class RecordingStore(Database):
    """The part of the store that records results."""

    @retried
    def known(self, hashes: Iterable[str]) -> dict[str, Outcome]:
        """Results that need no evaluation, by point hash: complete ones, and final failures."""
        query = select(RESULTS).where(self._among(RESULTS.c.point_hash, hashes), RESULT_IS_KNOWN)
        with self._engine.connect() as connection:
            return {row["point_hash"]: outcome(row) for row in connection.execute(query).mappings()}

    @retried
    def record(self, sweep_id: int, trials: Sequence[Trial], revision: int | None = None) -> None:
        """Store trials with their results, atomically in one transaction.

        Idempotent: a sweep keeps the first trial of a point on a GPU, and known results are not overwritten.
        A result that is not known (its worker was lost) is replaced, in all
        sweeps that contain the point.

        Args:
            sweep_id: number of the sweep.
            trials: at most one for each point and GPU.
            revision: revision of the sweep for which the trials were chosen; None accepts any.

        Raises:
            SweepNotFound: there is no such sweep.
            SweepReplanned: the sweep was extended after the trials were chosen.
        """
        if not trials:
            return
        results = {trial.result.point_hash: trial.result for trial in trials}
        with self._writer.begin() as connection:
            ranking = Ranking.of_sweep(connection, sweep_id)
            if revision not in (None, ranking.revision):
                raise SweepReplanned(sweep_id)
            stored = self._standings(connection, ranking, results)
            lacking = [key for key in sorted(results) if key not in stored or not stored[key]["is_known"]]
            if lacking:
                self._put(connection, self._keep_results, [result_row(results[key]) for key in lacking])
                stored |= self._standings(connection, ranking, lacking)
            self._add_trials(connection, ranking, trials, stored)
            simulations = {result.simulation for result in results.values() if result.simulation}
            self._share(connection, sweep_id, simulations)
            if lacking:
                self._show_again(connection, lacking, simulations)

    @cached_property
    def _keep_results(self) -> Executable:
        """Insert results that are not known; in the order of hashes, to avoid deadlocks."""
        new = self._insert_rows(RESULTS, RESULTS.c.keys())
        replaced = {column.name: new.excluded[column.name] for column in RESULTS.c}
        return new.on_conflict_do_update(index_elements=["point_hash"], set_=replaced, where=~RESULT_IS_KNOWN)

    @cached_property
    def _keep_trials(self) -> Executable:
        """Insert new trials; returns the keys of their counters."""
        new = self._insert_rows(TRIALS, _NEW_TRIAL_COLUMNS).on_conflict_do_nothing()
        return new.returning(TRIALS.c.state, TRIALS.c.reason, TRIALS.c.source)

    @cached_property
    def _add_counts(self) -> Executable:
        """Increment a sweep's counters."""
        new = self._insert_rows(TRIAL_COUNTS, TRIAL_COUNTS.c.keys())
        total = {"trials": TRIAL_COUNTS.c.trials + new.excluded.trials}
        return new.on_conflict_do_update(index_elements=list(TRIAL_COUNTS.primary_key), set_=total)

    def _standings(
        self, connection: Connection, ranking: Ranking, hashes: Iterable[str]
    ) -> dict[str, RowMapping]:
        """The stored results as far as trials show them, and whether they are known, by point hash."""
        columns = RESULTS.c.point_hash, *ranking.columns, RESULT_IS_KNOWN.label("is_known")
        query = select(*columns).where(self._among(RESULTS.c.point_hash, hashes))
        return {row["point_hash"]: row for row in connection.execute(query).mappings()}

    def _add_trials(
        self,
        connection: Connection,
        ranking: Ranking,
        trials: Sequence[Trial],
        stored: Mapping[str, RowMapping],
    ) -> None:
        """Insert the trials that the sweep does not contain yet, and count them."""
        rows = [
            {
                **trial_row(ranking.sweep_id, trial),
                **ranking.shown(stored[trial.result.point_hash], trial.parameters),
                "workload": workload_key(ranking.workload, trial.parameters),
            }
            for trial in trials
        ]
        added = self._put(connection, self._keep_trials, rows)
        kinds: list[_Kind] = [(row.state, row.reason, row.source) for row in added]
        self._count(connection, ranking.sweep_id, Counter(kinds))

    def _share(self, connection: Connection, sweep_id: int, simulations: Iterable[str]) -> None:
        """Name the first trial of each of these simulations in a sweep to the others."""
        of_sweep = TRIALS.c.sweep_id == sweep_id
        columns = RESULTS.c.simulation, TRIALS.c.number, TRIALS.c.same_code_as
        joined = select(*columns).join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash).where(of_sweep)
        changed: set[int] = set()
        for chunk in chunks(sorted(simulations)):
            first: dict[str, int] = {}
            query = joined.where(RESULTS.c.simulation.in_(chunk)).order_by(TRIALS.c.number)
            for simulation, number, named in connection.execute(query).all():
                leader = first.setdefault(simulation, number)
                right = leader if number != leader else None
                if named != right:
                    found = update(TRIALS).where(of_sweep, TRIALS.c.number == number)
                    connection.execute(found.values(same_code_as=right, mlflow_logged=False))
                    changed.add(number // PART * PART)
        for firsts in chunks(sorted(changed)):
            of_parts = (TRIAL_COLUMNS.c.sweep_id == sweep_id) & TRIAL_COLUMNS.c.first.in_(firsts)
            connection.execute(delete(TRIAL_COLUMNS).where(of_parts))

    def _show_again(self, connection: Connection, hashes: Sequence[str], simulations: Iterable[str]) -> None:
        """Update the trials of these points from their results, in all sweeps."""
        changes: defaultdict[int, Counter[_Kind]] = defaultdict(Counter)
        for sweep_id, source, before, now in self._outdated(connection, hashes):
            changes[sweep_id][*before, source] -= 1
            changes[sweep_id][*now, source] += 1
        for sweep_id, counts in sorted(changes.items()):
            ranking = Ranking.of_sweep(connection, sweep_id)
            self._show_in(connection, ranking, hashes)
            self._share(connection, sweep_id, simulations)
            self._count(connection, sweep_id, counts)
            connection.execute(delete(TRIAL_COLUMNS).where(TRIAL_COLUMNS.c.sweep_id == sweep_id))

    def _show_in(self, connection: Connection, ranking: Ranking, hashes: Sequence[str]) -> None:
        """Update the trials of these points in one sweep."""
        of_sweep = (TRIALS.c.sweep_id == ranking.sweep_id) & self._among(TRIALS.c.point_hash, hashes)
        place = TRIALS.c.gpu, TRIALS.c.point_index
        query = select(*place, TRIALS.c.parameters, *ranking.columns).where(of_sweep)
        query = query.join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)
        for row in connection.execute(query).mappings().all():
            at = (TRIALS.c.gpu == row["gpu"]) & (TRIALS.c.point_index == row["point_index"])
            shown = ranking.shown(row, row["parameters"])
            connection.execute(update(TRIALS).where(of_sweep, at).values(shown))

    def _outdated(
        self, connection: Connection, hashes: Sequence[str]
    ) -> list[tuple[int, str, tuple[str, str | None], tuple[str, str | None]]]:
        """Trials that differ from their results: sweep, source, current values, correct values."""
        shown, true = (TRIALS.c.state, TRIALS.c.reason), (RESULTS.c.state, RESULTS.c.reason)
        query = (
            select(TRIALS.c.sweep_id, TRIALS.c.source, *shown, *true)
            .join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)
            .where(self._among(TRIALS.c.point_hash, hashes))
            .where((shown[0] != true[0]) | shown[1].is_distinct_from(true[1]))
        )
        return [
            (sweep_id, source, (state, reason), (new_state, new_reason))
            for sweep_id, source, state, reason, new_state, new_reason in connection.execute(query)
        ]

    def _count(self, connection: Connection, sweep_id: int, changes: Mapping[_Kind, int]) -> None:
        """Increment a sweep's counters."""
        rows = [
            {"sweep_id": sweep_id, "state": state, "reason": reason or "", "source": source, "trials": number}
            for (state, reason, source), number in sorted(changes.items(), key=str)
            if number
        ]
        if rows:
            self._put(connection, self._add_counts, rows)
