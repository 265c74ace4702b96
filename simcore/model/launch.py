"""A checked launch: grid, block and arguments, and the device addresses of its buffers.

Buffers are placed apart from each other, so that out-of-bounds accesses are detected.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index

import numpy as np
from numpy.typing import NDArray

from simcore.errors import LaunchError
from simcore.machine_code.cubin import Kernel
from simcore.model.arguments import Argument, DeviceBuffer, pointers_of

FIRST_ADDRESS = 0x7F00_0000_0000
ADDRESS_ALIGNMENT = 1 << 21
"""Buffers start at multiples of 2 MiB, the page size of cudaMalloc."""


@dataclass(frozen=True)
class Launch:
    """A checked launch of one kernel.

    Attributes:
        grid: blocks in x, y, z.
        block: threads in x, y, z.
        shared_bytes: static and dynamic shared memory per block, without the system's reserve.
        stack_bytes: local memory per thread.
        first_address: where the first buffer lies.
        argument_names: what messages call the arguments; empty if they have no names.
    """

    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[Argument, ...]
    shared_bytes: int
    stack_bytes: int
    first_address: int = FIRST_ADDRESS
    argument_names: tuple[str, ...] = ()

    @property
    def blocks(self) -> int:
        """Blocks in the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads_per_block(self) -> int:
        """Threads per block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps_per_block(self) -> int:
        """Warps per block, the last one possibly partial."""
        return -(-self.threads_per_block // 32)

    @cached_property
    def addresses(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and end address of each buffer, and last of the module's variables."""
        starts, ends = [], []
        address = self.first_address
        sizes = [buffer.nbytes for buffer in self.buffers()]
        for size in [*sizes, len(self.kernel.variables)][: self.memories]:
            starts.append(address)
            ends.append(address + size)
            address += -(-(size + 1) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
        return np.array(starts, np.int64), np.array(ends, np.int64)

    def buffers(self) -> list[DeviceBuffer]:
        """What the arguments point to, in their order."""
        return [pointer.buffer for argument in self.arguments for pointer in pointers_of(argument)]

    def buffer_names(self) -> list[str]:
        """What messages call each buffer, such as `x (argument 0)`, or `x.data (argument 0)` in a struct."""
        names = []
        for position, argument in enumerate(self.arguments):
            numbered = f"argument {position}"
            for pointer in pointers_of(argument):
                parts = [*self.argument_names[position : position + 1], pointer.name]
                called = ".".join(part for part in parts if part)
                names.append(f"{called} ({numbered})" if called else numbered)
        return names

    @property
    def memories(self) -> int:
        """Number of global memory regions: the buffers in order, and the module's variables if it has any."""
        return len(self.buffers()) + bool(self.kernel.variables)


def dimensions(value: int | Sequence[int], name: str) -> tuple[int, int, int]:
    """A grid or block as three numbers."""
    try:
        numbers = [index(number) for number in (value if isinstance(value, Iterable) else [value])]
    except TypeError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or any(number < 1 for number in numbers):
        raise LaunchError(f"{name} is {value!r}; give one to three integers, each 1 or more")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z
