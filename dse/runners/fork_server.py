"""The process that loads what evaluates points once, and forks for each worker: this side of `dse.runners.child`.

Loading the simulator takes seconds, and a fork milliseconds: so all workers of a machine wait for one start, and one
that is lost is replaced at once. Linux only.
"""

import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import IO, TYPE_CHECKING

from dse.errors import DseError
from dse.isolation.confinement import clean_environment
from dse.isolation.forks import End, request_child
from dse.runners.child import Prepare, simulator

if TYPE_CHECKING:
    from dse.runners.base import Evaluate

#: Evaluates with the simulator; made without importing that.
SIMULATOR = pickle.dumps(simulator)
#: A process evaluates on one core.
_ENVIRONMENT = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
#: Seconds to wait for the end of a process that has been told to end.
_ENDING_S = 5.0
_KILL = b"kill"


class StartError(DseError):
    """No child process became ready to evaluate."""


def program(evaluate: "Evaluate", prepare: Prepare) -> bytes:
    """The pickled program of a child; functions that it cannot import are pickled by value."""
    import cloudpickle

    content: bytes = cloudpickle.dumps(lambda: (evaluate, prepare))
    return content


@dataclass(frozen=True)
class Child:
    """A process that evaluates.

    Attributes:
        connection: to its work.
        end: tells how it ended, and ends it.
        output: what it printed.
    """

    connection: Connection
    end: Connection
    output: IO[bytes]

    def wait(self) -> int:
        """Wait for its death: the exit status, or the negative number of the signal that killed it."""
        with suppress(EOFError, OSError):  # the fork server is dead, and its children with it
            if self.end.poll(_ENDING_S):
                end: End = self.end.recv()
                return end.status
        return -signal.SIGKILL

    def interrupt(self) -> None:
        """Have it and its descendants killed, and do not wait for that; from any thread, harmless if it is dead."""
        with suppress(OSError):
            self.end.send_bytes(_KILL)

    def kill(self) -> None:
        """Kill it and its descendants; harmless if it is dead."""
        self.connection.close()
        self.interrupt()
        self.wait()
        self.end.close()
        self.output.close()


class ForkServer:
    """Forks children that evaluate; thread-safe. If it is lost, the next child waits for another one.

    Args:
        program: what they evaluate with, from `program`.
    """

    def __init__(self, program: bytes = SIMULATOR) -> None:
        self._program = program
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether it forks no more."""
        return self._is_closed

    def start(self) -> None:
        """Let it load the program in the background."""
        with self._lock:
            self._launch()

    def fork(self) -> Child | None:
        """A child that is ready to evaluate; None if it, or the server, was killed meanwhile.

        Raises:
            StartError: the program cannot be loaded, with the end of what it printed; or the server is closed.
        """
        output = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the child
        with self._lock:
            self._launch()
            if not self._becomes_ready():
                return None
            try:
                connection, end = request_child(self._control, [output.fileno()])
            except OSError:
                return None
        child = Child(connection, end, output)
        try:
            connection.recv_bytes()
        except (EOFError, OSError):
            child.kill()
            return None
        return child

    def close(self) -> None:
        """End it and its children, whatever they do; may be repeated."""
        self._is_closed = True
        if self._process is None:
            return
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # who waits for it waits no more
        with self._lock:
            self._end()

    def _launch(self) -> None:
        """Start the process, unless it runs."""
        if self._is_closed:
            raise StartError("the workers are shut down")
        if self._process and self._process.poll() is None:
            return
        self._end()
        self._control, theirs = socket.socketpair()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dse.runners.child", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                env=clean_environment()
                | _ENVIRONMENT
                | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                process_group=0,
            )
        self._is_ready = False
        with suppress(OSError), Connection(os.dup(self._control.fileno())) as connection:
            connection.send_bytes(self._program)

    def _becomes_ready(self) -> bool:
        """Wait until the program is loaded; False if the process is killed instead.

        Raises:
            StartError: the program cannot be loaded, or the server is closed.
        """
        assert self._process
        if self._is_ready:
            return True
        try:
            with Connection(os.dup(self._control.fileno())) as connection:
                connection.recv_bytes()
        except (EOFError, OSError):
            if self._is_closed:
                raise StartError("the workers are shut down") from None
            status = self._process.wait()
            if status == -signal.SIGKILL:
                return False
            said = last_words(self._output, 2000)
            raise StartError(f"a worker process {ending(status)} while starting: {said}") from None
        self._is_ready = True
        return True

    def _end(self) -> None:
        """Wait for the process, which ends when its socket is closed."""
        if self._process is None:
            return
        self._control.close()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
        self._process = None


def last_words(output: IO[bytes], most: int) -> str:
    """The end of what a process printed."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - most))
    return output.read().decode(errors="replace").strip()


def ending(status: int) -> str:
    """`was killed by SIGSEGV (Segmentation fault)`, or `exited with status 1`."""
    if status >= 0:
        return f"exited with status {status}"
    return f"was killed by {signal.Signals(-status).name} ({signal.strsignal(-status)})"
