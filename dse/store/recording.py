"""Results in: what is known about points, and trials recorded with their results and counters.

A result is stored once, whichever sweeps hold its point. One that says nothing about the point, since its
worker was lost, is replaced by a later one; every sweep that holds the point then shows the new one. What a
trial repeats of its result, and the counters, change in the same transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, case, null, select, update

from dse.store.base import Database
from dse.store.errors import SweepNotFound, SweepReplanned
from dse.store.models import METRIC_COLUMNS
from dse.store.records import NewTrial, ResultRecord, is_known, workload_key
from dse.store.rows import result_record, result_row, trial_row
from dse.store.tables import RESULT_IS_KNOWN, RESULTS, SWEEPS, TRIAL_COUNTS, TRIALS, chunks

#: State, reason and source: the trials of a sweep that are counted together.
_Kind = tuple[str, str | None, str]


@dataclass(frozen=True)
class _Ranking:
    """What a sweep ranks its trials by."""

    sweep_id: int
    direction: str
    metric: str
    workload: tuple[str, ...]
    revision: int

    @classmethod
    def of_sweep(cls, connection: Connection, sweep_id: int) -> "_Ranking":
        """Read it, and keep the sweep as it is until the transaction ends."""
        spec = SWEEPS.c.spec
        columns = spec["objectives"], spec["workload"], SWEEPS.c.revision
        row = connection.execute(
            select(*columns).where(SWEEPS.c.id == sweep_id).with_for_update(read=True)
        ).one_or_none()
        if row is None:
            raise SweepNotFound(sweep_id)
        ((direction, metric), *_), workload, revision = row
        return cls(sweep_id, direction, metric, tuple(workload or ()), revision)

    @property
    def score(self) -> ColumnElement[Any]:
        """A result's score, in SQL: its first objective with the sign that makes the lowest the best."""
        if self.metric not in METRIC_COLUMNS:
            return null()
        value = RESULTS.c[self.metric]
        return case((RESULTS.c.state == "complete", -value if self.direction == "maximize" else value))


class RecordingStore(Database):
    """The part of the store that results go into."""

    def known(self, hashes: Iterable[str]) -> dict[str, ResultRecord]:
        """Results that need no evaluation, by point hash: complete ones, and failures that would repeat."""
        found: dict[str, ResultRecord] = {}
        with self._engine.connect() as connection:
            for chunk in chunks(dict.fromkeys(hashes)):
                query = select(RESULTS).where(RESULTS.c.point_hash.in_(chunk), RESULT_IS_KNOWN)
                for row in connection.execute(query).mappings():
                    found[row["point_hash"]] = result_record(row)
        return found

    def record(self, sweep_id: int, trials: Sequence[NewTrial], revision: int | None = None) -> None:
        """Store trials with their results, all or none, in one transaction.

        Recording the same again changes nothing: a sweep keeps the first trial of a point on a GPU, and a
        result that is known keeps its row. A result that is not (its worker was lost) is replaced, in all
        sweeps that hold the point.

        Args:
            sweep_id: which sweep.
            trials: at most one for each point and GPU.
            revision: of the sweep, when the trials were chosen; None takes any.

        Raises:
            SweepNotFound: there is no such sweep.
            SweepReplanned: the sweep asks something else since the trials were chosen.
        """
        if not trials:
            return
        results = {trial.result.point_hash: trial.result for trial in trials}
        with self._writer.begin() as connection:
            ranking = _Ranking.of_sweep(connection, sweep_id)
            if revision not in (None, ranking.revision):
                raise SweepReplanned(sweep_id)
            stored = _standings(connection, ranking, results)
            lacking = [key for key in sorted(results) if not _says_something(stored.get(key))]
            if lacking:
                self._keep_results(connection, [results[key] for key in lacking])
                stored |= _standings(connection, ranking, lacking)
            self._add_trials(connection, ranking, trials, stored)
            self._show_again(connection, lacking)

    def _keep_results(self, connection: Connection, results: Sequence[ResultRecord]) -> None:
        """Store results that are not known; the caller sorts them, so that two writers never wait for each other."""
        rows = [result_row(result) for result in results]
        new = self._insert(RESULTS)
        replaced = {name: new.excluded[name] for name in rows[0]}
        connection.execute(
            new.on_conflict_do_update(index_elements=["point_hash"], set_=replaced, where=~RESULT_IS_KNOWN),
            rows,
        )

    def _add_trials(
        self,
        connection: Connection,
        ranking: _Ranking,
        trials: Sequence[NewTrial],
        stored: Mapping[str, RowMapping],
    ) -> None:
        """Store the trials that the sweep does not hold yet, and count them."""
        rows = [
            {
                **trial_row(ranking.sweep_id, trial),
                **_repeated(stored[trial.result.point_hash]),
                "workload": workload_key(ranking.workload, trial.parameters),
            }
            for trial in trials
        ]
        new = self._insert(TRIALS).on_conflict_do_nothing()
        added = connection.execute(new.returning(TRIALS.c.state, TRIALS.c.reason, TRIALS.c.source), rows)
        self._count(
            connection, ranking.sweep_id, Counter((state, reason, source) for state, reason, source in added)
        )

    def _show_again(self, connection: Connection, hashes: Sequence[str]) -> None:
        """Let the trials of these points show what their results say now, in every sweep that holds them."""
        changes: defaultdict[int, Counter[_Kind]] = defaultdict(Counter)
        for chunk in chunks(hashes):
            for sweep_id, source, before, now in _outdated(connection, chunk):
                changes[sweep_id][*before, source] -= 1
                changes[sweep_id][*now, source] += 1
        for sweep_id, counts in sorted(changes.items()):
            ranking = _Ranking.of_sweep(connection, sweep_id)
            for chunk in chunks(hashes):
                self._repeat_results(connection, ranking, chunk)
            self._count(connection, sweep_id, counts)

    def _repeat_results(self, connection: Connection, ranking: _Ranking, hashes: Sequence[str]) -> None:
        repeated = {"state": RESULTS.c.state, "reason": RESULTS.c.reason, "score": ranking.score}
        connection.execute(
            update(TRIALS)
            .where(TRIALS.c.sweep_id == ranking.sweep_id, TRIALS.c.point_hash.in_(hashes))
            .where(RESULTS.c.point_hash == TRIALS.c.point_hash)
            .values(repeated)
        )

    def _count(self, connection: Connection, sweep_id: int, changes: Mapping[_Kind, int]) -> None:
        """Add to a sweep's counters."""
        rows = [
            {"sweep_id": sweep_id, "state": state, "reason": reason or "", "source": source, "trials": number}
            for (state, reason, source), number in sorted(changes.items(), key=str)
            if number
        ]
        if not rows:
            return
        new = self._insert(TRIAL_COUNTS)
        kind = ["sweep_id", "state", "reason", "source"]
        total = {"trials": TRIAL_COUNTS.c.trials + new.excluded.trials}
        connection.execute(new.on_conflict_do_update(index_elements=kind, set_=total), rows)


def _standings(connection: Connection, ranking: _Ranking, hashes: Iterable[str]) -> dict[str, RowMapping]:
    """State, reason and score of the stored results, by point hash."""
    found: dict[str, RowMapping] = {}
    columns = RESULTS.c.point_hash, RESULTS.c.state, RESULTS.c.reason, ranking.score.label("score")
    for chunk in chunks(hashes):
        query = select(*columns).where(RESULTS.c.point_hash.in_(chunk))
        found |= {row["point_hash"]: row for row in connection.execute(query).mappings()}
    return found


def _says_something(standing: RowMapping | None) -> bool:
    return standing is not None and is_known(standing["state"], standing["reason"])


def _repeated(standing: RowMapping) -> dict[str, Any]:
    """What a trial repeats of its result."""
    return {name: standing[name] for name in ("state", "reason", "score")}


def _outdated(
    connection: Connection, hashes: Sequence[str]
) -> list[tuple[int, str, tuple[str, str | None], tuple[str, str | None]]]:
    """Trials that show something else than their results say: sweep, source, what they show, what is true."""
    shown, true = (TRIALS.c.state, TRIALS.c.reason), (RESULTS.c.state, RESULTS.c.reason)
    query = (
        select(TRIALS.c.sweep_id, TRIALS.c.source, *shown, *true)
        .join(RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)
        .where(TRIALS.c.point_hash.in_(hashes))
        .where((shown[0] != true[0]) | shown[1].is_distinct_from(true[1]))
    )
    return [
        (sweep_id, source, (state, reason), (new_state, new_reason))
        for sweep_id, source, state, reason, new_state, new_reason in connection.execute(query)
    ]
