"""Between integers, singles, doubles and halves."""

from simcore.core import isa
from simcore.lowering.modes import conversion_rounding
from simcore.lowering.operands import result_of
from simcore.lowering.table import lowers
from simcore.program import Packed, UnpackableError
from simcore.sass import Instruction


@lowers("FRND", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _frnd(p: Packed, i: Instruction) -> None:
    wide = "F64" in i.modifiers
    p.floats(*result_of(p, i, isa.FRND), pairs=int(wide))
    p.set(mode=conversion_rounding(i.modifiers), width=8 if wide else 4, destination_words=1 + wide)


@lowers("I2F", "I2FP", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _i2f(p: Packed, i: Instruction) -> None:
    (source,) = result_of(p, i, isa.I2F)
    wide_source = bool({"S64", "U64"} & set(i.modifiers))
    if "F16" in i.modifiers:
        raise UnpackableError(i.name)
    wide = "F64" in i.modifiers
    p.integers(source, pairs=int(wide_source))
    bits = next(
        (int(m[1:]) for m in i.modifiers if m in ("S8", "U8", "S16", "U16")), 64 if wide_source else 32
    )
    first_bit = next((int(s[1]) * (16 if s[0] == "H" else 8) for s in source.suffixes if s[0] in "BH"), 0)
    unsigned = bool({"U8", "U16", "U32", "U64"} & set(i.modifiers))
    p.set(mode=conversion_rounding(i.modifiers), signed=not unsigned, width=8 if wide else 4)
    p.set(destination_words=1 + wide, value=bits | first_bit << 8)
    if i.opcode == "I2FP":
        p.set(unit=isa.UNIT_ALU, latency=isa.LATENCY_FIXED)


@lowers("F2I", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _f2i(p: Packed, i: Instruction) -> None:
    (source,) = result_of(p, i, isa.F2I)
    if {"F16", "S16", "U16", "S8", "U8"} & set(i.modifiers):
        raise UnpackableError(i.name)
    wide_source = "F64" in i.modifiers
    wide = bool({"S64", "U64"} & set(i.modifiers))
    sign = 0x8000_0000
    p.floats(source, sign=sign, pairs=int(wide_source))
    p.set(
        mode=conversion_rounding(i.modifiers),
        signed=not {"U32", "U64"} & set(i.modifiers),
        width=8 if wide_source else 4,
        destination_words=1 + wide,
    )


@lowers("F2F", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _f2f(p: Packed, i: Instruction) -> None:
    kinds = [m for m in i.modifiers if m in ("F64", "F32", "F16")]
    forms = {("F64", "F32"): 0, ("F32", "F64"): 1, ("F16", "F32"): 2, ("F32", "F16"): 3, ("F32", "F32"): 4}
    form = forms.get((kinds[0], kinds[1])) if len(kinds) == 2 else None
    if form is None:
        raise UnpackableError(i.name)
    p.floats(*result_of(p, i, isa.F2F), pairs=int(form == 1))
    p.set(mode=form, value=conversion_rounding(i.modifiers), destination_words=2 if form == 0 else 1)


@lowers("F2FP", unit=isa.UNIT_ALU)
def _f2fp(p: Packed, i: Instruction) -> None:
    if "PACK_AB" not in i.modifiers or i.modifiers[0] not in ("F16", "BF16"):
        raise UnpackableError(i.name)
    p.floats(*result_of(p, i, isa.F2FP))
    p.set(mode=int(i.modifiers[0] == "BF16"))
