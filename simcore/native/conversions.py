"""Conversions between integers, singles, doubles and halves; those that are not here are the interpreter's."""

from collections.abc import Callable

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import conversions, halves
from simcore.core.geometry import WORD_BYTES
from simcore.native.doubles import double_of, store_number
from simcore.native.floats import flushed, rounded, word_of
from simcore.native.halves import HALF_BITS, bfloat_of, half_of, singles_of
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    DOUBLES,
    FLOATS,
    LONGS,
    WORDS,
    declared,
    doubles,
    high_word,
    join,
    longs,
    low_word,
    words,
)

_WORD_BITS, _LONG_BITS, _LONG_BYTES = 32, 64, 8
_TO_INTEGRAL = {
    isa.ROUND_NEAREST: "rint",
    isa.ROUND_DOWN: "floor",
    isa.ROUND_UP: "ceil",
    isa.ROUND_ZERO: "trunc",
}


# --- From integers ------------------------------------------------------------------------------------------


def _bits(ins: Instruction) -> int:
    return ins.value & conversions.INTEGER_BITS_MASK


def _is_to_wide(ins: Instruction) -> bool:
    return ins.width in (WORD_BYTES, _LONG_BYTES) and ins.mode == isa.ROUND_NEAREST


@emits(conversions.I2F, where=_is_to_wide)
def _i2f(state: State, ins: Instruction) -> None:
    builder = state.builder
    convert = builder.sitofp if ins.signed else builder.uitofp
    integer = _integer(state, ins)
    if ins.width == _LONG_BYTES:
        store_number(state, ins, convert(integer, DOUBLES))
    else:
        state.store(ins, state.guarded(ins), builder.bitcast(convert(integer, FLOATS), WORDS))


def _integer(state: State, ins: Instruction) -> ir.Value:
    """The source: a word, a pair, or some bits of a word."""
    builder, bits, word = state.builder, _bits(ins), state.source(ins, "a")
    if bits == _LONG_BITS:
        return join(builder, word, state.high(ins, "a"))
    if bits == _WORD_BITS:
        return word
    above = _WORD_BITS - bits - (ins.value >> conversions.FIRST_BIT_SHIFT & (_WORD_BITS - 1))
    extended = builder.ashr if ins.signed else builder.lshr
    return extended(builder.shl(word, words(above)), words(_WORD_BITS - bits))


# --- To integers --------------------------------------------------------------------------------------------


def _is_to_integer(ins: Instruction) -> bool:
    return ins.width in (WORD_BYTES, _LONG_BYTES) and _bits(ins) in (_WORD_BITS, _LONG_BITS)


@emits(conversions.F2I, where=_is_to_integer)
def _f2i(state: State, ins: Instruction) -> None:
    """The nearest integer that there is; a NaN is zero, or the one in the middle of unsigned ones."""
    builder, bits, kind = state.builder, _bits(ins), "si" if ins.signed else "ui"
    number, vector, name = _number(state, ins)
    number = _integral(builder, ins.mode & isa.ROUND_MASK, number, vector, name)
    integers = WORDS if bits == _WORD_BITS else LONGS
    saturating = f"llvm.fpto{kind}.sat.v32i{bits}.v32{name}"
    result = builder.call(declared(builder.module, saturating, integers, [vector]), [number])
    if bits == _LONG_BITS or ins.width == _LONG_BYTES:
        middle = words(1 << 31) if bits == _WORD_BITS else longs(1 << 63)
        result = builder.select(builder.fcmp_unordered("uno", number, number), middle, result)
    lanes = state.guarded(ins)
    if bits == _WORD_BITS:
        state.store(ins, lanes, result)
    else:
        state.store(ins, lanes, low_word(builder, result), high_word(builder, result))


def _number(state: State, ins: Instruction) -> tuple[ir.Value, ir.VectorType, str]:
    """The source, a single or a double; its type, and what LLVM calls that."""
    if ins.width == _LONG_BYTES:
        return double_of(state, ins, "a"), DOUBLES, "f64"
    return _single(state, ins), FLOATS, "f32"


def _single(state: State, ins: Instruction) -> ir.Value:
    word = state.source(ins, "a")
    is_flushed = ins.operation != conversions.F2F and ins.mode & isa.FLOAT_FLUSH
    return state.builder.bitcast(flushed(state.builder, word) if is_flushed else word, FLOATS)


def _integral(
    builder: ir.IRBuilder, direction: int, number: ir.Value, vector: ir.VectorType, name: str
) -> ir.Value:
    """A number rounded to a whole one."""
    function = f"llvm.{_TO_INTEGRAL[direction]}.v32{name}"
    return builder.call(declared(builder.module, function, vector, [vector]), [number])


# --- Between floats -----------------------------------------------------------------------------------------


@emits(conversions.FRND, where=lambda ins: ins.width in (WORD_BYTES, _LONG_BYTES))
def _frnd(state: State, ins: Instruction) -> None:
    number, vector, name = _number(state, ins)
    whole = _integral(state.builder, ins.mode & isa.ROUND_MASK, number, vector, name)
    if ins.width == _LONG_BYTES:
        store_number(state, ins, whole)
    else:
        state.store(ins, state.guarded(ins), word_of(state.builder, whole))


def _kinds(ins: Instruction) -> tuple[int, int]:
    """Of the source and of the result."""
    return ins.mode >> conversions.SOURCE_SHIFT, ins.mode & conversions.RESULT_MASK


def _is_between_known(ins: Instruction) -> bool:
    source, result = _kinds(ins)
    is_narrow = result in (conversions.FLOAT_HALF, conversions.FLOAT_BFLOAT)
    to_narrow = source == conversions.FLOAT_32 and ins.value & isa.ROUND_MASK == isa.ROUND_NEAREST
    widens = source != conversions.FLOAT_64 and result == conversions.FLOAT_32
    to_double = source == conversions.FLOAT_32 and result == conversions.FLOAT_64
    from_double = source == conversions.FLOAT_64 and result == conversions.FLOAT_32
    return to_narrow if is_narrow else widens or to_double or from_double


@emits(conversions.F2F, where=_is_between_known)
def _f2f(state: State, ins: Instruction) -> None:
    builder, (source, result) = state.builder, _kinds(ins)
    lanes = state.guarded(ins)
    if source == conversions.FLOAT_64:
        state.store(ins, lanes, builder.bitcast(_narrowed(state, ins), WORDS))
    elif result == conversions.FLOAT_64:
        store_number(state, ins, builder.fpext(_single(state, ins), DOUBLES))
    elif result == conversions.FLOAT_32:
        state.store(ins, lanes, word_of(builder, _widened(state, ins, source)))
    else:
        narrow = bfloat_of if result == conversions.FLOAT_BFLOAT else half_of
        state.store(ins, lanes, narrow(builder, state.source(ins, "a")))


def _narrowed(state: State, ins: Instruction) -> ir.Value:
    """A double as a single; the interpreter's if it is a NaN."""
    builder, number = state.builder, double_of(state, ins, "a")
    state.go_on_if_numbers(number, state.guarded(ins))
    if direction := ins.value & isa.ROUND_MASK:
        return rounded(builder, number, doubles(0.0), direction)
    return builder.fptrunc(number, FLOATS)


def _widened(state: State, ins: Instruction, source: int) -> ir.Value:
    """A half of a word, or a single itself."""
    if source == conversions.FLOAT_32:
        return _single(state, ins)
    first = ins.value >> conversions.FIRST_BIT_SHIFT & (_WORD_BITS - 1)
    packed = state.builder.lshr(state.source(ins, "a"), words(first))
    return singles_of(state.builder, packed, source == conversions.FLOAT_BFLOAT)[0]


def _is_nearest(ins: Instruction) -> bool:
    return ins.value == isa.ROUND_NEAREST and ins.mode & ~(halves.BFLOAT | isa.FLOAT_FLUSH) == 0


@emits(conversions.F2FP, where=_is_nearest)
def _f2fp(state: State, ins: Instruction) -> None:
    builder = state.builder
    sources = [state.source(ins, name) for name in "ab"]
    if ins.mode & isa.FLOAT_FLUSH:
        sources = [flushed(builder, source) for source in sources]
    narrow: Callable[[ir.IRBuilder, ir.Value], ir.Value] = bfloat_of if ins.mode & halves.BFLOAT else half_of
    high, low = (narrow(builder, source) for source in sources)
    packed: ir.Value = builder.or_(low, builder.shl(high, words(HALF_BITS)))
    state.store(ins, state.guarded(ins), packed)
