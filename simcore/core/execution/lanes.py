"""What all families share: the rows of scratch, guards and predicates.

Sources are copied to scratch (sign and complement applied on the way), the result is computed there for all
lanes, and the active lanes store it. Scratch rows: a, b, c, then the high words of pairs, then the result and its
high word.
"""

import numpy as np

from simcore.core import isa
from simcore.core.jit import jit_inline

A, B, C, A_HIGH, B_HIGH, C_HIGH, D, D_HIGH = range(0, 8 * isa.LANES, isa.LANES)
ONE = np.uint32(1)
ALL = np.uint32(isa.FULL_MASK)
SIGN = np.uint32(0x8000_0000)


@jit_inline()
def guard(m, ins, w):
    """The lanes that the guard predicate lets through."""
    return m.predicates[w * isa.PREDICATES + ins.guard] ^ ins.guard_flip


@jit_inline()
def predicate_in(m, ins, w, which):
    """A predicate that is read besides the guard, a bit a lane."""
    if which == 0:
        return m.predicates[w * isa.PREDICATES + ins.predicate_in_0] ^ ins.predicate_in_0_flip
    return m.predicates[w * isa.PREDICATES + ins.predicate_in_1] ^ ins.predicate_in_1_flip


@jit_inline()
def set_predicate(m, w, index, bits, lanes):
    """Store a predicate in the lanes given."""
    at = w * isa.PREDICATES + index
    m.predicates[at] = (m.predicates[at] & ~lanes) | (bits & lanes)


@jit_inline()
def store_comparison(m, ins, w, bits, lanes):
    """Combine a comparison with another predicate; store it and its complement."""
    other = predicate_in(m, ins, w, 0)
    first = bits
    second = ~bits
    if ins.mode & isa.BOOLEAN_OR:
        first |= other
        second |= other
    elif ins.mode & isa.BOOLEAN_XOR:
        first ^= other
        second ^= other
    else:
        first &= other
        second &= other
    set_predicate(m, w, ins.predicate_out_0, first, lanes)
    set_predicate(m, w, ins.predicate_out_1, second, lanes)


@jit_inline()
def compare_floats(mode, a, b):
    """Whether a comparison of two floating-point numbers holds."""
    return (
        (mode & isa.COMPARE_LESS != 0 and a < b)
        or (mode & isa.COMPARE_EQUAL != 0 and a == b)
        or (mode & isa.COMPARE_GREATER != 0 and a > b)
        or (mode & isa.COMPARE_UNORDERED != 0 and not (a <= b or a > b))
    )


@jit_inline()
def count_of(mask):
    """How many lanes are in a mask."""
    count = 0
    for lane in range(32):
        count += np.int64(mask) >> lane & 1
    return count


@jit_inline()
def first_of(mask):
    """The lowest lane of a mask."""
    first = 0
    while first < 31 and not mask >> np.uint32(first) & ONE:
        first += 1
    return first
