"""Rounding as an instruction asks for it, where the host's arithmetic only rounds to nearest.

The error of a sum or a product rounded to nearest is a floating-point number itself (Knuth's sum; the
product's by a fused multiply-add), and its sign tells on which side of the rounded result the exact one lies.
Errors below the smallest double would be lost, so tiny products are scaled first.
"""

import math
from fractions import Fraction

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from simcore.core import isa
from simcore.core.jit import jit, jit_inline

TINY, SMALL, SCALE = 2.0**-960, 2.0**-700, 2.0**600


def fma(a, b, c):
    """a * b + c, rounded once, in the operands' type."""
    kind = type(a)
    if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
        return kind(a * b + c)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        return kind(a * b + c)
    try:
        total = float(exact)
    except OverflowError:
        total = math.inf if exact > 0 else -math.inf
    return total if kind is float else kind(total)


@intrinsic
def _machine_fma(context, a, b, c):
    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return a(a, a, a), generate


@overload(fma)
def _compiled_fma(a, b, c):
    if a in (types.float32, types.float64) and a == b == c:
        return lambda a, b, c: _machine_fma(a, b, c)
    return None


@jit_inline()
def sum_error(a, b, total):
    """What the exact a + b lies above `total`, which is it rounded to nearest."""
    virtual = total - a
    return (a - (total - virtual)) + (b - virtual)


@jit_inline()
def zero_of_sum(total, a, b, direction):
    """A sum of a and b: a zero of numbers of different signs is negative where the direction is down."""
    if total == 0.0 and direction == isa.ROUND_DOWN and math.copysign(1.0, a) != math.copysign(1.0, b):
        return -0.0
    return total


@jit()
def product_error(a, b, product):
    """Of which sign the error of a product is."""
    if a == 0.0 or b == 0.0:
        return 0.0
    if abs(product) < TINY:
        return fma(a * SCALE, b * SCALE, -(product * SCALE * SCALE))
    return fma(a, b, -product)


@jit()
def fma_error(a, b, c, total):
    """Of which sign the error is of a * b + c, which is `total` when it is rounded to nearest."""
    if a == 0.0 or b == 0.0:
        return 0.0
    if abs(a * b) < TINY:
        if abs(total) > SMALL:
            return math.copysign(1.0, a) * math.copysign(1.0, b)  # the total is c
        return _fma_error(a * SCALE, b * SCALE, c * SCALE * SCALE, total * SCALE * SCALE)
    return _fma_error(a, b, c, total)


@jit()
def _fma_error(a, b, c, total):
    product = a * b
    product_error = fma(a, b, -product)
    near = product + c
    errors = product_error + sum_error(product, c, near)
    return (near - total) + errors + sum_error(product_error, sum_error(product, c, near), errors)


@jit_inline()
def _step(positive, beyond, direction):
    """Whether to go to the next number down (-1) or up (1), given the sign of what lies above the nearest."""
    if beyond < 0.0 and (direction == isa.ROUND_DOWN or (direction == isa.ROUND_ZERO and positive)):
        return -1
    if beyond > 0.0 and (direction == isa.ROUND_UP or (direction == isa.ROUND_ZERO and not positive)):
        return 1
    return 0


@jit()
def round_double(value, beyond, direction):
    """The double that a direction asks for, given the nearest one and what the exact result lies above it."""
    step = _step(value > 0.0 or (value == 0.0 and beyond > 0.0), beyond, direction)
    return np.nextafter(value, step * np.inf) if step else value


@jit()
def excess(value):
    """Of which sign the error is of a finite result that overflowed."""
    return -1.0 if value > 0.0 else 1.0


@jit()
def round_single(value, beyond, direction):
    """A double, which the exact result lies `beyond` above, as a single in the direction asked for."""
    single = np.float32(value)
    if direction == isa.ROUND_NEAREST or not math.isfinite(value):
        return single
    rest = value - np.float64(single)
    step = _step(value > 0.0 or (value == 0.0 and beyond > 0.0), beyond if rest == 0.0 else rest, direction)
    return np.nextafter(single, np.float32(step * np.inf)) if step else single


@jit()
def round_integral(value, direction):
    """A finite double as a whole one. (numba's `math.floor` and kin go through 64-bit integers.)"""
    if direction == isa.ROUND_DOWN:
        return np.floor(value)
    if direction == isa.ROUND_UP:
        return np.ceil(value)
    if direction == isa.ROUND_ZERO:
        return np.trunc(value)
    return np.rint(value)


@jit()
def round_half(value, direction):
    """A double as a binary16, in the low 16 bits of a word."""
    sign = np.uint32(0x8000) if math.copysign(1.0, value) < 0.0 else np.uint32(0)
    if math.isnan(value):
        return np.uint32(0x7FFF)
    if math.isinf(value):
        return sign | np.uint32(0x7C00)
    _, exponent = math.frexp(value)
    whole = np.int64(abs(round_integral(value * math.ldexp(1.0, min(11 - exponent, 24)), direction)))
    if exponent > 16 or (exponent == 16 and whole == 2048):
        away = isa.ROUND_DOWN if sign else isa.ROUND_UP
        finite = direction != isa.ROUND_NEAREST and direction != away
        return sign | np.uint32(0x7BFF if finite else 0x7C00)
    if exponent < -13 or whole == 0:
        return sign | np.uint32(whole)
    return sign | np.uint32((exponent + 14) * 1024 + whole - 1024)
