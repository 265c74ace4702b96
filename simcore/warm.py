"""Load the jitted core, compiling it if need be, once an installation and never twice at a time."""

from time import perf_counter

import numpy as np
from filelock import FileLock

from simcore.compiler import compile_cuda
from simcore.paths import cache_directory
from simcore.simulate import simulate

_SOURCE = 'extern "C" __global__ void warm(int* out) { out[threadIdx.x] = threadIdx.x; }'


def warm_up() -> float:
    """Make the core ready in this process; returns the seconds it took.

    The first call of an installation compiles for about a minute, under a lock that makes other processes wait
    for the result instead of compiling too; later calls load it.
    """
    started = perf_counter()
    with FileLock(cache_directory("numba") / "warm.lock"):
        cubin = compile_cuda(_SOURCE, "h200")
        simulate(cubin=cubin, grid=1, block=32, arguments=[np.zeros(32, np.int32)], gpu="h200")
    return perf_counter() - started
