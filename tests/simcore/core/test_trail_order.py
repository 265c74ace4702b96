"""Noted accesses get the numbers of their lines, and the order in which they happen."""

import numpy as np
from numpy.typing import NDArray

from simcore.core.execution import trail
from simcore.core.l2_replay import ACCESS_LINE_SHIFT, SECTORS_SHIFT, WRITE_SHIFT
from simcore.core.trail_order import (
    COLUMNS,
    DIGITS,
    LINE,
    NOBODY,
    NUMBER,
    move_lines,
    number_lines,
    put_in_order,
)

ENTRIES, BLOCKS, LINES = 5000, 40, 300
RANDOM = np.random.default_rng(3)
HIGH = 1 << 40  # of lines and of times: beyond one pass of a sort


def noted() -> NDArray[np.int64]:
    entries = np.zeros((ENTRIES, trail.FIELDS), np.int64)
    entries[:, trail.LINE] = RANDOM.choice(RANDOM.integers(0, HIGH, LINES), ENTRIES)
    entries[:, trail.SECTORS_TOUCHED] = RANDOM.integers(1, 16, ENTRIES)
    entries[:, trail.IS_WRITE] = RANDOM.integers(0, 2, ENTRIES)
    entries[:, trail.BLOCK] = RANDOM.integers(0, BLOCKS, ENTRIES)
    entries[:, trail.POSITION] = RANDOM.integers(0, 50, ENTRIES)
    return entries


def numbered(entries: NDArray[np.int64], slots: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of each entry's line, and the lines, from a table that begins with so many slots."""
    table, known = np.full((slots, COLUMNS), NOBODY, np.int64), np.zeros(1, np.int64)
    line, lines, first = np.zeros(len(entries), np.int64), np.zeros(len(entries), np.int64), 0
    while (first := number_lines(entries, first, table, lines, known, line)) < len(entries):
        larger = np.full((2 * len(table), COLUMNS), NOBODY, np.int64)
        move_lines(table, larger)
        table = larger
    named = table[table[:, NUMBER] != NOBODY]
    assert len(named) == known[0] <= len(table) / 2
    np.testing.assert_array_equal(lines[: known[0]], named[np.argsort(named[:, NUMBER]), LINE])
    return line, lines[: known[0]]


def test_lines_are_numbered_as_they_are_touched() -> None:
    entries = noted()
    line, lines = numbered(entries, 4)
    lines_in_order = list(dict.fromkeys(entries[:, trail.LINE].tolist()))
    assert lines.tolist() == lines_in_order
    np.testing.assert_array_equal(lines[line], entries[:, trail.LINE])


def test_accesses_are_sorted_by_time_and_stay_in_order_at_the_same() -> None:
    entries, side = noted(), RANDOM.integers(0, 2, BLOCKS)
    line, _ = numbered(entries, 1024)
    begin = RANDOM.choice([0, 1, 7, HIGH], BLOCKS)
    times, accesses = np.zeros((2, ENTRIES), np.int64), np.zeros((2, ENTRIES), np.int64)
    put_in_order(entries, line, begin, side, times, accesses, np.zeros(DIGITS, np.int64))
    block = entries[:, trail.BLOCK]
    order = np.argsort(begin[block] + entries[:, trail.POSITION], kind="stable")
    parts = (
        (line, ACCESS_LINE_SHIFT),
        (entries[:, trail.SECTORS_TOUCHED], SECTORS_SHIFT),
        (entries[:, trail.IS_WRITE], WRITE_SHIFT),
        (side[block], 0),
    )
    expected = sum(part << shift for part, shift in parts)
    np.testing.assert_array_equal(accesses[0], np.asarray(expected)[order])
