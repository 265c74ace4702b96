"""The special function unit's results to the last bit, as the interpreter has them (`core.execution.arithmetic`)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution.arithmetic import singles, special_values
from simcore.core.execution.arithmetic.special_values import (
    BIAS,
    LOST_BITS,
    LOST_COLUMNS,
    MANTISSA,
    MANTISSA_BITS,
    OFFSET_BITS,
    RESULT_BITS,
    SIGNIFICANT_BITS,
    STEPS_PER_QUARTER,
)
from simcore.native import library
from simcore.native.floats import SIGN, flushed, word_of
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    BITS,
    DOUBLES,
    FLOATS,
    LONG,
    LONGS,
    POINTER,
    WORD,
    WORDS,
    declared,
    doubles,
    floats,
    lanes_of,
    longs,
    splat,
    widen,
    words,
)

_DOUBLE_BIAS, _DOUBLE_MANTISSA_BITS = 1023, 52
_FINITE = float(np.finfo(np.float32).max)
_EX2_END = 256.0
"""From this magnitude on, a power of two is none that a single holds."""


@emits(singles.MUFU, where=lambda ins: ins.mode in _FUNCTIONS)
def _mufu(state: State, ins: Instruction) -> None:
    builder, name = state.builder, f"simcore_special_{ins.mode}"
    evaluate, table = _FUNCTIONS[ins.mode]
    emit = partial(_emit_function, evaluate, ins.mode <= singles.MUFU_LG2)
    function = library.function(builder.module, name, WORDS, [LONG, WORDS], emit)
    result = builder.call(function, [LONG(table.ctypes.data), state.source(ins, "a")])
    state.store(ins, state.guarded(ins), result)


Evaluate = Callable[["_Table", ir.Value, ir.Value], ir.Value]
"""Emits a function's value, a double, of a word and its single."""


def _emit_function(evaluate: Evaluate, flushes: bool, function: ir.Function) -> None:
    """A function of the address of its table and of words that are singles; denormals may count as zeros."""
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    address, word = function.args
    if flushes:
        word = flushed(builder, word)
    value = evaluate(_Table(builder, address), word, builder.bitcast(word, FLOATS))
    result = word_of(builder, builder.fptrunc(value, FLOATS))
    builder.ret(flushed(builder, result) if flushes else result)


# --- Tables -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """A table of three coefficients an interval, [interval, 3], 64 bits each.

    Attributes:
        builder: where code goes.
        address: where it lies.
    """

    builder: ir.IRBuilder
    address: ir.Value

    def between(self, steps: ir.Value) -> ir.Value:
        """What it gives, in 2^-RESULT_BITS, so many steps from its beginning."""
        builder = self.builder
        interval = builder.lshr(steps, words(OFFSET_BITS))
        offset = builder.and_(steps, words((1 << OFFSET_BITS) - 1))
        constant, slope, curvature = (self._column(interval, number) for number in range(3))
        wide = widen(builder, offset)
        square = builder.sub(builder.mul(wide, wide), widen(builder, _lost(builder, offset)))
        curve = builder.mul(curvature, builder.ashr(square, longs(OFFSET_BITS)))
        return builder.add(builder.add(constant, builder.mul(slope, wide)), curve)

    def _column(self, interval: ir.Value, number: int) -> ir.Value:
        builder, pointers = self.builder, lanes_of(POINTER)
        first = splat(builder, builder.add(self.address, LONG(8 * number)))
        at = builder.add(first, builder.mul(widen(builder, interval), longs(24)))
        gather = declared(
            builder.module, "llvm.masked.gather.v32i64.v32p0", LONGS, [pointers, WORD, BITS, LONGS]
        )
        every = ir.Constant(BITS, [1] * isa.LANES)
        return builder.call(gather, [builder.inttoptr(at, pointers), WORD(8), every, longs(0)])


def _lost(builder: ir.IRBuilder, offset: ir.Value) -> ir.Value:
    """The partial products that the squarer leaves out."""
    lost = words(0)
    for bit in range(LOST_BITS):
        partners = ((1 << (LOST_COLUMNS - 1 - bit)) - 1) >> (bit + 1) << (bit + 1)
        below = builder.and_(offset, words(partners))
        product = builder.add(builder.shl(below, words(bit + 1)), words(1 << (2 * bit)))
        is_set = builder.icmp_unsigned("!=", builder.and_(offset, words(1 << bit)), words(0))
        lost = builder.add(lost, builder.select(is_set, product, words(0)))
    return lost


def _cut(builder: ir.IRBuilder, whole: ir.Value, exponent: ir.Value) -> ir.Value:
    """A number of 2^-RESULT_BITS with so many binary digits as a single has, times a power of two."""
    beyond = _DOUBLE_MANTISSA_BITS + 1 - SIGNIFICANT_BITS
    bits = builder.bitcast(builder.sitofp(whole, DOUBLES), LONGS)
    digits = builder.bitcast(builder.and_(bits, longs(-1 << beyond)), DOUBLES)
    biased = builder.add(builder.sext(exponent, LONGS), longs(_DOUBLE_BIAS - RESULT_BITS))
    return builder.fmul(digits, builder.bitcast(builder.shl(biased, longs(_DOUBLE_MANTISSA_BITS)), DOUBLES))


# --- Functions ----------------------------------------------------------------------------------------------


def _exponent(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    biased = builder.and_(builder.lshr(word, words(MANTISSA_BITS)), words(255))
    return builder.sub(biased, words(BIAS))


def _mantissa(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    return builder.and_(word, words(MANTISSA))


def _with_sign(builder: ir.IRBuilder, value: ir.Value, word: ir.Value) -> ir.Value:
    """A double with the sign of a single's word."""
    sign = builder.shl(widen(builder, builder.and_(word, words(SIGN))), longs(32))
    return builder.bitcast(builder.or_(builder.bitcast(value, LONGS), sign), DOUBLES)


def _magnitude(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    return builder.bitcast(builder.and_(word, words(~SIGN)), FLOATS)


def _is_finite(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    return builder.fcmp_ordered("<=", _magnitude(builder, word), floats(_FINITE))


def _is_positive(builder: ir.IRBuilder, word: ir.Value, single: ir.Value) -> ir.Value:
    """Of numbers that are neither infinite nor zero."""
    return builder.and_(builder.fcmp_ordered(">", single, floats(0.0)), _is_finite(builder, word))


def _reciprocal(table: _Table, word: ir.Value, single: ir.Value) -> ir.Value:
    builder = table.builder
    steps = builder.shl(_mantissa(builder, word), words(1))
    whole = table.between(steps)
    found = _with_sign(builder, _cut(builder, whole, builder.neg(_exponent(builder, word))), word)
    is_zero = builder.fcmp_ordered("==", single, floats(0.0))
    takes = builder.and_(_is_finite(builder, word), builder.not_(is_zero))
    plain = builder.fdiv(doubles(1.0), builder.fpext(single, DOUBLES))
    return builder.select(takes, found, plain)


def _in_two_binades(table: _Table, word: ir.Value, exponent: ir.Value) -> ir.Value:
    """From the table of a function of an even and an odd binade."""
    builder = table.builder
    odd = builder.shl(builder.and_(exponent, words(1)), words(MANTISSA_BITS))
    return table.between(builder.or_(odd, _mantissa(builder, word)))


def _reciprocal_root(table: _Table, word: ir.Value, single: ir.Value) -> ir.Value:
    builder = table.builder
    exponent = _exponent(builder, word)
    half = builder.neg(builder.ashr(exponent, words(1)))
    whole = _in_two_binades(table, word, exponent)
    one = longs(1 << RESULT_BITS)
    odd_or_mantissa = builder.or_(builder.and_(exponent, words(1)), _mantissa(builder, word))
    whole = builder.select(builder.icmp_unsigned("==", odd_or_mantissa, words(0)), one, whole)
    found = _cut(builder, whole, half)
    is_zero = builder.fcmp_ordered("==", single, floats(0.0))
    infinite = _with_sign(builder, doubles(np.inf), word)
    is_greater = builder.fcmp_ordered(">", single, floats(0.0))
    other = builder.select(is_zero, infinite, builder.select(is_greater, doubles(0.0), doubles(np.nan)))
    return builder.select(_is_positive(builder, word, single), found, other)


def _root(table: _Table, word: ir.Value, single: ir.Value) -> ir.Value:
    builder = table.builder
    exponent = _exponent(builder, word)
    whole = _in_two_binades(table, word, exponent)
    found = _cut(builder, whole, builder.ashr(exponent, words(1)))
    is_itself = builder.fcmp_ordered(">=", single, floats(0.0))
    other = builder.select(is_itself, builder.fpext(single, DOUBLES), doubles(np.nan))
    return builder.select(_is_positive(builder, word, single), found, other)


def _power_of_two(table: _Table, word: ir.Value, single: ir.Value) -> ir.Value:
    builder = table.builder
    magnitude = _magnitude(builder, word)
    is_inside = builder.fcmp_ordered("<", magnitude, floats(_EX2_END))
    scaled = builder.fmul(builder.select(is_inside, magnitude, floats(0.0)), floats(2.0**MANTISSA_BITS))
    steps = builder.fptosi(scaled, WORDS)
    is_negative = builder.fcmp_ordered("<", single, floats(0.0))
    is_whole = builder.icmp_unsigned("==", _mantissa(builder, steps), words(0))
    turned = builder.select(is_whole, builder.neg(steps), builder.not_(steps))
    steps = builder.select(is_negative, turned, steps)
    whole = table.between(_mantissa(builder, steps))
    exponent = builder.sub(builder.ashr(steps, words(MANTISSA_BITS)), words(1))
    found = _cut(builder, whole, exponent)
    beyond = builder.fpext(builder.fadd(single, floats(np.inf)), DOUBLES)
    return builder.select(is_inside, found, builder.select(is_negative, doubles(0.0), beyond))


def _logarithm(table: _Table, word: ir.Value, single: ir.Value) -> ir.Value:
    builder = table.builder
    exponent = builder.sext(_exponent(builder, word), LONGS)
    between = table.between(_mantissa(builder, word))
    whole = builder.add(builder.shl(exponent, longs(RESULT_BITS)), between)
    is_one = builder.fcmp_ordered("==", single, floats(1.0))
    found = builder.select(is_one, doubles(0.0), _cut(builder, whole, words(0)))
    is_zero = builder.fcmp_ordered("==", single, floats(0.0))
    is_greater = builder.fcmp_ordered(">", single, floats(0.0))
    infinite = builder.select(is_zero, doubles(-np.inf), doubles(np.nan))
    other = builder.select(is_greater, builder.fpext(single, DOUBLES), infinite)
    return builder.select(_is_positive(builder, word, single), found, other)


def _sine(table: _Table, word: ir.Value, single: ir.Value) -> ir.Value:
    """Of a number of turns; negated by its bits, as a zero has a sign, too."""
    builder = table.builder
    value = builder.bitcast(_sine_of_steps(table, word, 0), LONGS)
    sign = builder.shl(widen(builder, builder.and_(word, words(SIGN))), longs(32))
    return builder.bitcast(builder.xor(value, sign), DOUBLES)


def _cosine(table: _Table, word: ir.Value, single: ir.Value) -> ir.Value:
    return _sine_of_steps(table, word, 1)


def _sine_of_steps(table: _Table, word: ir.Value, quarter: int) -> ir.Value:
    """Of an argument's magnitude in whole steps, and so many quarters."""
    builder = table.builder
    is_finite = _is_finite(builder, word)
    magnitude = builder.fpext(_magnitude(builder, word), DOUBLES)
    magnitude = builder.select(is_finite, magnitude, doubles(0.0))
    steps = _floor(builder, builder.fmul(magnitude, doubles(4.0 * STEPS_PER_QUARTER)))
    quarters = _floor(builder, builder.fmul(steps, doubles(1.0 / STEPS_PER_QUARTER)))
    rest = builder.fsub(steps, builder.fmul(quarters, doubles(STEPS_PER_QUARTER)))
    turns = builder.fmul(_floor(builder, builder.fmul(quarters, doubles(0.25))), doubles(4.0))
    behind = builder.add(builder.fptosi(builder.fsub(quarters, turns), WORDS), words(quarter))
    whole = builder.fptosi(rest, WORDS)
    backwards = builder.sub(words(STEPS_PER_QUARTER - 1), whole)
    is_odd = builder.icmp_unsigned("!=", builder.and_(behind, words(1)), words(0))
    from_zero = builder.select(is_odd, backwards, whole)
    found = _cut(builder, table.between(from_zero), words(0))
    sign = builder.shl(widen(builder, builder.and_(behind, words(2))), longs(62))
    signed = builder.bitcast(builder.xor(builder.bitcast(found, LONGS), sign), DOUBLES)
    return builder.select(is_finite, signed, doubles(np.nan))


def _floor(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.call(declared(builder.module, "llvm.floor.v32f64", DOUBLES, [DOUBLES]), [value])


_FUNCTIONS: dict[int, tuple[Evaluate, NDArray[np.int64]]] = {
    singles.MUFU_RCP: (_reciprocal, special_values.RCP),
    singles.MUFU_RSQ: (_reciprocal_root, special_values.RSQRT),
    singles.MUFU_SQRT: (_root, special_values.SQRT),
    singles.MUFU_EX2: (_power_of_two, special_values.EX2),
    singles.MUFU_LG2: (_logarithm, special_values.LG2),
    singles.MUFU_SIN: (_sine, special_values.SIN),
    singles.MUFU_COS: (_cosine, special_values.SIN),
}
