"""Runs functions on untrusted input in confined child processes.

A child has time and memory limits, only the environment variables that the compiler needs, an empty working folder, and
(if the kernel has Landlock) no access to other files or the network.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from dse.errors import InputError
from dse.isolation.confinement import CallLimits, clean_environment, landlock_version
from dse.isolation.fork_server import Answer, Call
from dse.isolation.forks import End, request_child

logger = logging.getLogger(__name__)
Returned = TypeVar("Returned")

DEFAULT_LIMITS = CallLimits()

_SINGLE_THREADED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # threads do not survive a fork

_GRACE_S = 30  # after a call's time limit, before its child counts as lost
_NO_LANDLOCK = (
    "this kernel has no Landlock: the compiler runs with time and memory limits, but could read any file of this "
    "user that the check of #include directives misses; see docs/security.md"
)


class Sandbox:
    """Runs each call in its own child process; thread-safe.

    Args:
        at_once: maximum number of concurrent children; None means one per core.
        modules: names of modules to load in the fork server, in addition to the simulator.
    """

    def __init__(self, at_once: int | None = None, modules: Sequence[str] = ()) -> None:
        self._slots = threading.BoundedSemaphore(at_once or len(os.sched_getaffinity(0)))
        self._modules = list(modules)
        self._lock = threading.Lock()
        self._fork_server: _ForkServer | None = None

    def run(
        self, function: Callable[..., Returned], *arguments: object, limits: CallLimits = DEFAULT_LIMITS
    ) -> Returned:
        """Call a function of a module in a child.

        Raises:
            InputError: a limit was exceeded, or the child crashed.
            Exception: raised by the function.
        """
        with self._slots:
            calls, end = self._child()
            with calls, end:
                calls.send(Call(function, arguments, limits))
                answer: Answer | None = _received(calls, limits)
                if answer is None:
                    raise InputError(_explained(_received(end, limits), limits))
        if answer.error is not None:
            raise answer.error
        return answer.value  # type: ignore[no-any-return]

    def start(self) -> None:
        """Start the fork server in the background, so that the first call does not wait for imports."""
        with self._lock:
            self._living_fork_server()

    def close(self) -> None:
        """Terminate the fork server; the next call starts a new one."""
        with self._lock:
            if self._fork_server:
                self._fork_server.close()
            self._fork_server = None

    def _child(self) -> tuple[Connection, Connection]:
        with self._lock:
            return self._living_fork_server().child()

    def _living_fork_server(self) -> "_ForkServer":
        if self._fork_server is None or not self._fork_server.is_alive():
            self._fork_server = _ForkServer(self._modules)
        return self._fork_server


class _ForkServer:
    """The parent's side of `dse.isolation.fork_server`."""

    def __init__(self, modules: Sequence[str]) -> None:
        if not landlock_version():
            logger.warning(_NO_LANDLOCK)
        self._control, theirs = socket.socketpair()
        self._folder = tempfile.TemporaryDirectory(prefix="dse-sandbox-")
        paths = [os.path.abspath(path) for path in sys.path]
        code = (
            f"import socket, sys; sys.path[:] = {paths!r}; from dse.isolation.fork_server import main; "
            f"main(socket.socket(fileno={theirs.fileno()}), {modules!r})"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**clean_environment(), **_SINGLE_THREADED},
            cwd=self._folder.name,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def child(self) -> tuple[Connection, Connection]:
        return request_child(self._control)

    def close(self) -> None:
        self._control.close()
        self._process.wait()
        self._folder.cleanup()


def _received(connection: Connection, limits: CallLimits) -> Any:
    """The next message; None if the other side closed or timed out."""
    try:
        return connection.recv() if connection.poll(limits.wall_s + _GRACE_S) else None
    except (EOFError, OSError):
        return None


def _explained(end: End | None, limits: CallLimits) -> str:
    """The error for a child that was killed: which limit it exceeded."""
    advice = "make the kernel's templates, macros, arrays and loops, or the space, smaller"
    if end is None:
        return f"the check was lost; try again, and if that does not help, {advice}"
    if end.status == -signal.SIGALRM:
        what = f"took longer than {limits.wall_s:g} s"
    elif end.status == -signal.SIGXCPU or end.cpu_s >= limits.cpu_s:
        what = f"needed more than {limits.cpu_s} s of CPU time"
    else:
        name = signal.Signals(-end.status).name if end.status < 0 else "no answer"
        what = (
            f"needed more than {limits.memory_bytes / 2**20:.0f} MiB of memory or broke the compiler ({name})"
        )
    return f"checking the space and compiling a few of its points {what}; {advice}"
