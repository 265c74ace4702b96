"""Two halves, or two bfloat16s, a lane."""

import math

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic.rounding import round_half, round_single, sum_error
from simcore.core.execution.arithmetic.singles import NAN, pick
from simcore.core.execution.lanes import A_HIGH, ONE, A, B, C, D, compare_floats, predicate_in, set_predicate
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
(
    HADD2, HMUL2, HFMA2, HSETP2, HMNMX2, HADD2_F32, HSET2, HMNMX3, HALF_EX2, HALF_TANH,
) = isa.operations(isa.HALF, 10)  # fmt: skip

# Modes, besides those of floats and comparisons: bfloat16 instead of binary16, negative results as zero; of
# comparisons, whether both halves must hold.
BFLOAT, RELU, BOTH = 1 << 10, 1 << 11, 1 << 12

# `value`: for each source, CHOICE_BITS each, which half stands for both, or whether they change places.
(BOTH_HALVES, LOW_HALF, HIGH_HALF, SWAPPED_HALVES) = range(4)
CHOICE_BITS, CHOICE_MASK = 4, 15


_UNITS = 2.0 ** (np.maximum(np.arange(31), 1) - 25.0)
"""What the last bit of a binary16 stands for, by its exponent's field."""


@jit()
def half_to_single(h):
    """The value of a binary16 in the low 16 bits."""
    exponent = np.int64(h >> np.uint32(10) & np.uint32(31))
    fraction = np.int64(h & np.uint32(1023))
    if exponent == 31:
        v = np.inf if fraction == 0 else np.nan
    else:
        v = np.float64(fraction | 1024 if exponent else fraction) * _UNITS[exponent]
    return np.float32(-v if h >> np.uint32(15) & ONE else v)


@jit()
def float_of(m, x, word, is_bfloat):
    """The value of a binary16 or a bfloat16 in the low 16 bits; works in scratch element `x`."""
    if is_bfloat:
        m.scratch[x] = word << np.uint32(16)
        return np.float64(m.scratch_float[x])
    return np.float64(half_to_single(word & np.uint32(0xFFFF)))


@jit()
def round_narrow(m, x, value, direction, is_bfloat):
    """A double as a binary16 or a bfloat16, in the low 16 bits of a word; works in scratch element `x`."""
    if not is_bfloat:
        return round_half(value, direction)
    # Towards zero, with a mark for what was cut off, so that rounding again is right.
    m.scratch_float[x] = round_single(value, 0.0, isa.ROUND_ZERO)
    word = m.scratch[x]
    if word & np.uint32(0x7FFF_FFFF) > np.uint32(0x7F80_0000):
        return np.uint32(0x7FFF)
    word |= np.uint32(np.float64(m.scratch_float[x]) != value)
    bias = np.uint32(0)
    if direction == isa.ROUND_NEAREST:
        bias = np.uint32(0x7FFF) + (word >> np.uint32(16) & ONE)
    elif direction == (isa.ROUND_DOWN if value < 0.0 else isa.ROUND_UP):
        bias = np.uint32(0xFFFF)
    return np.uint32((np.uint64(word) + np.uint64(bias) & np.uint64(isa.FULL_MASK)) >> np.uint64(16))


@jit()
def _half_of(m, ins, x, row, which, flushes):
    """Half 0 or 1 of a packed source, where its choice may have named another; a denormal may be a zero."""
    choice = ins.value >> CHOICE_BITS * (row // LANES) & CHOICE_MASK
    if choice == BOTH_HALVES:
        take = which
    elif choice == SWAPPED_HALVES:
        take = 1 - which
    else:
        take = choice - LOW_HALF
    half = m.scratch[row + x] >> np.uint32(16 * take)
    if flushes:
        half = _flushed(half)
    return float_of(m, A_HIGH + x, half, ins.mode & BFLOAT)


@jit_inline()
def _flushed(half):
    """A zero of its sign for a denormal binary16."""
    return half & np.uint32(0x8000) if half & np.uint32(0x7C00) == 0 else half


@jit()
def execute(m, ins, w, lanes):
    """Packed half-precision arithmetic; the result is in scratch."""
    if ins.operation == HSETP2 or ins.operation == HSET2:
        _compare(m, ins, w, lanes)
    elif ins.operation == HALF_EX2 or ins.operation == HALF_TANH:
        _special_function(m, ins)
    else:
        _compute(m, ins, w)


@jit()
def _compute(m, ins, w):
    operation = ins.operation
    smaller = predicate_in(m, ins, w, 0)
    flushes = ins.mode & isa.FLOAT_FLUSH
    for x in range(LANES):
        if operation == HADD2_F32:
            total = _half_of(m, ins, x, A, 0, 0) + _half_of(m, ins, x, B, 0, 0)
            if math.isnan(total):
                m.scratch[D + x] = NAN
            else:
                m.scratch_float[D + x] = np.float32(total)
            continue
        out = np.uint32(0)
        for which in range(2):
            a = _half_of(m, ins, x, A, which, flushes)
            b = _half_of(m, ins, x, B, which, flushes)
            if operation == HADD2:
                v = a + b
            elif operation == HMUL2:
                v = a * b
            elif operation == HMNMX2 or operation == HMNMX3:
                take_smaller = smaller >> np.uint32(x) & ONE
                v = pick(a, b, take_smaller, ins.mode)
                if operation == HMNMX3:
                    v = pick(v, _half_of(m, ins, x, C, which, flushes), take_smaller, ins.mode)
            else:
                v = _fma(m, x, a * b, _half_of(m, ins, x, C, which, flushes))
            if ins.mode & isa.FLOAT_SATURATE:
                v = 0.0 if not v > 0.0 else min(v, 1.0)
            if ins.mode & RELU and v <= 0.0:
                v = 0.0
            rounded = round_narrow(m, A_HIGH + x, v, isa.ROUND_NEAREST, ins.mode & BFLOAT)
            if flushes:
                rounded = _flushed(rounded)
            out |= rounded << np.uint32(16 * which)
        m.scratch[D + x] = out


@jit()
def _special_function(m, ins):
    """MUFU of the half at bit `value`, rounded to nearest; of bfloat16s, results below the normal ones are zeros."""
    is_bfloat = ins.mode & BFLOAT
    for x in range(LANES):
        a = float_of(m, A_HIGH + x, m.scratch[A + x] >> np.uint32(ins.value), is_bfloat)
        if ins.operation == HALF_TANH:
            v = math.tanh(a)
        else:
            v = np.inf if a > 129.0 else 2.0**a
            if is_bfloat and v < 2.0**-126:
                v = 0.0
        m.scratch[D + x] = round_narrow(m, A_HIGH + x, v, isa.ROUND_NEAREST, is_bfloat)


@jit()
def _fma(m, x, product, c):
    """An exact product plus c; what a double cannot hold leaves its mark in the last bit, to be rounded again."""
    total = product + c
    error = sum_error(product, c, total)
    m.wide_float[x] = total
    if error != 0.0 and math.isfinite(total) and not m.wide[x] & np.uint64(1):
        return np.nextafter(total, math.copysign(np.inf, error))
    return total


@jit()
def _compare(m, ins, w, lanes):
    """HSETP2 and HSET2: a comparison of each half; two predicates, or two halves in scratch."""
    mode = ins.mode
    other = predicate_in(m, ins, w, 0)
    hits = (np.uint32(0), np.uint32(0))
    for x in range(LANES):
        out = np.uint32(0)
        for which in range(2):
            a = _half_of(m, ins, x, A, which, 0)
            b = _half_of(m, ins, x, B, which, 0)
            hit = compare_floats(mode, a, b)
            met = other >> np.uint32(x) & ONE != 0
            if mode & isa.BOOLEAN_OR:
                hit = hit or met
            elif mode & isa.BOOLEAN_XOR:
                hit = hit != met
            else:
                hit = hit and met
            bit = np.uint32(hit) << np.uint32(x)
            hits = (hits[0] | bit, hits[1]) if which == 0 else (hits[0], hits[1] | bit)
            if hit:
                out |= np.uint32(ins.width) << np.uint32(16 * which)
        m.scratch[D + x] = out
    if ins.operation == HSETP2:
        if mode & BOTH:
            both = hits[0] & hits[1]
            set_predicate(m, w, ins.predicate_out_0, both, lanes)
            set_predicate(m, w, ins.predicate_out_1, ~both, lanes)
        else:
            set_predicate(m, w, ins.predicate_out_0, hits[0], lanes)
            set_predicate(m, w, ins.predicate_out_1, hits[1], lanes)
