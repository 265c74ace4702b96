"""Words, or their bytes or halfwords apart: minima and maxima, dot products, absolute differences."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import A_HIGH, B_HIGH, D_HIGH, ONE, SIGN, A, B, C, D, predicate_in
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
(
    IMNMX, IMNMX3, IADD_MNMX, IDP, VABSDIFF, ADD_PARTS, IMNMX64, ADD_SATURATED, PACK_INTEGERS,
) = isa.operations(isa.PACKED, 9)  # fmt: skip

# Modes
UNSIGNED = 2  # of all but IDP
MINMAX_RELU = 4
PART_SHIFT, PART_MASK = 8, 31  # of minima, maxima and sums, there: bits of a part, 0 for the whole word
NEGATED_SHIFT = (
    16  # of minima and maxima of parts, from here on: whether a, b and c are negated, part by part
)
IDP_UNSIGNED_A, IDP_UNSIGNED_B, IDP_HALFWORDS, IDP_UPPER = 1, 2, 4, 8
VABSDIFF_BYTES, VABSDIFF_SUM = 1, 4


@jit()
def execute(m, ins, w):
    """Operations on words or their parts; the result is in scratch."""
    u = m.scratch
    operation = ins.operation
    if operation == IDP:
        for x in range(LANES):
            u[D + x] = _dot_product(u[A + x], u[B + x], u[C + x], ins.mode)
    elif operation == VABSDIFF:
        for x in range(LANES):
            u[D + x] = _absolute_difference(u[A + x], u[B + x], u[C + x], ins.mode)
    elif operation == ADD_PARTS:
        _add_parts(m, ins, ins.mode >> PART_SHIFT & PART_MASK)
    elif operation == ADD_SATURATED:
        _add_saturated(m, ins)
    elif operation == PACK_INTEGERS:
        _pack_integers(m, ins)
    elif operation == IMNMX64:
        _minmax_of_pairs(m, ins, w)
    elif ins.mode >> PART_SHIFT & PART_MASK:
        _packed_minmax(m, ins, w, ins.mode >> PART_SHIFT & PART_MASK)
    else:
        _minmax(m, ins, w)


@jit_inline()
def _part(word, part, bits, unsigned):
    """One of the parts of a packed word as an integer."""
    value = np.int64(word >> np.uint32(bits * part)) & ((1 << bits) - 1)
    return value if unsigned or not value >> (bits - 1) else value - (1 << bits)


@jit()
def _dot_product(a, b, c, mode):
    """IDP: four bytes by four, or two halfwords by two bytes, and their sum with c."""
    total = np.int64(c)
    for i in range(2 if mode & IDP_HALFWORDS else 4):
        p = _part(a, i, 16 if mode & IDP_HALFWORDS else 8, mode & IDP_UNSIGNED_A)
        q = _part(b, i + 2 if mode & IDP_UPPER else i, 8, mode & IDP_UNSIGNED_B)
        total += p * q
    return np.uint32(total & isa.FULL_MASK)


@jit()
def _absolute_difference(a, b, c, mode):
    """VABSDIFF of words, to which c is added, and VABSDIFF4 of bytes, packed or summed with c."""
    unsigned = mode & UNSIGNED
    if not mode & VABSDIFF_BYTES:
        return np.uint32(
            (abs(_part(a, 0, 32, unsigned) - _part(b, 0, 32, unsigned)) + np.int64(c)) & isa.FULL_MASK
        )
    packed = np.int64(0)
    total = np.int64(c)
    for i in range(4):
        difference = abs(_part(a, i, 8, unsigned) - _part(b, i, 8, unsigned))
        packed |= difference << (8 * i)
        total += difference
    return np.uint32((total if mode & VABSDIFF_SUM else packed) & isa.FULL_MASK)


@jit()
def _packed_minmax(m, ins, w, bits):
    """VIMNMX, VIMNMX3 and VIADDMNMX of the parts of a word."""
    u = m.scratch
    smaller = predicate_in(m, ins, w, 0)
    unsigned = ins.mode & UNSIGNED
    for x in range(LANES):
        out = np.int64(0)
        take_smaller = smaller >> np.uint32(x) & ONE
        for i in range(32 // bits):
            p = _source_part(u[A + x], i, bits, ins.mode, 0)
            q = _source_part(u[B + x], i, bits, ins.mode, 1)
            if ins.operation == IADD_MNMX:
                p = _part(np.uint32((p + q) & ((1 << bits) - 1)), 0, bits, unsigned)
                q = _source_part(u[C + x], i, bits, ins.mode, 2)
            best = min(p, q) if take_smaller else max(p, q)
            if ins.operation == IMNMX3:
                q = _source_part(u[C + x], i, bits, ins.mode, 2)
                best = min(best, q) if take_smaller else max(best, q)
            if ins.mode & MINMAX_RELU:
                best = max(best, 0)
            out |= (best & ((1 << bits) - 1)) << (bits * i)
        u[D + x] = np.uint32(out)


@jit()
def _source_part(word, part, bits, mode, source):
    """A part of a source of minima and maxima, with its minus."""
    value = _part(word, part, bits, mode & UNSIGNED)
    if not mode >> (NEGATED_SHIFT + source) & 1:
        return value
    return _part(np.uint32(-value & ((1 << bits) - 1)), 0, bits, mode & UNSIGNED)


@jit()
def _add_saturated(m, ins):
    """VIADD.ISAT: a sum of signed words that stops at the ends; `value` makes up for complements."""
    u = m.scratch
    for x in range(LANES):
        total = _part(u[A + x], 0, 32, False) + _part(u[B + x], 0, 32, False) + ins.value
        total = min(max(total, -0x8000_0000), 0x7FFF_FFFF)
        u[D + x] = np.uint32(total & isa.FULL_MASK)


@jit()
def _pack_integers(m, ins):
    """I2IP: a and b as integers of `value` bits, saturated, below what c holds."""
    u = m.scratch
    bits = ins.value
    low = 0 if ins.mode & UNSIGNED else -(1 << (bits - 1))
    high = low + (1 << bits) - 1
    for x in range(LANES):
        upper = min(max(_part(u[A + x], 0, 32, False), low), high) & ((1 << bits) - 1)
        lower = min(max(_part(u[B + x], 0, 32, False), low), high) & ((1 << bits) - 1)
        above = np.int64(u[C + x]) >> np.int64(ins.width) << (2 * bits)
        u[D + x] = np.uint32((above | upper << bits | lower) & isa.FULL_MASK)


@jit()
def _add_parts(m, ins, bits):
    """VIADD of the parts of a word; `value` makes up for complements, part by part."""
    u = m.scratch
    for x in range(LANES):
        out = np.int64(0)
        for i in range(32 // bits):
            total = _part(u[A + x], i, bits, True) + _part(u[B + x], i, bits, True) + ins.value
            out |= (total & ((1 << bits) - 1)) << (bits * i)
        u[D + x] = np.uint32(out)


@jit()
def _minmax_of_pairs(m, ins, w):
    """IMNMX of 64-bit integers."""
    u = m.scratch
    smaller = predicate_in(m, ins, w, 0)
    flip = np.uint32(0) if ins.mode & UNSIGNED else SIGN
    for x in range(LANES):
        a, b = u[A_HIGH + x] ^ flip, u[B_HIGH + x] ^ flip
        is_less = a < b or (a == b and u[A + x] < u[B + x])
        take_first = is_less == (smaller >> np.uint32(x) & ONE != 0)
        u[D + x] = u[A + x] if take_first else u[B + x]
        u[D_HIGH + x] = u[A_HIGH + x] if take_first else u[B_HIGH + x]


@jit()
def _minmax(m, ins, w):
    """IMNMX of a and b, IMNMX3 of a, b and c, IADD_MNMX of a + b and c."""
    u = m.scratch
    smaller = predicate_in(m, ins, w, 0)
    flip = np.uint32(0) if ins.mode & UNSIGNED else SIGN  # orders signed words as unsigned ones
    for x in range(LANES):
        a = u[A + x] ^ flip
        b = u[B + x] ^ flip
        if ins.operation == IADD_MNMX:
            a = np.uint32(u[A + x] + u[B + x]) ^ flip  # numba adds in 64 bits
            b = u[C + x] ^ flip
        take_smaller = smaller >> np.uint32(x) & ONE
        best = min(a, b) if take_smaller else max(a, b)
        if ins.operation == IMNMX3:
            c = u[C + x] ^ flip
            best = min(best, c) if take_smaller else max(best, c)
        if ins.mode & MINMAX_RELU:
            best = max(best, SIGN)
        u[D + x] = best ^ flip
