"""Launches of a wave and a part of one, as measured on an H200 (benchmarks/silicon/micro/launch/tail_blocks)."""

import pytest

from testing import silicon_data


@pytest.mark.parametrize("hundredths", [100, 103, 125, 150, 200])
@pytest.mark.parametrize("block_size", [64, 256, 512])
def test_blocks_behind_a_full_wave_are_a_tail(block_size: int, hundredths: int) -> None:
    measured, predicted = silicon_data.times(
        "tail_blocks", "h200", chains=4, rounds=32, block_size=block_size, hundredths=hundredths
    )
    assert predicted == pytest.approx(measured, rel=0.03)


@pytest.mark.parametrize("hundredths", [103, 110])
def test_small_blocks_that_wait_for_themselves_end_together(hundredths: int) -> None:
    """So an SM gets several at once, which is not modelled."""
    measured, predicted = silicon_data.times(
        "tail_blocks", "h200", chains=1, rounds=128, block_size=128, hundredths=hundredths
    )
    assert 0.9 * measured < predicted < measured
