"""What the special function unit gives for a number, to the last bit: as on an H100 and an H200.

It interpolates in tables: of an argument's upper bits, which choose an interval, come three coefficients, of the lower
ones an offset in it. `benchmarks/silicon/micro/core/special_tables.py` found the tables in what an H100 gives for all
arguments. Denormal arguments count as zeros before, and denormal results after; results are cut off, not rounded.
"""

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simcore.core.jit import jit, jit_inline

OFFSET_BITS = 17
RESULT_BITS = 41
"""Results are whole numbers of 2^-41."""

LOST_COLUMNS = 19
"""Of the squarer, the lowest ones, whose partial products it leaves out: those of LOST_BITS bits."""

LOST_BITS = 10

MANTISSA_BITS, BIAS = 23, 127
MANTISSA = (1 << MANTISSA_BITS) - 1
SIGNIFICANT_BITS = 24

STEPS_PER_QUARTER = 1 << 23
"""Of a turn: the arguments of MUFU.SIN and MUFU.COS are in fixed point."""

TABLES = Path(__file__).with_name("special_tables.csv")


def _tables() -> Iterator[NDArray[np.int64]]:
    """The coefficients of each function, [interval, 3]."""
    with TABLES.open(newline="") as file:
        _, *rows = csv.reader(file)
    for function in ("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin"):
        own = [coefficients for name, _, *coefficients in rows if name == function]
        yield np.array(own).astype(np.int64)


RCP, RSQRT, SQRT, EX2, LG2, SIN = _tables()


@jit_inline()
def _square(offset):
    """An offset's square in 2^OFFSET_BITS, without the partial products of the lowest columns: those of ten bits."""
    lost = _lost(offset, 0) + _lost(offset, 1) + _lost(offset, 2) + _lost(offset, 3) + _lost(offset, 4)
    lost += _lost(offset, 5) + _lost(offset, 6) + _lost(offset, 7) + _lost(offset, 8) + _lost(offset, 9)
    return (offset * offset - lost) >> OFFSET_BITS


@jit_inline()
def _lost(offset, bit):
    """The partial products that are left out of a bit with itself and with those above it."""
    partners = (offset & ((1 << (LOST_COLUMNS - 1 - bit)) - 1)) >> (bit + 1) << (bit + 1)
    return (offset >> bit & 1) * ((partners << (bit + 1)) + (1 << (2 * bit)))


@jit_inline()
def _exponent(word):
    return (word >> MANTISSA_BITS & 255) - BIAS


@jit_inline()
def _interpolated(table, interval, offset):
    return table[interval, 0] + table[interval, 1] * offset + table[interval, 2] * _square(offset)


@jit_inline()
def _between(table, mantissa, binade):
    """From the table of a function of one binade or more."""
    interval = (binade << MANTISSA_BITS | mantissa) >> OFFSET_BITS
    return _interpolated(table, interval, mantissa & ((1 << OFFSET_BITS) - 1))


@jit()
def _cut(whole, exponent):
    """A number of 2^-RESULT_BITS with so many binary digits as a single has, times a power of two."""
    _, digits = math.frexp(float(whole))
    beyond = max(digits - SIGNIFICANT_BITS, 0)
    return math.ldexp(float(whole >> beyond << beyond), int(exponent) - RESULT_BITS)


@jit()
def reciprocal(x, word):
    """MUFU.RCP of a single and its word."""
    if x == 0.0 or not math.isfinite(x):
        return 1.0 / x
    mantissa = word & MANTISSA
    magnitude = _cut(_interpolated(RCP, mantissa >> 16, (mantissa & 0xFFFF) << 1), -_exponent(word))
    return math.copysign(magnitude, x)


@jit()
def reciprocal_root(x, word):
    """MUFU.RSQ."""
    if x == 0.0:
        return math.copysign(np.inf, x)
    if not 0.0 < x < np.inf:
        return 0.0 if x > 0.0 else np.nan
    half, odd = _exponent(word) >> 1, _exponent(word) & 1
    if word & MANTISSA == 0 and odd == 0:
        return math.ldexp(1.0, -int(half))
    return _cut(_between(RSQRT, word & MANTISSA, odd), -half)


@jit()
def root(x, word):
    """MUFU.SQRT."""
    if not 0.0 < x < np.inf:
        return x if x >= 0.0 else np.nan
    half, odd = _exponent(word) >> 1, _exponent(word) & 1
    return _cut(_between(SQRT, word & MANTISSA, odd), half)


@jit()
def power_of_two(x):
    """MUFU.EX2, whose table is of the numbers from 1 to 2. A negative number's steps are inverted, not negated."""
    if not abs(x) < 256.0:
        return 0.0 if x < 0.0 else x + np.inf
    steps = np.int64(abs(x) * 2.0**MANTISSA_BITS)
    if x < 0.0:
        steps = ~steps if steps & MANTISSA else -steps
    return _cut(_between(EX2, steps & MANTISSA, 0), (steps >> MANTISSA_BITS) - 1)


@jit()
def logarithm(x, word):
    """MUFU.LG2."""
    if not 0.0 < x < np.inf:
        return -np.inf if x == 0.0 else x if x > 0.0 else np.nan
    if x == 1.0:
        return 0.0
    whole = (_exponent(word) << RESULT_BITS) + _between(LG2, word & MANTISSA, 0)
    return _cut(whole, 0) if whole >= 0 else -_cut(-whole, 0)


@jit()
def sine(turns):
    """MUFU.SIN. The sine of less than a step is zero, and code may branch on that."""
    return math.copysign(1.0, turns) * _sine_of_steps(turns, 0)


@jit()
def cosine(turns):
    """MUFU.COS."""
    return _sine_of_steps(turns, 1)


@jit()
def _sine_of_steps(turns, quarter):
    """Of an argument's magnitude in whole steps, and so many quarters.

    Each second quarter is the one before backwards, its steps counted from zero too. So the last step before a whole or
    half turn gives zero, as the first one after it does.
    """
    if not math.isfinite(turns):
        return np.nan
    steps = np.floor(abs(turns) * (4.0 * STEPS_PER_QUARTER))
    quarters = np.floor(steps / STEPS_PER_QUARTER)
    rest = np.int64(steps - quarters * STEPS_PER_QUARTER)
    quarter = (quarter + np.int64(quarters % 4.0)) & 3
    if quarter & 1:
        rest = STEPS_PER_QUARTER - 1 - rest
    magnitude = _cut(_between(SIN, rest, 0), 0)
    return -magnitude if quarter >= 2 else magnitude
