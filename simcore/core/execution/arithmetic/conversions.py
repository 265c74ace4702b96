"""Conversions between integers, singles, doubles and halves, lane by lane."""

import math

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic import halves
from simcore.core.execution.arithmetic.doubles import double_of, set_double
from simcore.core.execution.arithmetic.halves import float_of, half_to_single, round_narrow
from simcore.core.execution.arithmetic.rounding import round_double, round_integral, round_single
from simcore.core.execution.lanes import A_HIGH, D_HIGH, A, B, D
from simcore.core.jit import jit

LANES = isa.LANES
(FRND, I2F, F2I, F2F, F2FP) = isa.operations(isa.CONVERSION, 5)

# Modes. F2F: the kind of the result, and from bit SOURCE_SHIFT on that of the source.
(FLOAT_32, FLOAT_64, FLOAT_HALF, FLOAT_BFLOAT) = range(4)
RESULT_MASK, SOURCE_SHIFT = 15, 4

# I2F's `value`: bits of the integer, the first of them in its word, and whether the result is a bfloat16.
INTEGER_BITS_MASK, FIRST_BIT_SHIFT, TO_BFLOAT_SHIFT = 255, 8, 16


@jit()
def execute(m, ins):
    """Between integers, singles, doubles and halves; the result is in scratch."""
    u = m.scratch
    operation = ins.operation
    for x in range(LANES):
        if operation == I2F:
            _integer_to_float(m, ins, x)
        elif operation == F2I:
            _float_to_integer(m, ins, x)
        elif operation == FRND:
            _round_to_integral(m, ins, x)
        elif operation == F2F:
            _between_floats(m, ins, x)
        else:
            u[D + x] = _narrow(m, ins, x, B) | _narrow(m, ins, x, A) << np.uint32(16)


@jit()
def _round_to_integral(m, ins, x):
    """FRND of a single or a double."""
    if ins.width == 8:
        v = double_of(m, x, A, A_HIGH)
        set_double(m, x, v if not math.isfinite(v) else np.float64(round_integral(v, ins.mode)))
    else:
        f = m.scratch_float
        s = np.float64(f[A + x])
        f[D + x] = np.float32(s if not math.isfinite(s) else np.float64(round_integral(s, ins.mode)))


@jit()
def _narrow(m, ins, x, slot):
    """F2FP: one single of two as a half, negative ones as zero where that is asked for."""
    value = np.float64(m.scratch_float[slot + x])
    if ins.mode & halves.RELU and value <= 0.0:
        value = 0.0
    return round_narrow(m, D_HIGH + x, value, ins.value, ins.mode & halves.BFLOAT)


@jit()
def _between_floats(m, ins, x):
    """F2F: `mode` names the kinds of source and result."""
    source, result = ins.mode >> SOURCE_SHIFT, ins.mode & RESULT_MASK
    if source == FLOAT_64:
        value = double_of(m, x, A, A_HIGH)
    elif source == FLOAT_32:
        value = np.float64(m.scratch_float[A + x])
    else:
        value = float_of(m, D_HIGH + x, m.scratch[A + x], source == FLOAT_BFLOAT)
    if result == FLOAT_64:
        set_double(m, x, value)
    elif result == FLOAT_32:
        m.scratch_float[D + x] = round_single(value, 0.0, ins.value)
    else:
        m.scratch[D + x] = round_narrow(m, D_HIGH + x, value, ins.value, result == FLOAT_BFLOAT)


@jit()
def _integer_to_float(m, ins, x):
    u = m.scratch
    bits = ins.value & INTEGER_BITS_MASK
    v = np.uint64(u[A + x])
    if bits == 64:
        v |= np.uint64(u[A_HIGH + x]) << np.uint64(32)
    elif bits < 32:
        first = np.uint64(ins.value >> FIRST_BIT_SHIFT & 31)
        v = v >> first & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))
    sign = 1.0
    if ins.signed and v >> np.uint64(bits - 1):
        sign = -1.0
        v = np.uint64(0) - (v | ~np.uint64(0) << np.uint64(bits - 1))
    if ins.width == 8:
        nearest = np.float64(v)
        beyond = 0.0
        if nearest >= 2.0**64 or np.uint64(nearest) > v:
            beyond = -1.0
        elif np.uint64(nearest) < v:
            beyond = 1.0
        set_double(m, x, round_double(sign * nearest, sign * beyond, ins.mode))
        return
    if v >> np.uint64(53):
        # What a double cannot hold leaves its mark in the last bit, so that rounding again is right.
        rest = v & np.uint64(0x7FF)
        v = (v ^ rest) | np.uint64(rest != 0) << np.uint64(11)
    if ins.width == 2:
        u[D + x] = round_narrow(m, D_HIGH + x, sign * np.float64(v), ins.mode, ins.value >> TO_BFLOAT_SHIFT)
    else:
        m.scratch_float[D + x] = round_single(sign * np.float64(v), 0.0, ins.mode)


@jit()
def _float_to_integer(m, ins, x):
    u = m.scratch
    if ins.width == 8:
        v = double_of(m, x, A, A_HIGH)
    elif ins.width == 2:
        v = np.float64(half_to_single(u[A + x] & np.uint32(0xFFFF)))
    else:
        v = np.float64(m.scratch_float[A + x])
    wide = ins.destination_words == 2
    bits = 64 if wide else 32
    if math.isnan(v):
        result = np.uint64(0)
        if wide:
            result = np.uint64(1) << np.uint64(63)
    else:
        low = -(2.0 ** (bits - 1)) if ins.signed else 0.0
        high = 2.0 ** (bits - 1) if ins.signed else 2.0**bits
        if math.isfinite(v):
            v = np.float64(round_integral(v, ins.mode))
        if v >= high:
            top = bits - 1 if ins.signed else bits
            result = ~np.uint64(0) if top == 64 else (np.uint64(1) << np.uint64(top)) - np.uint64(1)
        elif v <= low:
            result = np.uint64(np.int64(low)) if ins.signed else np.uint64(0)
        elif v < 0:
            result = np.uint64(np.int64(v))
        elif v >= 2.0**63:
            result = np.uint64(np.int64(v - 2.0**63)) | np.uint64(1) << np.uint64(63)
        else:
            result = np.uint64(np.int64(v))
    u[D + x] = np.uint32(result & np.uint64(isa.FULL_MASK))
    u[D_HIGH + x] = np.uint32(result >> np.uint64(32))
