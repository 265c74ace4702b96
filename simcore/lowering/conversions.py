"""Conversions between integers, singles, doubles and halves."""

from dataclasses import replace

from simcore.core import isa
from simcore.core.execution.arithmetic import conversions, halves
from simcore.lowering.modes import conversion_rounding, float_flags
from simcore.lowering.operands import result_of
from simcore.lowering.packed import SIGN, Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand

_SIGN_OF_HALF = 0x8000
_NARROW = {"F16": 0, "BF16": halves.BFLOAT}
_WIDER = -1


HALVES = "H0 H1 H0_H0 H1_H1"
"""Suffixes of a register that holds two halves."""


def _to_bfloat(p: Packed) -> int:
    """The rounding to a bfloat16 of another float; what upwards and downwards do is not known."""
    rounding = conversion_rounding(p)
    if rounding in (isa.ROUND_UP, isa.ROUND_DOWN):
        raise p.refuse()
    return rounding


def _half_bit(source: Operand) -> int:
    """The position of the half that a suffix names."""
    return 16 if {"H1", "H1_H1"}.intersection(source.suffixes) else 0


def _rounding_to_whole(p: Packed) -> int:
    """The rounding mode, and whether denormals are flushed first."""
    return conversion_rounding(p) | float_flags(p, "FTZ")


@lowers("FRND", operation=conversions.FRND, unit=isa.UNIT_XU, latency=isa.LATENCY_XU, suffixes=HALVES)
def _frnd(p: Packed) -> None:
    narrow = p.choice(_NARROW, _WIDER)
    wide = narrow == _WIDER and p.has("F64")
    (source,) = result_of(p, 1 + wide)
    first = _half_bit(source)
    p.floats(source, sign=SIGN if narrow == _WIDER else _SIGN_OF_HALF << first, pairs=int(wide))
    p.set(
        mode=_rounding_to_whole(p) | max(narrow, 0),
        width=8 if wide else 4 if narrow == _WIDER else 2,
        value=first << conversions.FIRST_BIT_SHIFT,
    )


_INTEGERS = {
    f"{sign}{bits}": (bits, sign == "S") for bits in (8, 16, 32, 64) for sign in "SU"
}  # bits, and whether it is signed
_RESULT_WIDTHS = {"F64": 8, "F32": 4, "F16": 2}


def _first_bit(source: Operand) -> int:
    """The position of a byte or halfword in its register."""
    return next((int(s[1]) * (16 if s[0] == "H" else 8) for s in source.suffixes if s[0] in "BH"), 0)


@lowers(
    "I2F",
    operation=conversions.I2F,
    unit=isa.UNIT_XU,
    latency=isa.LATENCY_XU,
    suffixes="B0 B1 B2 B3 H0 H1 H0_H0 H1_H1",
)
def _i2f(p: Packed) -> None:
    bits, signed = p.choice(_INTEGERS, (32, True))
    to_bfloat = p.has("BF16")
    width = 2 if to_bfloat else p.choice(_RESULT_WIDTHS, 4)
    (source,) = result_of(p, 2 if width == 8 else 1)
    p.reads(source)
    if bits == 64 and source.kind == "integer":
        source = replace(source, value=source.value << 32)  # an immediate is the upper word
    p.integers(source, pairs=int(bits == 64))
    value = (
        bits | _first_bit(source) << conversions.FIRST_BIT_SHIFT | to_bfloat << conversions.TO_BFLOAT_SHIFT
    )
    p.set(value=value, mode=conversion_rounding(p), signed=signed, width=width)


@lowers("I2FP", operation=conversions.I2F, unit=isa.UNIT_ALU)
def _i2fp(p: Packed) -> None:
    """Names both types; what it does without one is not known."""
    named = set(p.instruction.modifiers)
    if named.isdisjoint(("F32", "BF16")) or named.isdisjoint(("S32", "U32")):
        raise p.refuse()
    _i2f(p)


_FLOAT_SOURCES = {"F64": (8, 0), "F32": (4, 0), "F16": (2, 0), "BF16": (2, halves.BFLOAT)}  # bytes and mode


@lowers(
    "F2I",
    operation=conversions.F2I,
    unit=isa.UNIT_XU,
    latency=isa.LATENCY_XU,
    without_effect="NTZ",
    suffixes=HALVES,
)
def _f2i(p: Packed) -> None:
    bits, signed = p.choice(_INTEGERS, (32, True))
    width, kind = p.choice(_FLOAT_SOURCES, (4, 0))
    (source,) = result_of(p, 2 if bits == 64 else 1)
    first = _half_bit(source)
    p.floats(source, sign=_SIGN_OF_HALF << first if width == 2 else SIGN, pairs=int(width == 8))
    p.set(
        mode=_rounding_to_whole(p) | kind,
        signed=signed,
        width=width,
        value=bits | first << conversions.FIRST_BIT_SHIFT,
    )


@lowers("F2IP", operation=conversions.PACK_ROUNDED, unit=isa.UNIT_ALU, without_effect="F32 NTZ")
def _f2ip(p: Packed) -> None:
    bits, signed = p.choice(_INTEGERS)
    p.floats(*result_of(p))
    p.set(mode=conversion_rounding(p), signed=signed, width=4, value=bits)


@lowers("I2I", operation=conversions.I2I, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _i2i(p: Packed) -> None:
    kinds = p.choices(_INTEGERS)
    if len(kinds) != 2 or kinds[1][0] != 32 or kinds[0][0] > 16 or not p.has("SAT"):
        raise p.refuse()
    (bits, signed), (_, of_signed) = kinds
    p.integers(*result_of(p))
    p.set(value=bits, signed=signed, mode=int(of_signed))


_FLOATS = {
    "F32": conversions.FLOAT_32,
    "F64": conversions.FLOAT_64,
    "F16": conversions.FLOAT_HALF,
    "BF16": conversions.FLOAT_BFLOAT,
}


@lowers("F2F", operation=conversions.F2F, unit=isa.UNIT_XU, latency=isa.LATENCY_XU, suffixes=HALVES)
def _f2f(p: Packed) -> None:
    kinds = p.choices(_FLOATS)
    if len(kinds) != 2:
        raise p.refuse()
    result, source = kinds
    (operand,) = result_of(p, 2 if result == conversions.FLOAT_64 else 1)
    of_half = source in (conversions.FLOAT_HALF, conversions.FLOAT_BFLOAT)
    first = _half_bit(operand)
    sign = _SIGN_OF_HALF << first if of_half else SIGN
    p.floats(operand, sign=sign, pairs=int(source == conversions.FLOAT_64))
    rounding = _to_bfloat(p) if result == conversions.FLOAT_BFLOAT else conversion_rounding(p)
    p.set(
        mode=result | source << conversions.SOURCE_SHIFT,
        value=rounding | first << conversions.FIRST_BIT_SHIFT,
    )


_BYTE_FLOATS = {
    "E4M3": conversions.E4M3,
    "E5M2": conversions.E5M2,
    "E2M3": conversions.E2M3,
    "E3M2": conversions.E3M2,
    "E2M1": conversions.E2M1,
}
_TF32 = -1
_F2FP_KINDS = {
    "F32": conversions.FLOAT_32,
    "F16": conversions.FLOAT_HALF,
    "BF16": conversions.FLOAT_BFLOAT,
    "TF32": _TF32,
}
_PAIRS = {"H0": 0, "H1": 16, "B0": 0, "B1": 8, "B2": 16, "B3": 24}  # a pair's lowest bit


@lowers(
    "F2FP", operation=conversions.F2FP, unit=isa.UNIT_ALU, without_effect="PACK_AB", suffixes=" ".join(_PAIRS)
)
def _f2fp(p: Packed) -> None:
    byte = p.choice(_BYTE_FLOATS, _WIDER)
    if byte != _WIDER:
        _f2fp_of_bytes(p, byte)
        return
    kinds = p.choices(_F2FP_KINDS) or [conversions.FLOAT_HALF]
    if kinds[0] == conversions.FLOAT_32 or kinds[1:] not in ([], [conversions.FLOAT_32]):
        raise p.refuse()
    relu = halves.RELU if p.has("RELU") else 0
    if kinds[0] == _TF32:
        _f2fp_to_tf32(p, relu)
        return
    is_bfloat = kinds[0] == conversions.FLOAT_BFLOAT
    sources = result_of(p)
    if p.has("MERGE_C"):
        source, upper = sources
        p.nothing([upper])
        sources = [upper, source]
    p.floats(*sources)
    p.set(
        mode=relu | (halves.BFLOAT if is_bfloat else 0) | float_flags(p, "FTZ"),
        value=_to_bfloat(p) if is_bfloat else conversion_rounding(p),
    )


def _f2fp_to_tf32(p: Packed, relu: int) -> None:
    """One single, in the place of the lower of two."""
    rounding = conversion_rounding(p)
    if not p.has("PACK_B") or rounding not in (isa.ROUND_NEAREST, isa.ROUND_ZERO):
        raise p.refuse()
    (source,) = result_of(p)
    p.floats(source, source)
    p.set(operation=conversions.TO_TF32, mode=relu, value=rounding)


def _f2fp_of_bytes(p: Packed, byte: int) -> None:
    """Two floats of 8 bits or fewer: unpacked to two halves, or packed of two halves or singles below half of c."""
    relu = halves.RELU if p.has("RELU") else 0
    if p.has("UNPACK_B"):
        if not p.has("F16"):
            raise p.refuse()
        (source,) = result_of(p)
        p.integers(source)
        first = next((_PAIRS[s] for s in source.suffixes if s in _PAIRS), 0)
        p.set(operation=conversions.UNPACK_BYTES, mode=byte | relu, value=first)
        return
    if not p.has("SATFINITE"):
        raise p.refuse()
    if byte == conversions.E2M1:
        p.nothing([p.instruction.operands[-1]])  # where a pair of four bits is put beside others is not known
    if p.has("UNPACK_B_MERGE_C") and p.has("F16"):
        p.integers(*result_of(p))
        p.set(operation=conversions.PACK_HALVES, mode=byte | relu)
    elif p.has("PACK_AB_MERGE_C") and p.has("F32"):
        p.floats(*result_of(p))
        p.set(operation=conversions.PACK_SINGLES, mode=byte | relu)
    else:
        raise p.refuse()
