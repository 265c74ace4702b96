"""Packed halves and bfloat16s, and the matrices of the tensor cores."""

from simcore.core import isa
from simcore.core.execution import warp
from simcore.core.execution.arithmetic import halves, matrices
from simcore.lowering.modes import compare_floats, float_flags, xor_sign
from simcore.lowering.operands import result_of, take_predicates
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand

_SIGNS = 0x8000_8000
_SIGN_OF_UPPER = 0x8000_0000
HALVES = "H0_H0 H1_H1"
_SWAPPED = "H0_NH1"
"""Of an operand: the lower half above the upper one negated."""
_CHOICES = {"H0_H0": halves.LOW_HALF, "H1_H1": halves.HIGH_HALF, _SWAPPED: halves.SWAPPED_HALVES}


def _sources(p: Packed, sources: list[Operand]) -> None:
    # Two immediates, one per half, form one operand and share the word's immediate field.
    following = [*(s.kind for s in sources[1:]), ""]
    is_first_of_two = [s.kind == after == "float" for s, after in zip(sources, following, strict=True)]
    p.reads(*(s for s, first in zip(sources, is_first_of_two, strict=True) if first))
    sources = [s for s, first in zip(sources, is_first_of_two, strict=True) if not first]
    p.floats(*sources, sign=_SIGNS)
    choices = 0
    for slot, source in enumerate(sources):
        choice = next((_CHOICES[s] for s in source.suffixes if s in _CHOICES), halves.BOTH_HALVES)
        choices |= choice << halves.CHOICE_BITS * slot
        if _SWAPPED in source.suffixes:
            p.record[f"{'abc'[slot]}_flip"] ^= _SIGN_OF_UPPER
    p.set(value=choices)


_BFLOAT = {"BF16_V2": halves.BFLOAT, "BF16": halves.BFLOAT}


def _kind(p: Packed) -> int:
    return p.choice(_BFLOAT, 0)


@lowers("HFMA2", operation=halves.HFMA2, unit=isa.UNIT_FMA_PAIR, suffixes=f"{HALVES} {_SWAPPED}")
@lowers("HADD2", operation=halves.HADD2, unit=isa.UNIT_FMA_PAIR, suffixes=f"{HALVES} {_SWAPPED}")
@lowers("HMUL2", operation=halves.HMUL2, unit=isa.UNIT_FMA_PAIR, suffixes=f"{HALVES} {_SWAPPED}")
def _arithmetic(p: Packed) -> None:
    _sources(p, result_of(p))
    p.set(mode=_kind(p))
    if p.instruction.opcode == "HADD2" and p.has("F32"):
        p.set(operation=halves.HADD2_F32, unit=isa.UNIT_FMA_HEAVY)
        return
    relu = halves.RELU if p.has("RELU") else 0
    p.set(mode=p.record["mode"] | float_flags(p, "SAT", "FTZ") | relu)
    if p.instruction.opcode == "HFMA2" and p.has("MMA"):
        p.set(unit=isa.UNIT_HALF)


@lowers("HMNMX2", operation=halves.HMNMX2, unit=isa.UNIT_ALU, suffixes=HALVES)
@lowers("VHMNMX", operation=halves.HMNMX3, unit=isa.UNIT_ALU, suffixes=HALVES)
def _minmax(p: Packed) -> None:
    _sources(p, xor_sign(p, result_of(p, takes=1)))
    p.set(mode=p.record["mode"] | _kind(p) | float_flags(p, "NAN", "FTZ"))


@lowers("HSETP2", operation=halves.HSETP2, unit=isa.UNIT_FMA_PAIR, suffixes=HALVES)
def _hsetp2(p: Packed) -> None:
    first, second, *sources = p.instruction.operands
    predicates = take_predicates(sources, last=True)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    _sources(p, sources)
    both = halves.BOTH if p.has("BF_AND") else 0
    p.set(mode=_kind(p) | both | compare_floats(p))


_ONE, _BFLOAT_ONE, _ALL_ONES = 0x3C00, 0x3F80, 0xFFFF


@lowers("HSET2", operation=halves.HSET2, unit=isa.UNIT_FMA_PAIR, suffixes=HALVES)
def _hset2(p: Packed) -> None:
    _sources(p, result_of(p, takes=1))
    kind = _kind(p)
    one = _BFLOAT_ONE if kind else _ONE
    p.set(mode=kind | compare_floats(p), width=one if p.has("BF") else _ALL_ONES)


_HALF_DEPTHS = {"16816": 16, "1688": 8, "1684": 4}
_EIGHT = matrices.EIGHT_ROWS
_BYTE_SHAPES = {"16816": (16, 0), "16832": (32, 0), "8816": (16, _EIGHT)}
_NIBBLE_SHAPES = {"16832": (32, 0), "16864": (64, 0), "8832": (32, _EIGHT)}
_DOUBLE_SHAPES = {
    "884": (4, _EIGHT),
    "8x8x4": (4, _EIGHT),
    "16x8x4": (4, 0),
    "16x8x8": (8, 0),
    "16x8x16": (16, 0),
}
_DOUBLE_TIMES = {
    (4, 1): (isa.PACE_DMMA_884, isa.LATENCY_DMMA_884),
    (4, 2): (isa.PACE_DMMA_1684, isa.LATENCY_DMMA_1684),
    (8, 2): (isa.PACE_DMMA_1688, isa.LATENCY_DMMA_1688),
    (16, 2): (isa.PACE_DMMA_16816, isa.LATENCY_DMMA_16816),
}
_SUMS = {"F32": 0, "F16": matrices.SUM_F16}
_ELEMENTS = {"BF16": matrices.BFLOAT, "TF32": matrices.TF32}
_BYTES = {"S8": matrices.S8, "U8": matrices.U8}
_NIBBLES = {"S4": matrices.S4, "U4": matrices.U4}
_BYTE_FLOATS = {"E4M3": matrices.E4M3, "E5M2": matrices.E5M2}


def _matrices(p: Packed, depth: int, elements_per_word: int, sum_words: int, bands: int = 2) -> None:
    """Name the three matrices of a product; k runs over the words of four lanes, then over the next register.

    Args:
        bands: of 8 rows each.
    """
    words = depth // (4 * elements_per_word)
    p.integers(*result_of(p, sum_words), words=(bands * words, words, sum_words))
    p.set(value=depth)


def _float_pace(sums: int, is_short: bool) -> int:
    """The pace of a product of floats; it is short if the second matrix fills one register."""
    if sums == matrices.SUM_F16:
        return isa.PACE_TENSOR_HALF_SHORT if is_short else isa.PACE_TENSOR_HALF
    return isa.PACE_TENSOR_SHORT if is_short else isa.UNIT_TENSOR


@lowers("HMMA", operation=matrices.HMMA, unit=isa.UNIT_TENSOR, across_lanes=True)
def _hmma(p: Packed) -> None:
    depth, sums = p.choice(_HALF_DEPTHS), p.choice(_SUMS)
    elements = p.choice(_ELEMENTS, matrices.F16)
    per_word = 1 if elements == matrices.TF32 else 2
    _matrices(p, depth, per_word, 2 if sums == matrices.SUM_F16 else 4)
    p.set(mode=elements | sums, pace=_float_pace(sums, is_short=depth <= 4 * per_word))


@lowers("IMMA", operation=matrices.HMMA, unit=isa.UNIT_TENSOR, suffixes="ROW COL", across_lanes=True)
def _imma(p: Packed) -> None:
    kinds = p.choices(_NIBBLES)
    is_nibbles = bool(kinds)
    first, second = kinds or (p.choice(_BYTES), p.choice(_BYTES))
    depth, rows = p.choice(_NIBBLE_SHAPES if is_nibbles else _BYTE_SHAPES)
    bands = 1 if rows else 2
    per_word = 8 if is_nibbles else 4
    _matrices(p, depth, per_word, 2 * bands, bands)
    is_short = bands == 1 or depth <= 4 * per_word
    pace = isa.PACE_TENSOR_INTEGER_SHORT if is_short else isa.PACE_TENSOR_INTEGER
    p.set(mode=first | rows | (matrices.SATURATE if p.has("SAT") else 0), width=second, pace=pace)


@lowers("QMMA", operation=matrices.HMMA, unit=isa.UNIT_TENSOR, suffixes="ROW COL", across_lanes=True)
def _qmma(p: Packed) -> None:
    first, second = p.choice(_BYTE_FLOATS), p.choice(_BYTE_FLOATS)
    depth, sums = p.choice({"16816": 16, "16832": 32}), p.choice(_SUMS)
    _matrices(p, depth, 4, 2 if sums == matrices.SUM_F16 else 4)
    p.set(mode=first | sums, width=second, pace=_float_pace(sums, is_short=depth <= 16))


@lowers("DMMA", operation=matrices.DMMA, unit=isa.UNIT_FP64, across_lanes=True)
def _dmma(p: Packed) -> None:
    depth, rows = p.choice(_DOUBLE_SHAPES)
    bands = 1 if rows else 2
    p.integers(*result_of(p, 4 * bands), words=(bands * depth // 2, depth // 2, 4 * bands))
    pace, latency = _DOUBLE_TIMES[depth, bands]
    p.set(value=depth, mode=rows, pace=pace, latency=latency)


@lowers(
    "MOVM", operation=warp.MOVM, unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE_BY_REGISTER, across_lanes=True
)
def _movm(p: Packed) -> None:
    if not (p.has("16") and p.has("MT88")):
        raise p.refuse()
    p.integers(*result_of(p))
