"""Predicates combined with each other, and moved to and from registers; votes."""

from simcore.core import isa
from simcore.core.execution import predicates, warp
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import WORD, WORDS, first_lane, pack, splat, truth_table, words


@emits(predicates.PLOP3)
def _plop3(state: State, ins: Instruction) -> None:
    """Two truth tables, `value` and `mode`, over three predicates."""
    sources = [state.flipped(ins.fields[name], ins.fields[f"{name}_flip"]) for name in "abc"]
    first, second = (truth_table(state.builder, sources, table) for table in (ins.value, ins.mode))
    lanes = state.guarded(ins)
    state.set_predicate(ins.predicate_out_0, first, lanes)
    state.set_predicate(ins.predicate_out_1, second, lanes)


@emits(predicates.P2R)
def _p2r(state: State, ins: Instruction) -> None:
    """A byte of the source is replaced by the predicates, in the bits of the mask."""
    builder, bits = state.builder, words(0)
    for number in range(predicates.NUMBERED):
        bit = builder.zext(state.truths(state.predicate(ins.mode + number)), WORDS)
        bits = builder.or_(bits, builder.shl(bit, words(ins.value + number)))
    mask = builder.shl(state.source(ins, "b"), words(ins.value))
    kept = builder.and_(state.source(ins, "a"), builder.not_(mask))
    state.store(ins, state.guarded(ins), builder.or_(kept, builder.and_(bits, mask)))


@emits(predicates.R2P, where=lambda ins: ins.mode == 0)
def _r2p(state: State, ins: Instruction) -> None:
    """Each bit of the mask lets one predicate take the source's bit."""
    builder, lanes = state.builder, state.guarded(ins)
    source, mask = builder.lshr(state.source(ins, "a"), words(ins.value)), state.source(ins, "b")
    for number in range(predicates.NUMBERED):
        bits, selected = (
            pack(builder, builder.icmp_unsigned("!=", builder.and_(each, words(1 << number)), words(0)))
            for each in (source, mask)
        )
        state.set_predicate(number, bits, builder.and_(selected, lanes))


@emits(warp.VOTE)
def _vote(state: State, ins: Instruction) -> None:
    """One predicate for the whole warp, and the ballot."""
    builder = state.builder
    lanes = state.guarded(ins)
    ballot = builder.and_(state.predicate_in(ins, 0), lanes)
    every = builder.icmp_unsigned("==", ballot, lanes)
    some = builder.icmp_unsigned("!=", ballot, WORD(0))
    if ins.mode == warp.VOTE_ALL:
        outcome = every
    elif ins.mode == warp.VOTE_ANY:
        outcome = some
    else:
        outcome = builder.or_(every, builder.not_(some))
    bits = builder.sext(outcome, WORD)
    shared = ins.predicate_out_0 >= isa.UNIFORM_PREDICATES
    state.set_predicate(ins.predicate_out_0, bits, None if shared else lanes)
    state.store(ins, lanes, splat(builder, ballot))


@emits(warp.R2UR)
def _r2ur(state: State, ins: Instruction) -> None:
    """The first active lane's word, in all lanes, and where others have another."""
    builder = state.builder
    lanes, source = state.guarded(ins), state.source(ins, "a")
    word = splat(builder, builder.extract_element(source, first_lane(builder, lanes)))
    differs = builder.or_(
        pack(builder, builder.icmp_unsigned("!=", source, word)), state.predicate_in(ins, 0)
    )
    some = builder.icmp_unsigned("!=", lanes, WORD(0))
    state.set_row(ins.destination, word, builder.select(some, state.active, WORD(0)))
    state.set_predicate(ins.predicate_out_0, differs, lanes)
