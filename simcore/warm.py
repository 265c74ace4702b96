"""Load the jitted core; compile it once per installation, never twice at the same time."""

import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter

import numpy as np
from filelock import FileLock

from simcore.core.jit.cache import compiled_core
from simcore.execution import execute
from simcore.machine_code.compiler import compile_cuda
from simcore.simulation import simulate

_SOURCE = 'extern "C" __global__ void warm(int* out) { out[threadIdx.x] = threadIdx.x; }'

_ENTRIES = ("schedule.run_sm", "blocks.run_blocks")
"""The functions that are called from outside of the core, as numba names their files."""


def warm_up() -> float:
    """Make the core ready in this process; returns the seconds it took.

    The first call of an installation compiles the two entry points in parallel, for a minute or two on two
    processors, and holds a lock so that other processes with the same core wait for the result instead of compiling
    as well. Later calls load the compiled code.
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
            warm_timing()
            other.wait()
            warm_functional()
    return perf_counter() - started


def is_compiled() -> bool:
    """Whether this installation has compiled the current core."""
    folder = compiled_core()
    return all(any(folder.glob(f"**/{entry}-*.nbi")) for entry in _ENTRIES)


def warm_timing() -> None:
    """Simulate a tiny kernel."""
    simulate(gpu="h200", cubin=_tiny_cubin(), grid=1, block=32, arguments=_tiny_arguments())


def warm_functional() -> None:
    """Execute a tiny kernel."""
    execute(gpu="h200", cubin=_tiny_cubin(), grid=1, block=32, arguments=_tiny_arguments())


def _tiny_cubin() -> bytes:
    return compile_cuda(_SOURCE, "h200")


def _tiny_arguments() -> Sequence[np.ndarray]:
    return [np.zeros(32, np.int32)]


def _in_another_process(function: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", f"from simcore import warm; warm.{function}()"])
