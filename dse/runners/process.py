"""Evaluation in a child process, which may crash, hang or exhaust memory without losing track of the point.

The child reports each point when it is done. So if it dies, the point that it was evaluating is known, and the rest
of the batch is unaffected. Linux only: the kernel kills the child with its parent.
"""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from pathlib import Path

import cloudpickle

from dse.errors import DseError
from dse.isolation.confinement import clean_environment
from dse.runners.base import Evaluate
from dse.runners.child import OUT_OF_MEMORY
from dse.runners.limits import Allowance, Loss

#: Maximum number of starts if a process is killed from outside while it starts.
MAX_STARTS = 10

#: Prepares a process for evaluation; its time does not count towards any point.
Prepare = Callable[[], object]


class StartError(DseError):
    """No child process became ready to evaluate."""


@dataclass
class Report:
    """The result of a batch.

    Attributes:
        outcomes: pickled outcomes of its first tasks, in order.
        loss: why the next task has no outcome; None if it was not started, or if there is none.
    """

    outcomes: list[bytes] = field(default_factory=list)
    loss: Loss | None = None


def program(evaluate: Evaluate, prepare: Prepare) -> bytes:
    """The pickled program of a child; functions that it cannot import are pickled by value."""
    content: bytes = cloudpickle.dumps((evaluate, prepare))
    return content


class EvaluationProcess:
    """One child process at a time.

    Args:
        program: from `program`.
    """

    def __init__(self, program: bytes) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_started(self) -> bool:
        """Whether there is a child."""
        return self._process is not None

    def start(self) -> None:
        """Start a child, replacing the current one; returns when it is ready to evaluate.

        Raises:
            StartError: it did not become ready; the message contains the end of its output.
        """
        for _ in range(MAX_STARTS):
            if self._start_once():
                return
        raise StartError(f"a worker process was killed {MAX_STARTS} times while starting")

    def evaluate(self, batch: bytes, allowances: Sequence[Allowance]) -> Report:
        """Evaluate a pickled list of tasks, up to the first loss; none if the child is gone.

        Args:
            allowances: what each of the tasks may take.
        """
        report = Report()
        if self._process is None:
            return report
        kills = _out_of_memory_kills()
        try:
            self._connection.send_bytes(pickle.dumps([allowed.memory_bytes for allowed in allowances]))
            self._connection.send_bytes(batch)
            for allowed in allowances:
                if not self._connection.poll(allowed.seconds):
                    return self._end(report, _over_time(allowed))
                outcome = self._connection.recv_bytes()
                if outcome == OUT_OF_MEMORY:
                    return self._end(report, _over_memory(allowed))
                report.outcomes.append(outcome)
        except BrokenPipeError:
            self.kill()  # it died while idle
        except (EOFError, ConnectionResetError):
            return self._end(report, self._death(kills))
        return report

    def kill(self) -> None:
        """Kill the child and its descendants."""
        if self._process is None:
            return
        self._connection.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()
        self._process = None

    def interrupt(self) -> None:
        """Kill the child from another thread; a call that waits for it then returns as if it had died."""
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def _start_once(self) -> bool:
        """Whether the child became ready; False if it was killed while starting."""
        self.kill()
        self._connection, theirs = Pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dse.runners.child", str(theirs.fileno()), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._errors,
            stderr=self._errors,
            env=clean_environment() | _ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            process_group=0,
        )
        theirs.close()
        try:
            self._connection.send_bytes(self._program)
            self._connection.recv_bytes()
        except (EOFError, OSError):
            status = self._process.wait()
            if status == -signal.SIGKILL:
                return False
            said = self._last_words(2000)
            self.kill()
            raise StartError(f"a worker process {_ending(status)} while starting: {said}") from None
        return True

    def _end(self, report: Report, loss: Loss) -> Report:
        self.kill()
        report.loss = loss
        return report

    def _death(self, kills_before: int) -> Loss:
        assert self._process
        status = self._process.wait()
        was_killed = status == -signal.SIGKILL
        if was_killed and _out_of_memory_kills() > kills_before:
            message = "its process was killed by the kernel's OOM killer"
            return Loss("WorkerLost", message)
        said = self._last_words(300)
        message = f"its process {_ending(status)}" + (f": {said}" if said else "")
        return Loss("WorkerLost", message, is_foreign=was_killed)

    def _last_words(self, most: int) -> str:
        """The end of the child's output."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - most))
        return self._errors.read().decode(errors="replace").strip()


#: A process evaluates on one core.
_ENVIRONMENT = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _over_time(allowed: Allowance) -> Loss:
    message = f"took longer than the {allowed.seconds:g} s that a point may take"
    return Loss("TimeLimit", message, is_certain=True)


def _over_memory(allowed: Allowance) -> Loss:
    message = f"needed more than the {allowed.memory_bytes / 2**30:g} GiB that a point may use"
    return Loss("MemoryLimit", message, is_certain=True)


def _ending(status: int) -> str:
    """`was killed by SIGSEGV (Segmentation fault)`, or `exited with status 1`."""
    if status >= 0:
        return f"exited with status {status}"
    return f"was killed by {signal.Signals(-status).name} ({signal.strsignal(-status)})"


def _out_of_memory_kills() -> int:
    """Number of processes killed by the kernel's OOM killer; 0 if unknown."""
    try:
        counters = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    except OSError:
        return 0
    return int(counters.get("oom_kill", 0))
