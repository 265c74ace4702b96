"""Conversions between integers, singles, doubles and halves."""

from simcore.core import isa
from simcore.core.execution.arithmetic import conversions, halves
from simcore.lowering.modes import conversion_rounding
from simcore.lowering.operands import result_of
from simcore.lowering.packed import SIGN, Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand

_SIGN_OF_HALF = 0x8000
_EXACT_OF_DENORMALS = (isa.ROUND_NEAREST, isa.ROUND_ZERO)
"""Rounding modes that round a denormal to the same integer as zero."""


def _rounding_to_whole(p: Packed) -> int:
    """The rounding mode, for which a denormal may be flushed first."""
    rounding = conversion_rounding(p)
    if rounding in _EXACT_OF_DENORMALS:
        p.has("FTZ")
    return rounding


@lowers("FRND", operation=conversions.FRND, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _frnd(p: Packed) -> None:
    wide = p.has("F64")
    p.floats(*result_of(p, 1 + wide), pairs=int(wide))
    p.set(mode=_rounding_to_whole(p), width=8 if wide else 4)


_INTEGERS = {
    f"{sign}{bits}": (bits, sign == "S") for bits in (8, 16, 32, 64) for sign in "SU"
}  # bits, and whether it is signed
_RESULT_WIDTHS = {"F64": 8, "F32": 4, "F16": 2}


def _first_bit(source: Operand) -> int:
    """The position of a byte or halfword in its register."""
    return next((int(s[1]) * (16 if s[0] == "H" else 8) for s in source.suffixes if s[0] in "BH"), 0)


@lowers("I2F", operation=conversions.I2F, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
@lowers("I2FP", operation=conversions.I2F, unit=isa.UNIT_ALU)
def _i2f(p: Packed) -> None:
    bits, signed = p.choice(_INTEGERS, (32, True))
    to_bfloat = p.has("BF16")
    width = 2 if to_bfloat else p.choice(_RESULT_WIDTHS, 4)
    (source,) = result_of(p, 2 if width == 8 else 1)
    p.integers(source, pairs=int(bits == 64))
    value = (
        bits | _first_bit(source) << conversions.FIRST_BIT_SHIFT | to_bfloat << conversions.TO_BFLOAT_SHIFT
    )
    p.set(value=value, mode=conversion_rounding(p), signed=signed, width=width)


_WORDS = {"S32": (1, True), "U32": (1, False), "S64": (2, True), "U64": (2, False)}
_SOURCE_WIDTHS = {"F64": 8, "F32": 4, "F16": 2}


@lowers("F2I", operation=conversions.F2I, unit=isa.UNIT_XU, latency=isa.LATENCY_XU, without_effect="NTZ")
def _f2i(p: Packed) -> None:
    words, signed = p.choice(_WORDS, (1, True))
    width = p.choice(_SOURCE_WIDTHS, 4)
    (source,) = result_of(p, words)
    if "H1_H1" in source.suffixes:
        raise p.refuse()
    p.floats(source, sign=_SIGN_OF_HALF if width == 2 else SIGN, pairs=int(width == 8))
    p.set(mode=_rounding_to_whole(p), signed=signed, width=width)


_FLOATS = {
    "F32": conversions.FLOAT_32,
    "F64": conversions.FLOAT_64,
    "F16": conversions.FLOAT_HALF,
    "BF16": conversions.FLOAT_BFLOAT,
}


@lowers("F2F", operation=conversions.F2F, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _f2f(p: Packed) -> None:
    kinds = p.choices(_FLOATS)
    if len(kinds) != 2:
        raise p.refuse()
    result, source = kinds
    (operand,) = result_of(p, 2 if result == conversions.FLOAT_64 else 1)
    if "H1_H1" in operand.suffixes:
        raise p.refuse()
    of_half = source in (conversions.FLOAT_HALF, conversions.FLOAT_BFLOAT)
    p.floats(operand, sign=_SIGN_OF_HALF if of_half else SIGN, pairs=int(source == conversions.FLOAT_64))
    p.set(mode=result | source << conversions.SOURCE_SHIFT, value=conversion_rounding(p))


@lowers("F2FP", operation=conversions.F2FP, unit=isa.UNIT_ALU, without_effect="PACK_AB", misread="FTZ")
def _f2fp(p: Packed) -> None:
    kinds = p.choices(_FLOATS)
    if not kinds or kinds[1:] not in ([], [conversions.FLOAT_32]):
        raise p.refuse()
    p.floats(*result_of(p))
    relu = halves.RELU if p.has("RELU") else 0
    bfloat = halves.BFLOAT if kinds[0] == conversions.FLOAT_BFLOAT else 0
    p.set(mode=relu | bfloat, value=conversion_rounding(p))
