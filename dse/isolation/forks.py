"""Children that are forked from a process with all modules loaded, so that each starts in milliseconds.

A fork server serves a socket. Each request forks a child and comes with two connections: one for the child's work, one
for its `End`. Whoever has the other side of the second kills the child and its descendants by writing to it or by
closing it, so no process number is ever used by anyone but the child's parent.
"""

import ctypes
import os
import select
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_MESSAGE = b"+"
_MAX_DESCRIPTORS = 8

#: The child's side: its connection, and further descriptors that came with the request. It must not return.
Work = Callable[[Connection, Sequence[int]], NoReturn]


@dataclass(frozen=True)
class End:
    """How a child ended.

    Attributes:
        status: its exit status, or the negative number of the signal that killed it.
        cpu_s: CPU time in seconds.
        memory_bytes: peak memory in bytes.
    """

    status: int
    cpu_s: float
    memory_bytes: int


def request_child(server: socket.socket, further: Sequence[int] = ()) -> tuple[Connection, Connection]:
    """Ask a fork server for a child: the connection to it, and the one that its `End` comes from.

    Raises:
        OSError: the server is gone.
    """
    work, its_work = Pipe()
    end, its_end = Pipe()
    with its_work, its_end:
        socket.send_fds(server, [_MESSAGE], [its_work.fileno(), its_end.fileno(), *further])
    return work, end


def serve(control: socket.socket, work: Work) -> None:
    """Fork a child for each request, until the other side closes; then kill those that are left.

    Args:
        control: the socket that requests come from.
        work: what each child does.
    """
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    ends: dict[int, Connection] = {}
    while True:
        told = {end.fileno(): child for child, end in ends.items()}
        ready, _, _ = select.select([control.fileno(), woken, *told], [], [])
        for child in map(told.get, ready):
            if child:
                _kill(child, ends[child])
        if woken in ready:
            os.read(woken, 4096)
            _reap(ends)
        if control.fileno() in ready:
            message, descriptors, _, _ = socket.recv_fds(control, len(_MESSAGE), _MAX_DESCRIPTORS)
            if not message:
                for child in ends:
                    _kill_group(child)
                return
            connection, end = (Connection(descriptor) for descriptor in descriptors[:2])
            child = _fork(work, connection, descriptors[2:], others=[control, end, *ends.values()])
            connection.close()
            for descriptor in descriptors[2:]:
                os.close(descriptor)
            ends[child] = end


def _fork(
    work: Work,
    connection: Connection,
    further: Sequence[int],
    others: Sequence[socket.socket | Connection],
) -> int:
    """The child's process number, in the parent; the child has a process group of its own."""
    server = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        os.setpgid(0, 0)
        _die_with(server)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for other in others:
            other.close()
        work(connection, further)
    finally:
        os._exit(1)


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it has died already


def _kill(child: int, end: Connection) -> None:
    with suppress(EOFError, OSError):
        end.recv_bytes()
    _kill_group(child)


def _kill_group(child: int) -> None:
    """Kill a child that has not been reaped, and its descendants."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)  # it may not have its group yet
        os.killpg(child, signal.SIGKILL)


def _reap(ends: dict[int, Connection]) -> None:
    while ends:
        child, status, usage = os.wait4(-1, os.WNOHANG)
        if not child:
            return
        cpu_s, memory_bytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        with ends.pop(child) as end, suppress(OSError):  # the other side may be gone
            end.send(End(os.waitstatus_to_exitcode(status), cpu_s, memory_bytes))
