"""Hits, sectors and conflicts of accesses whose numbers are known."""

import numpy as np
import pytest

from simcore import Buffer, SimulationResult, compile_cuda, simulate

SOURCE = """
extern "C" __global__ void accesses(const float* __restrict__ x, float* __restrict__ y, int stride) {
    __shared__ float tile[32][32 + PAD];
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += __ldca(x + threadIdx.x * stride + k);
    tile[threadIdx.x][0] = sum;
    __syncwarp();
    y[threadIdx.x] = tile[(threadIdx.x + 1) % 32][0];
}
"""


def accesses(stride: int, pad: int) -> SimulationResult:
    return simulate(
        cubin=compile_cuda(SOURCE, "h200", {"PAD": pad}),
        grid=1,
        block=32,
        arguments=[Buffer("float32", 2048, "uniform"), Buffer("float32", 32, "zeros"), np.int32(stride)],
        gpu="h200",
    )


def test_lanes_in_sectors_of_their_own_and_in_one_bank() -> None:
    rates = accesses(stride=8, pad=0).memory
    assert rates["sectors_per_load"] == 32
    assert rates["l1_hit_rate"] == pytest.approx(7 / 8)
    assert rates["wavefronts_per_shared_access"] == 32
    assert rates["bank_conflicts"] == pytest.approx(31 / 32)


def test_consecutive_lanes_and_padded_rows() -> None:
    rates = accesses(stride=1, pad=1).memory
    assert 4 <= rates["sectors_per_load"] <= 5
    assert rates["wavefronts_per_shared_access"] == 1
    assert rates["bank_conflicts"] == 0
