"""A warp's parts run in the simulator in the order that an H100 ran them in."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulator.lane_states.comparison import in_order

MEASURED = Path(__file__).parents[1] / "silicon" / "h100-sxm" / "lane_states" / "few_lanes.npz"
RUNNING = 1


@pytest.mark.parametrize("kernel", ["inner", "two", "three"])
def test_parts_of_a_warp_go_on_in_an_h100s_order(kernel: str) -> None:
    assert in_order(kernel, MEASURED).all()


def test_a_stack_has_the_first_lanes_of_what_branches_left() -> None:
    notes = np.load(MEASURED)["two_notes"][0].astype(np.int64)
    lanes, parked, stack = notes[6, 1], notes[6, 8], notes[6, 9]
    assert (lanes, parked) == (1 << 10, 1 << 23)
    assert stack == 1 << 25 | 23
    states = sum((notes[6, 3 + bit] >> 23 & 1) << bit for bit in range(5))
    assert states == RUNNING
