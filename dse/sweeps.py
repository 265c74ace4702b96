"""The life of a sweep: points chosen, known ones answered from the store, the rest evaluated, all recorded.

One thread runs the loop. It may be killed between any two statements: what is recorded stays, and since the
search is deterministic, running the sweep again chooses the same points and evaluates only those that are
missing.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from time import monotonic
from typing import Any

from dse.points import task_for, unlaunchable
from dse.runners.base import Runner
from dse.search import Search, Suggestion
from dse.store import NewTrial, ResultRecord, Store
from dse.store.records import SweepState, TrialSource
from dse.tasks import Outcome, Task, Value
from search_spaces import Space, SpaceError
from simcore import SIMULATOR_VERSION, compiler_version

#: Points looked up in the store at once.
LOOKUP = 256
#: How long the loop waits for results before it looks at the clock again.
POLL_S = 0.2

#: GPU name and the values of the workload parameters: what has a best variant of its own.
Case = tuple[str, tuple[Value, ...]]

_Answer = tuple[Suggestion, ResultRecord, TrialSource]


@dataclass(frozen=True)
class Progress:
    """How far a sweep is.

    Attributes:
        planned: trials there will be.
        complete, failed: trials recorded in this run, by state.
        known: those of them that needed no evaluation.
        running: points submitted for evaluation.
        best: for each GPU and workload, the best trial so far by the first objective.
        elapsed_s: seconds since the run began.
        busy_s: seconds that cores spent in compiling and simulating.
        evaluating_s: seconds of wall clock between the start of the first evaluation and the end of the last.
    """

    planned: int
    complete: int = 0
    failed: int = 0
    known: int = 0
    running: int = 0
    best: dict[Case, NewTrial] = field(default_factory=dict)
    elapsed_s: float = 0.0
    busy_s: float = 0.0
    evaluating_s: float = 0.0

    @property
    def done(self) -> int:
        """Trials recorded, complete or failed."""
        return self.complete + self.failed


class SweepRun:
    """Runs a stored sweep from where it is to its end, to its time limit, or until it is stopped.

    Args:
        store: where results are looked up and recorded.
        sweep_id: the sweep, created there.
        space: what it explores.
        search: what chooses the points; fresh, for it goes through all of them again.
        start_runner: makes the runner; called when there is a point to evaluate, and not before.
        timeout_s: the time limit in seconds of wall clock.
    """

    def __init__(
        self,
        store: Store,
        sweep_id: int,
        space: Space,
        search: Search,
        start_runner: Callable[[], Runner],
        timeout_s: float | None = None,
    ) -> None:
        self.progress = Progress(search.planned)
        self._store = store
        self._sweep_id = sweep_id
        self._space = space
        self._search = search
        self._start_runner = start_runner
        self._timeout_s = timeout_s
        self._stop = threading.Event()
        self._began = monotonic()
        self._evaluating_since: float | None = None
        self._runner: Runner | None = None
        self._backlog: deque[Task] = deque()
        self._waiting: dict[str, list[Suggestion]] = {}

    def stop(self) -> None:
        """End soon and keep what is done; may be called from any thread or signal handler."""
        self._stop.set()

    def run(self) -> SweepState:
        """Run; returns the state it leaves the sweep in: finished, or stopped before its end."""
        state: SweepState = "failed"
        self._began = monotonic()
        self._store.set_state(self._sweep_id, "running")
        try:
            state = "finished" if self._loop() else "stopped"
        finally:
            if self._runner:
                self._runner.shutdown()
            self._store.set_state(self._sweep_id, state)
            self._count(running=0)
        return state

    def _loop(self) -> bool:
        """Whether the sweep came to its end."""
        while not self._is_interrupted():
            if not self._feed():
                return not self._is_interrupted()
            if self._runner:
                self._take(self._runner.results(POLL_S))
        if self._runner:
            self._take(self._runner.results(0))
        return False

    def _is_interrupted(self) -> bool:
        is_late = self._timeout_s is not None and monotonic() - self._began > self._timeout_s
        return is_late or self._stop.is_set()

    def _feed(self) -> bool:
        """Keep the runner busy, answering what is known on the way; False when nothing is left to do."""
        while len(self._backlog) < self._room() and not self._is_interrupted():
            suggestions = list(islice(iter(self._search.ask, None), LOOKUP))
            if not suggestions:
                break
            self._look_up(suggestions)
        if self._backlog:
            self._runner = self._runner or self._start_runner()
            fitting = max(0, min(self._room(), len(self._backlog)))
            self._runner.submit([self._backlog.popleft() for _ in range(fitting)])
        self._count(running=self._runner.in_flight if self._runner else 0)
        return bool(self._waiting)

    def _room(self) -> int:
        """How many more points the runner can use; one will do to find out whether a runner is needed."""
        return self._runner.capacity - self._runner.in_flight if self._runner else 1

    def _look_up(self, suggestions: Iterable[Suggestion]) -> None:
        """Record the suggestions that the store knows; put the others in the backlog."""
        answers: list[_Answer] = []
        tasks: list[tuple[Suggestion, Task]] = []
        for suggestion in suggestions:
            try:
                tasks.append((suggestion, task_for(self._space, suggestion.point, suggestion.gpu)))
            except SpaceError as error:
                outcome = unlaunchable(self._space, suggestion.point, suggestion.gpu, error)
                answers.append((suggestion, _result(outcome), "new"))
        known = self._store.known(task.point_hash for _, task in tasks)
        for suggestion, task in tasks:
            if task.point_hash in known:
                answers.append((suggestion, known[task.point_hash], "known"))
                continue
            if task.point_hash not in self._waiting:
                self._backlog.append(task)
            self._waiting.setdefault(task.point_hash, []).append(suggestion)
        self._record(answers)

    def _take(self, outcomes: Iterable[Outcome]) -> None:
        answers: list[_Answer] = []
        for outcome in outcomes:
            result = _result(outcome)
            answers += [(suggestion, result, "new") for suggestion in self._waiting.pop(outcome.point_hash)]
            self._count_seconds(outcome.compile_s + outcome.simulate_s)
        self._record(answers)

    def _record(self, answers: list[_Answer]) -> None:
        """Into the store in one transaction; only then to the search and the display."""
        trials = [
            NewTrial(suggestion.number, suggestion.gpu, suggestion.index, suggestion.point, result, source)
            for suggestion, result, source in answers
        ]
        self._store.record(self._sweep_id, trials)
        metrics = [metric for _, metric in self._space.objectives]
        for (suggestion, result, _), trial in zip(answers, trials, strict=True):
            is_complete = result.state == "complete"
            self._search.tell(suggestion, [result.metrics[name] for name in metrics] if is_complete else None)
            self._count_trial(trial)

    def _count_seconds(self, busy_s: float) -> None:
        if self._evaluating_since is None:
            self._evaluating_since = monotonic() - busy_s
        evaluating_s = monotonic() - self._evaluating_since
        self._count(busy_s=self.progress.busy_s + busy_s, evaluating_s=evaluating_s)

    def _count_trial(self, trial: NewTrial) -> None:
        progress = self.progress
        if trial.result.state == "failed":
            self._count(failed=progress.failed + 1)
        else:
            self._count(complete=progress.complete + 1)
            case = trial.gpu, tuple(trial.parameters[name] for name in self._space.workload)
            if self._is_better(trial, progress.best.get(case)):
                self._count(best={**progress.best, case: trial})
        if trial.source == "known":
            self._count(known=progress.known + 1)

    def _is_better(self, trial: NewTrial, best: NewTrial | None) -> bool:
        direction, metric = self._space.objectives[0]
        if best is None:
            return True
        value, least = trial.result.metrics[metric], best.result.metrics[metric]
        return bool(value < least if direction == "minimize" else value > least)

    def _count(self, **changes: Any) -> None:
        """Replace the snapshot that other threads read."""
        self.progress = replace(self.progress, elapsed_s=monotonic() - self._began, **changes)


def _result(outcome: Outcome) -> ResultRecord:
    return ResultRecord.from_outcome(outcome, SIMULATOR_VERSION, compiler_version())
