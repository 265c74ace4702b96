"""The local runner: a child process on each core of this machine, without a cluster.

Its processes are those that a Ray actor runs, with the same limits, but they are ready as soon as the simulator is
loaded: Ray itself takes seconds to start. A thread for each of them waits for its answers.
"""

import os
import pickle
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic

from dse.evaluation.evaluate import evaluate, prepare
from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Evaluate, Runner, RunnerError
from dse.runners.child import Prepare
from dse.runners.fork_server import ForkServer, StartError, program
from dse.runners.limits import PointLimits
from dse.runners.pace import Pace
from dse.runners.process import EvaluationProcess
from dse.runners.quarantine import Quarantine

#: Work that is submitted ahead, so that no process waits for the next task.
AHEAD_S = 0.3
#: Seconds for which answers are collected: recording several results costs little more than recording one.
COLLECTING_S = 0.15
MOST_AHEAD = 64


class LocalRunner(Runner):
    """Evaluates in child processes of this process.

    Args:
        evaluate: turns a task into an outcome; it is pickled and sent to the processes.
        workers: number of processes; None means one per core.
        limits: limits for a point.
        prepare: prepares a process once, before it gets work.
        fork_server: what the processes come from, if it has been started already, for `evaluate` and `prepare`.
    """

    def __init__(
        self,
        evaluate: Evaluate = evaluate,
        workers: int | None = None,
        limits: PointLimits | None = None,
        prepare: Prepare = prepare,
        fork_server: ForkServer | None = None,
    ) -> None:
        super().__init__(evaluate)
        limits = limits or PointLimits()
        self._fork_server = fork_server or ForkServer(program(evaluate, prepare))
        self._in_flight = 0
        self._pace = Pace(AHEAD_S)
        self._line = _Line()
        self._answers: SimpleQueue[Outcome | StartError] = SimpleQueue()
        count = workers or len(os.sched_getaffinity(0))
        self._start_worker = partial(_Worker, self._fork_server, limits, self._line, self._answers)
        self._workers = [self._start_worker() for _ in range(count)]
        self._spare: _Worker | None = None
        self._dismissed: list[_Worker] = []
        self._lost = 0

    @property
    def workers(self) -> int:
        return len(self._workers)

    @property
    def capacity(self) -> int:
        ahead = min(self._pace.points_in(AHEAD_S), MOST_AHEAD)
        return self.workers * (1 + ahead) + (1 if self._spare else 0)

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def submit(self, batch: Sequence[Task]) -> None:
        self._in_flight += len(batch)
        self._line.extend(batch)

    def expect(self, points: int) -> None:
        self._line.expect(min(points, self.workers))

    def set_spare(self, wanted: bool) -> None:
        if wanted and self._spare is None:
            self._spare = self._start_worker()
        elif self._spare and not wanted:
            self._line.dismiss(self._spare)
            self._dismissed.append(self._spare)
            self._spare = None

    def results(self, timeout: float) -> list[Outcome]:
        if self._in_flight == 0:
            return []
        answers = self._arrived(timeout)
        outcomes = [answer for answer in answers if isinstance(answer, Outcome)]
        self._in_flight -= len(outcomes)
        for outcome in outcomes:
            self._pace.note(outcome)
        for error in (answer for answer in answers if isinstance(answer, StartError)):
            self._lost += 1
            if self._lost == self.workers:
                raise RunnerError(f"no worker can start: {error}") from error
        return outcomes

    def shutdown(self) -> None:
        self._line.close()
        self.set_spare(False)
        self._fork_server.close()
        for worker in (*self._workers, *self._dismissed):
            worker.join()
        self._in_flight = 0

    def _arrived(self, timeout: float) -> list[Outcome | StartError]:
        """What the processes answered since the last call; waits for the first answer, and for those soon after it."""
        answers: list[Outcome | StartError] = []
        ends = monotonic() + timeout
        with suppress(Empty):
            while len(answers) < self._in_flight:
                answers.append(self._answers.get(timeout=max(ends - monotonic(), 0)))
                if timeout and len(answers) == 1:
                    ends = monotonic() + COLLECTING_S
        return answers


class _Start:
    """What a worker without a process gets in place of a task, if more tasks will come."""


class _Line:
    """The tasks that wait for a process."""

    def __init__(self) -> None:
        self._tasks: deque[Task] = deque()
        self._to_start = 0
        self._changed = threading.Condition()
        self._is_closed = False

    def extend(self, tasks: Sequence[Task]) -> None:
        """Append tasks."""
        with self._changed:
            self._tasks.extend(tasks)
            self._changed.notify(len(tasks))

    def next(self, worker: "_Worker") -> Task | _Start | None:
        """Wait for a task, or for the reason to start a process; None if there will be no more for this worker."""

        def is_wanted() -> bool:
            is_ended = self._is_closed or worker.is_dismissed
            return is_ended or bool(self._tasks) or (self._to_start > 0 and not worker.is_started)

        with self._changed:
            self._changed.wait_for(is_wanted)
            if self._is_closed or worker.is_dismissed:
                return None
            if self._tasks:
                return self._tasks.popleft()
            self._to_start -= 1
            return _Start()

    def expect(self, workers: int) -> None:
        """Let so many workers start their processes."""
        with self._changed:
            self._to_start = workers
            self._changed.notify_all()

    def dismiss(self, worker: "_Worker") -> None:
        """Let a worker end after its task."""
        with self._changed:
            worker.is_dismissed = True
            self._changed.notify_all()

    def close(self) -> None:
        """Drop the tasks; no process gets another one."""
        with self._changed:
            self._is_closed = True
            self._tasks.clear()
            self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        """Whether there will be no more tasks."""
        return self._is_closed


class _Worker:
    """A child process, started for the first task, and the thread that serves it."""

    def __init__(
        self,
        fork_server: ForkServer,
        limits: PointLimits,
        line: _Line,
        answers: "SimpleQueue[Outcome | StartError]",
    ) -> None:
        self._process = EvaluationProcess(fork_server)
        self._limits = limits
        self._line = line
        self._answers = answers
        self._quarantine = Quarantine()
        self.is_dismissed = False
        self._thread = threading.Thread(target=self._serve, name="worker", daemon=True)
        self._thread.start()

    @property
    def is_started(self) -> bool:
        """Whether it has a process."""
        return self._process.is_started

    def join(self) -> None:
        """Wait for its thread; the line and the fork server must be closed."""
        self._thread.join()

    def _serve(self) -> None:
        try:
            while task := self._line.next(self):
                if isinstance(task, Task):
                    self._answer(task)
                else:
                    self._process.start()
        except StartError as error:
            self._answers.put(error)
        finally:
            self._process.kill()

    def _answer(self, task: Task) -> None:
        """Answer a task, or leave it to the others if this process is lost and cannot be started again."""
        try:
            self._answers.put(self._evaluate(task))
        except StartError:
            self._line.extend([task])
            raise
        except Exception as error:  # an outcome that cannot be read
            self._answers.put(Outcome.of_error(task.point_hash, error))

    def _evaluate(self, task: Task) -> Outcome:
        """The outcome of a task, which is repeated if its process is lost, as long as it may not be to blame."""
        content = pickle.dumps([task])
        while True:
            report = self._process.evaluate(
                content, [self._limits.allow(task)]
            )  # empty if no process has been started
            if report.outcomes:
                self._quarantine.forget(task.point_hash)
                outcome: Outcome = pickle.loads(report.outcomes[0])
                return outcome
            failure = self._quarantine.blame(task, report.loss) if report.loss else None
            if failure or self._line.is_closed:
                return failure or Outcome.failure(task.point_hash, "WorkerLost", "the runner was shut down")
            self._process.start()
