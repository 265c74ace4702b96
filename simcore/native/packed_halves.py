"""Arithmetic of two halves, or two bfloat16s, a lane: in doubles, rounded once."""

from collections.abc import Callable
from functools import reduce

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import halves
from simcore.native.floats import compared, saturated, smaller_or_greater, sum_error, word_of
from simcore.native.halves import HALF, HALF_BITS, bfloat_of, half_of, singles_of
from simcore.native.integers import combined
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    DOUBLES,
    FLOATS,
    LONGS,
    WORDS,
    doubles,
    expand,
    longs,
    words,
)

_MODES = halves.BFLOAT | halves.RELU | isa.FLOAT_SATURATE | isa.FLOAT_FLUSH
_SIGN, _EXPONENT = 0x8000, 0x7C00

Compute = Callable[[ir.IRBuilder, list[ir.Value]], ir.Value]
"""Emits a double of the sources' doubles, of which rounding again is right."""


def _sources(state: State, ins: Instruction, flushes: int = 0) -> list[list[ir.Value]]:
    """[source][half] singles: those that an instruction chooses of each source; denormals may be zeros."""
    return [_chosen(state, ins, number, flushes) for number in range(ins.sources)]


def _chosen(state: State, ins: Instruction, number: int, flushes: int) -> list[ir.Value]:
    """The lower and the upper half of a source, or which it has in their places."""
    word = state.source(ins, "abc"[number])
    if flushes:
        word = _flushed(state.builder, word)
    low, high = singles_of(state.builder, word, bool(ins.mode & halves.BFLOAT))
    choice = ins.value >> halves.CHOICE_BITS * number & halves.CHOICE_MASK
    return {
        halves.BOTH_HALVES: [low, high],
        halves.LOW_HALF: [low, low],
        halves.HIGH_HALF: [high, high],
        halves.SWAPPED_HALVES: [high, low],
    }[choice]


def _flushed(builder: ir.IRBuilder, packed: ir.Value) -> ir.Value:
    """Zeros of their signs for denormal halves."""
    kept: ir.Value = words(_SIGN | _SIGN << HALF_BITS)
    for first in (0, HALF_BITS):
        exponent = builder.and_(packed, words(_EXPONENT << first))
        normal = builder.icmp_unsigned("!=", exponent, words(0))
        kept = builder.or_(kept, builder.select(normal, words(HALF << first), words(0)))
    return builder.and_(packed, kept)


def _is_known(ins: Instruction) -> bool:
    return not ins.mode & ~_MODES


def _emit(state: State, ins: Instruction, compute: Compute) -> None:
    builder = state.builder
    sources = _sources(state, ins, ins.mode & isa.FLOAT_FLUSH)
    low, high = (
        _narrowed(builder, ins.mode, compute(builder, [builder.fpext(s[half], DOUBLES) for s in sources]))
        for half in range(2)
    )
    result = builder.or_(low, builder.shl(high, words(HALF_BITS)))
    state.store(ins, state.guarded(ins), _flushed(builder, result) if ins.mode & isa.FLOAT_FLUSH else result)


@emits(halves.HADD2, where=_is_known)
def _hadd2(state: State, ins: Instruction) -> None:
    _emit(state, ins, lambda builder, sources: builder.fadd(*sources))


@emits(halves.HMUL2, where=_is_known)
def _hmul2(state: State, ins: Instruction) -> None:
    _emit(state, ins, lambda builder, sources: builder.fmul(*sources))


@emits(halves.HFMA2, where=_is_known)
def _hfma2(state: State, ins: Instruction) -> None:
    _emit(state, ins, _marked_sum)


def _marked_sum(builder: ir.IRBuilder, sources: list[ir.Value]) -> ir.Value:
    """An exact product plus c; what a double cannot hold leaves its mark in the last bit, to be rounded again."""
    product, c = builder.fmul(*sources[:2]), sources[2]
    total = builder.fadd(product, c)
    error = sum_error(builder, product, c, total)
    bits = builder.bitcast(total, LONGS)
    is_exact = builder.not_(builder.fcmp_ordered("one", error, doubles(0.0)))
    is_odd = builder.icmp_unsigned("!=", builder.and_(bits, longs(1)), longs(0))
    apart = builder.xor(bits, builder.bitcast(error, LONGS))
    step = builder.or_(
        builder.ashr(apart, longs(63)), longs(1)
    )  # away from zero if the error is of the total's sign
    marked = builder.select(builder.or_(is_exact, is_odd), bits, builder.add(bits, step))
    return builder.bitcast(marked, DOUBLES)


def _narrowed(builder: ir.IRBuilder, mode: int, value: ir.Value) -> ir.Value:
    """A double as a half, as its mode limits it."""
    if mode & isa.FLOAT_SATURATE:
        value = saturated(builder, value, doubles(0.0), doubles(1.0))
    if mode & halves.RELU:
        value = builder.select(builder.fcmp_ordered("<=", value, doubles(0.0)), doubles(0.0), value)
    narrow = bfloat_of if mode & halves.BFLOAT else half_of
    return narrow(builder, _marked_single(builder, value))


def _marked_single(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The word of a double's single towards zero, with its last bit set if that is not exact, to be rounded again."""
    nearest = builder.fptrunc(value, FLOATS)
    word, back = builder.bitcast(nearest, WORDS), builder.fpext(nearest, DOUBLES)
    magnitude, of_value = (
        builder.and_(builder.bitcast(each, LONGS), longs((1 << 63) - 1)) for each in (back, value)
    )
    beyond = builder.icmp_unsigned(">", magnitude, of_value)
    inexact = builder.fcmp_ordered("one", back, value)
    towards_zero = builder.sub(word, builder.zext(beyond, WORDS))
    return builder.select(inexact, builder.or_(towards_zero, words(1)), word)


@emits(halves.HADD2_F32)
def _hadd2_f32(state: State, ins: Instruction) -> None:
    """A sum of two halves, which a single holds to the last bit or nearly so."""
    builder = state.builder
    (a, *_), (b, *_) = _sources(state, ins)
    total = builder.fadd(builder.fpext(a, DOUBLES), builder.fpext(b, DOUBLES))
    state.store(ins, state.guarded(ins), word_of(builder, builder.fptrunc(total, FLOATS)))


@emits(halves.HSETP2)
def _hsetp2(state: State, ins: Instruction) -> None:
    builder, lanes = state.builder, state.guarded(ins)
    low, high = _comparisons(state, ins)
    if ins.mode & halves.BOTH:
        low = builder.and_(low, high)
        high = builder.not_(low)
    state.set_predicate(ins.predicate_out_0, low, lanes)
    state.set_predicate(ins.predicate_out_1, high, lanes)


@emits(halves.HSET2)
def _hset2(state: State, ins: Instruction) -> None:
    builder, result = state.builder, words(0)
    for half, holds in enumerate(_comparisons(state, ins)):
        true = words((ins.width & isa.FULL_MASK) << HALF_BITS * half)
        result = builder.or_(result, builder.select(expand(builder, holds), true, words(0)))
    state.store(ins, state.guarded(ins), result)


def _comparisons(state: State, ins: Instruction) -> list[ir.Value]:
    """Where a comparison of the lower halves and one of the upper ones hold, masks."""
    a, b = _sources(state, ins)
    other = state.predicate_in(ins, 0)
    return [
        combined(state.builder, ins.mode, compared(state.builder, ins.mode, a[half], b[half]), other)
        for half in range(2)
    ]


@emits(halves.HMNMX2, halves.HMNMX3, where=lambda ins: not ins.mode & isa.FLOAT_XOR_SIGN)
def _hmnmx2(state: State, ins: Instruction) -> None:
    """The smallest of two or three where a predicate holds, else the greatest."""
    takes_smaller = state.truths(state.predicate_in(ins, 0))

    def best_of(builder: ir.IRBuilder, sources: list[ir.Value]) -> ir.Value:
        singles = (builder.fptrunc(each, FLOATS) for each in sources)
        best = reduce(lambda a, b: smaller_or_greater(builder, ins.mode, a, b, takes_smaller), singles)
        return builder.fpext(best, DOUBLES)

    _emit(state, ins, best_of)
