"""What the starts and ends of blocks cost: said where it is the limit, and that the predicted time goes by it."""

import numpy as np
import pytest

from simcore import Buffer, SimulationResult, compile_cuda, load_gpu, simulate

GPU = "h200"
SOURCE = """
extern "C" __global__ void scale(float* x, int elements)
{
    for (int k = 0; k < elements; ++k) x[(blockIdx.x * elements + k) * blockDim.x + threadIdx.x] *= 2.0f;
}
"""
THREADS = 1 << 20


def predicted(block: int, elements: int) -> SimulationResult:
    return simulate(
        cubin=compile_cuda(SOURCE, GPU),
        grid=THREADS // block // elements,
        block=block,
        arguments=[Buffer("float32", THREADS), np.int32(elements)],
        gpu=GPU,
    )


def test_blocks_that_end_as_fast_as_they_can_come_first() -> None:
    many, few = predicted(32, 1), predicted(32, 8)
    assert many.advice[0].startswith("Blocks end at 9")
    assert "one in 158 cycles on each SM" in many.advice[0]
    blocks_on_sm = THREADS / 32 / load_gpu(GPU).sms
    assert many.cycles == pytest.approx(blocks_on_sm * 158, rel=0.05)
    assert few.cycles < many.cycles / 3
    assert not few.advice[0].startswith("Blocks end")


def test_empty_slots_between_blocks_are_reported_unless_a_unit_is_busy() -> None:
    (said,) = [line for line in predicted(1024, 1).advice if line.startswith("A block slot is empty")]
    # 257 and 32 warps of 3.5
    assert said.startswith("A block slot is empty for 23% of the time: 369 cycles pass")
    assert not [line for line in predicted(1024, 64).advice if line.startswith("A block slot")]
