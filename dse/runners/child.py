"""The processes that evaluate points: `python -m dse.runners.child FD`, which forks one for each request.

It communicates over the socket FD: it receives a program, loads it, replies `READY` and serves forks. Each fork replies
`READY` on its own connection, then receives lists of the bytes that tasks may use and of the tasks, and replies with
one message per outcome; one point at a time, one thread. All of them die with the process that started the first.
"""

import gc
import os
import pickle
import resource
import select
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from dse.isolation.forks import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dse.evaluation.tasks import Task
    from dse.runners.base import Evaluate

READY = b"ready"
#: Sent instead of the outcome of a point that exceeded its memory limit.
OUT_OF_MEMORY = b""

#: Prepares a process for evaluation; its time does not count towards any point.
Prepare = Callable[[], object]
#: What a process is for; a function, so that only the process itself imports what it needs.
Program = Callable[[], "tuple[Evaluate, Prepare]"]


def simulator() -> "tuple[Evaluate, Prepare]":
    """The program that evaluates points with the simulator."""
    from dse.evaluation.evaluate import evaluate, prepare
    from simcore.compilation import without_blas

    return evaluate, without_blas()(prepare)


def main() -> None:
    """Load the program and fork until the other side closes the socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    with Connection(os.dup(control.fileno())) as connection:
        with _ending_with(control):
            gc.disable()
            program: Program = pickle.loads(connection.recv_bytes())
            evaluate, prepare = program()
            prepare()
            gc.freeze()  # what was loaded stays: no collection needs to look at it, and forks share its memory
            gc.enable()
        connection.send_bytes(READY)
    serve(control, partial(_work, evaluate))


@contextmanager
def _ending_with(control: socket.socket) -> "Iterator[None]":
    """Exit at once if the other side closes the socket meanwhile: nobody waits for what is being loaded."""
    done, finish = os.pipe()

    def watch() -> None:
        watched = select.poll()
        watched.register(control, select.POLLRDHUP)
        watched.register(done, select.POLLIN)
        if watched.poll()[0][0] == control.fileno():
            os._exit(1)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        os.write(finish, b"+")
        thread.join()
        os.close(done)
        os.close(finish)


def _work(evaluate: "Evaluate", connection: Connection, descriptors: Sequence[int]) -> NoReturn:
    """Evaluate until the other side closes the connection; output goes to the descriptor."""
    (output,) = descriptors
    for stream in (1, 2):
        os.dup2(output, stream)
    status = 1
    try:
        _evaluate_all(evaluate, connection)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _evaluate_all(evaluate: "Evaluate", connection: Connection) -> None:
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


def _outcome(evaluate: "Evaluate", task: "Task") -> bytes:
    from dse.evaluation.tasks import Outcome

    try:
        return pickle.dumps(evaluate(task))
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception as error:
        return pickle.dumps(Outcome.of_error(task.point_hash, error))


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
