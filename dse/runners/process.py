"""Evaluation in a child process, which may crash, hang or exhaust memory without losing track of the point.

The child reports each point when it is done. So if it dies, the point that it was evaluating is known, and the rest
of the batch is unaffected.
"""

import pickle
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dse.runners.child import OUT_OF_MEMORY
from dse.runners.fork_server import Child, ForkServer, StartError, ending, last_words
from dse.runners.limits import Allowance, Loss

#: Maximum number of starts if a process is killed from outside while it starts.
MAX_STARTS = 10


@dataclass
class Report:
    """The result of a batch.

    Attributes:
        outcomes: pickled outcomes of its first tasks, in order.
        loss: why the next task has no outcome; None if it was not started, or if there is none.
    """

    outcomes: list[bytes] = field(default_factory=list)
    loss: Loss | None = None


class EvaluationProcess:
    """One child process at a time.

    Args:
        fork_server: what its children come from.
    """

    def __init__(self, fork_server: ForkServer) -> None:
        self._fork_server = fork_server
        self._child: Child | None = None

    @property
    def is_started(self) -> bool:
        """Whether there is a child."""
        return self._child is not None

    def start(self) -> None:
        """Start a child, replacing the current one; returns when it is ready to evaluate.

        Raises:
            StartError: it did not become ready; the message contains the end of its output.
        """
        self.kill()
        for _ in range(MAX_STARTS):
            self._child = self._fork_server.fork()
            if self._child:
                return
        raise StartError(f"a worker process was killed {MAX_STARTS} times while starting")

    def evaluate(self, batch: bytes, allowances: Sequence[Allowance]) -> Report:
        """Evaluate a pickled list of tasks, up to the first loss; none if the child is gone.

        Args:
            allowances: what each of the tasks may take.
        """
        report = Report()
        if self._child is None:
            return report
        connection = self._child.connection
        kills = _out_of_memory_kills()
        try:
            connection.send_bytes(pickle.dumps([allowed.memory_bytes for allowed in allowances]))
            connection.send_bytes(batch)
            for allowed in allowances:
                if not connection.poll(allowed.seconds):
                    return self._end(report, _over_time(allowed))
                outcome = connection.recv_bytes()
                if outcome == OUT_OF_MEMORY:
                    return self._end(report, _over_memory(allowed))
                report.outcomes.append(outcome)
        except BrokenPipeError:
            self.kill()  # it died while idle
        except (EOFError, ConnectionResetError):
            return self._end(report, _death(self._child, kills))
        return report

    def interrupt(self) -> None:
        """End what the child evaluates, from another thread: `evaluate` returns without an outcome."""
        if child := self._child:
            child.interrupt()

    def kill(self) -> None:
        """Kill the child and its descendants."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _end(self, report: Report, loss: Loss) -> Report:
        self.kill()
        report.loss = loss
        return report


def _death(child: Child, kills_before: int) -> Loss:
    """Why a child is gone that was not told to end."""
    status = child.wait()
    was_killed = status == -signal.SIGKILL
    if was_killed and _out_of_memory_kills() > kills_before:
        return Loss("WorkerLost", "its process was killed by the kernel's OOM killer")
    said = last_words(child.output, 300)
    message = f"its process {ending(status)}" + (f": {said}" if said else "")
    return Loss("WorkerLost", message, is_foreign=was_killed)


def _over_time(allowed: Allowance) -> Loss:
    message = f"took longer than the {allowed.seconds:g} s that a point may take"
    return Loss("TimeLimit", message, is_certain=True)


def _over_memory(allowed: Allowance) -> Loss:
    message = f"needed more than the {allowed.memory_bytes / 2**30:g} GiB that a point may use"
    return Loss("MemoryLimit", message, is_certain=True)


def _out_of_memory_kills() -> int:
    """Number of processes killed by the kernel's OOM killer; 0 if unknown."""
    try:
        counters = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    except OSError:
        return 0
    return int(counters.get("oom_kill", 0))
