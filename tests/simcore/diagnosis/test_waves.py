"""The tail of a grid: what is said of it, and that the predicted time goes by it."""

import numpy as np
import pytest

from simcore import Buffer, SimulationResult, compile_cuda, load_gpu, simulate
from simcore.diagnosis.waves import Waves, tail_advice
from simcore.model.occupancy import occupancy

GPU = "h100-sxm"
SOURCE = """
extern "C" __global__ void chains(float* out, int n)
{
    float x[CHAINS];
    for (int k = 0; k < CHAINS; ++k) x[k] = threadIdx.x + k;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < CHAINS; ++k) x[k] = x[k] * 1.5f + 0.25f;
    for (int k = 0; k < CHAINS; ++k) out[blockIdx.x * blockDim.x + threadIdx.x] += x[k];
}
"""


def predicted(grid: int, block: int, chains: int, shared: int = 0) -> SimulationResult:
    return simulate(
        cubin=compile_cuda(SOURCE, GPU, defines={"CHAINS": chains}),
        grid=grid,
        block=block,
        dynamic_shared_bytes=shared,
        arguments=[Buffer("float32", grid * block), np.int32(500)],
        gpu=GPU,
    )


def tail(result: SimulationResult) -> list[str]:
    return [line for line in result.advice if " SMs" in line]


def test_a_partial_wave_of_waiting_warps_costs_a_whole_one() -> None:
    partly, fully = (predicted(grid, 32, 1, shared=100_000) for grid in (300, 528))
    assert partly.regime == "latency"
    assert partly.cycles > 0.95 * fully.cycles
    (said,) = tail(partly)
    assert "1.14 waves of 132 SMs x 2 blocks: the last wave has 36 of 264 blocks" in said
    assert "up to 43% of the room empty" in said
    assert "1 more block per SM (limited by shared memory), or a grid of 264 or 528 blocks" in said
    assert not tail(fully)


def test_a_saturated_sm_takes_its_blocks_in_turn() -> None:
    partly, fully = (predicted(grid, 1024, 4) for grid in (140, 264))
    assert partly.limit == "compute (issue slots)"
    assert partly.cycles > 0.95 * fully.cycles
    (said,) = tail(partly)
    assert said.startswith("Some SMs get 2 blocks, the others 1: on average an SM has no work for up to 47%")
    assert not tail(fully)


def test_sms_without_a_block_are_counted() -> None:
    (said,) = tail(predicted(66, 1024, 4))
    assert said.startswith("The grid has 66 blocks for 132 SMs, 66 of which have nothing to do")


@pytest.mark.parametrize("unit", ["dram", "l2"])
def test_what_all_sms_share_has_no_tail(unit: str) -> None:
    room = occupancy(load_gpu(GPU), 256, 32, 0)
    waves = Waves(blocks=1200, sms=132, per_sm=room.blocks_per_sm)
    assert not list(tail_advice(waves, room, 0.1, {unit: 0.95}))
    assert list(tail_advice(waves, room, 0.1, {unit: 0.5}))


def test_no_more_blocks_are_proposed_where_all_warp_slots_are_filled() -> None:
    full, half = (occupancy(load_gpu(GPU), 128, registers, 0) for registers in (32, 64))
    for room, remedy in (
        (full, "empty. A grid of 2,112 or 4,224 blocks would be"),
        (half, "2 more blocks per SM"),
    ):
        (said,) = tail_advice(Waves(2400 * room.blocks_per_sm // 16, 132, room.blocks_per_sm), room, 0.1, {})
        assert remedy in said
