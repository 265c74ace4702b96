"""Special registers, and what looks across the lanes of a warp."""

from simcore.core import isa
from simcore.lowering.operands import result_of
from simcore.lowering.program import Packed, UnpackableError
from simcore.lowering.table import lowers
from simcore.machine_code.sass import Instruction

_SPECIAL = {
    "SRZ": isa.SPECIAL_ZERO,
    "SR_TID.X": isa.SPECIAL_TID_X,
    "SR_TID.Y": isa.SPECIAL_TID_Y,
    "SR_TID.Z": isa.SPECIAL_TID_Z,
    "SR_CTAID.X": isa.SPECIAL_CTAID_X,
    "SR_CTAID.Y": isa.SPECIAL_CTAID_Y,
    "SR_CTAID.Z": isa.SPECIAL_CTAID_Z,
    "SR_LANEID": isa.SPECIAL_LANEID,
    "SR_VIRTID": isa.SPECIAL_SMID,
    "SR_VIRTUALSMID": isa.SPECIAL_SMID,
    "SR_WARPID": isa.SPECIAL_WARPID,
    "SR_EQMASK": isa.SPECIAL_LANEMASK_EQ,
    "SR_LTMASK": isa.SPECIAL_LANEMASK_LT,
    "SR_LEMASK": isa.SPECIAL_LANEMASK_LE,
    "SR_GTMASK": isa.SPECIAL_LANEMASK_GT,
    "SR_GEMASK": isa.SPECIAL_LANEMASK_GE,
    "SR_CLOCKLO": isa.SPECIAL_CLOCK,
    "SR_CgaCtaId": isa.SPECIAL_ZERO,
}


@lowers("S2R", unit=isa.UNIT_MIO, latency=isa.LATENCY_SPECIAL_REGISTER)
def _s2r(p: Packed, i: Instruction) -> None:
    destination, special = i.operands
    p.destination(destination)
    if special.text == "SR_SWINHI":
        p.set(operation=isa.MOV, a=p.rows.of_shared(("value", isa.SHARED_WINDOW, 0)), sources=1)
    elif special.text in _SPECIAL:
        p.set(operation=isa.S2R, value=_SPECIAL[special.text])
    else:
        raise UnpackableError(special.text)


@lowers("S2UR", unit=isa.UNIT_MIO, latency=isa.LATENCY_UNIFORM_SPECIAL)
def _s2ur(p: Packed, i: Instruction) -> None:
    _s2r(p, i)


@lowers("CS2R", "CS2UR", unit=isa.UNIT_ALU)
def _cs2r(p: Packed, i: Instruction) -> None:
    destination, special = i.operands
    if special.text not in ("SRZ", "SR_CLOCKLO", "SR_GLOBALTIMERLO"):
        raise UnpackableError(special.text)
    words = 1 if "32" in i.modifiers else 2
    p.set(operation=isa.CLOCK, value=int(special.text != "SRZ"))
    p.destination(destination, words)


_SHUFFLES = {"IDX": isa.SHFL_IDX, "UP": isa.SHFL_UP, "DOWN": isa.SHFL_DOWN, "BFLY": isa.SHFL_BFLY}


@lowers("SHFL", unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE)
def _shfl(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.SHFL))
    p.set(mode=_SHUFFLES[i.modifiers[0]])


_VOTES = {"ALL": isa.VOTE_ALL, "ANY": isa.VOTE_ANY, "EQ": isa.VOTE_EQ}


@lowers("VOTE", unit=isa.UNIT_ALU)
def _vote(p: Packed, i: Instruction) -> None:
    registers = [o for o in i.operands if "register" in o.kind]
    *out, voted = (o for o in i.operands if "predicate" in o.kind)
    p.set(operation=isa.VOTE, mode=_VOTES[i.modifiers[0]])
    for destination in registers:
        p.destination(destination)
    p.predicates_out(out)
    p.predicates_in([voted])


@lowers("VOTEU", unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM)
def _voteu(p: Packed, i: Instruction) -> None:
    _vote(p, i)


@lowers("MATCH", unit=isa.UNIT_MIO, latency=isa.LATENCY_MATCH)
def _match(p: Packed, i: Instruction) -> None:
    sources = result_of(p, i, isa.MATCH)
    wide = "U64" in i.modifiers
    p.integers(*sources, pairs=int(wide))
    p.set(mode=int("ALL" in i.modifiers), width=8 if wide else 4)


_REDUX = {
    ("SUM", False): isa.REDUX_SUM,
    ("SUM", True): isa.REDUX_SUM,
    ("MIN", True): isa.REDUX_MIN,
    ("MAX", True): isa.REDUX_MAX,
    ("MIN", False): isa.REDUX_UMIN,
    ("MAX", False): isa.REDUX_UMAX,
    ("AND", False): isa.REDUX_AND,
    ("OR", False): isa.REDUX_OR,
    ("XOR", False): isa.REDUX_XOR,
}


@lowers("REDUX", "CREDUX", unit=isa.UNIT_MIO, latency=isa.LATENCY_REDUX)
def _redux(p: Packed, i: Instruction) -> None:
    name = next((m for m in i.modifiers if m in ("SUM", "MIN", "MAX", "AND", "OR", "XOR")), "AND")
    mode = _REDUX.get((name, "S32" in i.modifiers))
    if mode is None:
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, isa.REDUX))
    p.set(mode=mode)


@lowers("R2UR", unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM)
def _r2ur(p: Packed, i: Instruction) -> None:
    sources = result_of(p, i, isa.R2UR)
    p.integers(*sources)


@lowers("ELECT", unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM)
def _elect(p: Packed, i: Instruction) -> None:
    predicates = [o for o in i.operands if "predicate" in o.kind]
    p.set(operation=isa.ELECT)
    p.predicates_out(predicates[:1])
