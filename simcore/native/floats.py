"""Single-precision arithmetic in round-to-nearest; other roundings and special functions are the interpreter's."""

from functools import reduce

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import singles
from simcore.native.integers import store_comparison
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import FLOATS, WORDS, declared, pack, words

EXPONENT, SIGN = 0x7F80_0000, 0x8000_0000
EXPONENT_SHIFT = 23
_RELATIONS = {isa.COMPARE_LESS: "<", isa.COMPARE_EQUAL: "==", isa.COMPARE_GREATER: ">"}


def _is_plain(ins: Instruction) -> bool:
    return ins.mode & ~isa.FLOAT_FLUSH == 0


def _floats(state: State, ins: Instruction, names: str) -> list[ir.Value]:
    flush = ins.mode & isa.FLOAT_FLUSH
    return [
        state.builder.bitcast(_flushed(state, word) if flush else word, FLOATS)
        for word in (state.source(ins, name) for name in names)
    ]


def _flushed(state: State, value: ir.Value) -> ir.Value:
    """Denormal numbers become zeros of their sign."""
    builder = state.builder
    tiny = builder.icmp_unsigned("==", builder.and_(value, words(EXPONENT)), words(0))
    return builder.select(tiny, builder.and_(value, words(SIGN)), value)


def _store(state: State, ins: Instruction, result: ir.Value) -> None:
    builder = state.builder
    is_nan = builder.fcmp_unordered("uno", result, result)
    word = builder.select(is_nan, words(int(singles.NAN)), builder.bitcast(result, WORDS))
    if ins.mode & isa.FLOAT_FLUSH:
        word = _flushed(state, word)
    state.store(ins, state.guarded(ins), word)


@emits(singles.FADD, where=_is_plain)
def _fadd(state: State, ins: Instruction) -> None:
    a, b = _floats(state, ins, "ab")
    _store(state, ins, state.builder.fadd(a, b))


@emits(singles.FMUL, where=lambda ins: _is_plain(ins) and not ins.value)
def _fmul(state: State, ins: Instruction) -> None:
    a, b = _floats(state, ins, "ab")
    _store(state, ins, state.builder.fmul(a, b))


@emits(singles.FFMA, where=_is_plain)
def _ffma(state: State, ins: Instruction) -> None:
    a, b, c = _floats(state, ins, "abc")
    fma = declared(state.builder.module, "llvm.fma.v32f32", FLOATS, [FLOATS] * 3)
    _store(state, ins, state.builder.call(fma, [a, b, c]))


@emits(singles.FSETP, where=lambda ins: not ins.mode & singles.COMPARE_FLUSHED)
def _fsetp(state: State, ins: Instruction) -> None:
    builder = state.builder
    a, b = (builder.bitcast(state.source(ins, name), FLOATS) for name in "ab")
    outcome: ir.Value = ir.Constant(ir.IntType(32), 0)
    for bit, relation in _RELATIONS.items():
        if ins.mode & bit:
            outcome = builder.or_(outcome, pack(builder, builder.fcmp_ordered(relation, a, b)))
    if ins.mode & isa.COMPARE_UNORDERED:
        outcome = builder.or_(outcome, pack(builder, builder.fcmp_unordered("uno", a, b)))
    store_comparison(state, ins, outcome)


@emits(singles.FMNMX, where=lambda ins: not ins.mode & isa.FLOAT_XOR_SIGN)
def _fmnmx(state: State, ins: Instruction) -> None:
    """The smaller where a predicate holds, else the greater; -0 is less than +0."""
    builder = state.builder
    a, b = _floats(state, ins, "ab")
    negative = builder.icmp_signed("<", builder.bitcast(a, WORDS), words(0))
    equal = builder.and_(builder.fcmp_ordered("==", a, b), negative)
    less = builder.or_(builder.fcmp_ordered("<", a, b), equal)
    takes_a = builder.icmp_unsigned("==", less, state.truths(state.predicate_in(ins, 0)))
    a_is_nan, b_is_nan = (builder.fcmp_unordered("uno", each, each) for each in (a, b))
    if ins.mode & isa.FLOAT_KEEP_NAN:
        takes_a = builder.or_(a_is_nan, builder.and_(takes_a, builder.not_(b_is_nan)))
    else:
        takes_a = builder.and_(builder.not_(a_is_nan), builder.or_(takes_a, b_is_nan))
    _store(state, ins, builder.select(takes_a, a, b))


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
