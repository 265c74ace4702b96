"""Conversions: of words to singles, and of singles to packed halves; others are the interpreter's."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import conversions, halves
from simcore.native.floats import flushed
from simcore.native.halves import HALF_BITS, bfloat_of, half_of
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import FLOATS, WORDS, words

_WORD_BITS, _WORD_BYTES = 32, 4


def _is_of_word(ins: Instruction) -> bool:
    is_word = ins.value & conversions.INTEGER_BITS_MASK == _WORD_BITS
    return is_word and ins.width == _WORD_BYTES and ins.mode == isa.ROUND_NEAREST


@emits(conversions.I2F, where=_is_of_word)
def _i2f(state: State, ins: Instruction) -> None:
    builder, word = state.builder, state.source(ins, "a")
    single = builder.sitofp(word, FLOATS) if ins.signed else builder.uitofp(word, FLOATS)
    state.store(ins, state.guarded(ins), builder.bitcast(single, WORDS))


def _is_nearest(ins: Instruction) -> bool:
    return ins.value == isa.ROUND_NEAREST and ins.mode & ~(halves.BFLOAT | isa.FLOAT_FLUSH) == 0


@emits(conversions.F2FP, where=_is_nearest)
def _f2fp(state: State, ins: Instruction) -> None:
    builder = state.builder
    sources = [state.source(ins, name) for name in "ab"]
    if ins.mode & isa.FLOAT_FLUSH:
        sources = [flushed(builder, source) for source in sources]
    narrow = bfloat_of if ins.mode & halves.BFLOAT else half_of
    high, low = (narrow(builder, source) for source in sources)
    packed: ir.Value = builder.or_(low, builder.shl(high, words(HALF_BITS)))
    state.store(ins, state.guarded(ins), packed)
