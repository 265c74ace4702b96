"""Queries on the trials of a sweep: list, stream, rank and count."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, repeat
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    column,
    func,
    select,
    tuple_,
    values,
)

from dse.store.database.retrying import retried
from dse.store.filters import Term, parse_filter, parse_order
from dse.store.names import metric_column
from dse.store.parts.columns import (
    PART,
    PLACE,
    SAME_CODE,
    ColumnStore,
    is_column,
    parameter_columns,
    points,
)
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

#: Trials, first in an order, of which a filter is asked.
PROBED = 5_000
#: The metrics of a `VariantRecord`, in its order.
_COMPARED = ("registers_per_thread", "code_bytes", "theoretical_occupancy", "local_bytes_per_thread")
_POINT_ORDER = TRIALS.c.gpu, TRIALS.c.point_index


class TrialStore(ColumnStore):
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
            page = self._page_by_columns(sweep_id, query, spec, terms)
            if page is not None:
                return page
            page = self._page_of_present(sweep_id, query, spec, terms)
            if len(page) == query.limit:
                return page
        found = _page(_passing(TRIALS_WITH_RESULTS, sweep_id, query.filter, spec), query)
        return self._trials(found.order_by(*(term.missing_last for term in terms), *_POINT_ORDER))

    def _page_by_columns(
        self, sweep_id: int, query: TrialQuery, spec: SweepSpec, terms: Sequence[Term]
    ) -> list[TrialRecord] | None:
        """A page of a large sweep by a metric, which its columns order; None if the rows are to order it.

        A filter is asked about the first trials alone; if too few of these pass it, the page is left to the rows.
        """
        is_for_columns = terms[0].name.startswith("metrics.") and all(is_column(term.name) for term in terms)
        if not is_for_columns or self.counts(sweep_id).done < PART:
            return None
        assert query.limit is not None
        until = query.offset + query.limit
        if not query.filter:
            places = self._first_places(sweep_id, terms, until)[query.offset :]
            return self._in_order(places, self.trials_at(sweep_id, places))
        places = self._first_places(sweep_id, terms, PROBED)
        asked = _passing(TRIALS_WITH_RESULTS, sweep_id, query.filter, spec)
        passing = self._in_order(places, self._trials_at(asked, places))
        return passing[query.offset : until] if len(passing) >= until else None

    def _first_places(self, sweep_id: int, terms: Sequence[Term], number: int) -> list[Place]:
        """The places of the first trials in an order, missing values last."""
        from pyarrow.compute import select_k_unstable

        keys = [(term.name, "ascending" if term.ascending else "descending") for term in terms]
        keys += [("gpu", "ascending"), ("point_index", "ascending")]
        columns = self.columns(sweep_id, list(dict(keys)))
        first = columns.take(select_k_unstable(columns, number, keys))
        return list(zip(first["gpu"].to_pylist(), first["point_index"].to_pylist(), strict=True))

    @staticmethod
    def _in_order(places: Iterable[Place], trials: Iterable[TrialRecord]) -> list[TrialRecord]:
        """The trials in the order of the places."""
        found = {trial.place: trial for trial in trials}
        return [found[place] for place in places if place in found]

    def _page_of_present(
        self, sweep_id: int, query: TrialQuery, spec: SweepSpec, terms: Sequence[Term]
    ) -> list[TrialRecord]:
        """A page of the trials with a value of the first term: they come first, for `score` and such by an index."""
        first, *rest = terms
        found = _page(_passing(TRIALS_WITH_RESULTS, sweep_id, query.filter, spec), query)
        order = first.present, *(term.missing_last for term in rest), *_POINT_ORDER
        return self._trials(found.where(first.column.is_not(None)).order_by(*order))

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
        return self._trials_at(TRIALS_WITH_RESULTS.where(TRIALS.c.sweep_id == sweep_id), places)

    def _trials_at(self, query: Select[Any], places: Iterable[Place]) -> list[TrialRecord]:
        indices: defaultdict[str, list[int]] = defaultdict(list)
        for gpu, index in places:
            indices[gpu].append(index)
        found: list[TrialRecord] = []
        for gpu in sorted(indices):
            for chunk in chunks(sorted(indices[gpu])):
                here = TRIALS.c.gpu == gpu, TRIALS.c.point_index.in_(chunk)
                found += self._trials(query.where(*here))
        return sorted(found, key=lambda trial: trial.place)

    def variants(self, sweep_id: int) -> Iterator[VariantRecord]:
        """The complete trials of a sweep, in no particular order, with the few values that comparing them needs."""
        spec = self.sweep(sweep_id).spec
        further = [metric for _, metric in spec.objectives[1:]]
        names = [f"metrics.{name}" for name in (*_COMPARED, *further)]
        columns = self.columns(sweep_id, [*PLACE, SAME_CODE, *parameter_columns(spec), *names])
        columns = columns.filter(columns["score"].is_valid())
        place = (columns[name].to_pylist() for name in ("gpu", "point_index", "number"))
        compared = [columns[name].to_pylist() for name in ("score", *names)]
        others = zip(*compared[len(_COMPARED) + 1 :], strict=True) if further else repeat(())
        known = compared[: len(_COMPARED) + 1]
        same = columns[SAME_CODE].to_pylist()
        return map(VariantRecord, *place, points(spec, columns), *known, others, same)

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


def _passing(query: Select[Any], sweep_id: int, filter: str | None, spec: SweepSpec) -> Select[Any]:
    """Restrict a query to a sweep's trials that match a filter."""
    query = query.where(TRIALS.c.sweep_id == sweep_id)
    return query.where(parse_filter(filter, spec)) if filter else query


def _page(found: Select[Any], query: TrialQuery) -> Select[Any]:
    if query.after:
        found = found.where(_behind(query.after))
    return found.limit(query.limit).offset(query.offset or None)


def _behind(place: Place) -> ColumnElement[bool]:
    return tuple_(*_POINT_ORDER) > place


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
