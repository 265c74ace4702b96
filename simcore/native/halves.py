"""Packed halves: their values, and what compilers write for a move, a constant added to a product of zeros."""

from collections.abc import Sequence

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import halves, integers
from simcore.lowering.program import ZERO_ROWS, Key
from simcore.native.vectors import FLOATS, WORDS, floats, words

_EXPONENT, _BFLOAT_EXPONENT = 0x7C00, 0x7F80
HALF, HALF_BITS = 0xFFFF, 16
_SIGN, _MAGNITUDE = 0x8000, 0x7FFF

# Words of singles: infinity, one that is no number, all bits but the sign; the least normal binary16, 2^-14; 2^16,
# which is too great for one; and 1/2.
_INFINITY, _NAN, _SINGLE_MAGNITUDE = 0x7F80_0000, 0x7FC0_0000, 0x7FFF_FFFF
_LEAST_NORMAL, _TOO_GREAT, _ONE_HALF = 0x3880_0000, 0x4780_0000, 0x3F00_0000
_FRACTION_SHIFT, _EXPONENTS_APART = 13, 2.0**112


def singles_of(builder: ir.IRBuilder, packed: ir.Value, is_bfloat: bool) -> list[ir.Value]:
    """The values of the lower and of the upper half of each lane's word."""
    lower, upper = builder.and_(packed, words(HALF)), builder.lshr(packed, words(HALF_BITS))
    if is_bfloat:
        return [builder.bitcast(builder.shl(half, words(HALF_BITS)), FLOATS) for half in (lower, upper)]
    return [_single_of(builder, half) for half in (lower, upper)]


def _single_of(builder: ir.IRBuilder, half: ir.Value) -> ir.Value:
    """A binary16 is a single of its bits, times a power of two; infinity and what is none stand apart."""
    magnitude = builder.and_(half, words(_MAGNITUDE))
    shifted = builder.bitcast(builder.shl(magnitude, words(_FRACTION_SHIFT)), FLOATS)
    scaled = builder.bitcast(builder.fmul(shifted, floats(_EXPONENTS_APART)), WORDS)
    finite = builder.icmp_unsigned("<", magnitude, words(_EXPONENT))
    is_nan = builder.icmp_unsigned(">", magnitude, words(_EXPONENT))
    other = builder.select(is_nan, words(_NAN), words(_INFINITY))
    sign = builder.shl(builder.and_(half, words(_SIGN)), words(HALF_BITS))
    return builder.bitcast(builder.or_(builder.select(finite, scaled, other), sign), FLOATS)


def bfloat_of(builder: ir.IRBuilder, single: ir.Value) -> ir.Value:
    """The nearest bfloat16 to a single's word."""
    is_nan = builder.icmp_unsigned(">", builder.and_(single, words(_SINGLE_MAGNITUDE)), words(_INFINITY))
    odd = builder.and_(builder.lshr(single, words(HALF_BITS)), words(1))
    rounded = builder.add(single, builder.add(odd, words(_MAGNITUDE)))
    return builder.select(is_nan, words(_MAGNITUDE), builder.lshr(rounded, words(HALF_BITS)))


def half_of(builder: ir.IRBuilder, single: ir.Value) -> ir.Value:
    """The nearest binary16 to a single's word. A tiny one's last bit is that of a half, to which it is added."""
    magnitude = builder.and_(single, words(_SINGLE_MAGNITUDE))
    odd = builder.and_(builder.lshr(magnitude, words(_FRACTION_SHIFT)), words(1))
    half_bit = builder.add(odd, words((1 << (_FRACTION_SHIFT - 1)) - 1))
    rounded = builder.add(builder.sub(magnitude, words(_LEAST_NORMAL - (1 << 23))), half_bit)
    normal = builder.lshr(rounded, words(_FRACTION_SHIFT))
    sum_with_half = builder.fadd(builder.bitcast(magnitude, FLOATS), floats(0.5))
    tiny = builder.sub(builder.bitcast(sum_with_half, WORDS), words(_ONE_HALF))
    found = builder.select(builder.icmp_unsigned("<", magnitude, words(_LEAST_NORMAL)), tiny, normal)
    is_great = builder.icmp_unsigned(">=", magnitude, words(_TOO_GREAT))
    found = builder.select(is_great, words(_EXPONENT), found)
    sign = builder.and_(builder.lshr(single, words(HALF_BITS)), words(_SIGN))
    is_nan = builder.icmp_unsigned(">", magnitude, words(_INFINITY))
    return builder.select(is_nan, words(_MAGNITUDE), builder.or_(found, sign))


def as_move(fields: dict[str, int], shared: Sequence[Key]) -> dict[str, int]:
    """An instruction's fields; of HFMA2 with two zeros and a constant, those of a move of the constant.

    Args:
        shared: what the shared rows hold (see `lowering.program.Rows`).
    """
    if fields["operation"] != halves.HFMA2 or not _adds_to_zero(fields):
        return fields
    kind, word, _ = shared[~fields["c"] - ZERO_ROWS]
    exponent = _BFLOAT_EXPONENT if fields["mode"] == halves.BFLOAT else _EXPONENT
    if kind != "value" or not all(_is_plain(half, exponent) for half in (word & HALF, word >> 16)):
        return fields
    return fields | {"operation": integers.MOV, "a": fields["c"], "a_flip": 0, "mode": 0}


def _adds_to_zero(fields: dict[str, int]) -> bool:
    is_plain = fields["mode"] in (0, halves.BFLOAT) and fields["value"] == 0 and fields["c_flip"] == 0
    zeros = all(-ZERO_ROWS <= fields[name] < 0 for name in "ab")
    return is_plain and zeros and fields["c"] < -ZERO_ROWS and fields["c_keep"] == isa.FULL_MASK


def _is_plain(half: int, exponent: int) -> bool:
    """Whether a sum with zero leaves a half as it is: zero, or a normal number."""
    return half == 0 or half & exponent not in (0, exponent)
