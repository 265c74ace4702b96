"""Noted accesses, put into order and their lines numbered: millions of them, in a few passes."""

import numpy as np

from simcore.core.execution import trail
from simcore.core.jit import entry, jit, jit_inline
from simcore.core.l2_replay import access_of

LINE, NUMBER, COLUMNS = range(3)
"""Of a slot in a table of lines; a slot without a line has number `NOBODY`."""

NOBODY = -1

SPREAD, HASH_SHIFT = 0x9E37_79B9_7F4A_7C15, 32
"""Of the hashes that deal lines to slots, and to the sides and sets of L2: the golden ratio's bits; bits of the product
that do not count for slots."""

DIGIT_BITS = 11
DIGITS = 1 << DIGIT_BITS
"""Of a key, by which entries are sorted at a time: as many counts as a processor's first cache holds."""


@entry()
def number_lines(entries, first, table, lines, known, line):
    """Number lines, in the order in which they were touched first, until half of the table is full.

    Args:
        entries: [entry, trail.FIELDS] accesses.
        first: the entry to begin with.
        table: [2**k, COLUMNS] the lines that have numbers.
        lines: [number] takes each line.
        known: [1] how many those are.
        line: [entry] takes the number of its line.

    Returns the entry after the last that has a number.
    """
    for i in range(first, entries.shape[0]):
        at = _slot(table, entries[i, trail.LINE])
        if table[at, NUMBER] == NOBODY:
            if 2 * known[0] >= table.shape[0]:
                return i
            table[at, LINE] = entries[i, trail.LINE]
            table[at, NUMBER] = known[0]
            lines[known[0]] = entries[i, trail.LINE]
            known[0] += 1
        line[i] = table[at, NUMBER]
    return np.int64(entries.shape[0])


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


@entry()
def put_in_order(entries, line, begin, sides, times, accesses, counts):
    """Sort accesses by when they happen; those of the same time stay in their order.

    Args:
        entries: [entry, trail.FIELDS] as they were noted.
        line: [entry] number of its line.
        begin: [block] when it begins.
        sides: [block] where its SM is, and where it was in the launch before (see `l2_replay.access_of`).
        times: [2, entry] to work in.
        accesses: [2, entry] integers (`l2_replay.access_of`), in the first row in order.
        counts: [DIGITS] to work in.
    """
    last = np.int64(0)
    for i in range(entries.shape[0]):
        block = entries[i, trail.BLOCK]
        times[0, i] = begin[block] + entries[i, trail.POSITION]
        sectors, is_write = entries[i, trail.SECTORS_TOUCHED], entries[i, trail.IS_WRITE]
        accesses[0, i] = access_of(line[i], sectors, is_write, sides[block])
        last = max(last, times[0, i])
    shift = np.int64(0)
    while last >> shift:
        _sort_by_digit(times[0], accesses[0], times[1], accesses[1], counts, shift)
        _sort_by_digit(times[1], accesses[1], times[0], accesses[0], counts, shift + DIGIT_BITS)
        shift += 2 * DIGIT_BITS


@jit()
def _sort_by_digit(keys, values, sorted_keys, sorted_values, counts, shift):
    """One pass of a radix sort, into the latter two."""
    for digit in range(DIGITS):
        counts[digit] = 0
    for i in range(keys.size):
        counts[keys[i] >> shift & (DIGITS - 1)] += 1
    first = np.int64(0)
    for digit in range(DIGITS):
        here = counts[digit]
        counts[digit] = first
        first += here
    for i in range(keys.size):
        digit = keys[i] >> shift & (DIGITS - 1)
        to = counts[digit]
        counts[digit] = to + 1
        sorted_keys[to] = keys[i]
        sorted_values[to] = values[i]
