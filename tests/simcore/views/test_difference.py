"""Why one prediction is faster than another."""

from math import prod

import pytest

from simcore.views.difference import Figures, changed_metrics, reasons


def figures(time_us: float, instructions: int, loads: float, occupancy: float) -> Figures:
    metrics = {"time_us": time_us, "warp_instructions": instructions, "achieved_occupancy": occupancy}
    return Figures(metrics, {"selected": 1.0, "long_scoreboard": loads})


def test_the_factors_multiply_to_the_change_in_time_and_come_in_the_order_of_their_size() -> None:
    before, after = figures(10.0, 1000, 9.0, 0.5), figures(5.0, 800, 2.0, 0.4)
    found = reasons(before, after)
    assert prod(each.factor for each in found) == pytest.approx(0.5)
    assert [round(each.factor, 3) for each in found] == [0.3, 1.667, 1.25, 0.8]
    waits, rest, resident, executed = (each.text for each in found)
    assert waits == "a warp waits less for each instruction (long_scoreboard 9.00 -> 2.00)"
    assert rest.startswith("the rest")
    assert resident == "fewer warps are resident to hide the waits (50% -> 40%)"
    assert executed == "fewer instructions are executed"
    assert reasons(before, before) == []
    assert [each.name for each in changed_metrics(before, before)] == ["time_us"]
