"""Predicates combined with each other, and votes."""

from simcore.core import isa
from simcore.core.execution import predicates, warp
from simcore.native.memory import first_lane
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import WORD, pack, splat, sum_of_products


@emits(predicates.PLOP3)
def _plop3(state: State, ins: Instruction) -> None:
    """Two truth tables, `value` and `mode`, over three predicates."""
    sources = [state.flipped(ins.fields[name], ins.fields[f"{name}_flip"]) for name in "abc"]
    first, second = (sum_of_products(state.builder, sources, table) for table in (ins.value, ins.mode))
    lanes = state.guarded(ins)
    state.set_predicate(ins.predicate_out_0, first, lanes)
    state.set_predicate(ins.predicate_out_1, second, lanes)


@emits(warp.VOTE)
def _vote(state: State, ins: Instruction) -> None:
    """One predicate for the whole warp, and the ballot."""
    builder = state.builder
    lanes = state.guarded(ins)
    voting = WORD(isa.FULL_MASK) if lanes is None else lanes
    ballot = builder.and_(state.predicate_in(ins, 0), voting)
    every = builder.icmp_unsigned("==", ballot, voting)
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
    word = splat(builder, builder.extract_element(source, first_lane(state, lanes)))
    differs = builder.or_(
        pack(builder, builder.icmp_unsigned("!=", source, word)), state.predicate_in(ins, 0)
    )
    if lanes is None:
        receiving = None
    else:
        active = WORD(isa.FULL_MASK) if state.active is None else state.active
        some = builder.icmp_unsigned("!=", lanes, WORD(0))
        receiving = builder.select(some, active, WORD(0))
    state.set_row(ins.destination, word, receiving)
    state.set_predicate(ins.predicate_out_0, differs, lanes)
