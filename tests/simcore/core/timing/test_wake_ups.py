"""Loads that find sectors there while others are woken that waited for them (micro/l1/pending_loads)."""

from functools import cache

import numpy as np
import pytest

from simcore import SimulationResult, simulate
from testing import silicon_data

BOTH = pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
LOADS = (6, 10, 14, 22, 30)  # of lines on their way, a warp and round, beside those that ask for them


def point(gpu: str, hits: int, pattern: int, together: int) -> silicon_data.Measured:
    """32 warps, which all load the same lines on their way (`together`) or each its own."""
    parameters = {"hits": hits, "pattern": pattern, "together": together, "block_size": 1024}
    return next(
        p for p in silicon_data.measured("pending_loads", gpu) if p.record["parameters"] == parameters
    )


@cache
def predicted(gpu: str, hits: int, pattern: int, together: int) -> SimulationResult:
    return simulate(**point(gpu, hits, pattern, together).launch(gpu))


def throttled(stalls: dict[str, float]) -> float:
    """The share of `lg_throttle`, of that and what waits for the loads themselves."""
    return stalls["lg_throttle"] / (stalls["lg_throttle"] + stalls["long_scoreboard"])


@BOTH
@pytest.mark.parametrize("pattern", [0, 2])
def test_warps_that_load_the_same_line_wait_for_each_other(gpu: str, pattern: int) -> None:
    errors = [
        predicted(gpu, hits, pattern, 1).time_us / point(gpu, hits, pattern, 1).time_us - 1 for hits in LOADS
    ]
    assert np.abs(errors).mean() <= 0.08  # 0.13 and 0.14 if no load waited


@BOTH
def test_they_wait_before_the_queue(gpu: str) -> None:
    for hits in LOADS[1:]:
        measured = throttled(point(gpu, hits, 2, 1).measurement.stalls)
        assert abs(throttled(predicted(gpu, hits, 2, 1).stalls) - measured) <= 0.2


@BOTH
def test_warps_with_lines_of_their_own_do_not(gpu: str) -> None:
    for hits in LOADS[:3]:
        assert predicted(gpu, hits, 2, 0).time_us < 1.08 * point(gpu, hits, 2, 0).time_us
        assert throttled(predicted(gpu, hits, 2, 0).stalls) < 0.15
        assert throttled(point(gpu, hits, 2, 0).measurement.stalls) < 0.15
