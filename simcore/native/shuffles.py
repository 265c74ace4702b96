"""Shuffles: each lane takes another's word."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import warp
from simcore.native.operations import emits
from simcore.native.state import ROW_ALIGNMENT, Instruction, State
from simcore.native.vectors import (
    LANE_NUMBERS,
    LONG,
    WORD,
    WORDS,
    pack,
    splat,
    words,
)

_LAST = isa.LANES - 1
_SEGMENT_SHIFT = 8
NAME = "permuted"


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
    taken = builder.call(_permutation(builder.module), [word, source])
    given = builder.trunc(builder.lshr(splat(builder, lanes), source), inside.type)
    state.set_predicate(ins.predicate_out_0, pack(builder, inside), lanes)
    state.store(ins, lanes, builder.select(given, taken, words(0)))


def _permutation(module: ir.Module) -> ir.Function:
    """A function that takes words and, for each lane, the number of the one that it gets."""
    if NAME in module.globals:
        return module.globals[NAME]
    function = ir.Function(module, ir.FunctionType(WORDS, [WORDS, WORDS]), NAME)
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    given, numbers, taken = (builder.alloca(WORDS) for _ in range(3))
    for place in (given, numbers, taken):
        place.align = ROW_ALIGNMENT
    for value, place in zip(function.args, (given, numbers), strict=True):
        builder.store(value, place, align=ROW_ALIGNMENT)
    from_, which, to = (builder.bitcast(place, WORD.as_pointer()) for place in (given, numbers, taken))
    for lane in range(isa.LANES):
        number = builder.load(builder.gep(which, [LONG(lane)]), typ=WORD)
        word = builder.load(builder.gep(from_, [number]), typ=WORD)
        builder.store(word, builder.gep(to, [LONG(lane)]))
    builder.ret(builder.load(taken, typ=WORDS, align=ROW_ALIGNMENT))
    return function
