"""Which warp a scheduler issues, and what arithmetic does behind a barrier, as measured on an H200."""

from typing import Any

import numpy as np

from simcore import compile_cuda, load_gpu, timeline
from simcore.views.timeline import Event

CHAIN = """
extern "C" __global__ void k(float* out, float a, float b) {
    float x = threadIdx.x, y = blockIdx.x;
#pragma unroll
    for (int i = 0; i < 128; ++i) {
        x = x * a + b;
        y = y * b + a;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}"""
BARRIER = """
extern "C" __global__ void k(float* out, float a, int rounds) {
    __shared__ float shared[64];
    float x = threadIdx.x;
    if (threadIdx.x >= 32)
#pragma unroll 1
        for (int r = 0; r < rounds; ++r) x = x * a + 1.0f;
    shared[threadIdx.x] = x;
    __syncthreads();
    float y = x;
#pragma unroll
    for (int i = 0; i < 32; ++i) y = y * a + 2.0f;
    out[threadIdx.x] = y + shared[63 - threadIdx.x];
}"""


def _events(source: str, grid: int, block: int, *arguments: Any) -> list[Event]:
    """What the warps of an H200's SM do, one SM with all blocks."""
    cubin = compile_cuda(source, "h200")
    out = np.zeros(grid * block, np.float32)
    launch: dict[str, Any] = {"cubin": cubin, "grid": grid, "block": block, "arguments": [out, *arguments]}
    return list(timeline(0, 20_000, gpu=load_gpu("h200", sms=1), **launch).events)


def _issues(events: list[Event], block: int, warp: int) -> list[int]:
    return [e.start for e in events if (e.block, e.warp, e.state) == (block, warp, "selected")]


def test_a_block_goes_before_those_that_were_launched_later() -> None:
    events = _events(CHAIN, 6, 256, np.float32(0.5), np.float32(0.25))
    ends = [max(_issues(events, block, warp)[-1] for warp in range(8)) for block in range(6)]
    halves = [min(_issues(events, block, warp)[128] for warp in range(8)) for block in range(6)]
    # Two warps of a block and a scheduler fill its issue slots.
    assert all(half > end - 40 for end, half in zip(ends, halves[1:], strict=False))


def test_the_warps_of_a_block_advance_together() -> None:
    events = _events(CHAIN, 1, 1024, np.float32(0.5), np.float32(0.25))
    halves = [_issues(events, 0, warp)[128] for warp in range(32)]
    whole = max(_issues(events, 0, warp)[-1] for warp in range(32))
    assert max(halves) - min(halves) < 0.2 * whole


def test_arithmetic_behind_a_barrier_does_not_wait_for_the_others() -> None:
    rounds = 300
    events = _events(BARRIER, 1, 64, np.float32(0.5), np.int32(rounds))
    first, last = _issues(events, 0, 0), _issues(events, 0, 1)
    waits = [e for e in events if (e.warp, e.state) == (0, "barrier")]
    assert len(waits) == 1
    before = sum(at < waits[0].start for at in first)
    assert before > 32  # the chain behind the barrier is done
    assert waits[0].end > last[-40]
