"""A launch: grid, block and arguments, turned into the machine's arrays.

Buffers get device addresses of their own, apart from each other, so that an access beyond one's end is seen.
A buffer's contents are kept only when something that was asked for depends on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import flow
from simcore.core.machine import REPORTS, Machine
from simcore.errors import LaunchError
from simcore.lowering.program import ZERO_ROWS, Program
from simcore.machine_code.cubin import Kernel

FIRST_ADDRESS = 0x7F00_0000_0000
ADDRESS_ALIGNMENT = 1 << 21
"""Device addresses of buffers are apart by multiples of 2 MiB, the page that cudaMalloc hands out."""
MAX_CONSTANT_BANKS = 32


@dataclass(frozen=True)
class Buffer:
    """A device buffer made when its contents matter, and never otherwise.

    Attributes:
        dtype: a numpy type's name, as in `float32`.
        elements: how many.
        fill: zeros | ones | iota | uniform (floats in [0, 1)) | randint (integers in [0, high)).
        seed: of the random fills.
        high: bound of `randint`.
    """

    dtype: str
    elements: int
    fill: str = "zeros"
    seed: int = 0
    high: int = 0

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.elements * np.dtype(self.dtype).itemsize

    def materialise(self) -> NDArray[np.generic]:
        """The contents; the same array (not to be written to) for the same description.

        Raises:
            LaunchError: this machine has not the memory for them.
        """
        try:
            return _materialise(self)
        except (MemoryError, ValueError) as error:  # numpy's ValueError: more bytes than an address reaches
            raise LaunchError(
                f"a buffer of {self.elements} x {self.dtype} does not fit this machine's memory; make it smaller"
            ) from error


@lru_cache(maxsize=4)
def _materialise(buffer: Buffer) -> NDArray[np.generic]:
    dtype = np.dtype(buffer.dtype)
    random = np.random.Generator(np.random.PCG64(buffer.seed))
    if buffer.fill == "zeros":
        return np.zeros(buffer.elements, dtype)
    if buffer.fill == "ones":
        return np.ones(buffer.elements, dtype)
    if buffer.fill == "iota":
        return np.arange(buffer.elements).astype(dtype)
    if buffer.fill == "uniform":
        drawn = random.random(buffer.elements, np.float64 if dtype == np.float64 else np.float32)
        return drawn.astype(dtype, copy=False)
    if buffer.fill == "randint":
        return random.integers(0, max(buffer.high, 1), buffer.elements).astype(dtype)
    raise LaunchError(f"unknown fill {buffer.fill!r}; use zeros, ones, iota, uniform or randint")


Argument = NDArray[np.generic] | np.generic | Buffer


@dataclass(frozen=True)
class Launch:
    """A checked launch of one kernel.

    Attributes:
        grid: blocks in x, y, z.
        block: threads in x, y, z.
        shared_bytes: static and dynamic shared memory a block, without the system's reserve.
        stack_bytes: local memory that a thread is given.
    """

    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[Argument, ...]
    shared_bytes: int
    stack_bytes: int

    @property
    def blocks(self) -> int:
        """Blocks in the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads_per_block(self) -> int:
        """Threads a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps_per_block(self) -> int:
        """Warps a block, the last one perhaps partial."""
        return -(-self.threads_per_block // 32)

    def buffers(self) -> list[int]:
        """Positions of the arguments that are buffers."""
        return [i for i, a in enumerate(self.arguments) if isinstance(a, (np.ndarray, Buffer))]

    @property
    def memories(self) -> int:
        """Pieces of global memory: the buffers in order, and the module's variables if it has any."""
        return len(self.buffers()) + bool(self.kernel.variables)


def dimensions(value: int | Sequence[int], name: str) -> tuple[int, int, int]:
    """A grid or block as three numbers."""
    numbers = [value] if isinstance(value, (int, np.integer)) else list(value)
    if not 1 <= len(numbers) <= 3 or any(int(n) < 1 for n in numbers):
        raise LaunchError(f"{name} is {value}; give one to three numbers, each 1 or more")
    numbers += [1] * (3 - len(numbers))
    return int(numbers[0]), int(numbers[1]), int(numbers[2])


def check_arguments(kernel: Kernel, arguments: Sequence[Argument]) -> None:
    """Refuse arguments that do not fit the kernel's parameters.

    Raises:
        LaunchError: wrong number, or one whose size is not the parameter's.
    """
    if len(arguments) != len(kernel.parameters):
        raise LaunchError(
            f"{kernel.name} takes {len(kernel.parameters)} arguments, not {len(arguments)}; "
            f"their sizes are {', '.join(f'{p.size}' for p in kernel.parameters)} bytes"
        )
    for position, (argument, parameter) in enumerate(zip(arguments, kernel.parameters, strict=True)):
        if isinstance(argument, (np.ndarray, Buffer)):
            size, what = 8, "a buffer (its address takes 8 bytes)"
        elif isinstance(argument, np.generic):
            size, what = argument.nbytes, f"a {argument.dtype} of {argument.nbytes} bytes"
        else:
            raise LaunchError(
                f"argument {position} of {kernel.name} is a {type(argument).__name__}; "
                "give a numpy array or a Buffer for a pointer, a numpy scalar such as np.int32(7) for a value"
            )
        if size != parameter.size:
            raise LaunchError(
                f"argument {position} of {kernel.name} is {what}, but the parameter takes {parameter.size} bytes"
            )


def buffer_addresses(launch: Launch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and end on the device of each buffer, and at last of the module's variables."""
    starts, ends = [], []
    address = FIRST_ADDRESS
    sizes = [launch.arguments[position].nbytes for position in launch.buffers()]
    for size in [*sizes, len(launch.kernel.variables)][: launch.memories]:
        starts.append(address)
        ends.append(address + size)
        address += -(-(size + 1) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
    return np.array(starts, np.int64), np.array(ends, np.int64)


def constant_bank_0(launch: Launch, starts: NDArray[np.int64]) -> bytes:
    """Bank 0: block and grid shape, the stack's top, then the parameters.

    Where the driver's own values lie was read off the code that the compiler emits for each architecture.
    """
    kernel = launch.kernel
    recent = int(kernel.architecture.removeprefix("sm_")) >= 100
    end = max((p.offset + p.size for p in kernel.parameters), default=0)
    bank = bytearray(max(len(kernel.constant_banks.get(0, b"")), kernel.parameter_base + end, 0x400))
    shape, grid, stack, local_window = (0x360, 0x370, 0x37C, 0x2F8) if recent else (0x0, 0xC, 0x28, 0x20)
    bank[shape : shape + 12] = np.array(launch.block, np.uint32).tobytes()
    bank[grid : grid + 12] = np.array(launch.grid, np.uint32).tobytes()
    bank[stack : stack + 4] = np.uint32(launch.stack_bytes).tobytes()
    bank[local_window : local_window + 8] = np.uint64(isa.LOCAL_WINDOW << 32).tobytes()
    if not recent:
        bank[0x18:0x20] = np.uint64(isa.SHARED_WINDOW << 32).tobytes()
    addresses = iter(starts)
    for parameter, argument in zip(kernel.parameters, launch.arguments, strict=True):
        is_buffer = isinstance(argument, (np.ndarray, Buffer))
        content = np.uint64(next(addresses)).tobytes() if is_buffer else argument.tobytes()  # type: ignore[union-attr]
        at = kernel.parameter_base + parameter.offset
        bank[at : at + parameter.size] = content
    return bytes(bank)


def build_machine(
    launch: Launch,
    program: Program,
    action: NDArray[np.uint8],
    backed: set[int],
    warps: int,
    block_slots: int,
) -> Machine:
    """The arrays for a number of warp and block slots.

    Args:
        action: what to do with each instruction (see `simcore.analysis.slicing`).
        backed: the pieces of global memory, by order, whose contents are kept.
    """
    starts, ends = buffer_addresses(launch)
    banks, variables = _with_pointers(launch, starts)
    banks[0] = constant_bank_0(launch, starts)
    sections: list[NDArray[np.uint32]] = []
    words = 0

    def place(section: NDArray[np.uint32]) -> int:
        nonlocal words
        sections.append(section)
        words += len(section)
        return words - len(section)

    buffer_word = np.full(len(starts), -1, np.int64)
    for order, position in enumerate(launch.buffers()):
        if order in backed:
            buffer_word[order] = place(_as_words(_contents(launch.arguments[position])))
    if launch.memories - 1 in backed and variables:
        buffer_word[-1] = place(_as_words(np.frombuffer(variables, np.uint8)))
    shared_limit = launch.kernel.shared_base + launch.shared_bytes
    shared_words = -(-shared_limit // 4)
    shared_word = place(np.zeros(block_slots * shared_words, np.uint32))
    local_words = -(-launch.stack_bytes // 4)
    local_word = place(np.zeros(warps * local_words * 32, np.uint32))
    constant_word = np.zeros(MAX_CONSTANT_BANKS, np.int64)
    constant_bytes = np.zeros(MAX_CONSTANT_BANKS, np.int64)
    for bank, content in banks.items():
        constant_word[bank] = place(_as_words(np.frombuffer(content, np.uint8)))
        constant_bytes[bank] = len(content)

    rows = program.rows
    first_own_row = ZERO_ROWS + len(rows.shared)
    registers = np.zeros((first_own_row + warps * rows.own, 32), np.uint32)
    for row, key in enumerate(rows.shared, start=ZERO_ROWS):
        registers[row] = _shared_row(key, banks)
    scratch = np.zeros(8 * 32, np.uint32)
    wide = np.zeros(4 * 32, np.uint64)
    return Machine(
        code=program.code,
        action=action,
        registers=registers.reshape(-1),
        first_own_row=first_own_row,
        own_rows=rows.own,
        predicates=np.zeros(warps * isa.PREDICATES, np.uint32),
        pc=np.zeros(warps, np.int64),
        active=np.zeros(warps, np.uint32),
        live=np.zeros(warps, np.uint32),
        barriers=np.zeros((warps, flow.BARRIERS), np.uint32),
        split_count=np.zeros(warps, np.int64),
        split_pc=np.zeros((warps, 33), np.int64),
        split_mask=np.zeros((warps, 33), np.uint32),
        split_wait=np.zeros((warps, 33), np.int64),
        warp_block=np.zeros(warps, np.int64),
        warp_index=np.zeros(warps, np.int64),
        block_index=np.zeros((block_slots, 3), np.int64),
        block_shape=np.array(launch.block, np.int64),
        grid_shape=np.array(launch.grid, np.int64),
        memory=np.concatenate(sections) if sections else np.zeros(1, np.uint32),
        buffer_start=starts,
        buffer_end=ends,
        buffer_word=buffer_word,
        shared_word=shared_word,
        shared_words=shared_words,
        shared_limit=shared_limit,
        local_word=local_word,
        local_words=local_words,
        constant_word=constant_word,
        constant_bytes=constant_bytes,
        tallies=np.zeros((block_slots, 16, 3, 2), np.int64),
        reductions=np.zeros((warps, 17), np.int64),
        scratch=scratch,
        scratch_float=scratch.view(np.float32),
        wide=wide,
        wide_float=wide.view(np.float64),
        address=np.zeros(32, np.int64),
        report=np.zeros(REPORTS, np.int64),
    )


def _with_pointers(launch: Launch, starts: NDArray[np.int64]) -> tuple[dict[int, bytes], bytes]:
    """The constant banks and the variables, with the addresses of variables filled in."""
    banks = {bank: bytearray(content) for bank, content in launch.kernel.constant_banks.items()}
    variables = bytearray(launch.kernel.variables)
    for pointer in launch.kernel.pointers:
        content = variables if pointer.bank is None else banks[pointer.bank]
        content[pointer.offset : pointer.offset + 8] = np.uint64(starts[-1] + pointer.value).tobytes()
    return {bank: bytes(content) for bank, content in banks.items()}, bytes(variables)


def _contents(argument: Argument) -> NDArray[np.generic]:
    if isinstance(argument, Buffer):
        return argument.materialise()
    return np.asarray(argument)


def _as_words(array: NDArray[np.generic]) -> NDArray[np.uint32]:
    """The array's bytes as 32-bit words, padded by up to four words."""
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    words = np.zeros(-(-content.size // 4) + 4, np.uint32)
    words.view(np.uint8)[: content.size] = content
    return words


def _shared_row(key: tuple[str, int, int], banks: dict[int, bytes]) -> int:
    kind, first, offset = key
    if kind == "value":
        return first
    content = banks.get(first, b"")[offset : offset + 4]
    return int.from_bytes(content, "little")
