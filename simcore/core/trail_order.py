"""Noted accesses, put into order and their lines numbered: millions of them, in a few passes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core.draws import SPREAD
from simcore.core.execution import trail
from simcore.core.jit import by_reference, entry, fix_extents, jit_inline
from simcore.core.l2_replay import ACCESS_TIME_SHIFT, WRITE_SHIFT
from simcore.core.radix import DIGITS, sort

Ints = NDArray[np.int64]

LINE, NUMBER, COLUMNS = range(3)
"""Of a slot in a table of lines; a slot without a line has number `NOBODY`."""

NOBODY = -1

HASH_SHIFT = 32
"""Bits of a line's product with the golden ratio's that do not count for its slot."""


class Numbers(NamedTuple):
    """Accesses, and the numbers of their lines.

    Attributes:
        entries: [entry, trail.FIELDS] accesses, which take the number of their line in its place.
        table: [2**k, COLUMNS] the lines that have numbers.
        lines: [number] takes each line: as many as half of the table.
        known: [1] how many those are.
    """

    entries: Ints
    table: Ints
    lines: Ints
    known: Ints


fix_extents("Numbers", entries=(trail.FIELDS,), table=(COLUMNS,))


@entry()
def number_lines(numbers, first, end):
    """Number lines, in the order in which they were touched first, until half of the table is full.

    Args:
        numbers: `Numbers`.
        first: the entry to begin with.
        end: the entry behind the last.

    Returns the entry after the last that has a number.
    """
    to = by_reference(numbers)
    table = to.table
    known = to.known[0]
    for i in range(first, end):
        touch = to.entries[i, trail.TOUCH]
        line = touch >> trail.TOUCHED_LINE_SHIFT
        at = _slot(table, line)
        if table[at, NUMBER] == NOBODY:
            if 2 * known >= table.shape[0]:
                end = i
                break
            table[at, LINE] = line
            table[at, NUMBER] = known
            to.lines[known] = line
            known += 1
        to.entries[i, trail.TOUCH] = touch + (table[at, NUMBER] - line << trail.TOUCHED_LINE_SHIFT)
    to.known[0] = known
    return end


@entry()
def move_lines(table, larger):
    """Put the lines of a table into a larger one."""
    for slot in range(table.shape[0]):
        if table[slot, NUMBER] != NOBODY:
            at = _slot(larger, table[slot, LINE])
            larger[at, LINE] = table[slot, LINE]
            larger[at, NUMBER] = table[slot, NUMBER]


@jit_inline()
def _slot(table, line):
    """Where a line is in a table, or would be."""
    last = table.shape[0] - 1
    at = np.int64(np.uint64(line) * np.uint64(SPREAD) >> np.uint64(HASH_SHIFT)) & last
    while table[at, NUMBER] != NOBODY and table[at, LINE] != line:
        at = (at + 1) & last
    return at


class Order(NamedTuple):
    """Accesses, and what puts them into order.

    Attributes:
        entries: [entry, trail.FIELDS] as they were noted, with the numbers of their lines.
        begin: [block] when it begins.
        sides: [block] where its SM is, and where it was in the launch before (see `l2_replay`).
        accesses: [entry] takes integers as `l2_replay` has them, in order.
        others: [entry] to work in.
        counts: [DIGITS] to work in.
    """

    entries: Ints
    begin: Ints
    sides: Ints
    accesses: Ints
    others: Ints
    counts: Ints


fix_extents("Order", entries=(trail.FIELDS,))


def order_of(entries: Ints, begin: Ints, sides: Ints) -> Order:
    """An `Order` of those, and room to work in."""
    accesses, others = np.empty(len(entries), np.int64), np.empty(len(entries), np.int64)
    return Order(entries, begin, sides, accesses, others, np.empty(DIGITS, np.int64))


@entry()
def put_in_order(order):
    """Sort accesses by when they happen; those of the same time stay in their order. The argument is an `Order`."""
    to = by_reference(order)
    last = np.int64(0)
    for i in range(to.accesses.size):
        by = to.entries[i, trail.WHEN]
        block, position = by >> trail.BLOCK_SHIFT, by & ((1 << trail.BLOCK_SHIFT) - 1)
        time = to.begin[block] + position
        touch = to.entries[i, trail.TOUCH] << WRITE_SHIFT
        to.accesses[i] = time << ACCESS_TIME_SHIFT | touch | to.sides[block]
        last = max(last, time)
    sort(
        to.accesses,
        to.others,
        to.counts,
        np.int64(0),
        np.int64(to.accesses.size),
        np.int64(ACCESS_TIME_SHIFT),
        last,
    )
