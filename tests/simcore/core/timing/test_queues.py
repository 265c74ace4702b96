"""When bursts of memory instructions issue, as measured (benchmarks/silicon/micro/l1/issue_cadence)."""

import re
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.silicon.runner.cadence import without_stalls
from simcore import simulate, timeline
from testing import silicon_data

LONGEST = 32  # instructions of a burst; the kernel's bursts have 0 to 32, twice
REST = 3_000  # cycles before each
WINDOW = 14_000  # cycles in which some bursts are
BURST = re.compile("LDG|LDS|STS|SHFL|S2U?R")

LOAD, SHARED_LOAD, SHARED_STORE, SHUFFLE, SPECIAL, SHARED_LOAD_BEHIND_SPECIAL = 0, 7, 9, 10, 14, 16


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("operation", [LOAD, SHARED_LOAD, SHARED_STORE, SHUFFLE, SPECIAL])
def test_a_burst_issues_as_places_in_the_queues_become_free(operation: int, warps: int) -> None:
    point = _point(operation, warps)
    measured = np.array(_cycles(point)[1:])
    simulated = np.array(_burst(point, LONGEST))
    both = min(len(measured), len(simulated))
    away = (simulated - simulated[0])[:both] - (measured - measured[0])[:both]
    assert np.abs(away).mean() <= 3


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_a_shared_load_does_not_wait_for_a_place_in_the_queue_to_the_adu(gpu: str) -> None:
    alone, followed = (
        _cycles(_point(operation, 1, gpu)) for operation in (SPECIAL, SHARED_LOAD_BEHIND_SPECIAL)
    )
    assert alone[5] - alone[4] == 5  # there are four places
    assert followed[4] - followed[3] < 2
    point = _point(SHARED_LOAD_BEHIND_SPECIAL, 1, gpu)
    *_, fourth, behind = _burst(point, 5, gpu)
    assert behind - fourth < 2
    *_, fourth, fifth, _sixth, _behind = _burst(point, 7, gpu)
    assert fifth - fourth == 5


def _point(operation: int, warps: int, gpu: str = silicon_data.GPU) -> silicon_data.Measured:
    record = "cadence_adu" if operation >= SPECIAL else "cadence"
    parameters = {"op": operation, "block_size": warps * 32}
    return next(p for p in silicon_data.measured(record, gpu) if p.record["parameters"] == parameters)


def _cycles(point: silicon_data.Measured) -> list[int]:
    """Of a warp for bursts of 0 to 32 instructions."""
    trace: list[int] = next(o["first"] for o in point.record["outputs"] if o["buffer"] == 1)
    return trace[: LONGEST + 1]


def _burst(point: silicon_data.Measured, length: int, gpu: str = silicon_data.GPU) -> list[int]:
    """When the instructions of one burst issue, with what is behind it: `length` in all, or a few less."""
    launch = point.launch(gpu)
    launch |= {"cubin": without_stalls(launch["cubin"])}
    around = int(simulate(**launch).cycles) - (LONGEST - length) * (REST + 2 * LONGEST)
    lines = timeline(max(around - WINDOW // 2, 0), WINDOW, **launch)
    issues = [(event.start, lines.texts[event.address]) for event in lines.issues if event.warp == 0]
    issues = [(start, text) for start, text in issues if "NOP" not in text]
    readings = [i for i, (_, text) in enumerate(issues) if "CLOCK" in text]
    stretches = [issues[begin + 1 : end] for begin, end in pairwise(readings)]
    bursts = [stretch for stretch in stretches if stretch and all(BURST.match(text) for _, text in stretch)]
    return [start for start, _ in min(bursts, key=lambda burst: abs(len(burst) - length))]
