"""Why one trial is faster than another."""

from math import prod

import pytest

from dse.answers.difference import reasons
from dse.answers.traffic import traffic
from dse.evaluation.tasks import Outcome
from dse.store import Trial
from simcore import load_gpu


def trial(time_us: float, instructions: int, loads: float, occupancy: float) -> Trial:
    metrics = {
        "time_us": time_us,
        "warp_instructions": instructions,
        "achieved_occupancy": occupancy,
        "stall_selected": 1.0,
        "stall_long_scoreboard": loads,
        "dram_bytes": 4e6,
        "l2_bytes": 1e7,
    }
    return Trial(0, "h200", 0, {}, Outcome("", "complete", metrics=metrics))


def test_the_factors_multiply_to_the_change_in_time_and_come_in_the_order_of_their_size() -> None:
    before, after = trial(10.0, 1000, 9.0, 0.5), trial(5.0, 800, 2.0, 0.4)
    found = reasons(before, after)
    assert prod(each.factor for each in found) == pytest.approx(0.5)
    assert [round(each.factor, 3) for each in found] == [0.3, 1.667, 1.25, 0.8]
    waits, rest, resident, executed = (each.text for each in found)
    assert waits == "a warp waits less for each instruction (long_scoreboard 9.00 -> 2.00)"
    assert rest.startswith("the rest")
    assert resident == "fewer warps are resident, which hide that (50% -> 40%)"
    assert executed == "fewer instructions are executed"
    assert reasons(before, before) == []


def test_traffic_is_relative_to_what_the_gpu_achieves() -> None:
    dram, l2, roofline = traffic(trial(10.0, 1000, 9.0, 0.5), load_gpu("h200"))
    assert dram.startswith("DRAM 400 GB/s over the launch, 9% of the 4,380 GB/s")
    assert l2 == "L2 1,000 GB/s, 60% of which does not reach DRAM"
    assert "0.00025 warp instructions for each byte of DRAM, left of the ridge" in roofline
