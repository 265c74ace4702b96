"""Moves, selection and integer arithmetic."""

from simcore.core import isa
from simcore.core.execution.arithmetic import bits, integers, packed
from simcore.lowering.modes import compare_integers
from simcore.lowering.operands import RZ, integer_value, result_of
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers


@lowers("MOV", operation=integers.MOV, unit=isa.UNIT_ALU)
def _mov(p: Packed) -> None:
    wide = p.has("64")
    if wide:
        p.set(operation=integers.MOV64)
    source, *_ = result_of(p, 2 if wide else 1)
    p.integers(source, pairs=1 if wide else 0)


@lowers("FSEL", operation=integers.SEL, unit=isa.UNIT_ALU)
def _fsel(p: Packed) -> None:
    p.floats(*result_of(p))


@lowers("SEL", operation=integers.SEL, unit=isa.UNIT_ALU, misread="64")
@lowers("IABS", operation=integers.IABS, unit=isa.UNIT_ALU)
@lowers("PRMT", operation=bits.PRMT, unit=isa.UNIT_ALU)
@lowers("BMSK", operation=bits.BMSK, unit=isa.UNIT_ALU)
@lowers("POPC", operation=bits.POPC, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
@lowers("BREV", operation=bits.BREV, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _plain(p: Packed) -> None:
    p.integers(*result_of(p))


@lowers("IADD3", operation=integers.IADD3, unit=isa.UNIT_ALU, misread="64")
@lowers("VIADD", operation=integers.IADD3, unit=isa.UNIT_FMA_HEAVY)
def _iadd3(p: Packed) -> None:
    sources = result_of(p)
    extended = p.has("X")
    p.integers(*sources, *[RZ] * (3 - len(sources)), complement=True)
    p.set(mode=integers.CARRY_IN if extended else 0, value=0 if extended else sum(s.negate for s in sources))


@lowers("IADD", operation=integers.IADD3, unit=isa.UNIT_ALU, misread="X")
def _iadd(p: Packed) -> None:
    wide = p.has("64")
    if wide:
        p.set(operation=integers.IADD64)
    sources = result_of(p, 2 if wide else 1)
    p.integers(*sources, RZ, complement=True, pairs=3 if wide else 0)
    p.set(value=sum(s.negate for s in sources))


@lowers("IMAD", operation=integers.IMAD, unit=isa.UNIT_FMA_HEAVY, without_effect="SHL IADD U32")
def _imad(p: Packed) -> None:
    if p.has("MOV"):
        p.set(operation=integers.MOV)
        p.integers(result_of(p)[2])
        return
    extended = p.has("X")
    wide, only_high = p.has("WIDE"), p.has("HI")
    unsigned = p.has("U32")
    if wide or only_high:
        p.set(operation=integers.IMAD_WIDE if wide else integers.IMAD_HI)
    sources = result_of(p, 2 if wide else 1)
    p.integers(*sources, pairs=4 if wide or only_high else 0, complement=extended)
    p.set(mode=(integers.CARRY_IN if extended else 0) | (integers.UNSIGNED if unsigned else 0))


@lowers("LEA", operation=integers.LEA, unit=isa.UNIT_ALU)
def _lea(p: Packed) -> None:
    high = p.has("HI")
    if high:
        p.set(operation=integers.LEA_HI)
    *sources, shift = result_of(p)
    sign_extended = high and p.has("SX32")
    extended = high and p.has("X")
    if high and not sign_extended and len(sources) == 2:
        sources.append(RZ)
    p.integers(*sources, complement=True)
    ones = 0 if extended else sum(s.negate for s in sources)
    mode = (integers.CARRY_IN if extended else 0) | (integers.LEA_SIGN_EXTENDED if sign_extended else 0)
    p.set(mode=mode | ones << integers.LEA_ONES_SHIFT, value=integer_value(shift) & 31)


@lowers("LOP3", operation=bits.LOP3, unit=isa.UNIT_ALU, without_effect="LUT")
def _lop3(p: Packed) -> None:
    *sources, table = result_of(p)
    p.integers(*sources)
    p.set(value=integer_value(table), mode=bits.LOP3_AND if p.has("PAND") else 0)


_SHIFTED = {
    "U32": 0,
    "S32": bits.SHIFT_SIGNED,
    "U64": bits.SHIFT_64,
    "S64": bits.SHIFT_64 | bits.SHIFT_SIGNED,
}


@lowers("SHF", operation=bits.SHF, unit=isa.UNIT_ALU)
def _shf(p: Packed) -> None:
    p.integers(*result_of(p))
    mode = p.choice({"L": 0, "R": bits.SHIFT_RIGHT}) | p.choice(_SHIFTED, 0)
    mode |= bits.SHIFT_HIGH if p.has("HI") else 0
    p.set(mode=mode | (bits.SHIFT_WRAP if p.has("W") else 0))


_UNSIGNED = {"U32": packed.UNSIGNED, "S32": 0}
_PARTS = {
    "S16x2": 16 << packed.MINMAX_PART_SHIFT,
    "U16x2": 16 << packed.MINMAX_PART_SHIFT | packed.UNSIGNED,
    "S8x4": 8 << packed.MINMAX_PART_SHIFT,
    "U8x4": 8 << packed.MINMAX_PART_SHIFT | packed.UNSIGNED,
}


@lowers("IMNMX", "VIMNMX", operation=packed.IMNMX, unit=isa.UNIT_ALU)
@lowers("VIMNMX3", operation=packed.IMNMX3, unit=isa.UNIT_ALU)
@lowers("VIADDMNMX", operation=packed.IADD_MNMX, unit=isa.UNIT_ALU)
def _minmax(p: Packed) -> None:
    p.integers(*result_of(p))
    kinds = _UNSIGNED | _PARTS if p.record["operation"] == packed.IMNMX else _UNSIGNED
    p.set(mode=p.choice(kinds, 0) | (packed.MINMAX_RELU if p.has("RELU") else 0))


@lowers("SGXT", operation=bits.SGXT, unit=isa.UNIT_ALU)
def _sgxt(p: Packed) -> None:
    p.integers(*result_of(p))
    p.set(mode=bits.UNSIGNED if p.has("U32") else 0)


@lowers("FLO", operation=bits.FLO, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _flo(p: Packed) -> None:
    p.integers(*result_of(p))
    p.set(mode=(bits.UNSIGNED if p.has("U32") else 0) | (bits.FLO_SHIFT if p.has("SH") else 0))


_HALFWORDS = {"2A": packed.IDP_HALFWORDS, "4A": 0}
_PARTS_UNSIGNED = {"S8": False, "U8": True, "S16": False, "U16": True}


@lowers("IDP", operation=packed.IDP, unit=isa.UNIT_FMA_HEAVY, without_effect="LO")
def _idp(p: Packed) -> None:
    p.integers(*result_of(p))
    mode = p.choice(_HALFWORDS) | (packed.IDP_UPPER if p.has("HI") else 0)
    unsigned = p.choices(_PARTS_UNSIGNED) or [False]
    mode |= packed.IDP_UNSIGNED_A if unsigned[0] else 0
    p.set(mode=mode | (packed.IDP_UNSIGNED_B if unsigned[-1] else 0))


@lowers("VABSDIFF", "VABSDIFF4", operation=packed.VABSDIFF, unit=isa.UNIT_ALU)
def _vabsdiff(p: Packed) -> None:
    p.integers(*result_of(p))
    of_bytes = p.instruction.opcode == "VABSDIFF4"
    kinds = {"U8": packed.UNSIGNED, "S8": 0} if of_bytes else _UNSIGNED
    mode = p.choice(kinds, 0) | (packed.VABSDIFF_BYTES if of_bytes else 0)
    p.set(mode=mode | (packed.VABSDIFF_SUM if of_bytes and p.has("ACC") else 0))


@lowers("ISETP", operation=integers.ISETP, unit=isa.UNIT_ALU, misread="U64 S64")
def _isetp(p: Packed) -> None:
    first, second, a, b, *predicates = p.instruction.operands
    mode = compare_integers(p)
    mode |= integers.COMPARE_UNSIGNED if p.has("U32") else 0
    mode |= integers.COMPARE_EXTENDED if p.has("EX") else 0
    p.set(mode=mode)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.integers(a, b)
