"""Floating-point immediates, as the disassembler prints them."""

import struct
from collections.abc import Callable
from typing import NamedTuple

EXPONENTIAL_FROM = 1e9
"""Magnitude from which a number is printed with an exponent and all 20 digits."""


class FloatFormat(NamedTuple):
    """Where an immediate lies in the word, and what its bits mean.

    Attributes:
        low: its lowest bit.
        width: bits in the word; a double has only its upper half there.
        mantissa: explicit mantissa bits among them.
        value: converts the bits to a number.
    """

    low: int
    width: int
    mantissa: int
    value: Callable[[int], float]


def _single(bits: int) -> float:
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


def _double_high(bits: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<Q", bits << 32))[0]
    return value


def _half(bits: int) -> float:
    value: float = struct.unpack("<e", struct.pack("<H", bits))[0]
    return value


def _bfloat(bits: int) -> float:
    return _single(bits << 16)


FORMATS = {
    "f32": FloatFormat(32, 32, 23, _single),
    "f64": FloatFormat(32, 32, 20, _double_high),
    "f16 low": FloatFormat(32, 16, 10, _half),
    "f16 high": FloatFormat(48, 16, 10, _half),
    "bf16 low": FloatFormat(32, 16, 7, _bfloat),
    "bf16 high": FloatFormat(48, 16, 7, _bfloat),
}


def written(kind: str, word: int) -> str:
    """The text of a word's immediate in one of `FORMATS`."""
    form = FORMATS[kind]
    bits = word >> form.low & (1 << form.width) - 1
    payload = bits & (1 << form.mantissa) - 1
    exponent_bits = form.width - 1 - form.mantissa
    is_special = bits >> form.mantissa & (1 << exponent_bits) - 1 == (1 << exponent_bits) - 1
    sign = "-" if bits >> form.width - 1 else "+"
    if is_special:
        name = ("QNAN" if payload >> form.mantissa - 1 else "SNAN") if payload else "INF"
        return f"{sign}{name} "
    value = form.value(bits)
    if value == 0:
        return "-0.0 " if sign == "-" else "0"
    return f"{value:.20e}" if abs(value) >= EXPONENTIAL_FROM else f"{value:.20g}"
