"""Integers sorted by some of their bits, digit by digit: what is equal in these stays in order."""

from simcore.core.jit import jit

DIGIT_BITS = 11
DIGITS = 1 << DIGIT_BITS
"""Of a key, by which integers are sorted at a time: as many counts as a processor's first cache holds."""


@jit()
def sort(values, others, counts, first, end, shift, largest):
    """Sort the integers from `first` on, up to `end`, in an array.

    Args:
        values: that array.
        others: of the same extent, to work in.
        counts: [DIGITS] to work in.
        first: where they begin.
        end: behind the last.
        shift: the lowest bit that counts.
        largest: what is in the bits that count, at most.
    """
    while largest:
        _sort_by_digit(values, others, counts, first, end, shift)
        _sort_by_digit(others, values, counts, first, end, shift + DIGIT_BITS)
        shift += 2 * DIGIT_BITS
        largest >>= 2 * DIGIT_BITS


@jit()
def _sort_by_digit(values, in_order, counts, first, end, shift):
    """One pass of a radix sort."""
    for digit in range(DIGITS):
        counts[digit] = 0
    for i in range(first, end):
        counts[values[i] >> shift & (DIGITS - 1)] += 1
    at = first
    for digit in range(DIGITS):
        here = counts[digit]
        counts[digit] = at
        at += here
    for i in range(first, end):
        digit = values[i] >> shift & (DIGITS - 1)
        to = counts[digit]
        counts[digit] = to + 1
        in_order[to] = values[i]
