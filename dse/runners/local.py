"""The local runner: a child process on each core of this machine, without a cluster.

Its processes are those that a Ray actor runs, with the same limits, but they are ready as soon as the simulator is
loaded: Ray itself takes seconds to start. A thread for each of them waits for its answers.
"""

import os
import pickle
import threading
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
        self._pace = Pace(AHEAD_S)
        self._line = _Line()
        self._out: dict[str, _Ticket] = {}
        self._answers: SimpleQueue[_Ticket | StartError] = SimpleQueue()
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
        return len(self._out)

    def submit(self, batch: Sequence[Task]) -> None:
        tickets = [_Ticket(task) for task in batch]
        self._out |= {ticket.task.point_hash: ticket for ticket in tickets}
        self._line.extend(tickets)

    def expect(self, points: int) -> None:
        self._line.expect(min(points, self.workers))

    def set_spare(self, wanted: bool) -> None:
        if wanted and self._spare is None:
            self._spare = self._start_worker()
        elif self._spare and not wanted:
            self._line.dismiss(self._spare)
            self._dismissed.append(self._spare)
            self._spare = None

    def recall(self) -> list[Task]:
        recalled = [ticket.task for ticket in self._line.take_back()]
        for task in recalled:
            del self._out[task.point_hash]
        return recalled

    def drop(self, point_hashes: Collection[str]) -> None:
        dropped = [self._out.pop(each) for each in point_hashes if each in self._out]
        for ticket in dropped:
            ticket.is_dropped = True
        self._line.take_out_the_dropped()
        for worker in self._every_worker():
            worker.end_what_is_dropped()

    def results(self, timeout: float) -> list[Outcome]:
        if not self._out:
            return []
        outcomes = []
        for answer in self._arrived(timeout):
            if isinstance(answer, StartError):
                self._lost += 1
                if self._lost == self.workers:
                    raise RunnerError(f"no worker can start: {answer}") from answer
            elif not answer.is_dropped:
                assert answer.outcome
                del self._out[answer.task.point_hash]
                self._pace.note(answer.outcome)
                outcomes.append(answer.outcome)
        return outcomes

    def shutdown(self) -> None:
        self._line.close()
        self.set_spare(False)
        self._fork_server.close()
        for worker in self._every_worker():
            worker.join()
        self._out.clear()

    def _every_worker(self) -> "list[_Worker]":
        return [*self._workers, *([self._spare] if self._spare else []), *self._dismissed]

    def _arrived(self, timeout: float) -> "list[_Ticket | StartError]":
        """What the processes answered since the last call; waits for the first answer, and for those soon after it."""
        answers: list[_Ticket | StartError] = []
        ends = monotonic() + timeout
        with suppress(Empty):
            while len(answers) < len(self._out):
                answers.append(self._answers.get(timeout=max(ends - monotonic(), 0)))
                if timeout and len(answers) == 1:
                    ends = monotonic() + COLLECTING_S
        return answers


@dataclass(eq=False)
class _Ticket:
    """A task that was submitted.

    Attributes:
        task: the task.
        outcome: None until it is evaluated.
        is_dropped: whether nobody wants the outcome any more.
    """

    task: Task
    outcome: Outcome | None = None
    is_dropped: bool = False


class _Start:
    """What a worker without a process gets in place of a task, if more tasks will come."""


class _Line:
    """The tasks that wait for a process."""

    def __init__(self) -> None:
        self._tickets: deque[_Ticket] = deque()
        self._to_start = 0
        self._changed = threading.Condition()
        self._is_closed = False

    def extend(self, tickets: Sequence[_Ticket]) -> None:
        """Append tasks."""
        with self._changed:
            self._tickets.extend(tickets)
            self._changed.notify(len(tickets))

    def take_back(self) -> list[_Ticket]:
        """Take all tasks out."""
        with self._changed:
            tickets = list(self._tickets)
            self._tickets.clear()
        return tickets

    def take_out_the_dropped(self) -> None:
        """Take out those that nobody wants any more."""
        with self._changed:
            self._tickets = deque(ticket for ticket in self._tickets if not ticket.is_dropped)

    def next(self, worker: "_Worker") -> _Ticket | _Start | None:
        """Wait for a task, or for the reason to start a process; None if there will be no more for this worker."""

        def is_wanted() -> bool:
            is_ended = self._is_closed or worker.is_dismissed
            return is_ended or bool(self._tickets) or (self._to_start > 0 and not worker.is_started)

        with self._changed:
            self._changed.wait_for(is_wanted)
            if self._is_closed or worker.is_dismissed:
                return None
            if self._tickets:
                return self._tickets.popleft()
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
            self._tickets.clear()
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
        answers: "SimpleQueue[_Ticket | StartError]",
    ) -> None:
        self._process = EvaluationProcess(fork_server)
        self._limits = limits
        self._line = line
        self._answers = answers
        self._quarantine = Quarantine()
        self._current: _Ticket | None = None
        self._guard = threading.Lock()
        self.is_dismissed = False
        self._thread = threading.Thread(target=self._serve, name="worker", daemon=True)
        self._thread.start()

    @property
    def is_started(self) -> bool:
        """Whether it has a process."""
        return self._process.is_started

    def end_what_is_dropped(self) -> None:
        """End the evaluation of a task that nobody wants any more."""
        with self._guard:
            if self._current and self._current.is_dropped:
                self._process.interrupt()

    def join(self) -> None:
        """Wait for its thread; the line and the fork server must be closed."""
        self._thread.join()

    def _serve(self) -> None:
        try:
            while ticket := self._line.next(self):
                if isinstance(ticket, _Ticket):
                    self._answer(ticket)
                else:
                    self._process.start()
        except StartError as error:
            self._answers.put(error)
        finally:
            self._process.kill()

    def _answer(self, ticket: _Ticket) -> None:
        """Answer a task, or leave it to the others if this process is lost and cannot be started again."""
        self._take_up(ticket)
        try:
            ticket.outcome = self._evaluate(ticket)
        except StartError:
            self._line.extend([ticket])
            raise
        except Exception as error:  # an outcome that cannot be read
            ticket.outcome = Outcome.of_error(ticket.task.point_hash, error)
        finally:
            self._take_up(None)
        if ticket.outcome:
            self._answers.put(ticket)

    def _take_up(self, ticket: _Ticket | None) -> None:
        with self._guard:
            self._current = ticket

    def _evaluate(self, ticket: _Ticket) -> Outcome | None:
        """The outcome of a task, which is repeated if its process is lost, as long as it may not be to blame.

        None if nobody wants it any more.
        """
        task = ticket.task
        content = pickle.dumps([task])
        while not ticket.is_dropped:
            report = self._process.evaluate(
                content, [self._limits.allow(task)]
            )  # empty if no process has been started
            if report.outcomes:
                self._quarantine.forget(task.point_hash)
                outcome: Outcome = pickle.loads(report.outcomes[0])
                return outcome
            if ticket.is_dropped:
                break
            failure = self._quarantine.blame(task, report.loss) if report.loss else None
            if failure or self._line.is_closed:
                return failure or Outcome.failure(task.point_hash, "WorkerLost", "the runner was shut down")
            self._process.start()
        return None
