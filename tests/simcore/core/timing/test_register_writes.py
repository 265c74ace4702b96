"""Loads take as long as on an H200 until their warp may go on, alone and beside arithmetic whose results are written to
the same banks (benchmarks/silicon/micro/l1/load_marks)."""

import pytest

from testing import silicon_data


@pytest.mark.parametrize("arithmetic", [2, 3, 4, 6])
@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("shared", [0, 1])
def test_one_warp_goes_on_when_its_loads_are_there(shared: int, width: int, arithmetic: int) -> None:
    measured, predicted = silicon_data.times(
        "load_marks", "h200", shared=shared, width=width, ways=1, arithmetic=arithmetic, block_size=32
    )
    assert predicted == pytest.approx(measured, rel=0.065)


@pytest.mark.parametrize("ways", [2, 4])
@pytest.mark.parametrize("shared", [0, 1])
def test_each_further_word_in_a_bank_takes_two_cycles(shared: int, ways: int) -> None:
    measured, predicted = silicon_data.times(
        "load_marks", "h200", shared=shared, width=4, ways=ways, arithmetic=2, block_size=32
    )
    assert predicted == pytest.approx(measured, rel=0.05)


@pytest.mark.parametrize("arithmetic", [2, 4, 6])
@pytest.mark.parametrize("block_size", [128, 512, 1024])
def test_loads_among_arithmetic_of_more_warps(block_size: int, arithmetic: int) -> None:
    """Of 32 bits a lane; of more they overlap less on the GPU, by up to a quarter of the time."""
    measured, predicted = silicon_data.times(
        "loads_among_arithmetic",
        "h200",
        shared=1,
        width=4,
        arithmetic=arithmetic,
        chains=8,
        block_size=block_size,
    )
    assert predicted == pytest.approx(measured, rel=0.065)
