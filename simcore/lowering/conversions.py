"""Between integers, singles, doubles and halves."""

from simcore.core import isa
from simcore.lowering.modes import conversion_rounding
from simcore.lowering.operands import result_of
from simcore.lowering.program import Packed, UnpackableError
from simcore.lowering.table import lowers
from simcore.machine_code.sass import Instruction


@lowers("FRND", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _frnd(p: Packed, i: Instruction) -> None:
    wide = "F64" in i.modifiers
    p.floats(*result_of(p, i, isa.FRND), pairs=int(wide))
    p.set(mode=conversion_rounding(i.modifiers), width=8 if wide else 4, destination_words=1 + wide)


@lowers("I2F", "I2FP", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _i2f(p: Packed, i: Instruction) -> None:
    (source,) = result_of(p, i, isa.I2F)
    wide_source = bool({"S64", "U64"} & set(i.modifiers))
    narrow = {"F16", "BF16"} & set(i.modifiers)
    wide = "F64" in i.modifiers
    p.integers(source, pairs=int(wide_source))
    bits = next(
        (int(m[1:]) for m in i.modifiers if m in ("S8", "U8", "S16", "U16")), 64 if wide_source else 32
    )
    first_bit = next((int(s[1]) * (16 if s[0] == "H" else 8) for s in source.suffixes if s[0] in "BH"), 0)
    unsigned = bool({"U8", "U16", "U32", "U64"} & set(i.modifiers))
    p.set(mode=conversion_rounding(i.modifiers), signed=not unsigned)
    p.set(width=2 if narrow else 8 if wide else 4, destination_words=1 + wide)
    p.set(value=bits | first_bit << 8 | ("BF16" in narrow) << 16)
    if i.opcode == "I2FP":
        p.set(unit=isa.UNIT_ALU, latency=isa.LATENCY_FIXED)


@lowers("F2I", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _f2i(p: Packed, i: Instruction) -> None:
    (source,) = result_of(p, i, isa.F2I)
    if {"BF16", "S16", "U16", "S8", "U8"} & set(i.modifiers):
        raise UnpackableError(i.name)
    wide_source = "F64" in i.modifiers
    wide = bool({"S64", "U64"} & set(i.modifiers))
    narrow_source = "F16" in i.modifiers
    if "H1_H1" in source.suffixes:
        raise UnpackableError(str(i))
    p.floats(source, sign=0x8000 if narrow_source else 0x8000_0000, pairs=int(wide_source))
    p.set(
        mode=conversion_rounding(i.modifiers),
        signed=not {"U32", "U64"} & set(i.modifiers),
        width=2 if narrow_source else 8 if wide_source else 4,
        destination_words=1 + wide,
    )


_FLOATS = {"F32": isa.FLOAT_32, "F64": isa.FLOAT_64, "F16": isa.FLOAT_HALF, "BF16": isa.FLOAT_BFLOAT}


@lowers("F2F", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _f2f(p: Packed, i: Instruction) -> None:
    kinds = [_FLOATS[m] for m in i.modifiers if m in _FLOATS]
    if len(kinds) != 2:
        raise UnpackableError(i.name)
    result, source = kinds
    (operand,) = result_of(p, i, isa.F2F)
    if "H1_H1" in operand.suffixes:
        raise UnpackableError(str(i))
    sign = 0x8000 if source in (isa.FLOAT_HALF, isa.FLOAT_BFLOAT) else 0x8000_0000
    p.floats(operand, sign=sign, pairs=int(source == isa.FLOAT_64))
    p.set(mode=result | source << 4, value=conversion_rounding(i.modifiers))
    p.set(destination_words=2 if result == isa.FLOAT_64 else 1)


@lowers("F2FP", unit=isa.UNIT_ALU)
def _f2fp(p: Packed, i: Instruction) -> None:
    kinds = [m for m in i.modifiers if m in ("F16", "BF16", "F32")]
    known = {"F16", "BF16", "F32", "PACK_AB", "RZ", "RELU", "FTZ"}
    if set(i.modifiers) - known or kinds[1:] not in ([], ["F32"]):
        raise UnpackableError(i.name)
    p.floats(*result_of(p, i, isa.F2FP))
    relu = isa.HALF_RELU if "RELU" in i.modifiers else 0
    p.set(mode=relu | (isa.HALF_BFLOAT if "BF16" in kinds else 0), value=conversion_rounding(i.modifiers))
