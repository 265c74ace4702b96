"""To which schedulers the warps of blocks go (benchmarks/silicon/micro/launch/warp_slots.py)."""

import pytest

from simcore import simulate
from testing.silicon_data import point_of


@pytest.mark.parametrize(("threads", "fused", "early"), [(64, 4, 1), (128, 4, 1), (128, 4, 0), (128, 1, 1)])
def test_blocks_whose_first_warp_works_share_all_schedulers(threads: int, fused: int, early: int) -> None:
    """Of blocks of two warps, two of an H200's schedulers have all first ones; of four, each has as many."""
    point = point_of(
        "validation_tenth", "trinomial_tree_fused_steps", steps=64, threads=threads, fused=fused, early=early
    )
    predicted = simulate(**point.recipe.launch("h200")).time_us
    assert predicted == pytest.approx(point.time_us, rel=0.06)
