"""Two halves at a time, and the tensor cores' matrices of halves."""

from simcore.core import isa
from simcore.lowering.operands import result_of
from simcore.lowering.table import lowers
from simcore.program import Packed, UnpackableError
from simcore.sass import Instruction

_HALVES = {"H0_H0": 1, "H1_H1": 2}


def _half(p: Packed, i: Instruction, operation: int) -> None:
    if {"BF16_V2", "BF16"} & set(i.modifiers):
        raise UnpackableError(i.name)
    sources = result_of(p, i, operation)
    if sources[-1].kind == "float":
        # Two immediates, one a half, share the word's immediate field.
        sources = [s for s in sources if s.kind != "float"] + [sources[-1]]
    p.floats(*sources, sign=0x8000_8000)
    halves = 0
    for slot, source in enumerate(sources):
        choice = next((_HALVES[s] for s in source.suffixes if s in _HALVES), 0)
        halves |= choice << 4 * slot
    p.set(value=halves, mode=isa.FLOAT_SATURATE if "SAT" in i.modifiers else 0)


@lowers("HFMA2", unit=isa.UNIT_HALF)
def _hfma2(p: Packed, i: Instruction) -> None:
    _half(p, i, isa.HFMA2)
    if "MMA" in i.modifiers:
        p.set(unit=isa.UNIT_FMA_HEAVY)


@lowers("HADD2", unit=isa.UNIT_HALF)
def _hadd2(p: Packed, i: Instruction) -> None:
    _half(p, i, isa.HADD2_F32 if "F32" in i.modifiers else isa.HADD2)


@lowers("HMUL2", unit=isa.UNIT_HALF)
def _hmul2(p: Packed, i: Instruction) -> None:
    _half(p, i, isa.HMUL2)


@lowers("HMMA", unit=isa.UNIT_TENSOR)
def _hmma(p: Packed, i: Instruction) -> None:
    shapes = {"16816": 16, "1688": 8}
    if i.modifiers[0] not in shapes or i.modifiers[1] != "F32" or len(i.modifiers) > 2:
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, isa.HMMA))
    p.set(value=shapes[i.modifiers[0]], destination_words=4)
