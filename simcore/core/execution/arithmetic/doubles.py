"""Double-precision arithmetic, lane by lane."""

import math

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic.rounding import (
    excess,
    fma,
    fma_error,
    product_error,
    round_double,
    sum_error,
    zero_of_sum,
)
from simcore.core.execution.lanes import (
    A_HIGH,
    B_HIGH,
    C_HIGH,
    D_HIGH,
    A,
    B,
    C,
    D,
    compare_floats,
    set_predicate,
    store_comparison,
)
from simcore.core.execution.operands import FIRST, SECOND, THIRD, source_at
from simcore.core.jit import jit

LANES = isa.LANES
(DADD, DMUL, DFMA, DSETP) = isa.operations(isa.DOUBLE, 4)

QUIET = np.uint32(0x0008_0000)  # of a NaN's high word

COMPARE_PICK = 256  # DSETP, besides `isa.COMPARE_*`: whether the first is the smaller, or the greater


@jit()
def double_of(m, x, low, high):
    """The double whose words are in two rows of scratch."""
    m.wide[x] = np.uint64(m.scratch[high + x]) << np.uint64(32) | np.uint64(m.scratch[low + x])
    return m.wide_float[x]


@jit()
def set_double(m, x, value):
    """Store a double as the result."""
    m.wide_float[x] = value
    m.scratch[D + x] = np.uint32(m.wide[x] & np.uint64(isa.FULL_MASK))
    m.scratch[D_HIGH + x] = np.uint32(m.wide[x] >> np.uint64(32))


@jit()
def execute(m, ins, w, lanes):
    """Double-precision arithmetic; the result is in scratch."""
    if ins.operation != DSETP:
        _compute(m, ins, w)
    elif ins.mode & COMPARE_PICK:
        _pick(m, ins, w, lanes)
    else:
        _compare(m, ins, w, lanes)


@jit()
def _compute(m, ins, w):
    operation = ins.operation
    direction = ins.mode & isa.ROUND_MASK
    for x in range(LANES):
        a = double_of(m, x, A, A_HIGH)
        b = double_of(m, x, B, B_HIGH)
        c = 0.0
        if operation == DADD:
            v = zero_of_sum(a + b, a, b, direction)
            beyond = sum_error(a, b, v) if direction else 0.0
        elif operation == DMUL:
            v = a * b
            beyond = product_error(a, b, v) if direction else 0.0
        else:
            c = double_of(m, x, C, C_HIGH)
            v = fma(a, b, c)
            beyond = fma_error(a, b, c, v) if direction else 0.0
            if direction and beyond == 0.0:
                v = zero_of_sum(v, math.copysign(1.0, a) * b, c, direction)
        if math.isinf(v):
            finite = math.isfinite(a) and math.isfinite(b) and math.isfinite(c)
            beyond = excess(v) if direction and finite else 0.0
        set_double(m, x, round_double(v, beyond, direction))
        if math.isnan(v):
            _pass_nan_on(m, ins, w, x)


@jit()
def _pass_nan_on(m, ins, w, x):
    """A NaN among the sources is the result, without what the instruction does to its sign: b's before c's and a's."""
    if _is_nan(m, source_at(m, w, ins.a) + x, ins.pairs & FIRST):
        _take_nan(m, source_at(m, w, ins.a) + x, x)
    if ins.operation == DFMA and _is_nan(m, source_at(m, w, ins.c) + x, ins.pairs & THIRD):
        _take_nan(m, source_at(m, w, ins.c) + x, x)
    if _is_nan(m, source_at(m, w, ins.b) + x, ins.pairs & SECOND):
        _take_nan(m, source_at(m, w, ins.b) + x, x)


@jit()
def _is_nan(m, at, is_pair):
    """Whether a register pair holds a NaN; a source of one word is a constant, and never one."""
    if not is_pair:
        return False
    high = m.registers[at + LANES] & np.uint32(0x7FFF_FFFF)
    return high > np.uint32(0x7FF0_0000) or (high == np.uint32(0x7FF0_0000) and m.registers[at] != 0)


@jit()
def _take_nan(m, at, x):
    m.scratch[D + x] = m.registers[at]
    m.scratch[D_HIGH + x] = m.registers[at + LANES] | QUIET


@jit()
def _compare(m, ins, w, lanes):
    """DSETP."""
    bits = np.uint32(0)
    for x in range(LANES):
        a = double_of(m, x, A, A_HIGH)
        b = double_of(m, x, B, B_HIGH)
        bits |= np.uint32(compare_floats(ins.mode, a, b)) << np.uint32(x)
    store_comparison(m, ins, w, bits, lanes)


@jit()
def _pick(m, ins, w, lanes):
    """DSETP.MIN and .MAX: whether the first is to be taken, and whether both are NaN."""
    first = np.uint32(0)
    neither = np.uint32(0)
    for x in range(LANES):
        a = double_of(m, x, A, A_HIGH)
        b = double_of(m, x, B, B_HIGH)
        smaller = ins.mode & isa.COMPARE_LESS != 0
        better = a < b if smaller else a > b
        if a == b:
            better = (math.copysign(1.0, a) < 0.0) == smaller
        first |= np.uint32(better or (math.isnan(b) and not math.isnan(a))) << np.uint32(x)
        neither |= np.uint32(math.isnan(a) and math.isnan(b)) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, first, lanes)
    set_predicate(m, w, ins.predicate_out_1, neither, lanes)
