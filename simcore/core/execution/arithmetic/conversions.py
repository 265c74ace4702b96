"""Conversions between integers, singles, doubles and halves, lane by lane."""

import math

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic import halves, singles
from simcore.core.execution.arithmetic.doubles import QUIET, double_of, set_double
from simcore.core.execution.arithmetic.halves import float_of, round_narrow
from simcore.core.execution.arithmetic.rounding import round_double, round_integral, round_single
from simcore.core.execution.lanes import A_HIGH, D_HIGH, SIGN, A, B, C, D
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
(
    FRND, I2F, F2I, F2F, F2FP, I2I, UNPACK_BYTES, PACK_HALVES, PACK_SINGLES, TO_TF32,
    PACK_ROUNDED,
) = isa.operations(isa.CONVERSION, 11)  # fmt: skip

# Modes. F2F: the kind of the result, and from bit SOURCE_SHIFT on that of the source.
(FLOAT_32, FLOAT_64, FLOAT_HALF, FLOAT_BFLOAT) = range(4)
RESULT_MASK, SOURCE_SHIFT = 15, 4

# Floats of 8 bits and fewer, besides `halves.RELU`: their kind. `value` of UNPACK_BYTES is the lowest bit of the two.
(E4M3, E5M2, E2M3, E3M2, E2M1) = range(5)
NARROW_MASK = 7
_NARROW_BITS = (8, 8, 6, 6, 4)
_FRACTION_BITS = (3, 2, 3, 2, 1)
_BIASES = (7, 15, 1, 3, 1)
_GREATEST = (0x7E, 0x7B, 0x1F, 0x1F, 0x07)  # the greatest finite one's bits
_NAN_OF_BYTES = np.uint32(0x7F)

TF32_BITS = np.uint32(0xFFFF_E000)  # of a single

# `value`: bits of the integer (F2F: how to round), the first bit of the source in its word, and whether I2F's result is
# a bfloat16.
INTEGER_BITS_MASK, FIRST_BIT_SHIFT, TO_BFLOAT_SHIFT = 255, 8, 16


@jit()
def execute(m, ins):
    """Between integers, singles, doubles and halves; the result is in scratch."""
    u = m.scratch
    operation = ins.operation
    if ins.mode & isa.FLOAT_FLUSH and operation != F2F and ins.width != 8 and ins.width != 2:
        singles.flush(m, A)
        if operation == F2FP:
            singles.flush(m, B)
    for x in range(LANES):
        if operation == I2F:
            _integer_to_float(m, ins, x)
        elif operation == F2I:
            _float_to_integer(m, ins, x)
        elif operation == PACK_ROUNDED:
            _pack_rounded(m, ins, x)
        elif operation == FRND:
            _round_to_integral(m, ins, x)
        elif operation == F2F:
            _between_floats(m, ins, x)
        elif operation == I2I:
            _saturate(m, ins, x)
        elif operation == TO_TF32:
            u[D + x] = _to_tf32(m, ins, x)
        elif operation == UNPACK_BYTES:
            word = u[A + x] >> np.uint32(ins.value)
            low, high = _unpacked(word, ins.mode), _unpacked(word >> _apart(ins.mode), ins.mode)
            u[D + x] = low | high << np.uint32(16)
        elif operation == PACK_HALVES:
            low, high = _byte_of(m, ins, x, u[A + x]), _byte_of(m, ins, x, u[A + x] >> np.uint32(16))
            u[D + x] = low | high << np.uint32(8) | u[B + x] << np.uint32(16)
        elif operation == PACK_SINGLES:
            low = _round_byte(np.float64(m.scratch_float[B + x]), ins.mode)
            high = _round_byte(np.float64(m.scratch_float[A + x]), ins.mode)
            u[D + x] = low | high << _apart(ins.mode) | u[C + x] << np.uint32(16)
        else:
            u[D + x] = _narrow(m, ins, x, B) | _narrow(m, ins, x, A) << np.uint32(16)


@jit()
def _round_to_integral(m, ins, x):
    """FRND of a single, a double or a half."""
    direction = ins.mode & isa.ROUND_MASK
    if ins.width == 8:
        v = double_of(m, x, A, A_HIGH)
        set_double(m, x, v if not math.isfinite(v) else np.float64(round_integral(v, direction)))
        if math.isnan(v):
            m.scratch[D_HIGH + x] |= QUIET
    elif ins.width == 2:
        is_bfloat = ins.mode & halves.BFLOAT
        h = float_of(m, D_HIGH + x, _half_of_word(m, ins, x), is_bfloat)
        whole = h if not math.isfinite(h) else np.float64(round_integral(h, direction))
        m.scratch[D + x] = round_narrow(m, D_HIGH + x, whole, isa.ROUND_NEAREST, is_bfloat)
    else:
        f = m.scratch_float
        s = np.float64(f[A + x])
        f[D + x] = np.float32(s if not math.isfinite(s) else np.float64(round_integral(s, direction)))
        if math.isnan(s):
            m.scratch[D + x] = singles.NAN


@jit()
def _narrow(m, ins, x, slot):
    """F2FP: one single of two as a half, negative ones as zero where that is asked for."""
    value = np.float64(m.scratch_float[slot + x])
    if ins.mode & halves.RELU and value <= 0.0:
        value = 0.0
    return round_narrow(m, D_HIGH + x, value, ins.value, ins.mode & halves.BFLOAT)


@jit()
def _to_tf32(m, ins, x):
    """A single without its last thirteen bits."""
    word = m.scratch[B + x]
    if word & np.uint32(0x7FFF_FFFF) > np.uint32(0x7F80_0000):
        return singles.NAN & TF32_BITS
    if ins.mode & halves.RELU and word & SIGN:
        return np.uint32(0)
    if ins.value == isa.ROUND_NEAREST:
        word += np.uint32(0xFFF) + (word >> np.uint32(13) & np.uint32(1))
    return word & TF32_BITS


@jit_inline()
def _half_of_word(m, ins, x):
    """The half of the source that `value` names, in the low bits."""
    return m.scratch[A + x] >> np.uint32(ins.value >> FIRST_BIT_SHIFT & 31)


@jit()
def _between_floats(m, ins, x):
    """F2F: `mode` names the kinds of source and result."""
    source, result = ins.mode >> SOURCE_SHIFT, ins.mode & RESULT_MASK
    if source == FLOAT_64:
        value = double_of(m, x, A, A_HIGH)
    elif source == FLOAT_32:
        value = np.float64(m.scratch_float[A + x])
    else:
        value = float_of(m, D_HIGH + x, _half_of_word(m, ins, x), source == FLOAT_BFLOAT)
    if math.isnan(value) and (source == FLOAT_64 or (source == FLOAT_HALF and result == FLOAT_64)):
        _pass_nan_on(m, ins, x, source, result)
    elif result == FLOAT_64:
        set_double(m, x, value)
    elif result == FLOAT_32:
        m.scratch_float[D + x] = round_single(value, 0.0, ins.value & isa.ROUND_MASK)
        if math.isnan(value):
            m.scratch[D + x] = singles.NAN
    else:
        m.scratch[D + x] = round_narrow(
            m, D_HIGH + x, value, ins.value & isa.ROUND_MASK, result == FLOAT_BFLOAT
        )


@jit()
def _pass_nan_on(m, ins, x, source, result):
    """A NaN to or from a double keeps its sign and the first bits of its fraction, as on an H100."""
    if source == FLOAT_HALF:
        half = _half_of_word(m, ins, x)
        sign, fraction = (
            (half & np.uint32(0x8000)) << np.uint32(16),
            (half & np.uint32(0x3FF)) << np.uint32(10),
        )
    else:
        sign, fraction = m.scratch[A_HIGH + x] & SIGN, m.scratch[A_HIGH + x] & np.uint32(0xF_FFFF)
    fraction |= QUIET
    if result == FLOAT_64:
        m.scratch[D + x] = np.uint32(0)
        m.scratch[D_HIGH + x] = sign | np.uint32(0x7FF0_0000) | fraction
    elif result == FLOAT_32:
        low = m.scratch[A + x] >> np.uint32(29)
        m.scratch[D + x] = sign | np.uint32(0x7F80_0000) | fraction << np.uint32(3) | low
    elif result == FLOAT_HALF:
        m.scratch[D + x] = sign >> np.uint32(16) | np.uint32(0x7C00) | fraction >> np.uint32(10)
    else:
        m.scratch[D + x] = np.uint32(0x7FFF)


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
    if ins.width == 8:
        v = double_of(m, x, A, A_HIGH)
    elif ins.width == 2:
        v = float_of(m, D_HIGH + x, _half_of_word(m, ins, x), ins.mode & halves.BFLOAT)
    else:
        v = np.float64(m.scratch_float[A + x])
    result = _rounded(ins, v)
    m.scratch[D + x] = np.uint32(result & np.uint64(isa.FULL_MASK))
    m.scratch[D_HIGH + x] = np.uint32(result >> np.uint64(32))


@jit()
def _pack_rounded(m, ins, x):
    """F2IP: a and b as integers, saturated, below what c holds."""
    bits = np.uint64(ins.value & INTEGER_BITS_MASK)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    upper = _rounded(ins, np.float64(m.scratch_float[A + x])) & mask
    lower = _rounded(ins, np.float64(m.scratch_float[B + x])) & mask
    above = np.uint64(m.scratch[C + x]) << (bits + bits)
    m.scratch[D + x] = np.uint32((above | upper << bits | lower) & np.uint64(isa.FULL_MASK))


@jit()
def _rounded(ins, v):
    """A float as an integer, saturated; negative ones as complements of 64 bits."""
    bits = ins.value & INTEGER_BITS_MASK
    if math.isnan(v):
        result = np.uint64(0)
        if bits == 64 or ins.width == 8:
            result = np.uint64(1) << np.uint64(bits - 1)
    else:
        low = -(2.0 ** (bits - 1)) if ins.signed else 0.0
        high = 2.0 ** (bits - 1) if ins.signed else 2.0**bits
        if math.isfinite(v):
            v = np.float64(round_integral(v, ins.mode & isa.ROUND_MASK))
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
    return result


@jit()
def _saturate(m, ins, x):
    """I2I: the nearest integer of fewer bits."""
    v = np.int64(m.scratch[A + x])
    if ins.mode:
        v = np.int64(np.int32(m.scratch[A + x]))
    bits = ins.value
    low = -(1 << (bits - 1)) if ins.signed else 0
    high = (1 << (bits - 1)) - 1 if ins.signed else (1 << bits) - 1
    m.scratch[D + x] = np.uint32(min(max(v, low), high) & isa.FULL_MASK)


@jit_inline()
def _apart(mode):
    """The distance between the two floats of a pair: halves of a byte, or bytes."""
    return np.uint32(4 if mode & NARROW_MASK == E2M1 else 8)


@jit()
def _unpacked(word, mode):
    half = byte_to_half(word, mode & NARROW_MASK)
    return np.uint32(0) if mode & halves.RELU and half & np.uint32(0x8000) else half


@jit()
def byte_to_half(word, kind):
    """A float of 8 bits or fewer, the lowest ones, as the bits of a binary16, which holds all of them."""
    if kind == E5M2:
        bits = (word & np.uint32(0xFF)) << np.uint32(8)
        return bits if bits & np.uint32(0x7FFF) <= np.uint32(0x7C00) else np.uint32(0x7FFF)
    sign_bit, fraction_bits = np.uint32(_NARROW_BITS[kind] - 1), _FRACTION_BITS[kind]
    sign = (word >> sign_bit & np.uint32(1)) << np.uint32(15)
    magnitude = np.int64(word) & ((1 << np.int64(sign_bit)) - 1)
    if kind == E4M3 and magnitude == 0x7F:
        return np.uint32(0x7FFF)
    one = 1 << fraction_bits
    exponent, fraction = magnitude >> fraction_bits, magnitude & (one - 1)
    if exponent == 0:
        if fraction == 0:
            return sign
        exponent = 1
        while fraction < one:
            fraction <<= 1
            exponent -= 1
        fraction &= one - 1
    return sign | np.uint32((exponent + 15 - _BIASES[kind]) << 10 | fraction << (10 - fraction_bits))


@jit()
def _byte_of(m, ins, x, half):
    return _round_byte(float_of(m, D_HIGH + x, half, False), ins.mode)


@jit()
def _round_byte(value, mode):
    """The nearest float of 8 bits or fewer, ties to even; the greatest finite one for what lies beyond it.

    A NaN is one only of 8 bits; narrower kinds have none, and take their greatest.
    """
    kind = mode & NARROW_MASK
    fraction_bits, bias, greatest = _FRACTION_BITS[kind], _BIASES[kind], np.uint32(_GREATEST[kind])
    if math.isnan(value):
        return _NAN_OF_BYTES if kind <= E5M2 else greatest
    sign = np.uint32(0)
    if math.copysign(1.0, value) < 0.0:
        sign = np.uint32(1) << np.uint32(_NARROW_BITS[kind] - 1)
    if mode & halves.RELU and sign:
        return np.uint32(0)
    magnitude = abs(value)
    if magnitude == 0.0:
        return sign
    if magnitude > 60000.0:
        return sign | greatest
    exponent = max(np.int64(math.floor(math.log2(magnitude))), np.int64(1 - bias))
    scaled = magnitude * 2.0 ** np.float64(fraction_bits - exponent)
    steps = np.int64(np.floor(scaled))
    rest = scaled - np.float64(steps)
    if rest > 0.5 or (rest == 0.5 and steps & 1):
        steps += 1
    # Denormals have no implied one; a carry out of the fraction goes on into the exponent.
    word = np.uint32(((exponent + bias - 1) << fraction_bits) + steps)
    return sign | min(word, greatest)
