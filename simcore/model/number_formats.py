"""Number formats that NumPy does not have: bfloat16 and FP8, stored as their bits.

FP8 is that of the OCP 8-bit floating-point specification: E4M3 without infinities, E5M2 as IEEE 754. Conversions round
to the nearest, ties to even, and saturate, as CUDA's do.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Format: exponent bits, mantissa bits, and the largest code of a finite number.
_NARROW = {"float8_e4m3": (4, 3, 0x7E), "float8_e5m2": (5, 2, 0x7B)}
_STORAGE = {"bfloat16": "uint16", "float8_e4m3": "uint8", "float8_e5m2": "uint8"}


def storage(name: str) -> np.dtype[Any]:
    """NumPy's type of the bytes of a type of numbers, such as `float32`, `bfloat16` or `float8_e4m3`."""
    return np.dtype(_STORAGE.get(name, name))


def encode(numbers: NDArray[Any], name: str) -> NDArray[Any]:
    """Numbers as they are stored: converted, or the bits of what NumPy does not have."""
    if name == "bfloat16":
        bits = numbers.astype(np.float32).view(np.uint32)
        rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(numbers), np.uint16(0x7FFF), rounded)
    if name in _NARROW:
        return _encode_narrow(numbers.astype(np.float64), name)
    return numbers.astype(name, copy=False)


def decode(stored: NDArray[Any], name: str) -> NDArray[Any]:
    """Stored numbers as NumPy has them: bfloat16 and FP8 as float32, others unchanged."""
    if name == "bfloat16":
        return (stored.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if name in _NARROW:
        return _values(name)[stored.view(np.uint8)]
    return stored


def _encode_narrow(numbers: NDArray[np.float64], name: str) -> NDArray[np.uint8]:
    largest = _NARROW[name][2]
    finite = _values(name)[: largest + 1].astype(np.float64)
    middles = (finite[1:] + finite[:-1]) / 2
    size = np.abs(numbers)
    code = np.searchsorted(middles, size)  # the lower of two if it is just between them
    is_tie = (code < largest) & (size == middles[np.minimum(code, largest - 1)])
    code += is_tie & (code % 2 == 1)
    return np.where(np.isnan(numbers), 0x7F, code | np.signbit(numbers) * 0x80).astype(np.uint8)


@cache
def _values(name: str) -> NDArray[np.float32]:
    """The number of each of the 256 codes."""
    exponents, mantissas, largest = _NARROW[name]
    codes = np.arange(256)
    exponent, mantissa = codes >> mantissas & (1 << exponents) - 1, codes & (1 << mantissas) - 1
    bias = (1 << exponents - 1) - 1
    fraction = mantissa / (1 << mantissas) + (exponent > 0)
    size = np.ldexp(fraction, np.maximum(exponent, 1) - bias)
    size[codes & 0x7F > largest] = np.nan
    if name == "float8_e5m2":
        size[codes & 0x7F == 0x7C] = np.inf
    values: NDArray[np.float32] = np.where(codes & 0x80, -size, size).astype(np.float32)
    return values
