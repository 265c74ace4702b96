"""Moves, selection and integer arithmetic."""

from simcore.core import isa
from simcore.core.execution.arithmetic import bits, integers, packed
from simcore.lowering.modes import compare_integers
from simcore.lowering.operands import NEVER, RZ, parts, result_of
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand

ALL_BYTES = 0xF
"""MOV's mask of the bytes that it writes."""


@lowers("MOV", operation=integers.MOV, unit=isa.UNIT_ALU)
def _mov(p: Packed) -> None:
    wide = p.has("64")
    if wide:
        p.set(operation=integers.MOV64)
    source, *masks = result_of(p, 2 if wide else 1)
    p.integers(source, pairs=1 if wide else 0)
    if any(p.number(mask) != ALL_BYTES for mask in masks):
        raise p.refuse()


@lowers("FSEL", operation=integers.SEL, unit=isa.UNIT_ALU)
def _fsel(p: Packed) -> None:
    p.floats(*result_of(p, takes=1))


@lowers("SEL", operation=integers.SEL, unit=isa.UNIT_ALU)
def _sel(p: Packed) -> None:
    wide = p.has("64")
    if wide:
        p.set(operation=integers.SEL64)
    p.integers(*result_of(p, 2 if wide else 1, takes=1), pairs=3 if wide else 0)


_SELECTORS = {
    "F4E": (0x3210, 0x4321, 0x5432, 0x6543),
    "B4E": (0x5670, 0x6701, 0x7012, 0x0123),
    "RC8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ECL": (0x3210, 0x3211, 0x3222, 0x3333),
    "ECR": (0x0000, 0x1110, 0x2210, 0x3210),
    "RC16": (0x1010, 0x3232, 0x1010, 0x3232),
}
"""PRMT's modes: what each value of the selector's lowest two bits stands for (PTX ISA, prmt)."""


@lowers("PRMT", operation=bits.PRMT, unit=isa.UNIT_ALU)
def _prmt(p: Packed) -> None:
    p.integers(*result_of(p))
    selectors = p.choice(_SELECTORS, (0, 0, 0, 0))
    p.set(value=sum(selector << 16 * place for place, selector in enumerate(selectors)))


@lowers("BMSK", operation=bits.BMSK, unit=isa.UNIT_ALU)
def _bmsk(p: Packed) -> None:
    p.integers(*result_of(p))
    p.set(mode=bits.WRAPPED if p.has("W") else 0)


@lowers("IABS", operation=integers.IABS, unit=isa.UNIT_ALU)
@lowers("POPC", operation=bits.POPC, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
@lowers("BREV", operation=bits.BREV, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _plain(p: Packed) -> None:
    p.integers(*result_of(p))


@lowers("IADD3", operation=integers.IADD3, unit=isa.UNIT_ALU)
def _iadd3(p: Packed) -> None:
    if p.has("64"):
        sources = result_of(p, 2)
        p.integers(*sources, complement=True, pairs=7)
        p.set(operation=integers.IADD64, value=sum(s.negate for s in sources))
        return
    extended = p.has("X")
    sources = result_of(p, sets=2, takes=2 if extended else 0)
    p.integers(*sources, complement=True)
    p.set(mode=integers.CARRY_IN if extended else 0, value=0 if extended else sum(s.negate for s in sources))


@lowers("IADD", operation=integers.IADD3, unit=isa.UNIT_ALU)
def _iadd(p: Packed) -> None:
    wide, extended = p.has("64"), p.has("X")
    if wide:
        p.set(operation=integers.IADD64)
    out, destination, sources, carry = parts(p.instruction)
    p.destination(destination, 2 if wide else 1)
    p.predicates_out(out[:1])
    p.nothing(out[1:])
    p.integers(*sources, RZ, complement=True, pairs=7 if wide else 0)
    p.set(value=0 if extended else sum(s.negate for s in sources))
    if extended:
        p.predicates_in([*carry, NEVER])
        p.set(mode=integers.CARRY_IN)


_ADDED_PARTS = {"16x2": 16, "U8x4": 8}


@lowers("VIADD", operation=integers.IADD3, unit=isa.UNIT_FMA_HEAVY)
def _viadd(p: Packed) -> None:
    part = p.choice(_ADDED_PARTS, 32)
    sources = result_of(p)
    if p.has("ISAT"):
        if not p.has("S32"):
            raise p.refuse()
        p.set(operation=packed.ADD_SATURATED)
    p.integers(*sources, RZ, complement=True)
    p.set(value=sum(s.negate for s in sources))
    if part < 32:
        p.set(operation=packed.ADD_PARTS, mode=part << packed.PART_SHIFT)


@lowers("IMAD", operation=integers.IMAD, unit=isa.UNIT_FMA_HEAVY, without_effect="SHL IADD U32")
def _imad(p: Packed) -> None:
    if p.has("MOV"):
        p.set(operation=integers.MOV)
        *others, source = result_of(p)
        p.nothing(others)
        p.integers(source)
        return
    extended = p.has("X")
    wide, only_high = p.has("WIDE"), p.has("HI")
    unsigned = p.has("U32")
    if wide or only_high:
        p.set(operation=integers.IMAD_WIDE if wide else integers.IMAD_HI, pace=isa.PACE_WIDE_PRODUCT)
    sources = result_of(p, 2 if wide else 1, sets=int(wide or only_high), takes=int(extended))
    *factors, addend = sources
    makes_up = (wide or only_high) and addend.negate and not extended
    if makes_up and any(f.negate for f in factors):
        raise p.refuse()
    p.integers(*sources, pairs=4 if wide or only_high else 0, complement=extended or makes_up)
    p.set(
        value=int(makes_up),
        mode=(integers.CARRY_IN if extended else 0) | (integers.UNSIGNED if unsigned else 0),
    )


@lowers("LEA", operation=integers.LEA, unit=isa.UNIT_ALU)
def _lea(p: Packed) -> None:
    high = p.has("HI")
    if high:
        p.set(operation=integers.LEA_HI)
    sign_extended = high and p.has("SX32")
    extended = p.has("X")
    *sources, shift = result_of(p, sets=1, takes=int(extended))
    if high and not sign_extended and len(sources) == 2:
        sources.append(RZ)
    if high and (sources[0].negate or sources[0].invert):
        raise p.refuse()
    p.integers(*sources, complement=True)
    ones = 0 if extended else sum(s.negate for s in sources)
    mode = (integers.CARRY_IN if extended else 0) | (integers.LEA_SIGN_EXTENDED if sign_extended else 0)
    if sources[0].negate:
        p.set(a_flip=0)
        mode |= integers.LEA_NEGATED
    p.set(mode=mode | ones << integers.LEA_ONES_SHIFT, value=p.number(shift) & 31)


@lowers("LOP3", operation=bits.LOP3, unit=isa.UNIT_ALU, without_effect="LUT")
def _lop3(p: Packed) -> None:
    *sources, table = result_of(p, sets=1, takes=1)
    p.integers(*sources)
    p.set(value=p.number(table), mode=bits.LOP3_AND if p.has("PAND") else 0)


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
    "S16x2": 16 << packed.PART_SHIFT,
    "U16x2": 16 << packed.PART_SHIFT | packed.UNSIGNED,
    "S8x4": 8 << packed.PART_SHIFT,
    "U8x4": 8 << packed.PART_SHIFT | packed.UNSIGNED,
}
_LONGS = {"S64": 0, "U64": packed.UNSIGNED}
_NEITHER = -1


@lowers("IMNMX", operation=packed.IMNMX, unit=isa.UNIT_ALU)
def _imnmx(p: Packed) -> None:
    wide = p.choice(_LONGS, _NEITHER)
    if wide == _NEITHER:
        _minmax(p)
        return
    out, destination, sources, (smaller, extended) = parts(p.instruction)
    p.nothing(out)
    p.destination(destination, 2)
    p.integers(*sources, pairs=3)
    p.predicates_in([smaller])
    p.set(operation=packed.IMNMX64, mode=wide)
    p.never(extended)


@lowers("VIMNMX", operation=packed.IMNMX, unit=isa.UNIT_ALU)
@lowers("VIMNMX3", operation=packed.IMNMX3, unit=isa.UNIT_ALU)
@lowers("VIADDMNMX", operation=packed.IADD_MNMX, unit=isa.UNIT_ALU)
def _minmax(p: Packed) -> None:
    sources, kind = result_of(p, takes=1), p.choice(_UNSIGNED | _PARTS, 0)
    p.integers(*sources)
    relu = packed.MINMAX_RELU if p.has("RELU") else 0
    p.set(mode=kind | relu | (_negated_parts(p, sources) if kind >> packed.PART_SHIFT else 0))


def _negated_parts(p: Packed, sources: list[Operand]) -> int:
    """The bits of a mode that say which sources have a minus, which is each part's own."""
    if any(source.invert for source in sources):
        raise p.refuse()
    negated = [slot for slot, source in enumerate(sources) if source.negate]
    for slot in negated:
        p.set(**{f"{'abc'[slot]}_flip": 0, f"{'abc'[slot]}_add": 0})
    return sum(1 << packed.NEGATED_SHIFT + slot for slot in negated)


@lowers("SGXT", operation=bits.SGXT, unit=isa.UNIT_ALU)
def _sgxt(p: Packed) -> None:
    p.integers(*result_of(p))
    p.set(mode=(bits.UNSIGNED if p.has("U32") else 0) | (bits.WRAPPED if p.has("W") else 0))


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


_PACKED = {f"{sign}{bits}": bits for bits in (2, 4, 8, 16) for sign in "US"}
_KEPT = {2: "28", 4: "24"}  # the bits of c, where the disassembler names them


@lowers("I2IP", operation=packed.PACK_INTEGERS, unit=isa.UNIT_ALU, suffixes="H1 24 28")
def _i2ip(p: Packed) -> None:
    kind = p.instruction.modifiers[0]
    if not (p.has("S32") and p.has("SAT")):
        raise p.refuse()
    *sources, above = result_of(p)
    p.integers(*sources, above)
    bits = p.choice(_PACKED)
    if _KEPT.get(bits, "") != next((s for s in above.suffixes if s in _KEPT.values()), ""):
        p.nothing([above])
    p.set(value=bits, mode=packed.UNSIGNED if kind.startswith("U") else 0)
    p.set(width=16 if "H1" in above.suffixes else 0)


_COMPARED = {
    "U32": (integers.ISETP, integers.COMPARE_UNSIGNED),
    "U64": (integers.ISETP64, integers.COMPARE_UNSIGNED),
    "S64": (integers.ISETP64, 0),
}


@lowers("ISETP", operation=integers.ISETP, unit=isa.UNIT_ALU)
def _isetp(p: Packed) -> None:
    first, second, a, b, *predicates = p.instruction.operands
    operation, unsigned = p.choice(_COMPARED, (integers.ISETP, 0))
    extended = p.has("EX")
    if len(predicates) != 1 + extended:
        raise p.refuse()
    p.set(
        operation=operation,
        mode=compare_integers(p) | unsigned | (integers.COMPARE_EXTENDED if extended else 0),
    )
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.integers(a, b, pairs=3 if operation == integers.ISETP64 else 0)
