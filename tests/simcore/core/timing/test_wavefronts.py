"""Loads of several lines, some of which L1 has and others come from L2 (benchmarks/silicon/micro/l1/mixed_loads)."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simcore import load_gpu, simulate
from simcore.core.jit import entry
from simcore.core.timing import wavefronts
from testing.silicon_data import point_of


class Gathered(NamedTuple):
    line_words: NDArray[np.int64]


class Rate(NamedTuple):
    l1_lines_together: float = load_gpu("h200").l1_lines_together


@entry()
def passes(sm, t, first, count):
    """(All at once, as they come)."""
    return wavefronts.bank_passes(sm, first, count), wavefronts.late_passes(sm, t, first, count)


@settings(deadline=None)  # the first example compiles
@given(st.lists(st.integers(1, 2**32 - 1), min_size=1, max_size=64), st.data())
def test_lines_pass_as_often_as_their_fullest_bank_says_or_more_often_as_they_come(words, data):
    first = data.draw(st.integers(0, len(words) - 1))
    at_once, as_they_come = passes(Gathered(np.array(words, np.int64)), Rate(), first, len(words))
    assert at_once == max(sum(word >> bank & 1 for word in words[first:]) for bank in range(32))
    assert at_once <= as_they_come <= len(words) - first


@pytest.mark.parametrize("lines", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_words_of_different_banks_pass_as_often_as_measured(gpu, lines):
    """All lines come from L2, and each has an equal part of the banks."""
    point = point_of("mixed_loads", "mixed_loads", gpu, lines=lines, quarters=0, asked=0, block_size=128)
    loads = 132 * 4 * 64 * 4
    found = point.measurement.counters["l1tex__data_pipe_lsu_wavefronts.sum"] / loads
    each = 32 // lines
    words = np.array([(1 << each) - 1 << each * line for line in range(lines)], np.int64)
    at_once, as_they_come = passes(Gathered(words), Rate(), 0, lines)
    assert at_once == 1
    assert as_they_come == pytest.approx(found, abs=0.55)


def held(quarters: int) -> float:
    """Cycles for which 32 warps' loads of two lines hold the data stage, each, if so many quarters of the lines hit."""
    point = point_of("mixed_loads", "mixed_loads", lines=2, quarters=quarters, asked=0, block_size=1024)
    result = simulate(**point.launch())
    return result.utilisation["lsu"] * result.cycles / (32 * 64 * 4)


def test_a_load_is_served_once_for_what_is_there_and_again_for_what_comes():
    """Of two lines one hits: one pass more than where both come, and the fill of two sectors less."""
    assert held(2) - held(0) == pytest.approx(1.0 - 2 * 0.25, abs=0.1)
