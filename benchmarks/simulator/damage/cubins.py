"""Cubins with some bytes overwritten, each simulated in a process of its own."""

import os
import random
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from simcore import compile_cuda, simulate
from simcore.errors import SimcoreError
from simcore.model.arguments import Argument

GPUS = ("a100-80gb", "h200", "rtx5090")
SECONDS = 30
"""Of the processor, until a simulation hangs; an undamaged one takes milliseconds."""

MEMORY = 8 << 30
"""Bytes of address space that a simulation may take, besides what the process has."""

CYCLE_LIMIT = 200_000
MOST_BYTES = 4

SOURCE = """
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 7;
extern "C" __global__ void k(float* out, const int* in, int n) {
    __shared__ float tile[64];
    float local[8];
    for (int i = 0; i < 8; ++i) local[i] = in[(threadIdx.x + i) % n] * weights[i % 4];
    tile[threadIdx.x] = local[in[threadIdx.x] & 7];
    __syncthreads();
    if (threadIdx.x % 3 == 0) atomicAdd(&counter, 1);
    for (int i = 0; i < (n & 15); ++i) tile[threadIdx.x] += __shfl_xor_sync(~0u, local[i & 7], 1);
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x] / (1 + counter);
}
"""


def outcomes(seeds: Iterable[int]) -> Iterator[tuple[int, str]]:
    """For each seed `ran`, `refused`, or what went wrong."""
    for gpu in GPUS:
        _run(_cubin(gpu), gpu)
    for seed in seeds:
        yield seed, _outcome(seed)


def damaged(seed: int) -> tuple[bytes, str]:
    """A cubin with some bytes overwritten, and the GPU that it is for."""
    chance = random.Random(seed)
    gpu = chance.choice(GPUS)
    content = bytearray(_cubin(gpu))
    for _ in range(chance.randint(1, MOST_BYTES)):
        content[chance.randrange(len(content))] = chance.choice((0, 255, chance.randrange(256)))
    return bytes(content), gpu


@cache
def _cubin(gpu: str) -> bytes:
    return compile_cuda(SOURCE, gpu)


def _run(cubin: bytes, gpu: str) -> None:
    arguments: list[Argument] = [np.zeros(256, np.float32), np.arange(64, dtype=np.int32), np.int32(37)]
    simulate(cubin=cubin, kernel="k", grid=4, block=64, arguments=arguments, gpu=gpu, cycle_limit=CYCLE_LIMIT)


_RAN, _REFUSED, _RAISED = range(3)


def _outcome(seed: int) -> str:
    content, gpu = damaged(seed)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os._exit(_in_child(content, gpu))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        stopped_by = signal.Signals(os.WTERMSIG(status))
        return (
            f"not ended after {SECONDS} s" if stopped_by == signal.SIGPROF else f"died by {stopped_by.name}"
        )
    return {_RAN: "ran", _REFUSED: "refused"}.get(os.WEXITSTATUS(status), "raised what is none of our errors")


def _in_child(content: bytes, gpu: str) -> int:
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + MEMORY, in_use + MEMORY))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        _run(content, gpu)
    except SimcoreError:
        return _REFUSED
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return _RAISED
    return _RAN
