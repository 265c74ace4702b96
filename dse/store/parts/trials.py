"""Queries on the trials of a sweep: list, stream, rank and count."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    Text,
    cast,
    column,
    func,
    literal_column,
    select,
    tuple_,
    values,
)

from dse.store.database.retrying import retried
from dse.store.filters import Term, parse_filter, parse_order
from dse.store.names import INDEXED_METRICS, metric_column
from dse.store.parts.sweeps import SweepStore
from dse.store.queries import ALL_TRIALS, TrialQuery
from dse.store.records import Place, SweepCounts, SweepSpec, TrialRecord, VariantRecord, workload_key
from dse.store.schema.rows import trial_record
from dse.store.schema.tables import (
    RESULTS,
    TRIAL_COUNTS,
    TRIALS,
    TRIALS_WITH_RESULTS,
    VALUES_PER_QUERY,
    chunks,
)
from search_spaces import Point

#: Above this many trials of a sweep, SQLite walks a metric's index instead of sorting.
MANY_TRIALS = 20_000
#: Rows in memory at once, of a whole sweep.
MANY_AT_ONCE = 10_000
_POINT_ORDER = TRIALS.c.gpu, TRIALS.c.point_index

#: The columns of a `VariantRecord`, with its parameters as text; those of further objectives follow.
_VARIANTS = select(
    *(cast(TRIALS.c.parameters, Text), TRIALS.c.gpu, TRIALS.c.point_index, TRIALS.c.number, TRIALS.c.score),
    *(RESULTS.c.registers_per_thread, RESULTS.c.code_bytes, RESULTS.c.theoretical_occupancy),
).join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)


class TrialStore(SweepStore):
    """The part of the store for queries on trials."""

    def trials(self, sweep_id: int, query: TrialQuery = ALL_TRIALS) -> list[TrialRecord]:
        """The recorded trials of a sweep.

        Raises:
            SweepNotFound: there is no such sweep.
            FilterError: the filter or the order cannot be parsed.
        """
        spec = self.sweep(sweep_id).spec
        terms = parse_order(query.order_by, spec)
        if terms and query.limit is not None:
            page = self._page_of_present(sweep_id, query, spec, terms)
            if len(page) == query.limit:
                return page
        found = _page(_passing(TRIALS_WITH_RESULTS, sweep_id, query.filter, spec), query)
        return self._trials(found.order_by(*(term.missing_last for term in terms), *_POINT_ORDER))

    def _page_of_present(
        self, sweep_id: int, query: TrialQuery, spec: SweepSpec, terms: Sequence[Term]
    ) -> list[TrialRecord]:
        """A page of the trials with a value of the first term: they come first and are ordered by an index."""
        first, *rest = terms
        by_metric = self._goes_through_metrics(sweep_id, first)
        found = _page(_passing(TRIALS_WITH_RESULTS, sweep_id, query.filter, spec, by_metric), query)
        order = first.present, *(term.missing_last for term in rest), *_POINT_ORDER
        return self._trials(found.where(_is_present(first, by_metric)).order_by(*order))

    def _goes_through_metrics(self, sweep_id: int, first: Term) -> bool:
        """Whether to use a metric's index on the results of all sweeps to find the first trials by that metric.

        Yes if the sweep has many trials; PostgreSQL's planner decides by itself.
        """
        is_indexed = any(first.column is column for column in INDEXED_METRICS)
        return is_indexed and not self._is_postgresql and self.counts(sweep_id).done > MANY_TRIALS

    @retried
    def trial_count(self, sweep_id: int, filter: str | None = None) -> int:
        """Number of recorded trials of a sweep that match a filter.

        Raises:
            SweepNotFound: there is no such sweep.
            FilterError: the filter cannot be parsed.
        """
        spec = self.sweep(sweep_id).spec
        if not filter:
            return self.counts(sweep_id).done
        trials = select(func.count()).select_from(TRIALS)
        joined = trials.join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)
        with self._engine.connect() as connection:
            return int(connection.execute(_passing(joined, sweep_id, filter, spec)).scalar_one())

    def stream_trials(
        self, sweep_id: int, query: TrialQuery = ALL_TRIALS, batch: int = 1000
    ) -> Iterator[TrialRecord]:
        """The same, read lazily: trials in point order are read in batches of `batch`.

        Each batch is a separate read, so trials recorded meanwhile may or may not be included.

        Raises:
            SweepNotFound: there is no such sweep.
            FilterError: the filter or the order cannot be parsed.
        """
        if query.order_by is not None or query.offset:
            return iter(self.trials(sweep_id, query))
        spec = self.sweep(sweep_id).spec
        found = _page(
            _passing(TRIALS_WITH_RESULTS, sweep_id, query.filter, spec), replace(query, limit=batch)
        )
        return islice(self._stream(found.order_by(*_POINT_ORDER), batch), query.limit)

    def _stream(self, query: Select[Any], batch: int) -> Iterator[TrialRecord]:
        trials = self._trials(query)
        yield from trials
        while len(trials) == batch:
            trials = self._trials(query.where(_behind(trials[-1].place)))
            yield from trials

    def trials_at(self, sweep_id: int, places: Iterable[Place]) -> list[TrialRecord]:
        """The recorded trials at some places of a sweep, in point order."""
        indices: defaultdict[str, list[int]] = defaultdict(list)
        for gpu, index in places:
            indices[gpu].append(index)
        found: list[TrialRecord] = []
        for gpu in sorted(indices):
            for chunk in chunks(sorted(indices[gpu])):
                here = TRIALS.c.gpu == gpu, TRIALS.c.point_index.in_(chunk)
                found += self._trials(TRIALS_WITH_RESULTS.where(TRIALS.c.sweep_id == sweep_id, *here))
        return sorted(found, key=lambda trial: trial.place)

    def variants(self, sweep_id: int) -> Iterator[VariantRecord]:
        """The complete trials of a sweep, in no particular order, with the few values that comparing them needs."""
        spec = self.sweep(sweep_id).spec
        further = [metric_column(metric, spec) for _, metric in spec.objectives[1:]]
        query = _VARIANTS.add_columns(*further)
        query = query.where(TRIALS.c.sweep_id == sweep_id, TRIALS.c.score.is_not(None))
        with self._engine.connect() as connection:
            points: dict[str, Point] = {}  # every GPU has the same ones
            for row in connection.execution_options(yield_per=MANY_AT_ONCE).execute(query):
                text, gpu, index, number, score, registers, code, occupancy, *others = row
                if text not in points:
                    points[text] = json.loads(text)
                yield VariantRecord(
                    gpu, index, number, points[text], score, registers, code, occupancy, tuple(others)
                )

    def best(
        self, sweep_id: int, gpu: str | None = None, filter: str | None = None
    ) -> dict[str, TrialRecord]:
        """The best complete trial of each GPU by the first objective; ties go to the lowest point index.

        Args:
            sweep_id: number of the sweep.
            gpu: only this one.
            filter: only trials that match it, such as `params.n = 512`.

        Raises:
            SweepNotFound: there is no such sweep.
            FilterError: the filter cannot be read, or the first objective is not a metric.
        """
        spec = self.sweep(sweep_id).spec
        metric_column(spec.objectives[0][1], spec)
        gpus = [gpu] if gpu else spec.gpus
        if not filter:
            firsts = self._first_of_each_workload(sweep_id, spec, gpus)
        else:
            query = _passing(TRIALS_WITH_RESULTS, sweep_id, filter, spec).where(TRIALS.c.score.is_not(None))
            query = query.order_by(TRIALS.c.score, TRIALS.c.point_index).limit(1)
            firsts = [trial for name in gpus for trial in self._trials(query.where(TRIALS.c.gpu == name))]
        best: dict[str, TrialRecord] = {}
        for trial in sorted(firsts, key=lambda trial: (trial.score, trial.point_index)):
            best.setdefault(trial.gpu, trial)
        return {name: best[name] for name in gpus if name in best}

    def winners(self, sweep_id: int) -> list[TrialRecord]:
        """The best complete trial of each GPU and workload, in the order of the sweep's GPUs and values.

        Raises:
            SweepNotFound: there is no such sweep.
            FilterError: the first objective is not a metric.
        """
        spec = self.sweep(sweep_id).spec
        metric_column(spec.objectives[0][1], spec)
        return self._first_of_each_workload(sweep_id, spec, spec.gpus)

    def counts(self, sweep_id: int) -> SweepCounts:
        """Number of recorded trials by state, source and reason of failure."""
        return self.counts_of([sweep_id])[sweep_id]

    @retried
    def counts_of(self, sweep_ids: Sequence[int]) -> dict[int, SweepCounts]:
        """The same of several sweeps, by their numbers."""
        columns = TRIAL_COUNTS.c.state, TRIAL_COUNTS.c.reason, TRIAL_COUNTS.c.source, TRIAL_COUNTS.c.trials
        query = select(TRIAL_COUNTS.c.sweep_id, *columns).where(TRIAL_COUNTS.c.trials > 0)
        rows: dict[int, list[tuple[str, str, str, int]]] = {sweep_id: [] for sweep_id in sweep_ids}
        with self._engine.connect() as connection:
            for chunk in chunks(sweep_ids):
                for sweep_id, *counted in connection.execute(query.where(TRIAL_COUNTS.c.sweep_id.in_(chunk))):
                    rows[sweep_id].append((*counted,))
        return {sweep_id: _summed(counted) for sweep_id, counted in rows.items()}

    @retried
    def has_lost_points(self, sweep_id: int) -> bool:
        """Whether a trial of the sweep has a failure that is not final, such as a lost worker."""
        lost = (
            select(TRIALS.c.point_hash)
            .join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)
            .where(TRIALS.c.sweep_id == sweep_id, TRIALS.c.state == "failed", ~RESULTS.c.final)
        )
        with self._engine.connect() as connection:
            return connection.execute(lost.limit(1)).first() is not None

    @retried
    def trials_by_state(self) -> dict[tuple[str, str], int]:
        """Number of trials of all sweeps by state and source."""
        kind = TRIAL_COUNTS.c.state, TRIAL_COUNTS.c.source
        query = select(*kind, func.sum(TRIAL_COUNTS.c.trials)).group_by(*kind).order_by(*kind)
        with self._engine.connect() as connection:
            return {(state, source): int(count) for state, source, count in connection.execute(query)}

    @retried
    def _first_of_each_workload(
        self, sweep_id: int, spec: SweepSpec, gpus: Sequence[str]
    ) -> list[TrialRecord]:
        """The best trial of each of these GPUs and each workload, in this order; one index lookup each."""
        keys = [workload_key(spec.workload, workload) for workload in spec.workloads]
        cases = [(gpu, key) for gpu in gpus for key in keys]
        places: list[Place] = []
        with self._engine.connect() as connection:
            for chunk in chunks(cases, VALUES_PER_QUERY // 2):
                firsts = connection.execute(_firsts(sweep_id, chunk))
                places += [(gpu, index) for gpu, index in firsts if index is not None]
        found = {(trial.gpu, _workload(spec, trial)): trial for trial in self.trials_at(sweep_id, places)}
        return [found[case] for case in cases if case in found]

    @retried
    def _trials(self, query: Select[Any]) -> list[TrialRecord]:
        with self._engine.connect() as connection:
            return [trial_record(row) for row in connection.execute(query).mappings()]


def _summed(counted: Iterable[tuple[str, str, str, int]]) -> SweepCounts:
    """Counters by state, reason and source."""
    complete, failures, sources = 0, Counter[str](), Counter[str]()
    for state, reason, source, trials in counted:
        sources[source] += trials
        if state == "complete":
            complete += trials
        else:
            failures[reason or "unknown"] += trials
    return SweepCounts(
        complete=complete,
        failed=failures.total(),
        new=sources["new"],
        known=sources["known"],
        failures=dict(failures.most_common()),
    )


def _passing(
    query: Select[Any], sweep_id: int, filter: str | None, spec: SweepSpec, by_metric: bool = False
) -> Select[Any]:
    """Restrict a query to a sweep's trials that match a filter; `+ 0` hides the sweep's indexes from SQLite."""
    of_sweep = TRIALS.c.sweep_id + 0 if by_metric else TRIALS.c.sweep_id
    query = query.where(of_sweep == sweep_id)
    return query.where(parse_filter(filter, spec)) if filter else query


def _page(found: Select[Any], query: TrialQuery) -> Select[Any]:
    if query.after:
        found = found.where(_behind(query.after))
    return found.limit(query.limit).offset(query.offset or None)


def _behind(place: Place) -> ColumnElement[bool]:
    return tuple_(*_POINT_ORDER) > place


def _is_present(term: Term, by_metric: bool) -> ColumnElement[bool]:
    """Whether there is a value; marked as unlikely, so that SQLite starts with the metric's index."""
    present = term.column.is_not(None)
    return func.likelihood(present, literal_column("0.000001")) if by_metric else present


def _firsts(sweep_id: int, cases: Sequence[tuple[str, str]]) -> Select[Any]:
    """GPU and point index of the best trial of each case (GPU and workload); no index if there is none."""
    asked = values(column("gpu", String), column("workload", String), name="asked").data(cases).cte()
    best = (
        select(TRIALS.c.point_index)
        .where(
            TRIALS.c.sweep_id == sweep_id,
            TRIALS.c.gpu == asked.c.gpu,
            TRIALS.c.workload == asked.c.workload,
            TRIALS.c.score.is_not(None),
        )
        .order_by(TRIALS.c.score, TRIALS.c.point_index)
        .limit(1)
        .correlate(asked)
        .scalar_subquery()
    )
    return select(asked.c.gpu, best)


def _workload(spec: SweepSpec, trial: TrialRecord) -> str:
    return workload_key(spec.workload, trial.parameters)
