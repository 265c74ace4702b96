"""The child process that evaluates points: `python -m dse.runners.child FD PARENT`, one point at a time, one thread.

It communicates over the socket FD: it receives the program (evaluate, prepare), replies `READY`, then receives lists of
the bytes that tasks may use and of the tasks, and replies with one message per outcome. It dies with its parent.
"""

import ctypes
import gc
import os
import pickle
import resource
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Evaluate

READY = b"ready"
#: Sent instead of the outcome of a point that exceeded its memory limit.
OUT_OF_MEMORY = b""

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until the other end closes the socket."""
    descriptor, parent = map(int, sys.argv[1:])
    _die_with(parent)
    connection = Connection(descriptor)
    gc.disable()
    evaluate, prepare = pickle.loads(connection.recv_bytes())
    prepare()
    gc.freeze()  # what was loaded stays: no collection needs to look at it
    gc.enable()
    idle = _memory_bytes()
    connection.send_bytes(READY)
    try:
        while True:
            allowances = pickle.loads(connection.recv_bytes())
            for task, allowance in zip(pickle.loads(connection.recv_bytes()), allowances, strict=True):
                _limit_memory(idle + allowance)
                connection.send_bytes(_outcome(evaluate, task))
    except EOFError:
        return


def _outcome(evaluate: Evaluate, task: Task) -> bytes:
    try:
        return pickle.dumps(evaluate(task))
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception as error:
        return pickle.dumps(Outcome.of_error(task.point_hash, error))


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the process that started this one is gone")


def _memory_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _limit_memory(limit: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
