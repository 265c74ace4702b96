"""Integers sorted by some of their bits, digit by digit: what is equal in these stays in order."""

import numpy as np

from simcore.core.jit import jit

DIGIT_BITS = 11
DIGITS = 1 << DIGIT_BITS
"""Of a key, by which integers are sorted at a time, at most: as many counts as a processor's first cache holds."""


@jit()
def sort(values, others, counts, first, end, shift, largest):
    """Sort the integers from `first` on, up to `end`, in an array: by digits that are all alike, as few as can be.

    Args:
        values: that array.
        others: of the same extent, to work in.
        counts: [DIGITS] to work in.
        first: where they begin.
        end: behind the last.
        shift: the lowest bit that counts.
        largest: what is in the bits that count, at most.
    """
    width = np.int64(0)
    while largest >> width:
        width += 1
    pairs = (width + 2 * DIGIT_BITS - 1) // (2 * DIGIT_BITS)
    bits = (width + 2 * pairs - 1) // (2 * max(pairs, 1))
    for _ in range(pairs):
        _sort_by_digit(values, others, counts, first, end, shift, bits)
        _sort_by_digit(others, values, counts, first, end, shift + bits, bits)
        shift += 2 * bits


@jit()
def _sort_by_digit(values, in_order, counts, first, end, shift, bits):
    """One pass of a radix sort."""
    digits = np.int64(1) << bits
    for digit in range(digits):
        counts[digit] = 0
    for i in range(first, end):
        counts[values[i] >> shift & (digits - 1)] += 1
    at = first
    for digit in range(digits):
        here = counts[digit]
        counts[digit] = at
        at += here
    for i in range(first, end):
        digit = values[i] >> shift & (digits - 1)
        to = counts[digit]
        counts[digit] = to + 1
        in_order[to] = values[i]
