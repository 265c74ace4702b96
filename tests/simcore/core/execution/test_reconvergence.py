"""What is not modelled exactly where a warp's lanes part is said: in the result, and for random programs of an H100."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulator.random_flow.comparison import differences, executed
from benchmarks.simulator.random_flow.generator import cuda
from benchmarks.simulator.random_flow.traces import events
from benchmarks.simulator.random_programs.bundle import write_bundle
from simcore import SimulationResult, compile_cuda, simulate

MEASURED = Path(__file__).parents[3] / "silicon" / "h100-sxm"
SEEDS = {"random_flow": 1, "random_flow_blind": 5001}
"""The first of each. What is said was chosen with those of the one, before those of the other ran."""

LOOP = """extern "C" __global__ void k(const int* times, int* out) {
    int n = times[threadIdx.x], sum = 0;
    for (int i = 0; i < n; ++i) sum = sum * 3 + __ffs(sum ^ i);
    out[threadIdx.x] = sum;
}"""
NESTED = """extern "C" __global__ void k(const int* times, volatile int* out) {
    int s = times[threadIdx.x] * 2654435761u;
    #pragma unroll 1
    for (int i = 0; i < 4; ++i) {
        int t = s & 3;
        #pragma unroll 1
        for (; t; --t) { out[threadIdx.x] = t; if (s >> t & 4) break; out[threadIdx.x] = i; }
        s >>= 4;
        if (s & 16) { out[threadIdx.x] = s; break; }
    }
}"""


def predicted(source: str) -> SimulationResult:
    times = np.arange(32, dtype=np.int32) * 7 % 31
    cubin = compile_cuda(source, "h100-sxm")
    return simulate(cubin=cubin, grid=1, block=32, arguments=[times, np.zeros(32, np.int32)], gpu="h100-sxm")


def test_a_loop_that_lanes_leave_at_different_times_is_exact() -> None:
    result = predicted(LOOP)
    assert result.reconvergence == "exact"
    assert not any("lanes part" in line for line in result.advice)


def test_loops_in_loops_that_lanes_leave_at_different_times_are_said_to_be_approximate() -> None:
    result = predicted(NESTED)
    assert result.reconvergence == "approximate"
    assert "lanes part in nested loops or in recursion" in result.advice[0]


@pytest.mark.parametrize("folder", list(SEEDS))
def test_no_random_program_differs_from_an_h100_without_a_word(folder: str, tmp_path: Path) -> None:
    measured = np.load(MEASURED / folder / "notes.npz")
    theirs = dict(zip(measured["seeds"].tolist(), measured["notes"], strict=True))
    counted = json.loads((MEASURED / folder / "counters.json").read_text())
    write_bundle(tmp_path, SEEDS[folder], 30, "h200", cuda)
    silent = []
    for seed, notes, instructions, unsure in executed(tmp_path):
        differs = bool(differences(notes, theirs[seed])) or instructions != counted[str(seed)]
        assert unsure or not differs, seed
        silent += [seed] * (not unsure)
    assert silent


def test_a_warps_events_have_each_lanes_notes_in_its_order() -> None:
    notes = np.load(MEASURED / "flow_traces" / "two_loops.npz")["notes"][0, 0]
    order = events(notes)
    assert order[0] == (1, 0xFFFF_FFFF, 0)
    for lane, of_lane in enumerate(notes.tolist()):
        places = [place for place, _ in of_lane if place]
        assert [place for place, lanes, _ in order if lanes >> lane & 1] == places
