"""A fork server: a process with all modules loaded that forks a child for each call, to avoid the import time.

Each child handles one call and exits, so no state of one request is left for the next.
`dse.isolation.sandbox` starts this process and requests children from it.
"""

import contextlib
import os
import pickle
import socket
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from dse.errors import InputError
from dse.isolation.confinement import CallLimits, close_files_and_network
from dse.isolation.forks import serve

_WARMING = 'extern "C" __global__ void warm(float* out) { out[threadIdx.x] = 0; }'


@dataclass(frozen=True)
class Call:
    """A function to call in a child; pickled with its arguments."""

    function: Callable[..., Any]
    arguments: Sequence[Any]
    limits: CallLimits


@dataclass(frozen=True)
class Answer:
    """The return value or the exception of a call."""

    value: Any = None
    error: Exception | None = None


def main(control: socket.socket, modules: Sequence[str]) -> None:
    """Serve until the other side closes: each child reads a `Call` from its connection and writes its `Answer` there.

    Args:
        control: the socket that requests come from.
        modules: modules that children need in addition to the simulator.
    """
    for module in modules:
        import_module(module)
    readable, writable = _warm()
    serve(control, partial(_work, readable, writable))


def _warm() -> tuple[list[Path], list[Path]]:
    """Import what calls need; returns the folders that children may read, and those that they may write to."""
    import search_spaces
    import simcore
    from simcore.machine_code.includes import include_paths
    from simcore.paths import cache_directory

    for name in simcore.gpu_names():
        simcore.compile_cuda(_WARMING, name)
    packages = [Path(str(package.__file__)).parent for package in (search_spaces, simcore)]
    ours = Path(__file__).parents[1]
    libraries = [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    system = [Path(path) for path in ("/lib", "/lib64", "/usr/lib", "/dev/null", "/dev/urandom")]
    return [ours, *packages, *libraries, *system, include_paths()[0]], [cache_directory("cubins")]


def _work(
    readable: Sequence[Path], writable: Sequence[Path], calls: Connection, _: Sequence[int]
) -> NoReturn:
    """Perform one call within limits, in the child."""
    with contextlib.suppress(BaseException):  # the parent sees an end without an answer
        try:
            call: Call = calls.recv()
            call.limits.apply()
            close_files_and_network(readable, writable)
            answer = Answer(value=call.function(*call.arguments))
        except MemoryError:
            os._exit(1)
        except Exception as error:
            answer = Answer(error=_portable(error))
        calls.send(answer)
    os._exit(0)


def _portable(error: Exception) -> Exception:
    """The error, or one with the same message if it cannot be pickled."""
    try:
        copy = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = None
    same = type(copy) is type(error) and str(copy) == str(error)
    return error if same else InputError(f"{type(error).__name__}: {error}")
