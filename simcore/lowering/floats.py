"""Single and double precision; on sm_100 also two singles at a time."""

from simcore.core import isa
from simcore.lowering.modes import comparison, float_mode
from simcore.lowering.operands import result_of
from simcore.lowering.program import Packed, UnpackableError
from simcore.lowering.table import lowers
from simcore.machine_code.sass import Instruction


@lowers("FADD", unit=isa.UNIT_FMA)
def _fadd(p: Packed, i: Instruction) -> None:
    p.floats(*result_of(p, i, isa.FADD))
    p.set(mode=float_mode(i.modifiers))


@lowers("FMUL", unit=isa.UNIT_FMA)
def _fmul(p: Packed, i: Instruction) -> None:
    p.floats(*result_of(p, i, isa.FMUL))
    p.set(mode=float_mode(i.modifiers))


@lowers("FFMA", unit=isa.UNIT_FMA)
def _ffma(p: Packed, i: Instruction) -> None:
    p.floats(*result_of(p, i, isa.FFMA))
    p.set(mode=float_mode(i.modifiers))


@lowers("FMNMX", unit=isa.UNIT_ALU)
def _fmnmx(p: Packed, i: Instruction) -> None:
    p.floats(*result_of(p, i, isa.FMNMX))
    p.set(mode=float_mode(i.modifiers))


@lowers("FMNMX3", unit=isa.UNIT_ALU)
def _fmnmx3(p: Packed, i: Instruction) -> None:
    p.floats(*result_of(p, i, isa.FMNMX3))
    p.set(mode=float_mode(i.modifiers))


@lowers("FSETP", unit=isa.UNIT_ALU)
def _fsetp(p: Packed, i: Instruction) -> None:
    first, second, a, b, *predicates = i.operands
    p.set(operation=isa.FSETP, mode=comparison(i.modifiers, is_float=True))
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.floats(a, b)


@lowers("FSET", unit=isa.UNIT_ALU)
def _fset(p: Packed, i: Instruction) -> None:
    modifiers = tuple(m for m in i.modifiers if m != "BF")
    sources = result_of(p, i, isa.FSET)
    p.floats(*sources)
    p.set(mode=comparison(modifiers, is_float=True), value=int("BF" in i.modifiers))


@lowers("FCHK", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _fchk(p: Packed, i: Instruction) -> None:
    out, a, b = i.operands
    p.set(operation=isa.FCHK)
    p.predicates_out([out])
    p.floats(a, b)


_MUFU = {
    "RCP": isa.MUFU_RCP,
    "RSQ": isa.MUFU_RSQ,
    "SQRT": isa.MUFU_SQRT,
    "EX2": isa.MUFU_EX2,
    "LG2": isa.MUFU_LG2,
    "SIN": isa.MUFU_SIN,
    "COS": isa.MUFU_COS,
    "TANH": isa.MUFU_TANH,
    "RCP64H": isa.MUFU_RCP64H,
    "RSQ64H": isa.MUFU_RSQ64H,
}


@lowers("MUFU", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _mufu(p: Packed, i: Instruction) -> None:
    if i.modifiers[0] not in _MUFU or "F16" in i.modifiers:
        raise UnpackableError(i.name)
    p.floats(*result_of(p, i, isa.MUFU))
    p.set(mode=_MUFU[i.modifiers[0]])


@lowers("FFMA2", "FADD2", "FMUL2", unit=isa.UNIT_FMA)
def _ffma2(p: Packed, i: Instruction) -> None:
    sources = result_of(p, i, isa.FFMA2)
    if any(s.negate or s.absolute or s.kind == "float" for s in sources):
        raise UnpackableError(str(i))
    kind = ("FFMA2", "FADD2", "FMUL2").index(i.opcode)
    p.floats(*sources, pairs=7)
    halves = 0
    for slot, source in enumerate(sources):
        if "HI_LO" not in source.suffixes and "F32" in source.suffixes:
            halves |= 1 << slot
    p.set(mode=kind | halves << 4, destination_words=2)


@lowers("DADD", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dadd(p: Packed, i: Instruction) -> None:
    _double(p, i, isa.DADD)


@lowers("DMUL", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dmul(p: Packed, i: Instruction) -> None:
    _double(p, i, isa.DMUL)


@lowers("DFMA", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dfma(p: Packed, i: Instruction) -> None:
    _double(p, i, isa.DFMA)


def _double(p: Packed, i: Instruction, operation: int) -> None:
    p.floats(*result_of(p, i, operation), pairs=7)
    p.set(mode=float_mode(i.modifiers), destination_words=2)


@lowers("DSETP", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dsetp(p: Packed, i: Instruction) -> None:
    first, second, a, b, *predicates = i.operands
    picks = {"MIN": isa.COMPARE_PICK | isa.COMPARE_LESS, "MAX": isa.COMPARE_PICK | isa.COMPARE_GREATER}
    mode = picks.get(i.modifiers[0])
    p.set(operation=isa.DSETP, mode=comparison(i.modifiers, is_float=True) if mode is None else mode)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.floats(a, b, pairs=7)
