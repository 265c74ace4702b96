"""Bursts of back-to-back instructions, as measured and as predicted (benchmarks/silicon/micro/l1/issue_cadence)."""

import re
from itertools import pairwise

from benchmarks.silicon.runner.cadence import without_stalls
from simcore import simulate, timeline
from testing import silicon_data

LONGEST = 32  # instructions of a burst; the kernel has bursts of 0 to 32, twice
REST = 3_000  # cycles before each
WINDOW = 14_000  # cycles in which some bursts are
BURST = re.compile("LDG|LDS|STS|SHFL|S2U?R|MUFU|POPC")


def point_of(record: str, operation: int, warps: int, gpu: str = silicon_data.GPU) -> silicon_data.Measured:
    """The point of a file that has an operation of one block's warps."""
    parameters = {"op": operation, "block_size": warps * 32}
    return next(p for p in silicon_data.measured(record, gpu) if p.record["parameters"] == parameters)


def measured_cycles(point: silicon_data.Measured) -> list[int]:
    """Of a warp for bursts of 0 to 32 instructions."""
    trace: list[int] = next(o["first"] for o in point.record["outputs"] if o["buffer"] == 1)
    return trace[: LONGEST + 1]


def predicted_burst(point: silicon_data.Measured, length: int, gpu: str = silicon_data.GPU) -> list[int]:
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
