"""When special functions issue, as measured (benchmarks/silicon/micro/l1/issue_cadence)."""

from itertools import pairwise

import pytest

from benchmarks.silicon.runner.cadence import without_stalls
from simcore import timeline
from testing import silicon_data

LONGEST = 5  # of the bursts that are looked at; the kernel rests between them
REST = 1_000  # cycles, fewer than it rests

MUFU, POPC = 12, 13
NAMES = {MUFU: "MUFU", POPC: "POPC"}


@pytest.mark.parametrize("operation", NAMES)
@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_one_instruction_may_wait_for_the_special_function_unit(gpu: str, operation: int) -> None:
    point = next(
        p
        for p in silicon_data.measured("cadence_special", gpu)
        if p.record["parameters"] == {"op": operation, "block_size": 32}
    )
    trace = next(output["first"] for output in point.record["outputs"] if output["buffer"] == 1)
    measured = [later - earlier for earlier, later in pairwise(trace[1 : LONGEST + 1])]
    launch = point.launch(gpu)
    lines = timeline(0, 20_000, **launch | {"cubin": without_stalls(launch["cubin"])})
    issues = [e.start for e in lines.issues if NAMES[operation] in lines.texts[e.address]]
    bursts: list[list[int]] = [[]]
    for earlier, later in pairwise(issues):
        if later - earlier > REST:
            bursts.append([])
        else:
            bursts[-1].append(later - earlier)
    assert bursts[LONGEST - 1] == measured
