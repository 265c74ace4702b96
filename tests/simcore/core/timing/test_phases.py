"""Waiting for a phase of an asynchronous barrier takes the time of whoever ends it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore import compile_cuda, simulate

SOURCE = """
typedef unsigned long long u64;
extern "C" __global__ void k(int* out, const int* x, int rounds) {
    __shared__ u64 barrier;
    __shared__ int data[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), over = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
    __syncthreads();
    if (threadIdx.x >= 32) {
        while (!over)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                         : "=r"(over) : "r"(at) : "memory");
        out[threadIdx.x] = data[threadIdx.x - 32];
    } else {
        int v = x[threadIdx.x];
        for (int r = 0; r < rounds; ++r) v = v * 3 + 1;
        data[threadIdx.x] = v;
        __syncwarp();
        if (threadIdx.x == 0) asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(at) : "memory");
    }
}"""


@pytest.fixture(scope="module")
def results() -> dict[int, tuple[float, int, float]]:
    """By the producer's rounds: cycles, warp instructions, and warp-cycles of long_scoreboard."""
    cubin = compile_cuda(SOURCE, "h200")
    found: dict[int, tuple[float, int, float]] = {}
    for rounds in (100, 1100, 4100):
        arguments: list[NDArray[np.int32] | np.int32] = [
            np.zeros(64, np.int32),
            np.zeros(32, np.int32),
            np.int32(rounds),
        ]
        r = simulate(cubin=cubin, grid=1, block=64, arguments=arguments, gpu="h200")
        found[rounds] = r.cycles, r.warp_instructions, r.stalls["long_scoreboard"] * r.warp_instructions
    return found


def test_the_consumer_waits_as_long_as_the_producer_works(
    results: dict[int, tuple[float, int, float]],
) -> None:
    (short, _, waited), (long, _, waited_long) = results[100], results[1100]
    assert long > short + 1000
    assert waited_long - waited == pytest.approx(long - short, rel=0.05)


def test_a_suspended_warp_issues_nothing_until_the_hardware_wakes_it(
    results: dict[int, tuple[float, int, float]],
) -> None:
    by_rounds = (results[1100][1] - results[100][1]) / 1000
    again = results[4100][1] - results[1100][1] - 3000 * by_rounds
    assert (
        again < (results[4100][0] - results[1100][0]) / 100
    )  # a check and its branch take less than 50 cycles
