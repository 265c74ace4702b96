"""Packed halves and bfloat16s, and the matrices of the tensor cores."""

from simcore.core import isa
from simcore.core.execution import warp
from simcore.core.execution.arithmetic import halves, matrices
from simcore.lowering.modes import compare_floats, float_flags
from simcore.lowering.operands import result_of, take_predicates
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand

_SIGNS = 0x8000_8000
_CHOICES = {"H0_H0": halves.LOW_HALF, "H1_H1": halves.HIGH_HALF}


def _sources(p: Packed, sources: list[Operand]) -> None:
    # Two immediates, one per half, form one operand and share the word's immediate field.
    following = [*(s.kind for s in sources[1:]), ""]
    sources = [s for s, after in zip(sources, following, strict=True) if not s.kind == after == "float"]
    p.floats(*sources, sign=_SIGNS)
    choices = 0
    for slot, source in enumerate(sources):
        choice = next((_CHOICES[s] for s in source.suffixes if s in _CHOICES), halves.BOTH_HALVES)
        choices |= choice << halves.CHOICE_BITS * slot
    p.set(value=choices)


_BFLOAT = {"BF16_V2": halves.BFLOAT, "BF16": halves.BFLOAT}


def _kind(p: Packed) -> int:
    return p.choice(_BFLOAT, 0)


@lowers("HFMA2", operation=halves.HFMA2, unit=isa.UNIT_HALF)
@lowers("HADD2", operation=halves.HADD2, unit=isa.UNIT_HALF)
@lowers("HMUL2", operation=halves.HMUL2, unit=isa.UNIT_HALF)
def _arithmetic(p: Packed) -> None:
    _sources(p, result_of(p))
    p.set(mode=_kind(p))
    if p.instruction.opcode == "HADD2" and p.has("F32"):
        p.set(operation=halves.HADD2_F32)
        return
    relu = halves.RELU if p.has("RELU") else 0
    p.set(mode=p.record["mode"] | float_flags(p, "SAT") | relu)
    if p.instruction.opcode == "HFMA2" and p.has("MMA"):
        p.set(unit=isa.UNIT_FMA_HEAVY)


@lowers("HMNMX2", operation=halves.HMNMX2, unit=isa.UNIT_ALU)
def _minmax(p: Packed) -> None:
    _sources(p, result_of(p))
    p.set(mode=_kind(p) | float_flags(p, "NAN"))


@lowers("HSETP2", operation=halves.HSETP2, unit=isa.UNIT_HALF)
def _hsetp2(p: Packed) -> None:
    first, second, *sources = p.instruction.operands
    predicates = take_predicates(sources, last=True)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    _sources(p, sources)
    both = halves.BOTH if p.has("BF_AND") else 0
    p.set(mode=_kind(p) | both | compare_floats(p))


_ONE, _BFLOAT_ONE, _ALL_ONES = 0x3C00, 0x3F80, 0xFFFF


@lowers("HSET2", operation=halves.HSET2, unit=isa.UNIT_HALF)
def _hset2(p: Packed) -> None:
    _sources(p, result_of(p))
    kind = _kind(p)
    one = _BFLOAT_ONE if kind else _ONE
    p.set(mode=kind | compare_floats(p), width=one if p.has("BF") else _ALL_ONES)


_HALF_DEPTHS = {"16816": 16, "1688": 8, "1684": 4}
_BYTE_DEPTHS = {"16816": 16, "16832": 32}
_SUMS = {"F32": 0, "F16": matrices.SUM_F16}
_ELEMENTS = {"BF16": matrices.BFLOAT, "TF32": matrices.TF32}
_BYTES = {"S8": matrices.S8, "U8": matrices.U8}


def _matrices(p: Packed, depth: int, elements_per_word: int, sum_words: int) -> None:
    """Name the three matrices of a product; k runs over the words of four lanes, then over the next register."""
    words = depth // (4 * elements_per_word)
    p.integers(*result_of(p, sum_words), words=(2 * words, words, sum_words))
    p.set(value=depth)


@lowers("HMMA", operation=matrices.HMMA, unit=isa.UNIT_TENSOR, across_lanes=True)
def _hmma(p: Packed) -> None:
    depth, sums = p.choice(_HALF_DEPTHS), p.choice(_SUMS)
    elements = p.choice(_ELEMENTS, matrices.F16)
    _matrices(p, depth, 1 if elements == matrices.TF32 else 2, 2 if sums == matrices.SUM_F16 else 4)
    p.set(mode=elements | sums)


@lowers("IMMA", operation=matrices.HMMA, unit=isa.UNIT_TENSOR, across_lanes=True)
def _imma(p: Packed) -> None:
    depth = p.choice(_BYTE_DEPTHS)
    first, second = p.choice(_BYTES), p.choice(_BYTES)
    _matrices(p, depth, 4, 4)
    p.set(mode=first | (matrices.SATURATE if p.has("SAT") else 0), width=second)


@lowers("DMMA", operation=matrices.DMMA, unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64, across_lanes=True)
def _dmma(p: Packed) -> None:
    if not (p.has("884") or p.has("8x8x4")):
        raise p.refuse()
    p.integers(*result_of(p, 4), words=(2, 2, 4))


@lowers("MOVM", operation=warp.MOVM, unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE, across_lanes=True)
def _movm(p: Packed) -> None:
    if not (p.has("16") and p.has("MT88")):
        raise p.refuse()
    p.integers(*result_of(p))
