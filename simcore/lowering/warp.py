"""Special registers, and operations across the lanes of a warp."""

from simcore.core import isa
from simcore.core.execution import special, warp
from simcore.core.execution.arithmetic import integers
from simcore.lowering.effects import DIFFERS, DIFFERS_ALONG_X, DIFFERS_IN_PLANE, SAME_IN_ALL_BLOCKS
from simcore.lowering.operands import NEVER, RZ, is_predicate, parts, predicates_among, result_of
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers

_SPECIAL = {
    "SRZ": (special.ZERO, SAME_IN_ALL_BLOCKS),
    "SR_TID.X": (special.TID_X, SAME_IN_ALL_BLOCKS),
    "SR_TID.Y": (special.TID_Y, SAME_IN_ALL_BLOCKS),
    "SR_TID.Z": (special.TID_Z, SAME_IN_ALL_BLOCKS),
    "SR_CTAID.X": (special.CTAID_X, DIFFERS_ALONG_X),
    "SR_CTAID.Y": (special.CTAID_Y, DIFFERS_IN_PLANE),
    "SR_CTAID.Z": (special.CTAID_Z, DIFFERS),
    "SR_LANEID": (special.LANEID, SAME_IN_ALL_BLOCKS),
    "SR_VIRTID": (special.VIRTID, DIFFERS),
    "SR_VIRTUALSMID": (special.SMID, DIFFERS),
    "SR_WARPID": (special.WARPID, SAME_IN_ALL_BLOCKS),
    "SR_EQMASK": (special.LANEMASK_EQ, SAME_IN_ALL_BLOCKS),
    "SR_LTMASK": (special.LANEMASK_LT, SAME_IN_ALL_BLOCKS),
    "SR_LEMASK": (special.LANEMASK_LE, SAME_IN_ALL_BLOCKS),
    "SR_GTMASK": (special.LANEMASK_GT, SAME_IN_ALL_BLOCKS),
    "SR_GEMASK": (special.LANEMASK_GE, SAME_IN_ALL_BLOCKS),
    "SR_CLOCKLO": (special.CLOCK_LOW, DIFFERS),
    "SR_CLOCKHI": (special.CLOCK_HIGH, DIFFERS),
    "SR_GLOBALTIMERLO": (special.TIMER_LOW, DIFFERS),
    "SR_GLOBALTIMERHI": (special.TIMER_HIGH, DIFFERS),
    "SR_CgaCtaId": (special.ZERO, SAME_IN_ALL_BLOCKS),
    "SR_LMEMHIOFF": (special.ZERO, SAME_IN_ALL_BLOCKS),  # the end of the stack, which -O0 checks
}


@lowers("S2R", operation=special.S2R, unit=isa.UNIT_ADU, latency=isa.LATENCY_SPECIAL_REGISTER)
@lowers("S2UR", operation=special.S2R, unit=isa.UNIT_ADU, latency=isa.LATENCY_UNIFORM_SPECIAL)
def _s2r(p: Packed) -> None:
    destination, source = p.instruction.operands
    p.destination(destination)
    p.reads(source)
    if source.text == "SR_SWINHI":
        p.set(operation=integers.MOV, a=p.rows.of_shared(("value", isa.SHARED_WINDOW, 0)), sources=1)
    elif source.text in _SPECIAL:
        register, block = _SPECIAL[source.text]
        p.set(value=register)
        if p.instruction.opcode == "S2R" and register in special.OF_LANES:
            p.set(unit=isa.UNIT_MIO)
        p.differs_between_blocks(block)
    else:
        raise p.refuse()


_CLOCKS = {
    "SRZ": (special.CLOCK_ZERO, SAME_IN_ALL_BLOCKS),
    "SR_CgaSize": (special.CLOCK_ZERO, SAME_IN_ALL_BLOCKS),
    "SR_CLOCKLO": (special.CLOCK_CYCLES, DIFFERS),
    "SR_CLOCKHI": (special.CLOCK_UPPER, DIFFERS),
    "SR_GLOBALTIMERLO": (special.CLOCK_NANOSECONDS, DIFFERS),
    "SR_GLOBALTIMERHI": (special.CLOCK_NANOSECONDS_UPPER, DIFFERS),
}


@lowers("CS2R", "CS2UR", operation=special.CLOCK, unit=isa.UNIT_ALU)
def _cs2r(p: Packed) -> None:
    destination, source = p.instruction.operands
    if source.text not in _CLOCKS:
        raise p.refuse()
    p.reads(source)
    clock, block = _CLOCKS[source.text]
    p.set(value=clock)
    p.differs_between_blocks(block)
    p.destination(destination, 1 if p.has("32") else 2)


_SHUFFLES = {"IDX": warp.SHFL_IDX, "UP": warp.SHFL_UP, "DOWN": warp.SHFL_DOWN, "BFLY": warp.SHFL_BFLY}


@lowers("SHFL", operation=warp.SHFL, unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE, across_lanes=True)
def _shfl(p: Packed) -> None:
    value, lane, bounds = result_of(p, sets=1)
    p.integers(value, lane, bounds)
    by_register = lane.kind == "register" and lane.index != RZ.index
    p.set(
        mode=p.choice(_SHUFFLES),
        latency=isa.LATENCY_SHUFFLE_BY_REGISTER if by_register else isa.LATENCY_SHUFFLE,
    )


_VOTES = {"ALL": warp.VOTE_ALL, "ANY": warp.VOTE_ANY, "EQ": warp.VOTE_EQ}


@lowers("VOTE", operation=warp.VOTE, unit=isa.UNIT_ALU, across_lanes=True)
@lowers("VOTEU", operation=warp.VOTE, unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM, across_lanes=True)
def _vote(p: Packed) -> None:
    *out, voted = predicates_among(p)
    p.predicates_out(out)
    p.set(mode=p.choice(_VOTES))
    for destination in (o for o in p.instruction.operands if not is_predicate(o)):
        p.destination(destination)
    p.predicates_in([voted])


_MATCHES = {"ANY": warp.MATCH_ANY, "ALL": warp.MATCH_ALL}


@lowers(
    "MATCH",
    operation=warp.MATCH,
    unit=isa.UNIT_MIO,
    latency=isa.LATENCY_MATCH,
    across_lanes=True,
    is_timed_by_result=True,
)
def _match(p: Packed) -> None:
    wide = p.has("U64")
    p.integers(*result_of(p, sets=1), pairs=int(wide))
    p.set(mode=p.choice(_MATCHES), width=8 if wide else 4)


_SIGNED_REDUCTIONS = {"SUM": warp.REDUX_SUM, "MIN": warp.REDUX_MIN, "MAX": warp.REDUX_MAX}
_REDUCTIONS = {
    "SUM": warp.REDUX_SUM,
    "MIN": warp.REDUX_UMIN,
    "MAX": warp.REDUX_UMAX,
    "AND": warp.REDUX_AND,
    "OR": warp.REDUX_OR,
    "XOR": warp.REDUX_XOR,
}


@lowers(
    "REDUX", "CREDUX", operation=warp.REDUX, unit=isa.UNIT_ADU, latency=isa.LATENCY_REDUX, across_lanes=True
)
def _redux(p: Packed) -> None:
    p.integers(*result_of(p))
    p.set(mode=p.choice(_SIGNED_REDUCTIONS) if p.has("S32") else p.choice(_REDUCTIONS, warp.REDUX_AND))


@lowers("R2UR", operation=warp.R2UR, unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM, across_lanes=True)
def _r2ur(p: Packed) -> None:
    out, destination, sources, _ = parts(p.instruction)
    p.destination(destination)
    p.integers(*sources)
    p.predicates_out(out)
    p.predicates_in(out if p.has("OR") else [NEVER])


@lowers("ELECT", operation=warp.ELECT, unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM, across_lanes=True)
def _elect(p: Packed) -> None:
    elected, destination, voting = p.instruction.operands
    p.predicates_out([elected])
    p.destination(destination)
    p.predicates_in([voting])
