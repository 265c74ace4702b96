"""Load the jitted core; compile it once per installation, never twice at the same time."""

import gc
import os
import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter

import numpy as np
from filelock import FileLock

from simcore.analysis import slicing
from simcore.compilation import noted
from simcore.core import isa
from simcore.core.jit import units
from simcore.core.jit.cache import compiled_core
from simcore.execution import execute
from simcore.machine_code.compiler import compile_cuda
from simcore.native import make_usual_ones
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare
from simcore.simulation import simulate

_SOURCE = 'extern "C" __global__ void warm(float* out) { out[threadIdx.x] *= out[threadIdx.x]; }'

_COMPILED = ("schedule.run_sm", "blocks.run_blocks", "families.steer", "families.access_memory",
             "families.compute_words", "families.compute_singles")  # fmt: skip
"""What nearly every kernel needs of the core, as numba names its files."""


def warm_up(*, everything: bool = False) -> float:
    """Make the core ready in this process; returns the seconds it took.

    The first call of an installation compiles what nearly every kernel needs, in two processes, for less than a
    minute on two processors, and holds a lock so that other processes with the same core wait for the result instead of
    compiling as well. Later calls load the compiled code. What few kernels need (halves, matrices, ...) is compiled
    for the first of them, in seconds.

    Args:
        everything: compile that now, too; for images, whose users cannot.
    """
    started = perf_counter()
    folder = compiled_core()
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "warm.lock"):
        if is_compiled():
            warm_functional()
            warm_timing()
        else:
            other = _in_another_process(warm_functional.__name__)
            with noted(folder, _COMPILED, (os.getpid(), other.pid)):
                warm_timing()
                other.wait()
            warm_functional()
        if everything:
            warm_families()
    _keep_what_is_loaded()
    return perf_counter() - started


def _keep_what_is_loaded() -> None:
    """Let Python's garbage collector not look at the compiler and the core, which stay: a look takes 100 ms."""
    gc.collect()
    gc.freeze()


def is_compiled() -> bool:
    """Whether this installation has compiled what nearly every kernel needs of the current core."""
    folder = compiled_core()
    return all(any(folder.glob(f"**/{function}-*.nbi")) for function in _COMPILED)


def warm_timing() -> None:
    """Simulate a tiny kernel."""
    simulate(gpu="h200", cubin=_tiny_cubin(), grid=1, block=32, arguments=_tiny_arguments())


def warm_functional() -> None:
    """Execute a tiny kernel."""
    execute(gpu="h200", cubin=_tiny_cubin(), grid=1, block=32, arguments=_tiny_arguments())


def warm_families() -> None:
    """Load all families of operations, and what native code calls."""
    make_usual_ones()
    request = LaunchRequest(gpu="h200", cubin=_tiny_cubin(), grid=1, block=32, arguments=_tiny_arguments())
    session = prepare(request)
    session.run(slicing.for_timing, 1, 1, lambda machine: units.prepare(machine, np.arange(isa.FAMILIES)))


def _tiny_cubin() -> bytes:
    return compile_cuda(_SOURCE, "h200")


def _tiny_arguments() -> Sequence[np.ndarray]:
    return [np.zeros(32, np.float32)]


def _in_another_process(function: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", f"from simcore import warm; warm.{function}()"])
