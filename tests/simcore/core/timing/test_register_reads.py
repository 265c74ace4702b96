"""What reads of registers that meet in banks cost, as measured on an H200 (benchmarks/silicon/runner/read_patterns.py,
benchmarks/silicon/micro/core/drawn_mixes)."""

import numpy as np
import pytest

from benchmarks.silicon.runner.read_patterns import DEFINES, KERNEL, PATTERNS, rewrite
from simcore import Buffer, compile_cuda, simulate
from testing import silicon_data

CYCLES_PER_ROUND = {
    "fadd, no conflict": 95.9,
    "fadd, one in 8 meets": 106.9,
    "fadd, one in 8 meets, banks by turns": 107.9,
    "three fadd and ffma, by turns": 117.8,
    "fadd and ffma": 118.8,
    "ffma 010": 185.6,
    "ffma 010, 101": 139.7,
    "among fadds: none": 97.0,
    "among fadds: 1 of fadd 00": 101.2,
    "among fadds: 2 of ffma 000": 113.0,
    "among fadds: fadd 00 fadd 11 2 apart": 101.2,
    "among fadds: fadd 00 fadd 11 3 apart": 105.0,
    "among fadds: fadd 1= fadd 00 1 apart": 98.1,
    "among fadds: fadd 1= fadd 00 4 apart": 102.0,
}
"""Of a warp, four of which are on a scheduler (`read_patterns.jsonl.gz`, less 1.6 us for the launch)."""

ROUNDS, WARPS = 1000, 4


@pytest.mark.parametrize("pattern", CYCLES_PER_ROUND)
def test_a_second_read_of_a_bank_takes_what_others_have_left(pattern: str) -> None:
    cubin = rewrite(compile_cuda(KERNEL.read_text(), "h200", DEFINES), PATTERNS[pattern])
    result = simulate(
        cubin=cubin,
        grid=132,
        block=128 * WARPS,
        arguments=[
            Buffer("float32", 8192, "uniform"),
            Buffer("float32", 64),
            np.int32(ROUNDS),
            np.uint32(0),
        ],
        gpu="h200",
    )
    assert result.cycles / ROUNDS / WARPS == pytest.approx(CYCLES_PER_ROUND[pattern], rel=0.03)


@pytest.mark.parametrize("mix", range(11))
def test_drawn_registers_take_as_long_as_measured(mix: int) -> None:
    measured, predicted = silicon_data.times(
        "drawn_mixes", "h200", mix=mix, seed=1, values=24, block_size=512
    )
    assert predicted == pytest.approx(measured, rel=0.08)


SHARED_LOAD, GLOBAL_LOAD, WIDE_SHARED_STORE = 1, 4, 7


@pytest.mark.parametrize("op", [SHARED_LOAD, GLOBAL_LOAD, WIDE_SHARED_STORE])
@pytest.mark.parametrize("reads", [1, 3])
def test_memory_instructions_read_their_registers_at_the_same_banks(reads: int, op: int) -> None:
    """Among multiply-adds of three registers, which leave nothing of a bank, and additions of one."""
    measured, predicted = silicon_data.times(
        "register_traffic", "h200", op=op, mix=8, reads=reads, block_size=1024
    )
    assert predicted == pytest.approx(measured, rel=0.06)


@pytest.mark.parametrize("block_x", [32, 128])
@pytest.mark.parametrize("store", [0, 1])
def test_loads_that_hit_hold_arithmetic_up(block_x: int, store: int) -> None:
    """Windows of seven by seven words, which the schedulers bound, not L1."""
    measured, predicted = silicon_data.times(
        "row_window",
        "h200",
        rows=7,
        columns=7,
        step=1,
        fresh=0,
        later=0,
        arithmetic=2,
        store=store,
        block_x=block_x,
        pitch=2304,
    )
    assert predicted == pytest.approx(measured, rel=0.04)
