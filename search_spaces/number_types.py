"""The types of kernel arguments: their names in a space.yaml, sizes, and how C++ lays them out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_BYTES = {
    "float32": 4,
    "float64": 8,
    "float16": 2,
    "int32": 4,
    "int64": 8,
    "uint32": 4,
    "uint64": 8,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "bool": 1,
    "bfloat16": 2,
    "float8_e4m3": 1,
    "float8_e5m2": 1,
}
NUMBER_TYPES = tuple(_BYTES)
_LANES = (2, 3, 4)
TYPE_NAMES = (
    *NUMBER_TYPES,
    *(f"{name}x{lanes}" for name in NUMBER_TYPES if name != "bool" for lanes in _LANES),
)
"""All names: of numbers, and of vectors of two to four, as in `float32x4` for CUDA's float4."""

_LARGEST_ALIGNMENT = 16  # bytes; CUDA C++ Programming Guide, "Built-in Vector Types"
_C_TYPES = {
    "char": "int8",
    "uchar": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int": "int32",
    "uint": "uint32",
    "unsigned": "uint32",
    "long": "int64",
    "longlong": "int64",
    "ulong": "uint64",
    "ulonglong": "uint64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "__half": "float16",
    "__nv_bfloat16": "bfloat16",
    "__nv_fp8_e4m3": "float8_e4m3",
    "__nv_fp8_e5m2": "float8_e5m2",
}


@dataclass(frozen=True)
class NumberType:
    """A type: a number, or a vector of a few.

    Attributes:
        name: such as `float32x4`.
        number: of its components, such as `float32`.
        lanes: how many.
    """

    name: str
    number: str
    lanes: int

    @classmethod
    def of(cls, name: str) -> "NumberType":
        """The type of a name in `TYPE_NAMES`."""
        number, _, lanes = name.partition("x")
        return cls(name, number, int(lanes or 1))

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        return _BYTES[self.number] * self.lanes

    @property
    def alignment(self) -> int:
        """What its address is a multiple of, in bytes; a vector of three is aligned as a number."""
        lanes = 1 if self.lanes == 3 else self.lanes
        return min(_BYTES[self.number] * lanes, _LARGEST_ALIGNMENT)

    @property
    def integers(self) -> tuple[int, int] | None:
        """The least and the greatest integer; None if it is no integer type."""
        if self.number == "bool":
            return 0, 1
        signed = re.fullmatch(r"(u?)int(\d+)", self.number)
        if not signed:
            return None
        bits = int(signed[2])
        return (0, 2**bits - 1) if signed[1] else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


POINTER = NumberType.of("uint64")
"""A struct's field that points to a buffer is laid out as this."""


def struct_layout(types: Sequence[NumberType]) -> tuple[list[int], int]:
    """The offsets of a struct's fields and its size in bytes, as C++ lays it out."""
    offsets, end = [], 0
    for kind in types:
        end = -(-end // kind.alignment) * kind.alignment
        offsets.append(end)
        end += kind.bytes
    largest = max((kind.alignment for kind in types), default=1)
    return offsets, -(-end // largest) * largest


def name_in_this_format(c_name: str) -> str:
    """The name here of a type of C++ or CUDA, such as float32x4 for float4; other names unchanged."""
    vector = re.fullmatch(r"([a-z]+)([234])", c_name)
    if vector and vector[1] in _C_TYPES:
        return f"{_C_TYPES[vector[1]]}x{vector[2]}"
    return _C_TYPES.get(c_name, c_name)
