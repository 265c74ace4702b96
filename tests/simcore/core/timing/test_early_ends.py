"""Warps that end leave their places to other blocks (benchmarks/silicon/micro/launch/early_ends.cu)."""

import pytest

from simcore import simulate
from testing.silicon_data import point_of


@pytest.mark.parametrize("fast", [0, 1])
def test_more_blocks_are_resident_than_fit_together_if_one_warp_of_each_goes_on(fast: int) -> None:
    """The last of eight warps takes twice as long as the others: up to 16 blocks are there, of which 8 fit."""
    point = point_of("validation_tenth", "mel_log_energies", lanes=4, frames=1, staged=0, fast=fast)
    result = simulate(**point.recipe.launch("h200"))
    assert result.occupancy.blocks_per_sm == 8
    assert result.time_us == pytest.approx(point.time_us, rel=0.06)
