"""Lines on their way hold places of L1 until the load that asked for them is complete."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simcore import simulate
from simcore.core.jit import entry
from simcore.core.timing import held_places
from simcore.core.timing.held_places import BIN_SHIFT, BINS
from testing import silicon_data

Ints = NDArray[np.int64]


class State(NamedTuple):
    holding: Ints
    held_places: Ints


class Places(NamedTuple):
    l1_lines: int


@entry()
def place_from(sm, t, at):
    return held_places.place_from(sm, t, at)


@entry()
def complete(sm, done):
    held_places.complete(sm, done)


def nothing_held() -> State:
    return State(np.zeros(3, np.int64), np.zeros(BINS, np.int64))


@settings(deadline=None, max_examples=60)  # the first example compiles
@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 32), st.integers(1, 300)), min_size=1, max_size=25),
)
def test_a_line_waits_until_so_many_places_are_free_that_one_is_left(lines, loads):
    state, held, now = nothing_held(), [], 0
    for pause, count, takes in loads:
        now += pause
        for own in range(count):
            left = [until for until in held if until >= now]
            while left and len(left) + own >= lines:
                now += 1
                left = [until for until in held if until >= now]
            assert place_from(state, Places(lines), float(now << BIN_SHIFT)) == now << BIN_SHIFT
        complete(state, float(now + takes << BIN_SHIFT))
        held += [now + takes] * count


def test_a_load_whose_lines_are_there_holds_nothing():
    state = nothing_held()
    complete(state, 1000.0)
    assert not state.holding.any()
    assert not state.held_places.any()


@pytest.mark.parametrize("block_size", [128, 512])
def test_gathers_wait_before_the_tag_stage_as_they_do_on_a_gpu(block_size):
    parameters = {"unroll": 8, "block_size": block_size, "table": 1 << 26}
    points = (p for p in silicon_data.measured("families") if p.space == "gather")
    point = next(p for p in points if dict(p.measurement.parameters) == parameters)
    measured = {
        reason: point.measurement.stalls[reason]
        for reason in ("lg_throttle", "long_scoreboard", "wait", "not_selected")
    }
    assert lg_throttle(measured) > 0.6
    predicted = simulate(**point.launch()).stalls
    assert lg_throttle({reason: predicted[reason] for reason in measured}) == pytest.approx(
        lg_throttle(measured), abs=0.15
    )


def lg_throttle(stalls: Mapping[str, float]) -> float:
    """Its share of some reasons for which warps wait."""
    return stalls["lg_throttle"] / sum(stalls.values())
