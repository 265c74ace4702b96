"""Updates of rows that do not begin at lines: warps that share a line meet its fetch for each other.

Measured by benchmarks/silicon/micro/dram/neighbours_in_place on an H200 and an H100.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.core.jit import entry
from simcore.core.timing.sectors import is_end_of_a_row
from testing import silicon_data

PLANES = {"h200": 513, "h100-sxm": 129}
LINE = 0xFFFF_FFFF


@entry()
def is_end(words):
    return is_end_of_a_row(words)


@settings(deadline=None)  # the first example compiles
@given(st.integers(1, LINE))
def test_neighbouring_words_are_the_end_of_a_row_unless_they_are_a_line(words: int) -> None:
    without_gaps = "0" not in f"{words:b}".rstrip("0")
    assert is_end(words) == (without_gaps and words != LINE)


def times(gpu: str, first: int, write: int) -> tuple[float, float]:
    """The measured and the predicted time, in microseconds, of rows that begin so many words into a line."""
    return silicon_data.times(
        "neighbours_in_place",
        gpu,
        PITCH=160,
        FIRST=first,
        WRITE=write,
        BLOCK_X=128,
        BLOCK_Y=4,
        planes=PLANES[gpu],
    )


@pytest.mark.parametrize("gpu", PLANES)
def test_updates_of_rows_beside_lines_take_longer_than_of_rows_at_lines(gpu: str) -> None:
    """By half on both GPUs."""
    at_lines, predicted_at_lines = times(gpu, first=32, write=1)
    beside, predicted_beside = times(gpu, first=1, write=1)
    assert beside > 1.4 * at_lines
    assert predicted_at_lines == pytest.approx(at_lines, rel=0.1)
    assert predicted_beside == pytest.approx(beside, rel=0.2)


@pytest.mark.parametrize("gpu", PLANES)
def test_rows_that_begin_at_lines_take_the_same_in_place(gpu: str) -> None:
    _, in_place = times(gpu, first=32, write=1)
    _, into_others = times(gpu, first=32, write=2)
    assert in_place == pytest.approx(into_others, rel=0.1)
