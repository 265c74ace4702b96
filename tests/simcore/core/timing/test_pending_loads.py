"""Loads that wait for lines on their way to L1."""

import heapq
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simcore import SimulationResult, compile_cuda, simulate
from simcore.core.jit import by_reference, entry
from simcore.core.timing import pending_loads
from testing import silicon_data

BATCHES = """
extern "C" __global__ void batches(const float* __restrict__ data, float* __restrict__ out) {
    const float* at = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8 * 32 + threadIdx.x % 32;
    float x[8], sum = 0.0f;
    for (int k = 0; k < 8; ++k) x[k] = at[k * 32];
    for (int k = 0; k < 8; ++k) sum += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


class Waiting(NamedTuple):
    pending_loads: NDArray[np.float64]
    free_places: NDArray[np.int64]


class Room(NamedTuple):
    pending_load_lines: int = 16


def with_room(loads: int) -> Waiting:
    return Waiting(pending_loads.places_for(loads), pending_loads.free_places_for(loads))


@entry()
def come(sm, t, at, lines, takes):
    """A load that comes at some time passes when there is room, and is served some cycles later; returns when it
    passes."""
    waiting = by_reference(sm)
    begin = pending_loads.room_from(waiting, at)
    pending_loads.add(waiting, t, lines, begin + takes)
    return begin


@settings(deadline=None)  # the first example compiles
@given(
    st.integers(1, 33),
    st.lists(
        st.tuples(st.floats(0.0, 9.0), st.integers(1, 40), st.floats(0.0, 900.0)), min_size=1, max_size=80
    ),
)
def test_a_load_takes_the_room_of_those_that_are_served_first(room, loads):
    waiting, expected, now = with_room(room), [0.0] * room, 0.0
    for later, lines, takes in loads:
        begin = come(waiting, Room(), now + later, lines, takes)
        assert begin == max(now + later, expected[0])
        for _ in range(-(-lines // 16)):
            heapq.heapreplace(expected, begin + takes)
        now = begin


def test_a_load_of_many_lines_takes_several_places():
    waiting = with_room(4)
    for lines, taken in ((1, 1), (16, 2), (17, 4)):
        come(waiting, Room(), 0.0, lines, 7.0)
        assert np.count_nonzero(waiting.pending_loads[:4]) == taken


@pytest.mark.parametrize("unroll", [2, 4, 8])
def test_loads_of_many_lines_are_held_up_where_they_are_on_a_gpu(unroll):
    parameters = {"unroll": unroll, "n": 512, "block_size": 256}
    point = next(p for p in silicon_data.measured("private_phases") if p.record["parameters"] == parameters)
    lg_throttle, waits = (point.measurement.stalls[reason] for reason in ("lg_throttle", "long_scoreboard"))
    stalls = simulate(**point.launch()).stalls
    share = stalls["lg_throttle"] / (stalls["lg_throttle"] + stalls["long_scoreboard"])
    assert share == pytest.approx(lg_throttle / (lg_throttle + waits), abs=0.04)


def with_room_for(loads: int) -> SimulationResult:
    threads = 132 * 8 * 256
    return simulate(
        cubin=compile_cuda(BATCHES, "h200"),
        grid=132 * 8,
        block=256,
        arguments=[np.zeros(threads * 8, np.float32), np.zeros(threads, np.float32)],
        gpu=f"h200,pending_loads={loads}",
    )


def test_loads_wait_before_the_tag_stage_while_there_is_no_room():
    few, many, all_of_them = with_room_for(32), with_room_for(320), with_room_for(64 * 8)
    assert few.time_us > 1.3 * many.time_us
    assert few.bottleneck == "lg_throttle"
    assert all_of_them.time_us <= 1.01 * many.time_us
    assert all_of_them.stalls["lg_throttle"] < many.stalls["lg_throttle"] < few.stalls["lg_throttle"]
