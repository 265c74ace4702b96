"""The timeline: every warp is in one state in every cycle from its start to its exit."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from simcore import Buffer, LaunchError, Timeline, compile_cuda, timeline
from simcore.diagnosis.stalls import REASONS
from simcore.session.request import TimingRequest
from simcore.session.timing import run_launch
from testing.silicon_data import measured, smallest_of_each

WHOLE = 20_000

BARRIERS = """extern "C" __global__ void barriers(float* x, int n) {
    __shared__ float t[128];
    int lane = threadIdx.x;
    t[lane] = x[blockIdx.x * 128 + lane];
    if (lane >= 96) return;  // the others' barriers then wait for three warps
    for (int i = 0; i < n; ++i) {
        __syncthreads();
        t[lane] += rsqrtf(t[95 - lane]);
        if (lane / 32 == i % 3)
            for (int k = 0; k < 8; ++k) t[lane] = t[lane] / 3;
    }
    x[blockIdx.x * 128 + lane] = t[lane];
}"""
LATE_EXIT = """extern "C" __global__ void late(float* x) {
    if (threadIdx.x >= 128) {
        float s = x[threadIdx.x];
        for (int i = 0; i < 5; ++i) s = s / 3;
        if (s != 12345) return;  // the others, one on the same scheduler, wait until this warp is gone
    }
    __syncthreads();
    x[threadIdx.x] = 1;
}"""


def _launch(source: str, grid: int, block: int, *more: np.generic) -> dict[str, Any]:
    buffer = Buffer("float32", grid * block, "ones")
    cubin = compile_cuda(source, "h200")
    return {"cubin": cubin, "grid": grid, "block": block, "arguments": [buffer, *more], "gpu": "h200"}


LAUNCHES = {
    "barriers": _launch(BARRIERS, 132 * 20, 128, np.int32(6)),
    "late exit": _launch(LATE_EXIT, 4, 160),
}


def _check_tiling(found: Timeline) -> None:
    for warp, events in found.warps.items():
        for before, after in pairwise(events):
            assert before.end == after.start, (warp, before, after)


@pytest.mark.parametrize("name", LAUNCHES)
def test_states_tile_each_warps_residency(name: str) -> None:
    launch = LAUNCHES[name]
    found = timeline(0, WHOLE, **launch)
    assert found.cycles < WHOLE
    _check_tiling(found)
    assert all(events[-1].state == "selected" for events in found.warps.values())
    totals: Counter[str] = Counter()
    for event in found.events:
        totals[event.state] += event.end - event.start
    ledger = run_launch(TimingRequest(**launch)).sm.ledger
    assert totals == Counter({r.name: int(n) for r, n in zip(REASONS, ledger.stalls, strict=True) if n})


def test_states_tile_on_every_kind_of_kernel() -> None:
    for point in smallest_of_each(measured("families"), 1e5)[::4]:
        found = timeline(0, 3000, **point.launch())
        _check_tiling(found)


def test_a_scheduler_issues_one_instruction_a_cycle_and_a_slot_holds_one_warp() -> None:
    found = timeline(0, WHOLE, **LAUNCHES["barriers"])
    issued = Counter((event.scheduler, event.start) for event in found.issues)
    assert set(issued.values()) == {1}
    taken = Counter((e.scheduler, e.slot, cycle) for e in found.events for cycle in range(e.start, e.end))
    assert set(taken.values()) == {1}
    assert len(found.warps) == 4 * 20


def test_a_window_is_a_part_of_the_whole() -> None:
    whole = timeline(0, WHOLE, **LAUNCHES["barriers"])
    part = timeline(300, 50, **LAUNCHES["barriers"])
    assert (part.start, part.end) == (300, 350)
    assert part.events == tuple(e for e in whole.events if e.start < 350 and e.end > 300)
    assert part.issues + part.waits != ()
    one = part.of_scheduler(2)
    assert {event.scheduler for event in one.events} == {2}


def test_recording_changes_nothing() -> None:
    plain, recorded = (
        run_launch(TimingRequest(**LAUNCHES["barriers"])),
        run_launch(TimingRequest(**LAUNCHES["barriers"]), window=(0, WHOLE)),
    )
    assert plain.cycles == recorded.cycles
    assert (plain.sm.ledger.instruction_stalls == recorded.sm.ledger.instruction_stalls).all()
    assert len(plain.sm.ledger.events) == 0


def test_events_are_rows_with_the_instructions_text() -> None:
    table = timeline(0, 100, **LAUNCHES["late exit"]).to_dataframe()
    assert {"scheduler", "slot", "block", "warp", "address", "state", "start", "end", "text"} == set(table)


@pytest.mark.parametrize(("start", "cycles"), [(-1, 10), (0, 0), (0, 1 << 30)])
def test_impossible_windows_are_refused(start: int, cycles: int) -> None:
    with pytest.raises(LaunchError, match="begin at 0 or later"):
        timeline(start, cycles, **LAUNCHES["late exit"])
