"""Single-precision arithmetic."""

from functools import reduce

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import singles
from simcore.native.integers import store_comparison
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    DOUBLES,
    FLOATS,
    LONGS,
    WORD,
    WORDS,
    declared,
    doubles,
    floats,
    longs,
    pack,
    words,
)

EXPONENT, SIGN = 0x7F80_0000, 0x8000_0000
EXPONENT_SHIFT = 23
_RELATIONS = {isa.COMPARE_LESS: "<", isa.COMPARE_EQUAL: "==", isa.COMPARE_GREATER: ">"}
_MODES = isa.ROUND_MASK | isa.FLOAT_SATURATE | isa.FLOAT_FLUSH


def _is_known(ins: Instruction) -> bool:
    return ins.mode & ~_MODES == 0


def _floats(state: State, ins: Instruction, names: str) -> list[ir.Value]:
    flush = ins.mode & isa.FLOAT_FLUSH
    return [
        state.builder.bitcast(flushed(state.builder, word) if flush else word, FLOATS)
        for word in (state.source(ins, name) for name in names)
    ]


def flushed(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Denormal numbers become zeros of their sign."""
    tiny = builder.icmp_unsigned("==", builder.and_(value, words(EXPONENT)), words(0))
    return builder.select(tiny, builder.and_(value, words(SIGN)), value)


def word_of(builder: ir.IRBuilder, single: ir.Value) -> ir.Value:
    """A result's word; what is no number has one word alone."""
    is_nan = builder.fcmp_unordered("uno", single, single)
    return builder.select(is_nan, words(int(singles.NAN)), builder.bitcast(single, WORDS))


def saturated(builder: ir.IRBuilder, value: ir.Value, zero: ir.Constant, one: ir.Constant) -> ir.Value:
    """A number between zero and one; zero for what is none."""
    below = builder.select(builder.fcmp_ordered("<", value, one), value, one)
    return builder.select(builder.fcmp_ordered(">", value, zero), below, zero)


def _store(state: State, ins: Instruction, result: ir.Value) -> None:
    builder = state.builder
    if ins.mode & isa.FLOAT_SATURATE:
        result = saturated(builder, result, floats(0.0), floats(1.0))
    word = word_of(builder, result)
    if ins.mode & isa.FLOAT_FLUSH:
        word = flushed(builder, word)
    state.store(ins, state.guarded(ins), word)


@emits(singles.FADD, where=_is_known)
def _fadd(state: State, ins: Instruction) -> None:
    builder, (a, b) = state.builder, _floats(state, ins, "ab")
    if direction := ins.mode & isa.ROUND_MASK:
        _store(state, ins, _rounded_sum(builder, builder.fpext(a, DOUBLES), b, direction))
    else:
        _store(state, ins, builder.fadd(a, b))


@emits(singles.FMUL, where=lambda ins: _is_known(ins) and not ins.value)
def _fmul(state: State, ins: Instruction) -> None:
    builder, (a, b) = state.builder, _floats(state, ins, "ab")
    if direction := ins.mode & isa.ROUND_MASK:
        _store(state, ins, rounded(builder, _product(builder, a, b), doubles(0.0), direction))
    else:
        _store(state, ins, builder.fmul(a, b))


@emits(singles.FFMA, where=_is_known)
def _ffma(state: State, ins: Instruction) -> None:
    builder, (a, b, c) = state.builder, _floats(state, ins, "abc")
    if direction := ins.mode & isa.ROUND_MASK:
        _store(state, ins, _rounded_sum(builder, _product(builder, a, b), c, direction))
    else:
        fma = declared(builder.module, "llvm.fma.v32f32", FLOATS, [FLOATS] * 3)
        _store(state, ins, builder.call(fma, [a, b, c]))


# --- Directed rounding --------------------------------------------------------------------------------------


def _product(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """That of two singles, exact as a double."""
    return builder.fmul(builder.fpext(a, DOUBLES), builder.fpext(b, DOUBLES))


def _rounded_sum(builder: ir.IRBuilder, part: ir.Value, addend: ir.Value, direction: int) -> ir.Value:
    """A double and a single, added and rounded once; see `core.execution.arithmetic.rounding`."""
    addend = builder.fpext(addend, DOUBLES)
    total = builder.fadd(part, addend)
    if direction == isa.ROUND_DOWN:
        signs = builder.xor(builder.bitcast(part, LONGS), builder.bitcast(addend, LONGS))
        differ = builder.icmp_signed("<", signs, longs(0))
        is_zero = builder.fcmp_ordered("==", total, doubles(0.0))
        total = builder.select(builder.and_(differ, is_zero), doubles(-0.0), total)
    return rounded(builder, total, sum_error(builder, part, addend, total), direction)


def sum_error(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, total: ir.Value) -> ir.Value:
    """What the exact a + b lies above `total`; see `core.execution.arithmetic.rounding`."""
    virtual = builder.fsub(total, a)
    return builder.fadd(builder.fsub(a, builder.fsub(total, virtual)), builder.fsub(b, virtual))


def rounded(builder: ir.IRBuilder, total: ir.Value, beyond: ir.Value, direction: int) -> ir.Value:
    """A double, which the exact result lies `beyond` above, as a single in a direction that is not the nearest."""
    single = builder.fptrunc(total, FLOATS)
    rest = builder.fsub(total, builder.fpext(single, DOUBLES))
    is_exact = builder.fcmp_ordered("==", rest, doubles(0.0))
    rest = builder.select(is_exact, beyond, rest)
    above, below = (builder.fcmp_ordered(relation, rest, doubles(0.0)) for relation in "><")
    if direction == isa.ROUND_ZERO:
        is_zero = builder.fcmp_ordered("==", total, doubles(0.0))
        positive = builder.or_(builder.fcmp_ordered(">", total, doubles(0.0)), builder.and_(is_zero, above))
        below, above = builder.and_(below, positive), builder.and_(above, builder.not_(positive))
    is_infinite = builder.fcmp_unordered("uno", builder.fsub(total, total), doubles(0.0))
    word = builder.bitcast(single, WORDS)
    stepped = word
    if direction != isa.ROUND_UP:
        stepped = builder.select(below, _next_down(builder, word), stepped)
    if direction != isa.ROUND_DOWN:
        stepped = builder.select(above, _next_up(builder, word), stepped)
    return builder.bitcast(builder.select(is_infinite, word, stepped), FLOATS)


def _next_up(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    """The next greater single's word."""
    is_zero = builder.icmp_unsigned("==", builder.and_(word, words(~SIGN)), words(0))
    away = builder.icmp_signed(">=", word, words(0))
    further = builder.select(away, builder.add(word, words(1)), builder.sub(word, words(1)))
    return builder.select(is_zero, words(1), further)


def _next_down(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    """The next smaller single's word."""
    return builder.xor(_next_up(builder, builder.xor(word, words(SIGN))), words(SIGN))


# --- Comparisons --------------------------------------------------------------------------------------------


@emits(singles.FSETP)
def _fsetp(state: State, ins: Instruction) -> None:
    builder = state.builder
    a, b = (state.source(ins, name) for name in "ab")
    if ins.mode & singles.COMPARE_FLUSHED:
        a, b = (flushed(builder, each) for each in (a, b))
    a, b = (builder.bitcast(each, FLOATS) for each in (a, b))
    store_comparison(state, ins, compared(builder, ins.mode, a, b))


def compared(builder: ir.IRBuilder, mode: int, a: ir.Value, b: ir.Value) -> ir.Value:
    """Where a comparison of two floating-point numbers holds, a mask."""
    outcome: ir.Value = WORD(0)
    for bit, relation in _RELATIONS.items():
        if mode & bit:
            outcome = builder.or_(outcome, pack(builder, builder.fcmp_ordered(relation, a, b)))
    if mode & isa.COMPARE_UNORDERED:
        outcome = builder.or_(outcome, pack(builder, builder.fcmp_unordered("uno", a, b)))
    return outcome


@emits(singles.FMNMX, where=lambda ins: not ins.mode & isa.FLOAT_XOR_SIGN)
def _fmnmx(state: State, ins: Instruction) -> None:
    a, b = _floats(state, ins, "ab")
    takes_smaller = state.truths(state.predicate_in(ins, 0))
    _store(state, ins, smaller_or_greater(state.builder, ins.mode, a, b, takes_smaller))


def smaller_or_greater(
    builder: ir.IRBuilder, mode: int, a: ir.Value, b: ir.Value, takes_smaller: ir.Value
) -> ir.Value:
    """The smaller of two singles or the greater; -0 is less than +0, and a NaN counts only where it is to be kept."""
    negative = builder.icmp_signed("<", builder.bitcast(a, WORDS), words(0))
    equal = builder.and_(builder.fcmp_ordered("==", a, b), negative)
    less = builder.or_(builder.fcmp_ordered("<", a, b), equal)
    takes_a = builder.icmp_unsigned("==", less, takes_smaller)
    a_is_nan, b_is_nan = (builder.fcmp_unordered("uno", each, each) for each in (a, b))
    if mode & isa.FLOAT_KEEP_NAN:
        takes_a = builder.or_(a_is_nan, builder.and_(takes_a, builder.not_(b_is_nan)))
    else:
        takes_a = builder.and_(builder.not_(a_is_nan), builder.or_(takes_a, b_is_nan))
    return builder.select(takes_a, a, b)


@emits(singles.FCHK)
def _fchk(state: State, ins: Instruction) -> None:
    """Whether a division needs the slow path, as the interpreter has it."""
    builder = state.builder
    a, b = (
        builder.and_(builder.lshr(state.source(ins, name), words(EXPONENT_SHIFT)), words(255))
        for name in "ab"
    )
    difference = builder.sub(a, b)
    slow = [
        builder.icmp_signed(relation, value, words(limit))
        for relation, value, limit in (
            ("==", a, 255),
            ("<=", a, 24),
            ("<=", b, 1),
            (">=", b, 252),
            (">=", difference, 127),
            ("<=", difference, -125),
        )
    ]
    state.set_predicate(ins.predicate_out_0, pack(builder, reduce(builder.or_, slow)), state.guarded(ins))
