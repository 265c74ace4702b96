"""Double-precision arithmetic, rounded to nearest; where a NaN comes out it is the interpreter's."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import doubles
from simcore.native.floats import compared
from simcore.native.integers import store_comparison
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    DOUBLES,
    LONGS,
    declared,
    high_word,
    join,
    low_word,
)


def double_of(state: State, ins: Instruction, name: str) -> ir.Value:
    """A source that is a pair of registers."""
    pair = join(state.builder, state.source(ins, name), state.high(ins, name))
    return state.builder.bitcast(pair, DOUBLES)


def store_number(state: State, ins: Instruction, result: ir.Value) -> None:
    """Store a double; the interpreter does it where one is a NaN, which keeps what its sources' say."""
    builder, lanes = state.builder, state.guarded(ins)
    state.go_on_if_numbers(result, lanes)
    pair = builder.bitcast(result, LONGS)
    state.store(ins, lanes, low_word(builder, pair), high_word(builder, pair))


def _is_nearest(ins: Instruction) -> bool:
    return ins.mode == isa.ROUND_NEAREST


@emits(doubles.DADD, where=_is_nearest)
def _dadd(state: State, ins: Instruction) -> None:
    a, b = (double_of(state, ins, name) for name in "ab")
    store_number(state, ins, state.builder.fadd(a, b))


@emits(doubles.DMUL, where=_is_nearest)
def _dmul(state: State, ins: Instruction) -> None:
    a, b = (double_of(state, ins, name) for name in "ab")
    store_number(state, ins, state.builder.fmul(a, b))


@emits(doubles.DFMA, where=_is_nearest)
def _dfma(state: State, ins: Instruction) -> None:
    fma = declared(state.builder.module, "llvm.fma.v32f64", DOUBLES, [DOUBLES] * 3)
    sources = [double_of(state, ins, name) for name in "abc"]
    store_number(state, ins, state.builder.call(fma, sources))


@emits(doubles.DSETP, where=lambda ins: not ins.mode & doubles.COMPARE_PICK)
def _dsetp(state: State, ins: Instruction) -> None:
    a, b = (double_of(state, ins, name) for name in "ab")
    store_comparison(state, ins, compared(state.builder, ins.mode, a, b))
