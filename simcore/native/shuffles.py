"""Shuffles: each lane takes another's word."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import warp
from simcore.native import library
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    LANE_NUMBERS,
    LONG,
    ROW_ALIGNMENT,
    WORD,
    WORDS,
    pack,
    room,
    splat,
    words,
)

_LAST = isa.LANES - 1
_SEGMENT_SHIFT = 8
NAME = "simcore_permuted"


@emits(warp.SHFL)
def _shfl(state: State, ins: Instruction) -> None:
    """As the interpreter has it: b names the lane, c the clamp and the mask of the segments."""
    builder, lanes = state.builder, state.guarded(ins)
    word, chosen, bounds = (state.source(ins, name) for name in "abc")
    chosen = builder.and_(chosen, words(_LAST))
    segment = builder.and_(builder.lshr(bounds, words(_SEGMENT_SHIFT)), words(_LAST))
    within = builder.and_(builder.not_(segment), words(_LAST))
    low = builder.and_(LANE_NUMBERS, segment)
    limit = builder.or_(low, builder.and_(bounds, within))
    if ins.mode == warp.SHFL_UP:
        source = builder.sub(LANE_NUMBERS, chosen)
    elif ins.mode == warp.SHFL_DOWN:
        source = builder.add(LANE_NUMBERS, chosen)
    elif ins.mode == warp.SHFL_BFLY:
        source = builder.xor(LANE_NUMBERS, chosen)
    else:
        source = builder.or_(low, builder.and_(chosen, within))
    inside = builder.icmp_signed(">=" if ins.mode == warp.SHFL_UP else "<=", source, limit)
    source = builder.select(inside, source, LANE_NUMBERS)
    permuted = library.function(builder.module, NAME, WORDS, [WORDS, WORDS], _emit_permutation)
    taken = builder.call(permuted, [word, source])
    given = builder.trunc(builder.lshr(splat(builder, lanes), source), inside.type)
    state.set_predicate(ins.predicate_out_0, pack(builder, inside), lanes)
    state.store(ins, lanes, builder.select(given, taken, words(0)))


def _emit_permutation(function: ir.Function) -> None:
    """A function that takes words and, for each lane, the number of the one that it gets."""
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    given, numbers, taken = (room(builder) for _ in range(3))
    for value, place in zip(function.args, (given, numbers), strict=True):
        builder.store(value, place, align=ROW_ALIGNMENT)
    for lane in range(isa.LANES):
        number = builder.load(builder.gep(numbers, [LONG(lane)], source_etype=WORD), typ=WORD)
        word = builder.load(builder.gep(given, [number], source_etype=WORD), typ=WORD)
        builder.store(word, builder.gep(taken, [LONG(lane)], source_etype=WORD))
    builder.ret(builder.load(taken, typ=WORDS, align=ROW_ALIGNMENT))
