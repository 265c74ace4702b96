"""One run of a sweep: chooses points, takes known results from the store, dispatches the rest, records all.

A run may be killed between any two statements: recorded trials stay, and since the search is deterministic,
running the sweep again chooses the same points and evaluates only the missing ones.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median
from time import monotonic
from typing import Any

from dse.coordination.caution import Caution
from dse.coordination.progress import Progress, RateMeter
from dse.evaluation.forecast import Forecast
from dse.evaluation.points import task_for, unlaunchable
from dse.evaluation.tasks import Outcome, Task
from dse.requests.specs import restore_space
from dse.search import Plan, SearchSettings, Suggestion, start_search
from dse.store import Store, SweepRecord, Trial
from dse.store.parts.columns import PART
from dse.store.records import TrialSource
from dse.tables.text import variant
from search_spaces import SpaceError
from simcore import SIMULATOR_VERSION, compiler_version

#: Points looked up in the store at once.
LOOKUP = 256

_Answer = tuple[Suggestion, Outcome, TrialSource]


class SweepRun:
    """A run of a stored sweep to its end, driven by a coordinator.

    `prepare` records known results and fills the backlog, `next_task` dispatches from it, `take` receives the
    outcomes. The run is over when there are no points left to choose and none in flight.

    Args:
        store: where results are looked up and recorded.
        record: the sweep as stored.

    Attributes:
        progress: the progress of the run.
        is_over: whether every trial is recorded.
        ended: set when the coordinator has finished with the run, for any reason.
        error: the error that ended it, if any.
    """

    def __init__(self, store: Store, record: SweepRecord) -> None:
        spec = record.spec
        self.record = record
        self.space = restore_space(spec)
        self.is_over = False
        self.error: BaseException | None = None
        self.ended = threading.Event()
        self._store = store
        plan = Plan(spec.sampler, spec.total, SearchSettings.of(spec.search))
        self._search = start_search(self.space, spec.gpus, plan, spec.seed)
        self.progress = Progress(spec.total, excluded=self._search.excluded)
        self._began = monotonic()
        self._meter = RateMeter(first=len(spec.gpus))
        self._backlog: dict[str, Task] = {}
        self._seconds: list[float] = []
        self._waiting: dict[str, list[Suggestion]] = {}
        self._told_already: set[int] = set()
        earlier = store.counts(record.id)
        self._caution = Caution(self.space, spec.gpus, earlier.failed)
        self._since_columns = 0
        self._is_taken_up = earlier.done > 0

    @property
    def id(self) -> int:
        """The sweep's number in the store."""
        return self.record.id

    def is_of(self, record: SweepRecord) -> bool:
        """Whether the sweep, read again, still has the revision and the process of this run."""
        mine = self.record.revision, self.record.managed
        return (record.revision, record.managed) == mine and record.state in ("queued", "running")

    @property
    def is_late(self) -> bool:
        """Whether the time limit has passed."""
        limit = self.record.spec.timeout_s
        return limit is not None and monotonic() - self._began > limit

    @property
    def verdict(self) -> str | None:
        """Why the sweep is given up; None if it is not."""
        return self._caution.verdict

    @property
    def is_doubtful(self) -> bool:
        """Whether its points have only run into a limit so far."""
        return self._caution.is_doubtful

    @property
    def backlog(self) -> int:
        """The number of points that wait to be dispatched."""
        return len(self._backlog)

    def has_task(self, is_alone: bool) -> bool:
        """Whether a point can be dispatched now; `is_alone` if no other sweep wants the workers."""
        return next(self._free(is_alone), None) is not None

    def end(self) -> None:
        """Signal that the run is no longer driven."""
        self._count(running=0)
        self.ended.set()

    def prepare(self, wanted: int) -> bool:
        """Look up the next points, unless `wanted` wait to be dispatched; returns whether there were any."""
        if self.is_over or len(self._backlog) >= wanted:
            return False
        suggestions = list(islice(iter(self._search.ask, None), LOOKUP))
        if suggestions:
            self._look_up(suggestions)
        self.is_over = not suggestions and not self._waiting
        return bool(suggestions)

    def next_task(self, is_alone: bool) -> Task:
        """The next point to evaluate, in FIFO order as long as points do not only fail; there must be one."""
        free = self._free(is_alone)
        point_hash = max(free, key=self._news) if self._caution.is_worried else next(free)
        self._caution.send(self._waiting[point_hash][0])
        self._count(running=self.progress.running + 1)
        return self._backlog.pop(point_hash)

    def put_back(self, task: Task) -> None:
        """Take back a point that no worker has begun; it is dispatched again before the others."""
        self._backlog = {task.point_hash: task, **self._backlog}
        gpu = self._waiting[task.point_hash][0].gpu
        out = self._waiting.keys() - self._backlog.keys()
        if all(self._waiting[each][0].gpu != gpu for each in out):
            self._caution.take_back(gpu)
        self._count(running=max(self.progress.running - 1, 0))

    def _free(self, is_alone: bool) -> Iterator[str]:
        """The points that can be dispatched now."""
        held_back = self._caution.holds_back
        return (each for each in self._backlog if not held_back(self._waiting[each][0].gpu, is_alone))

    def _news(self, point_hash: str) -> int:
        return self._caution.untried_values(self._waiting[point_hash][0])

    def holds(self, point_hash: str) -> bool:
        """Whether a point waits to be dispatched."""
        return point_hash in self._backlog

    def claim(self, point_hash: str) -> None:
        """Take a waiting point for dispatched: an earlier run of this sweep has done so."""
        del self._backlog[point_hash]
        self._count(running=self.progress.running + 1)

    def take(self, outcomes: Sequence[Outcome], workers: int = 1) -> None:
        """Record outcomes of points dispatched by this run or by another one.

        Args:
            outcomes: what was found out.
            workers: how many points are evaluated at the same time.
        """
        answers: list[_Answer] = []
        seconds: list[float] = []
        for outcome in outcomes:
            point_hash = outcome.point_hash
            source: TrialSource = "known" if self._backlog.pop(point_hash, None) else "new"
            result = _versioned(outcome)
            answers += [(suggestion, result, source) for suggestion in self._waiting.pop(point_hash)]
            if source == "new":
                seconds.append(outcome.compile_s + outcome.simulate_s)
        self._seconds += seconds
        self._count(
            busy_s=self.progress.busy_s + sum(seconds), running=max(self.progress.running - len(seconds), 0)
        )
        self._record(answers)
        self._count(rate=self._meter.rate(self.progress.evaluated), workers=workers)
        self._foresee()

    def _foresee(self) -> None:
        """Foresee, once, what the sweep takes.

        The first point of each GPU goes without a comparison of its outputs; the first of each worker takes longer, for
        it makes the worker ready.
        """
        told = self._seconds[len(self.record.spec.gpus) + self.progress.workers :]
        if told and not self.progress.forecast:
            points = self.progress.total - self.progress.known
            self._count(forecast=Forecast(median(told), 0.0, points, len(told)))

    def _look_up(self, suggestions: Sequence[Suggestion]) -> None:
        """Record suggestions with known results; append the others to the backlog."""
        answers: list[_Answer] = []
        tasks: list[tuple[Suggestion, Task]] = []
        for suggestion in self._not_yet_recorded(suggestions):
            try:
                tasks.append((suggestion, task_for(self.space, suggestion.point, suggestion.gpu)))
            except SpaceError as error:
                outcome = unlaunchable(self.space, suggestion.point, suggestion.gpu, error)
                answers.append((suggestion, _versioned(outcome), "new"))
        known = self._store.known(task.point_hash for _, task in tasks)
        for suggestion, task in tasks:
            if task.point_hash in known:
                answers.append((suggestion, known[task.point_hash], "known"))
                continue
            if task.point_hash not in self._waiting:
                self._backlog[task.point_hash] = task
            self._waiting.setdefault(task.point_hash, []).append(suggestion)
        self._record(answers)

    def _not_yet_recorded(self, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
        """The suggestions not yet recorded by an earlier run; recorded ones are told to the search and counted.

        A point whose worker was lost then is evaluated again, but the search is told the same outcome as then, so
        that it continues with the same points.
        """
        if not self._is_taken_up:
            return list(suggestions)
        places = [(suggestion.gpu, suggestion.index) for suggestion in suggestions]
        recorded = {trial.place: trial for trial in self._store.trials_at(self.id, places)}
        missing, again = [], list[Trial]()
        for suggestion, place in zip(suggestions, places, strict=True):
            trial = recorded.get(place)
            if trial:
                self._tell(suggestion, trial)
            if trial and trial.result.is_known:
                again.append(trial)
                continue
            missing.append(suggestion)
            if trial:
                self._told_already.add(suggestion.number)
        self._count_trials((trial, True) for trial in again)
        return missing

    def _record(self, answers: Sequence[_Answer]) -> None:
        """Record outcomes in one transaction, and only then update the search and the progress."""
        trials = [self._trial(*answer) for answer in answers]
        self._store.record(self.id, trials, self.record.revision)
        self._keep_columns(len(trials))
        for (suggestion, _, _), trial in zip(answers, trials, strict=True):
            self._tell(suggestion, trial)
        self._count_trials((trial, trial.source == "known") for trial in trials)

    def _trial(self, suggestion: Suggestion, result: Outcome, source: TrialSource) -> Trial:
        own = self.record.spec.user_metrics.at(suggestion.point, result.metrics) if result.metrics else {}
        return Trial(
            suggestion.number, suggestion.gpu, suggestion.index, suggestion.point, result, source, own
        )

    def _keep_columns(self, recorded: int) -> None:
        """Add to the columns of a large sweep, each time that about a part of them has been recorded."""
        self._since_columns += recorded
        if self._since_columns >= PART:
            self._store.keep_columns(self.id)
            self._since_columns = 0

    def _tell(self, suggestion: Suggestion, trial: Trial) -> None:
        """Tell the search the trial's objectives; a metric of the user's own may have no value there."""
        if suggestion.number in self._told_already:
            return
        values = [trial.metrics.get(metric) for _, metric in self.record.spec.objectives]
        known = [value for value in values if value is not None]
        self._search.tell(suggestion, known if len(known) == len(values) else None)

    def _count_trials(self, recorded: Iterable[tuple[Trial, bool]]) -> None:
        """Count trials, with whether they needed no evaluation: all at once, since a new progress is made for it."""
        best, failed, complete, known = dict(self.progress.best), list[Trial](), 0, 0
        for trial, is_known in recorded:
            self._caution.note(trial, is_known)
            known += is_known
            if trial.result.state == "failed":
                failed.append(trial)
                continue
            complete += 1
            case = trial.gpu, tuple(trial.parameters[name] for name in self.space.workload)
            if self._is_better(trial, best.get(case)):
                best[case] = trial
        progress = self.progress
        self._count(
            complete=progress.complete + complete,
            failed=progress.failed + len(failed),
            known=progress.known + known,
            first_failure=progress.first_failure or (_failure(failed[0]) if failed else None),
            best=best,
        )

    def _is_better(self, trial: Trial, best: Trial | None) -> bool:
        direction, metric = self.record.spec.objectives[0]
        value = trial.metrics.get(metric)
        if value is None or best is None:
            return value is not None
        least = best.metrics[metric]
        return bool(value < least if direction == "minimize" else value > least)

    def _count(self, **changes: Any) -> None:
        """Replace the progress snapshot that other threads read."""
        self.progress = replace(self.progress, **changes)


def _failure(trial: Trial) -> str:
    """Which trial failed, and why."""
    return f"{trial.gpu} {variant(trial.parameters)}: {trial.result.reason}: {trial.result.message}"


def _versioned(outcome: Outcome) -> Outcome:
    """The outcome with the versions that are part of its point's hash."""
    return replace(outcome, simulator_version=SIMULATOR_VERSION, compiler_version=compiler_version())
