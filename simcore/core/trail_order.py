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

NOBODY = -1
"""The number in a slot without a line."""

HASH_SHIFT = 32
"""Bits of a line's product with the golden ratio's that do not count for its slot."""


class Numbers(NamedTuple):
    """Accesses, and the numbers of their lines.

    Attributes:
        entries: [entry, trail.FIELDS] accesses, which take the number of their line in its place.
        table: [2**k] the numbers, each at a slot that its line's hash says.
        lines: [number] takes each line: as many as half of the table.
        known: [1] how many those are.
    """

    entries: Ints
    table: NDArray[np.int32]
    lines: Ints
    known: Ints


fix_extents("Numbers", entries=(trail.FIELDS,))


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
    table, lines, known = to.table, to.lines, to.known[0]
    for i in range(first, end):
        touch = to.entries[i, trail.TOUCH]
        line = touch >> trail.TOUCHED_LINE_SHIFT
        at = _slot(table, lines, line)
        number = np.int64(table[at])
        if number == NOBODY:
            if 2 * known >= table.shape[0]:
                end = i
                break
            number = known
            table[at] = number
            lines[number] = line
            known += 1
        to.entries[i, trail.TOUCH] = touch + (number - line << trail.TOUCHED_LINE_SHIFT)
    to.known[0] = known
    return end


@entry()
def put_lines(numbers):
    """Put the lines that have numbers into a table that is empty. The argument is `Numbers`."""
    to = by_reference(numbers)
    for number in range(to.known[0]):
        to.table[_slot(to.table, to.lines, to.lines[number])] = number


@jit_inline()
def _slot(table, lines, line):
    """Where a line's number is in a table, or would be."""
    last = table.shape[0] - 1
    at = np.int64(np.uint64(line) * np.uint64(SPREAD) >> np.uint64(HASH_SHIFT)) & last
    while table[at] != NOBODY and lines[table[at]] != line:
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
