"""Two halves or bfloat16s at a time, and the tensor cores' matrices."""

from simcore.core import isa
from simcore.lowering.modes import comparison
from simcore.lowering.operands import result_of, take_predicates
from simcore.lowering.program import Packed, UnpackableError
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand
from simcore.machine_code.sass import Instruction

_HALVES = {"H0_H0": 1, "H1_H1": 2}


def _half(p: Packed, i: Instruction, operation: int) -> None:
    _half_sources(p, i, result_of(p, i, operation))


def _half_sources(p: Packed, i: Instruction, sources: list[Operand]) -> None:
    # Two immediates, one a half, stand for one operand and share the word's immediate field.
    following = [*(s.kind for s in sources[1:]), ""]
    sources = [s for s, after in zip(sources, following, strict=True) if not s.kind == after == "float"]
    p.floats(*sources, sign=0x8000_8000)
    halves = 0
    for slot, source in enumerate(sources):
        choice = next((_HALVES[s] for s in source.suffixes if s in _HALVES), 0)
        halves |= choice << 4 * slot
    p.set(value=halves, mode=sum(flag for name, flag in _HALF_MODES.items() if name in i.modifiers))


_HALF_MODES = {
    "SAT": isa.FLOAT_SATURATE,
    "NAN": isa.FLOAT_KEEP_NAN,
    "RELU": isa.HALF_RELU,
    "BF16_V2": isa.HALF_BFLOAT,
    "BF16": isa.HALF_BFLOAT,
    "BF_AND": isa.HALF_BOTH,
}


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


@lowers("HMNMX2", unit=isa.UNIT_ALU)
def _hmnmx2(p: Packed, i: Instruction) -> None:
    _half(p, i, isa.HMNMX2)


@lowers("HSETP2", unit=isa.UNIT_HALF)
def _hsetp2(p: Packed, i: Instruction) -> None:
    first, second, *sources = i.operands
    predicates = take_predicates(sources, last=True)
    p.set(operation=isa.HSETP2)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    _half_comparison(p, i, sources)


@lowers("HSET2", unit=isa.UNIT_HALF)
def _hset2(p: Packed, i: Instruction) -> None:
    _half_comparison(p, i, result_of(p, i, isa.HSET2))
    one = 0x3F80 if {"BF16_V2", "BF16"} & set(i.modifiers) else 0x3C00
    p.set(width=one if "BF" in i.modifiers else 0xFFFF)


def _half_comparison(p: Packed, i: Instruction, sources: list[Operand]) -> None:
    _half_sources(p, i, sources)
    compared = tuple(m for m in i.modifiers if m not in ("BF", "BF16_V2", "BF16", "BF_AND"))
    p.set(mode=p.record["mode"] | comparison(compared, is_float=True))


_SHAPES = {"16816": 16, "1688": 8, "1684": 4, "16832": 32}
_ELEMENTS = {"BF16": isa.MATRIX_BFLOAT, "TF32": isa.MATRIX_TF32, "S8": isa.MATRIX_S8, "U8": isa.MATRIX_U8}


@lowers("HMMA", unit=isa.UNIT_TENSOR)
def _hmma(p: Packed, i: Instruction) -> None:
    shape, result, *kinds = i.modifiers
    if shape not in _SHAPES or result not in ("F32", "F16") or set(kinds) - {"BF16", "TF32"}:
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, isa.HMMA))
    mode = (_ELEMENTS[kinds[0]] if kinds else isa.MATRIX_F16) | (isa.MATRIX_SUM_F16 if result == "F16" else 0)
    p.set(value=_SHAPES[shape], mode=mode, destination_words=2 if result == "F16" else 4)


@lowers("IMMA", unit=isa.UNIT_TENSOR)
def _imma(p: Packed, i: Instruction) -> None:
    shape, first, second, *others = i.modifiers
    if shape not in ("16816", "16832") or {first, second} - {"S8", "U8"} or set(others) - {"SAT"}:
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, isa.HMMA))
    mode = _ELEMENTS[first] | (isa.MATRIX_SATURATE if others else 0)
    p.set(value=_SHAPES[shape], mode=mode, width=_ELEMENTS[second], destination_words=4)


@lowers("DMMA", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dmma(p: Packed, i: Instruction) -> None:
    if i.modifiers not in (("884",), ("8x8x4",)):
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, isa.DMMA))
    p.set(destination_words=4)


@lowers("MOVM", unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE)
def _movm(p: Packed, i: Instruction) -> None:
    if i.modifiers != ("16", "MT88"):
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, isa.MOVM))
