"""Single-precision arithmetic, lane by lane."""

import math

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic import special_values
from simcore.core.execution.arithmetic.rounding import fma, round_single, sum_error, zero_of_sum
from simcore.core.execution.lanes import (
    A_HIGH,
    ALL,
    B_HIGH,
    C_HIGH,
    D_HIGH,
    ONE,
    A,
    B,
    C,
    D,
    compare_floats,
    predicate_in,
    set_predicate,
    store_comparison,
)
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
(
    FADD, FMUL, FFMA, FMNMX, FMNMX3, FSETP, FSET, FCHK, MUFU, FFMA2,
) = isa.operations(isa.SINGLE, 10)  # fmt: skip

# Modes. Up to MUFU_LG2, denormal numbers count as zeros, and so do denormal results.
(
    MUFU_RCP, MUFU_RSQ, MUFU_SQRT, MUFU_EX2, MUFU_LG2, MUFU_SIN, MUFU_COS, MUFU_TANH, MUFU_RCP64H, MUFU_RSQ64H,
) = range(10)  # fmt: skip
(PAIR_FMA, PAIR_ADD, PAIR_MULTIPLY) = range(3)  # FFMA2, in its lowest bits
PAIR_KIND_MASK, PAIR_REPEATED_SHIFT = (
    15,
    4,
)  # then a bit for each source that gives both results the same single
(TRUE_IS_ALL_ONES, TRUE_IS_ONE) = range(2)  # FSET's `value`
COMPARE_FLUSHED = 64  # FSETP and FSET: denormals are zeros

ONE_POINT_ZERO = np.uint32(0x3F80_0000)
NAN = np.uint32(0x7FFF_FFFF)  # what arithmetic makes of any NaN


@jit_inline()
def execute(m, ins, w, lanes):
    """Single-precision arithmetic; the result is in scratch."""
    operation = ins.operation
    if operation == FSETP:
        store_comparison(m, ins, w, _compare(m, ins), lanes)
    elif operation == FSET:
        _set(m, ins, w)
    elif operation == FCHK:
        _check_division(m, ins, w, lanes)
    elif operation == FFMA2:
        _pairs(m, ins)
    else:
        _compute(m, ins, w)


@jit_inline()
def _compute(m, ins, w):
    """One number a lane, denormals flushed, rounded and saturated as the mode says."""
    f = m.scratch_float
    operation = ins.operation
    if ins.mode & isa.FLOAT_FLUSH:
        for row in (A, B, C):
            flush(m, row)
    if operation == FADD:
        for x in range(LANES):
            f[D + x] = f[A + x] + f[B + x]
    elif operation == FMUL and ins.value == 0:
        for x in range(LANES):
            f[D + x] = f[A + x] * f[B + x]
    elif operation == FMUL:
        for x in range(LANES):
            f[D + x] = np.float32(_scaled_product(f[A + x], f[B + x], ins.value))
    elif operation == FFMA:
        for x in range(LANES):
            f[D + x] = fma(f[A + x], f[B + x], f[C + x])
    elif operation == MUFU:
        _special_function(m, ins)
    else:
        _minmax(m, ins, w)
    if ins.mode and operation <= FFMA:
        _round_and_saturate(m, ins)
    if ins.mode & isa.FLOAT_FLUSH:
        flush(m, D)
    if operation != MUFU or ins.mode < MUFU_RCP64H:
        for x in range(LANES):
            if f[D + x] != f[D + x]:
                m.scratch[D + x] = NAN


@jit_inline()
def _scaled_product(a, b, exponent):
    """A product times a power of two: that of two singles is exact in a double."""
    return np.float64(a) * np.float64(b) * 2.0 ** np.float64(exponent)


@jit()
def flush(m, row):
    """Replace denormal numbers by zeros of their sign."""
    for x in range(row, row + LANES):
        if m.scratch[x] & np.uint32(0x7F80_0000) == 0:
            m.scratch[x] &= np.uint32(0x8000_0000)


@jit()
def _round_and_saturate(m, ins):
    """Directed rounding and saturation, which few instructions ask for."""
    f = m.scratch_float
    for x in range(LANES):
        if ins.mode & isa.ROUND_MASK:
            direction = ins.mode & isa.ROUND_MASK
            total = np.float64(f[A + x])
            beyond = 0.0
            if ins.operation != FADD:
                total = _scaled_product(f[A + x], f[B + x], ins.value if ins.operation == FMUL else 0)
            if ins.operation != FMUL:
                part, addend = total, np.float64(f[(B if ins.operation == FADD else C) + x])
                total = zero_of_sum(part + addend, part, addend, direction)
                beyond = sum_error(part, addend, total)
            f[D + x] = round_single(total, beyond, direction)
        if ins.mode & isa.FLOAT_SATURATE:
            v = f[D + x]
            f[D + x] = np.float32(0) if not v > 0 else min(v, np.float32(1))


@jit()
def _minmax(m, ins, w):
    f = m.scratch_float
    smaller = predicate_in(m, ins, w, 0)
    for x in range(LANES):
        best = pick(f[A + x], f[B + x], smaller >> np.uint32(x) & ONE, ins.mode)
        if ins.operation == FMNMX3:
            best = pick(best, f[C + x], smaller >> np.uint32(x) & ONE, ins.mode)
        f[D + x] = best


@jit()
def pick(a, b, smaller, mode):
    """The smaller or greater of two numbers; with `FLOAT_XOR_SIGN` of magnitudes, with the sign of the product."""
    keep_nan = mode & isa.FLOAT_KEEP_NAN
    if mode & isa.FLOAT_XOR_SIGN == 0:
        return _smaller_or_greater(a, b, smaller, keep_nan)
    best = _smaller_or_greater(abs(a), abs(b), smaller, keep_nan)
    return -best if math.copysign(1.0, a) != math.copysign(1.0, b) else best


@jit()
def _smaller_or_greater(a, b, smaller, keep_nan):
    """The smaller or greater of two numbers; -0 is less than +0, and a NaN counts only where it is to be kept."""
    if math.isnan(a):
        return a if keep_nan else b
    if math.isnan(b):
        return b if keep_nan else a
    if a == b:
        return a if (math.copysign(1.0, a) < 0.0) == bool(smaller) else b
    return min(a, b) if smaller else max(a, b)


@jit_inline()
def _compare(m, ins):
    f = m.scratch_float
    bits = np.uint32(0)
    if ins.mode & COMPARE_FLUSHED:
        flush(m, A)
        flush(m, B)
    for x in range(LANES):
        bits |= np.uint32(compare_floats(ins.mode, f[A + x], f[B + x])) << np.uint32(x)
    return bits


@jit_inline()
def _set(m, ins, w):
    """FSET: the word that stands for true, or zero."""
    bits = _compare(m, ins) & predicate_in(m, ins, w, 0)
    true = ONE_POINT_ZERO if ins.value == TRUE_IS_ONE else ALL
    for x in range(LANES):
        m.scratch[D + x] = true if bits >> np.uint32(x) & ONE else np.uint32(0)


@jit()
def _check_division(m, ins, w, lanes):
    """FCHK: whether a division needs the slow path (an operand, or the quotient, near the range's ends).

    The limits are those of an H100's counters in random programs.
    """
    u = m.scratch
    bits = np.uint32(0)
    for x in range(LANES):
        ea = np.int64(u[A + x] >> np.uint32(23) & np.uint32(255))
        eb = np.int64(u[B + x] >> np.uint32(23) & np.uint32(255))
        slow = ea == 255 or ea <= 24 or eb <= 1 or eb >= 252 or ea - eb >= 127 or ea - eb <= -125
        bits |= np.uint32(slow) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, bits, lanes)


@jit()
def _special_function(m, ins):
    f = m.scratch_float
    u = m.scratch
    mode = ins.mode
    if mode <= MUFU_LG2:
        flush(m, A)
    for x in range(LANES):
        a = np.float64(f[A + x])
        word = np.int64(u[A + x])
        if mode == MUFU_RCP:
            f[D + x] = np.float32(special_values.reciprocal(a, word))
        elif mode == MUFU_RSQ:
            f[D + x] = np.float32(special_values.reciprocal_root(a, word))
        elif mode == MUFU_SQRT:
            f[D + x] = np.float32(special_values.root(a, word))
        elif mode == MUFU_EX2:
            f[D + x] = np.float32(special_values.power_of_two(a))
        elif mode == MUFU_LG2:
            f[D + x] = np.float32(special_values.logarithm(a, word))
        elif mode == MUFU_SIN:
            f[D + x] = np.float32(special_values.sine(a))
        elif mode == MUFU_COS:
            f[D + x] = np.float32(special_values.cosine(a))
        elif mode == MUFU_TANH:
            f[D + x] = np.float32(math.tanh(a))
        else:
            # The 64H forms take and give the high word of a double.
            m.wide[x] = np.uint64(_flushed_high(u[A + x])) << np.uint64(32)
            d = m.wide_float[x]
            if d == 0.0:
                m.wide_float[x] = math.copysign(np.inf, d)
            elif mode == MUFU_RCP64H:
                m.wide_float[x] = 1.0 / d
            else:
                m.wide_float[x] = 1.0 / math.sqrt(d) if d > 0.0 else np.nan
            u[D + x] = (
                NAN if math.isnan(m.wide_float[x]) else _flushed_high(np.uint32(m.wide[x] >> np.uint64(32)))
            )
    if mode <= MUFU_LG2:
        flush(m, D)


@jit_inline()
def _flushed_high(word):
    """The high word of a double, of a zero of its sign for a denormal one."""
    return word & np.uint32(0x8000_0000) if word & np.uint32(0x7FF0_0000) == 0 else word


@jit()
def _pairs(m, ins):
    """FFMA2, FADD2, FMUL2: two singles a lane, in a register pair."""
    f = m.scratch_float
    kind = ins.mode & PAIR_KIND_MASK
    repeated = ins.mode >> PAIR_REPEATED_SHIFT
    for x in range(LANES):
        for which in range(2):
            a = f[(A_HIGH if which and not repeated & 1 else A) + x]
            b = f[(B_HIGH if which and not repeated & 2 else B) + x]
            c = f[(C_HIGH if which and not repeated & 4 else C) + x]
            v = fma(a, b, c) if kind == PAIR_FMA else a + b if kind == PAIR_ADD else a * b
            at = (D_HIGH if which else D) + x
            f[at] = v
            if v != v:
                m.scratch[at] = NAN
