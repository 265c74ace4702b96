"""A space's arguments and variables in the simulator's form."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dse.evaluation.sparse import array_of
from search_spaces import Argument
from search_spaces.array_files import read_array
from search_spaces.contents import DataPart
from search_spaces.number_types import POINTER, NumberType, struct_layout
from simcore import Buffer, Pointer, Struct
from simcore.model.number_formats import encode, storage

_NO_FILES: Mapping[str, bytes] = MappingProxyType({})
#: Seeds of variables, apart from those of arguments.
_FIRST_SEED_OF_VARIABLES = 1000
#: Seeds of the buffers that the first argument points to, if it is a struct; further ones are multiples of it.
_FIRST_SEED_OF_FIELDS = 10_000

DeviceBuffer = Buffer | NDArray[np.generic]
DeviceArgument = DeviceBuffer | np.generic | Struct


def device_arguments(
    arguments: Sequence[Argument], files: Mapping[str, bytes] = _NO_FILES
) -> list[DeviceArgument]:
    """A space's arguments; the seed of a buffer is its position unless it has one, or it has the contents of a file."""
    return [_device_argument(argument, seed, files) for seed, argument in enumerate(arguments)]


def device_variables(
    variables: Sequence[Argument], files: Mapping[str, bytes] = _NO_FILES
) -> dict[str, DeviceArgument]:
    """The contents of a kernel's variables, by name."""
    return {
        variable.name: _device_argument(variable, seed, files)
        for seed, variable in enumerate(variables, start=_FIRST_SEED_OF_VARIABLES)
    }


def described(argument: Argument) -> str:
    """An argument in a few words, with the layout of a struct."""
    if argument.fields is None:
        return f"{argument.name} ({'a buffer' if argument.kind == 'buffer' else argument.dtype})"
    offsets, size = _layout(argument.fields)
    fields = (f"{field.name} at {at}" for field, at in zip(argument.fields, offsets, strict=True))
    return f"{argument.name} (a struct of {size} bytes: {', '.join(fields)})"


def _device_argument(argument: Argument, seed: int, files: Mapping[str, bytes]) -> DeviceArgument:
    if argument.fields is not None:
        return _struct(argument.fields, seed, files)
    if argument.kind == "value":
        return _scalar(argument.value, NumberType.of(argument.dtype))
    return _buffer(argument, seed, files)


def _buffer(argument: Argument, seed: int, files: Mapping[str, bytes]) -> DeviceBuffer:
    kind = NumberType.of(argument.dtype)
    if argument.file is not None:
        return _file_array(files[argument.file], kind.number)
    if argument.data is not None:
        return _data_array(argument.data, kind.number)
    return Buffer(
        kind.number,
        (argument.elements or 0) * kind.lanes,
        fill=argument.fill or "zeros",
        seed=seed if argument.seed is None else argument.seed,
        high=argument.high or 0,
        exponent=argument.exponent or 1,
        value=argument.value if isinstance(argument.value, int | float) else 0,
    )


def _scalar(value: Any, kind: NumberType) -> np.generic:
    """A number, or the bytes of a vector."""
    stored = encode(np.array(value, _exact(kind)), kind.number)
    return np.void(stored.tobytes()) if kind.lanes > 1 else stored.dtype.type(stored)


def _exact(kind: NumberType) -> str:
    """NumPy's type that has all numbers of a type."""
    if kind.integers is None:
        return "float64"
    return "uint64" if kind.integers[0] == 0 else "int64"


def _layout(fields: Sequence[Argument]) -> tuple[list[int], int]:
    """The offsets of a struct's fields, and its size."""
    return struct_layout(
        [POINTER if field.kind == "buffer" else NumberType.of(field.dtype) for field in fields]
    )


def _struct(fields: Sequence[Argument], seed: int, files: Mapping[str, bytes]) -> np.void | Struct:
    """The bytes of a struct; with pointers among them if it has any, whose buffers have seeds of their own."""
    offsets, size = _layout(fields)
    content, pointers = bytearray(size), []
    for place, (field, offset) in enumerate(zip(fields, offsets, strict=True)):
        if field.kind == "buffer":
            buffer = _buffer(field, _FIRST_SEED_OF_FIELDS * (seed + 1) + place, files)
            pointers.append(Pointer(offset, buffer, field.name))
        else:
            number = _scalar(field.value, NumberType.of(field.dtype)).tobytes()
            content[offset : offset + len(number)] = number
    return Struct(bytes(content), pointers) if pointers else np.void(bytes(content))


@lru_cache(maxsize=8)
def _file_array(content: bytes, number: str) -> NDArray[np.generic]:
    return read_array(content).view(storage(number))


@lru_cache(maxsize=4)
def _data_array(part: DataPart, number: str) -> NDArray[np.generic]:
    return encode(array_of(part), number)
