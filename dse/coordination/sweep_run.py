"""One sweep on its way: points chosen, known ones answered from the store, the rest handed out, all recorded.

A run may be killed between any two statements: what is recorded stays, and since the search is deterministic,
running the sweep again chooses the same points and evaluates only those that are missing.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import Any

from dse.coordination.progress import Progress, RateMeter
from dse.evaluation.points import task_for, unlaunchable
from dse.evaluation.tasks import Outcome, Task
from dse.requests.specs import restore_space
from dse.search import Plan, Suggestion, start_search
from dse.store import Store, SweepRecord, Trial
from dse.store.records import TrialSource
from search_spaces import SpaceError
from simcore import SIMULATOR_VERSION, compiler_version

#: Points looked up in the store at once.
LOOKUP = 256

_Answer = tuple[Suggestion, Outcome, TrialSource]


class SweepRun:
    """A stored sweep from where it is to its end; a coordinator drives it.

    `prepare` answers what is known and fills the backlog, `next_task` hands out of it, `take` brings back what
    became of it. The run is over when nothing is left to choose and nothing is out.

    Args:
        store: where results are looked up and recorded.
        record: the sweep, as stored there.

    Attributes:
        progress: how far it is.
        is_over: whether every trial is recorded.
        ended: set when the coordinator is done with the run, whatever the reason.
        error: what ended it, if it did not end by itself.
    """

    def __init__(self, store: Store, record: SweepRecord) -> None:
        spec = record.spec
        self.record = record
        self.space = restore_space(spec)
        self.progress = Progress(spec.total)
        self.is_over = False
        self.error: BaseException | None = None
        self.ended = threading.Event()
        self._store = store
        self._search = start_search(self.space, spec.gpus, Plan(spec.sampler, spec.total), spec.seed)
        self._began = monotonic()
        self._meter = RateMeter()
        self._backlog: dict[str, Task] = {}
        self._waiting: dict[str, list[Suggestion]] = {}
        self._told_already: set[int] = set()
        self._is_taken_up = store.counts(record.id).done > 0

    @property
    def id(self) -> int:
        """The sweep's number in the store."""
        return self.record.id

    def is_of(self, record: SweepRecord) -> bool:
        """Whether a sweep, read again, still asks what this run answers, and asks it of this process."""
        mine = self.record.revision, self.record.managed
        return (record.revision, record.managed) == mine and record.state in ("queued", "running")

    @property
    def is_late(self) -> bool:
        """Whether the time limit has passed."""
        limit = self.record.spec.timeout_s
        return limit is not None and monotonic() - self._began > limit

    @property
    def has_task(self) -> bool:
        """Whether a point waits to be handed out."""
        return bool(self._backlog)

    def end(self) -> None:
        """Say that nobody drives the run any more."""
        self._count(running=0)
        self.ended.set()

    def prepare(self, wanted: int) -> bool:
        """Look up the next points, unless `wanted` wait to be handed out; whether there were any."""
        if self.is_over or len(self._backlog) >= wanted:
            return False
        suggestions = list(islice(iter(self._search.ask, None), LOOKUP))
        if suggestions:
            self._look_up(suggestions)
        self.is_over = not suggestions and not self._waiting
        return bool(suggestions)

    def next_task(self) -> Task:
        """A point to evaluate, the one that has waited longest."""
        self._count(running=self.progress.running + 1)
        return self._backlog.pop(next(iter(self._backlog)))

    def holds(self, point_hash: str) -> bool:
        """Whether a point waits to be handed out."""
        return point_hash in self._backlog

    def take(self, outcomes: Sequence[Outcome]) -> None:
        """Record what became of points, whether handed out by this run or meanwhile by another one."""
        answers: list[_Answer] = []
        for outcome in outcomes:
            point_hash = outcome.point_hash
            source: TrialSource = "known" if self._backlog.pop(point_hash, None) else "new"
            result = _versioned(outcome)
            answers += [(suggestion, result, source) for suggestion in self._waiting.pop(point_hash)]
            if source == "new":
                seconds = outcome.compile_s + outcome.simulate_s
                running = max(self.progress.running - 1, 0)
                self._count(busy_s=self.progress.busy_s + seconds, running=running)
        self._record(answers)
        took_s = max((outcome.compile_s + outcome.simulate_s for outcome in outcomes), default=0.0)
        self._count(rate=self._meter.rate(self.progress.evaluated, took_s))

    def _look_up(self, suggestions: Sequence[Suggestion]) -> None:
        """Answer the suggestions that the store knows; put the others in the backlog."""
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
        """The suggestions less those that an earlier run of the sweep recorded, which are told and counted.

        A point whose worker was lost then is evaluated again, but the search hears what it heard then, so that it
        goes on to the same points.
        """
        if not self._is_taken_up:
            return list(suggestions)
        places = [(suggestion.gpu, suggestion.index) for suggestion in suggestions]
        recorded = {trial.place: trial for trial in self._store.trials_at(self.id, places)}
        missing = []
        for suggestion, place in zip(suggestions, places, strict=True):
            trial = recorded.get(place)
            if trial:
                self._tell(suggestion, trial.result)
            if trial and trial.result.is_known:
                self._count_trial(trial, is_known=True)
                continue
            missing.append(suggestion)
            if trial:
                self._told_already.add(suggestion.number)
        return missing

    def _record(self, answers: Sequence[_Answer]) -> None:
        """Into the store in one transaction; only then to the search and the display."""
        trials = [
            Trial(suggestion.number, suggestion.gpu, suggestion.index, suggestion.point, result, source)
            for suggestion, result, source in answers
        ]
        self._store.record(self.id, trials, self.record.revision)
        for (suggestion, result, source), trial in zip(answers, trials, strict=True):
            self._tell(suggestion, result)
            self._count_trial(trial, is_known=source == "known")

    def _tell(self, suggestion: Suggestion, result: Outcome) -> None:
        if suggestion.number in self._told_already:
            return
        metrics = [metric for _, metric in self.space.objectives]
        is_complete = result.state == "complete"
        self._search.tell(suggestion, [result.metrics[name] for name in metrics] if is_complete else None)

    def _count_trial(self, trial: Trial, is_known: bool) -> None:
        progress = self.progress
        if trial.result.state == "failed":
            self._count(failed=progress.failed + 1)
        else:
            self._count(complete=progress.complete + 1)
            case = trial.gpu, tuple(trial.parameters[name] for name in self.space.workload)
            if self._is_better(trial, progress.best.get(case)):
                self._count(best={**progress.best, case: trial})
        if is_known:
            self._count(known=progress.known + 1)

    def _is_better(self, trial: Trial, best: Trial | None) -> bool:
        direction, metric = self.space.objectives[0]
        if best is None:
            return True
        value, least = trial.result.metrics[metric], best.result.metrics[metric]
        return bool(value < least if direction == "minimize" else value > least)

    def _count(self, **changes: Any) -> None:
        """Replace the snapshot that other threads read."""
        self.progress = replace(self.progress, elapsed_s=monotonic() - self._began, **changes)


def _versioned(outcome: Outcome) -> Outcome:
    """The outcome with what the hash of its point was made with."""
    return replace(outcome, simulator_version=SIMULATOR_VERSION, compiler_version=compiler_version())
