"""Noted accesses get the numbers of their lines, and the order in which they happen."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core.execution import trail
from simcore.core.l2_replay import ACCESS_LINE_SHIFT, ACCESS_TIME_SHIFT, SECTORS_SHIFT, WRITE_SHIFT
from simcore.core.trail_order import (
    NOBODY,
    Numbers,
    number_lines,
    order_of,
    put_in_order,
    put_lines,
)

Ints = NDArray[np.int64]

ENTRIES, BLOCKS, LINES = 5000, 40, 300
RANDOM = np.random.default_rng(3)
HIGH = 1 << 31  # of lines and of times: beyond one pass of a sort


class Touched(NamedTuple):
    """[entry] the parts of accesses."""

    line: Ints
    sectors: Ints
    is_write: Ints
    block: Ints
    position: Ints

    def entries(self) -> Ints:
        """As a trail has them."""
        touch = self.line << trail.TOUCHED_LINE_SHIFT | self.sectors << trail.SECTORS_SHIFT | self.is_write
        return np.stack([touch, self.block << trail.BLOCK_SHIFT | self.position], axis=1)


def touched() -> Touched:
    return Touched(
        RANDOM.choice(RANDOM.integers(0, HIGH, LINES), ENTRIES),
        RANDOM.integers(1, 16, ENTRIES),
        RANDOM.integers(0, 2, ENTRIES),
        RANDOM.integers(0, BLOCKS, ENTRIES),
        RANDOM.integers(0, 50, ENTRIES),
    )


def numbered(entries: Ints, slots: int) -> Ints:
    """The lines, from a table that begins with so many slots; entries take their numbers."""
    lines = np.zeros(len(entries), np.int64)
    numbers = Numbers(entries, np.full(slots, NOBODY, np.int32), lines, np.zeros(1, np.int64))
    first = 0
    while (first := number_lines(numbers, first, len(entries))) < len(entries):
        numbers = numbers._replace(table=np.full(2 * len(numbers.table), NOBODY, np.int32))
        put_lines(numbers)
    table, known = numbers.table, numbers.known[0]
    assert known <= len(table) / 2
    assert np.sort(table[table != NOBODY]).tolist() == list(range(known))
    return lines[:known]


def test_lines_are_numbered_as_they_are_touched() -> None:
    accesses = touched()
    entries = accesses.entries()
    lines = numbered(entries, 4)
    assert lines.tolist() == list(dict.fromkeys(accesses.line.tolist()))
    number = entries[:, trail.TOUCH] >> trail.TOUCHED_LINE_SHIFT
    np.testing.assert_array_equal(accesses._replace(line=number).entries(), entries)
    np.testing.assert_array_equal(lines[number], accesses.line)


def test_accesses_are_sorted_by_time_and_stay_in_order_at_the_same() -> None:
    accesses, side = touched(), RANDOM.integers(0, 2, BLOCKS)
    entries, begin = accesses.entries(), RANDOM.choice([0, 1, 7, HIGH], BLOCKS)
    numbered(entries, 1024)
    order = order_of(entries, begin, side)
    put_in_order(order)
    time = begin[accesses.block] + accesses.position
    parts = (
        (time, ACCESS_TIME_SHIFT),
        (entries[:, trail.TOUCH] >> trail.TOUCHED_LINE_SHIFT, ACCESS_LINE_SHIFT),
        (accesses.sectors, SECTORS_SHIFT),
        (accesses.is_write, WRITE_SHIFT),
        (side[accesses.block], 0),
    )
    expected = sum(part << shift for part, shift in parts)
    np.testing.assert_array_equal(order.accesses, np.asarray(expected)[np.argsort(time, kind="stable")])
