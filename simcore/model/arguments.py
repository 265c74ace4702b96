"""Kernel arguments: buffers, arrays and values, and whether they match the kernel's parameters.

A buffer's contents are generated only if a requested result depends on them.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.errors import LaunchError, did_you_mean
from simcore.machine_code.cubin import Kernel
from simcore.model.number_formats import encode, storage

FILLS = ("zeros", "ones", "iota", "uniform", "randint", "sorted", "zipf", "permutation", "constant")


@dataclass(frozen=True)
class Buffer:
    """A device buffer whose contents are generated only if they matter.

    Attributes:
        dtype: name of a numpy type, e.g. `float32`, or bfloat16, float8_e4m3, float8_e5m2.
        elements: number of elements.
        fill: zeros | ones | iota | uniform (floats in [0, 1)) | randint (integers in [0, high)) | sorted (the same in
            ascending order) | zipf (integers in [0, high), k as often as 1 / (k + 1)**exponent) | permutation (of 0 to
            elements - 1) | constant (`value`).
        seed: of the random fills.
        high: exclusive upper bound of `randint`, `sorted` and `zipf`.
        exponent: of `zipf`.
        value: of every element of a `constant` fill.
    """

    dtype: str
    elements: int
    fill: str = "zeros"
    seed: int = 0
    high: int = 0
    value: float = 0
    exponent: float = 1

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.elements * storage(self.dtype).itemsize

    def materialise(self) -> NDArray[np.generic]:
        """The contents; the same read-only array for the same description.

        Raises:
            LaunchError: they do not fit this machine's memory.
        """
        try:
            return _KEPT.contents_of(self)
        except (MemoryError, ValueError) as error:  # numpy's ValueError: size exceeds the address space
            raise LaunchError(
                f"a buffer of {self.elements} x {self.dtype} does not fit this machine's memory; make it smaller"
            ) from error


KEPT_BYTES = 256 << 20
"""Contents that are kept for the next launch, which often has the same buffers: of five that a launch updates, say."""


class _Kept:
    """Contents that were asked for last, as far as they have room; the very last ones in any case."""

    def __init__(self) -> None:
        self._contents: OrderedDict[Buffer, NDArray[np.generic]] = OrderedDict()
        self._lock = Lock()

    def contents_of(self, buffer: Buffer) -> NDArray[np.generic]:
        """A buffer's contents, generated if they are not kept."""
        with self._lock:
            contents = self._contents.pop(buffer, None)
            if contents is None:
                self._make_room_for(buffer.nbytes)
                contents = _materialise(buffer)
            self._contents[buffer] = contents
            return contents

    def _make_room_for(self, size: int) -> None:
        """Drop those that were asked for longest ago until so many bytes have room."""
        kept = sum(buffer.nbytes for buffer in self._contents)
        while self._contents and kept + size > KEPT_BYTES:
            dropped, _ = self._contents.popitem(last=False)
            kept -= dropped.nbytes


_KEPT = _Kept()


def _materialise(buffer: Buffer) -> NDArray[np.generic]:
    dtype, elements = buffer.dtype, buffer.elements
    random = np.random.Generator(np.random.PCG64(buffer.seed))
    match buffer.fill:
        case "zeros":
            return np.zeros(elements, storage(dtype))
        case "ones":
            return np.full(elements, encode(np.ones(1), dtype)[0])
        case "constant":
            return np.full(elements, encode(np.array([buffer.value]), dtype)[0])
        case "iota":
            return encode(np.arange(elements), dtype)
        case "permutation":
            return encode(random.permutation(elements), dtype)
        case "uniform":
            drawn = np.float64 if dtype == "float64" else np.float32
            return _in_parts(buffer, lambda count: random.random(count, drawn))
        case "randint":
            return _in_parts(buffer, lambda count: random.integers(0, max(buffer.high, 1), count))
        case "sorted":
            return encode(np.sort(random.integers(0, max(buffer.high, 1), elements)), dtype)
        case "zipf":
            return encode(_zipf(random, buffer), dtype)
    meant = (
        "; did you mean 'uniform'?" if buffer.fill.startswith("rand") else did_you_mean(buffer.fill, FILLS)
    )
    raise LaunchError(f"unknown fill {buffer.fill!r}{meant or ';'} use {', '.join(FILLS)}")


PART = 1 << 16
"""Elements that are drawn at a time: as many as stay in a cache until they are stored."""


def _in_parts(buffer: Buffer, draw: Callable[[int], NDArray[Any]]) -> NDArray[np.generic]:
    """A buffer's numbers as they are drawn one after another, however many at a time."""
    contents = np.empty(buffer.elements, storage(buffer.dtype))
    for first in range(0, buffer.elements, PART):
        part = contents[first : first + PART]
        part[:] = encode(draw(len(part)), buffer.dtype)
    return contents


def _zipf(random: np.random.Generator, buffer: Buffer) -> NDArray[np.int64]:
    """Ranks of a bounded Zipf distribution, from 0, by inversion of its distribution function."""
    below = np.cumsum(np.arange(1.0, max(buffer.high, 1) + 1) ** -buffer.exponent)
    ranks: NDArray[np.int64] = np.searchsorted(
        below, random.random(buffer.elements) * below[-1], side="right"
    )
    return ranks


DeviceBuffer = NDArray[np.generic] | Buffer
"""What a pointer points to."""

POINTER_BYTES = 8


class Pointer(NamedTuple):
    """A pointer among the fields of a struct.

    Attributes:
        offset: of the field, in bytes.
        buffer: what it points to.
        name: what messages call the field; empty if it has no name.
    """

    offset: int
    buffer: DeviceBuffer
    name: str = ""


@dataclass(frozen=True, eq=False)
class Struct:
    """A struct by value that holds pointers, such as an array with its shape.

    Attributes:
        content: its bytes; addresses are filled in where the pointers are.
        pointers: in any order.
    """

    content: bytes
    pointers: Sequence[Pointer]

    def with_addresses(self, addresses: Sequence[int]) -> bytes:
        """The bytes, with the address of each pointer's buffer."""
        content = bytearray(self.content)
        for pointer, address in zip(self.pointers, addresses, strict=True):
            content[pointer.offset : pointer.offset + POINTER_BYTES] = np.uint64(address).tobytes()
        return bytes(content)


Argument = DeviceBuffer | np.generic | Struct
"""An array or a `Buffer` for a pointer, a scalar for a value, a `Struct` for what holds pointers."""


def pointers_of(argument: Argument) -> Sequence[Pointer]:
    """The pointers that an argument is, or holds."""
    if isinstance(argument, Struct):
        return argument.pointers
    return [Pointer(0, argument)] if isinstance(argument, (np.ndarray, Buffer)) else []


def check_arguments(kernel: Kernel, arguments: Sequence[Argument], described: Sequence[str] = ()) -> None:
    """Refuse arguments that do not match the kernel's parameters.

    Args:
        kernel: the kernel.
        arguments: in the order of its parameters.
        described: each argument in a few words, for messages.

    Raises:
        LaunchError: wrong number of arguments, or one whose size differs from the parameter's.
    """
    if len(arguments) != len(kernel.parameters):
        raise LaunchError(
            f"{kernel.called} takes {len(kernel.parameters)} arguments, not {len(arguments)}; "
            f"their sizes are {', '.join(f'{p.size}' for p in kernel.parameters)} bytes"
        )
    for position, (argument, parameter) in enumerate(zip(arguments, kernel.parameters, strict=True)):
        if isinstance(argument, (np.ndarray, Buffer)):
            size, what = POINTER_BYTES, f"a buffer (its address takes {POINTER_BYTES} bytes)"
        elif isinstance(argument, Struct):
            size, what = len(argument.content), f"a struct of {len(argument.content)} bytes"
        elif isinstance(argument, np.generic):
            size, what = argument.nbytes, f"{_article(argument.dtype)} of {argument.nbytes} bytes"
            if isinstance(argument, np.void):
                what = f"{argument.nbytes} bytes"
        else:
            raise LaunchError(
                f"argument {position} of {kernel.called} is a {type(argument).__name__}; "
                "give a numpy array or a Buffer for a pointer, a numpy scalar such as np.int32(7) for a value, "
                "a Struct for what holds pointers"
            )
        if size != parameter.size:
            called = f", {described[position]}," if described else ""
            raise LaunchError(
                f"argument {position}{called} of {kernel.called} is {what}, "
                f"but the parameter takes {parameter.size} bytes"
            )


def _article(dtype: np.dtype[np.generic]) -> str:
    return f"{'an' if dtype.kind == 'i' else 'a'} {dtype}"
