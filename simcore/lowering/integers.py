"""Moves, selection and integer arithmetic."""

from simcore.core import isa
from simcore.lowering.operands import integer_value, result_of
from simcore.lowering.program import Packed, UnpackableError
from simcore.lowering.table import lowers
from simcore.machine_code.operands import parse_operand
from simcore.machine_code.sass import Instruction


@lowers("MOV", unit=isa.UNIT_ALU)
def _mov(p: Packed, i: Instruction) -> None:
    wide = "64" in i.modifiers
    sources = result_of(p, i, isa.MOV64 if wide else isa.MOV)
    p.integers(sources[0], pairs=1 if wide else 0)
    p.set(destination_words=2 if wide else 1)


@lowers("SEL", unit=isa.UNIT_ALU)
def _sel(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.SEL))


@lowers("FSEL", unit=isa.UNIT_ALU)
def _fsel(p: Packed, i: Instruction) -> None:
    p.floats(*result_of(p, i, isa.SEL))


@lowers("PRMT", unit=isa.UNIT_ALU)
def _prmt(p: Packed, i: Instruction) -> None:
    if i.modifiers:
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, isa.PRMT))


@lowers("IADD3", unit=isa.UNIT_ALU)
def _iadd3(p: Packed, i: Instruction) -> None:
    extended = "X" in i.modifiers
    sources = result_of(p, i, isa.IADD64 if "64" in i.modifiers else isa.IADD3)
    p.integers(*sources, *[parse_operand("RZ")] * (3 - len(sources)), complement=True)
    p.set(mode=int(extended), value=0 if extended else sum(s.negate for s in sources))


@lowers("VIADD", unit=isa.UNIT_FMA_HEAVY)
def _viadd(p: Packed, i: Instruction) -> None:
    _iadd3(p, i)


@lowers("IADD", unit=isa.UNIT_ALU)
def _iadd(p: Packed, i: Instruction) -> None:
    wide = "64" in i.modifiers
    sources = result_of(p, i, isa.IADD64 if wide else isa.IADD3)
    p.integers(*sources, parse_operand("RZ"), complement=True, pairs=3 if wide else 0)
    p.set(value=sum(s.negate for s in sources), destination_words=2 if wide else 1)


@lowers("IMAD", unit=isa.UNIT_FMA_HEAVY)
def _imad(p: Packed, i: Instruction) -> None:
    unsigned = "U32" in i.modifiers
    if i.modifiers[:1] == ("MOV",):
        sources = result_of(p, i, isa.MOV)
        p.integers(sources[2])
        return
    operation = isa.IMAD_WIDE if "WIDE" in i.modifiers else isa.IMAD_HI if "HI" in i.modifiers else isa.IMAD
    sources = result_of(p, i, operation)
    p.integers(*sources, pairs=4 if operation != isa.IMAD else 0, complement="X" in i.modifiers)
    p.set(mode=(1 if "X" in i.modifiers else 0) | (2 if unsigned else 0))
    if operation == isa.IMAD_WIDE:
        p.set(destination_words=2)


@lowers("LEA", unit=isa.UNIT_ALU)
def _lea(p: Packed, i: Instruction) -> None:
    sources = result_of(p, i, isa.LEA_HI if "HI" in i.modifiers else isa.LEA)
    *sources, shift = sources
    signed_high = "SX32" in i.modifiers
    if "HI" in i.modifiers and not signed_high and len(sources) == 2:
        sources.append(parse_operand("RZ"))
    p.integers(*sources, complement=True)
    carries = 0 if "X" in i.modifiers else sum(s.negate for s in sources)
    p.set(mode=int("X" in i.modifiers) | 2 * signed_high | carries << 4, value=integer_value(shift) & 31)


@lowers("LOP3", unit=isa.UNIT_ALU)
def _lop3(p: Packed, i: Instruction) -> None:
    *sources, table = result_of(p, i, isa.LOP3)
    p.integers(*sources)
    p.set(value=integer_value(table), mode=int("PAND" in i.modifiers))


@lowers("SHF", unit=isa.UNIT_ALU)
def _shf(p: Packed, i: Instruction) -> None:
    modifiers = set(i.modifiers)
    mode = (
        (isa.SHIFT_RIGHT if "R" in modifiers else 0)
        | (isa.SHIFT_SIGNED if modifiers & {"S32", "S64"} else 0)
        | (isa.SHIFT_HIGH if "HI" in modifiers else 0)
        | (isa.SHIFT_WRAP if "W" in modifiers else 0)
        | (isa.SHIFT_64 if modifiers & {"U64", "S64"} else 0)
    )
    p.integers(*result_of(p, i, isa.SHF))
    p.set(mode=mode)


@lowers("IMNMX", "VIMNMX", unit=isa.UNIT_ALU)
def _imnmx(p: Packed, i: Instruction) -> None:
    _minmax(p, i, isa.IMNMX)


@lowers("VIMNMX3", unit=isa.UNIT_ALU)
def _imnmx3(p: Packed, i: Instruction) -> None:
    _minmax(p, i, isa.IMNMX3)


@lowers("VIADDMNMX", unit=isa.UNIT_ALU)
def _iadd_mnmx(p: Packed, i: Instruction) -> None:
    _minmax(p, i, isa.IADD_MNMX)


_PACKED = {"S16x2": 16, "U16x2": 16, "S8x4": 8, "U8x4": 8}


def _minmax(p: Packed, i: Instruction, operation: int) -> None:
    packed = [m for m in i.modifiers if m in _PACKED]
    if set(i.modifiers) - {"U32", "S32", "RELU", *packed} or (packed and operation != isa.IMNMX):
        raise UnpackableError(i.name)
    p.integers(*result_of(p, i, operation))
    unsigned = any(m.startswith("U") for m in i.modifiers)
    p.set(mode=2 * unsigned | 4 * ("RELU" in i.modifiers) | (_PACKED[packed[0]] if packed else 0) << 8)


@lowers("IABS", unit=isa.UNIT_ALU)
def _iabs(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.IABS))


@lowers("SGXT", unit=isa.UNIT_ALU)
def _sgxt(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.SGXT))
    p.set(mode=2 if "U32" in i.modifiers else 0)


@lowers("BMSK", unit=isa.UNIT_ALU)
def _bmsk(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.BMSK))


@lowers("POPC", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _popc(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.POPC))


@lowers("BREV", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _brev(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.BREV))


@lowers("FLO", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _flo(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.FLO))
    p.set(mode=(2 if "U32" in i.modifiers else 0) | (4 if "SH" in i.modifiers else 0))


@lowers("IDP", unit=isa.UNIT_FMA_HEAVY)
def _idp(p: Packed, i: Instruction) -> None:
    halfwords = "2A" in i.modifiers
    if not halfwords and "4A" not in i.modifiers:
        raise UnpackableError(i.name)
    kinds = [m for m in i.modifiers if m in ("S8", "U8", "S16", "U16")] or ["S8", "S8"]
    p.integers(*result_of(p, i, isa.IDP))
    unsigned = kinds[0].startswith("U") | kinds[-1].startswith("U") << 1
    p.set(mode=unsigned | halfwords << 2 | ("HI" in i.modifiers) << 3)


@lowers("VABSDIFF", "VABSDIFF4", unit=isa.UNIT_ALU)
def _vabsdiff(p: Packed, i: Instruction) -> None:
    p.integers(*result_of(p, i, isa.VABSDIFF))
    unsigned = bool({"U8", "U32"} & set(i.modifiers))
    p.set(mode=int(i.opcode == "VABSDIFF4") | 2 * unsigned | 4 * ("ACC" in i.modifiers))
