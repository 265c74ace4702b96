"""Builds the arrays of the machine that the core runs on."""

from collections.abc import Callable, Collection
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import flow
from simcore.core.execution.arithmetic import matrices
from simcore.core.machine import REPORTS, Machine
from simcore.lowering.program import ZERO_ROWS, Key, Program
from simcore.machine_code.cubin import CONSTANT_BANKS
from simcore.model.arguments import Buffer, DeviceBuffer
from simcore.model.launch import Launch
from simcore.native import ROW_ALIGNMENT
from simcore.session.constants import constant_banks, variables
from simcore.session.driver_constants import shared_end

Words = NDArray[np.uint32]
Content = Callable[[], NDArray[np.generic]]


class Constants(NamedTuple):
    """What a launch's machines have in common.

    Attributes:
        banks: the constant banks by number.
        rows: words of the register rows that all warps share.
    """

    banks: dict[int, bytes]
    rows: Words


def constants_of(launch: Launch, program: Program) -> Constants:
    """The constants of a launch."""
    starts, _ = launch.addresses
    banks = constant_banks(launch, starts)
    return Constants(banks, np.array([_shared_word(key, banks) for key in program.rows.shared], np.uint32))


def build_machine(
    launch: Launch,
    program: Program,
    constants: Constants,
    action: NDArray[np.uint8],
    backed: Collection[int],
    warps: int,
    block_slots: int,
    clock_mhz: float = 1000,
    visited: NDArray[np.uint8] | None = None,
    earlier: Words | None = None,
) -> Machine:
    """The arrays for a number of warp and block slots.

    Args:
        constants: of the launch.
        action: what to do with each instruction (see `simcore.analysis.slicing`).
        backed: the indices of the global memory regions whose contents are kept.
        clock_mhz: of the SM, for clocks and sleeps in nanoseconds.
        visited: takes the instructions that the interpreter comes to.
        earlier: the memory of a machine of the launch that is done with, and left the same buffers as they were.
    """
    starts, ends = launch.addresses
    memory = _Memory()
    buffer_word = _place_buffers(memory, launch, starts, backed)
    memory.end_buffers()
    shared_limit = shared_end(launch, program.instructions)
    shared_words = -(-shared_limit // 4)
    shared_word = memory.place_zeros(block_slots * shared_words)
    local_words = -(-launch.stack_bytes // 4)
    local_word = memory.place_zeros(warps * local_words * 32)
    constant_word, constant_bytes = _place_constants(memory, constants.banks)
    parts = np.split(_aligned_rows(8 + matrices.WIDE_ROWS + 2), [8, 8 + matrices.WIDE_ROWS])
    scratch, wide, address = (part.reshape(-1) for part in parts)
    return Machine(
        code=program.code,
        code_end=program.end,
        action=action,
        idle=_idle(program, action.tobytes()),
        visited=np.zeros(len(action), np.uint8) if visited is None else visited,
        registers=_registers(program, constants, warps),
        first_own_row=ZERO_ROWS + len(program.rows.shared),
        own_rows=program.rows.own,
        predicates=np.zeros(warps * isa.PREDICATES, np.uint32),
        pc=np.zeros(warps, np.int64),
        active=np.zeros(warps, np.uint32),
        live=np.zeros(warps, np.uint32),
        barriers=np.zeros((warps, flow.BARRIERS), np.uint32),
        returns=np.zeros((warps, 32), np.int64),
        lane_pc=np.zeros((warps, 32), np.int64),
        lane_wait=np.zeros((warps, 32), np.int64),
        lane_mates=np.zeros((warps, 32), np.uint32),
        warp_block=np.zeros(warps, np.int64),
        warp_index=np.zeros(warps, np.int64),
        block_index=np.zeros((block_slots, 3), np.int64),
        block_shape=np.array(launch.block, np.int64),
        grid_shape=np.array(launch.grid, np.int64),
        memory=memory.words(earlier),
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
        cycles_per_microsecond=round(clock_mhz),
        scratch=scratch,
        scratch_float=scratch.view(np.float32),
        wide=wide.view(np.uint64),
        wide_float=wide.view(np.float64),
        address=address.view(np.int64),
        report=np.zeros(REPORTS, np.int64),
        units=np.arange(isa.FAMILIES),
    )


@lru_cache(maxsize=64)
def _idle(program: Program, action: bytes) -> NDArray[np.int64]:
    """How many instructions from each on are neither executed nor control flow."""
    skipped = np.frombuffer(action, np.uint8) == isa.SKIP
    busy = ~skipped | (program.code["operation"] >> isa.FAMILY_BITS == isa.CONTROL)
    places = np.arange(len(busy) + 1)
    following = np.minimum.accumulate(np.where(np.append(busy, True), places, len(busy))[::-1])[::-1]
    return (following - places)[:-1]


ROOM = 1 << 16
"""Words behind what a machine needs, for a later one that takes its memory and has more slots: the shared memory of an
SM is less."""


def changes_buffers(program: Program, action: NDArray[np.uint8]) -> bool:
    """Whether what is executed may write to global memory."""
    return _changes_buffers(program, action.tobytes())


@lru_cache(maxsize=64)
def _changes_buffers(program: Program, action: bytes) -> bool:
    executed = np.flatnonzero(np.frombuffer(action, np.uint8)[: len(program.effects)] == isa.EXECUTE)
    return any(isa.SPACE_GLOBAL in program.effects[i].memory_writes for i in executed)


class _Memory:
    """The machine's memory while its sections are laid out; they are copied once, at the end."""

    def __init__(self) -> None:
        self._sections: list[tuple[int, Content]] = []
        self._size = 0
        self._end_of_buffers = 0

    def place(self, content: NDArray[np.generic]) -> int:
        """Append an array's bytes as words, and four words of padding; returns the first word."""
        return self.place_later(content.nbytes, lambda: content)

    def place_later(self, size: int, content: Content) -> int:
        """The same for an array of so many bytes that may not be asked for."""
        first = self.place_zeros(-(-size // 4) + 4)
        self._sections.append((first, content))
        return first

    def place_zeros(self, words: int) -> int:
        """Append words that are zero; returns the first."""
        first = self._size
        self._size += words
        return first

    def end_buffers(self) -> None:
        """What follows is not global memory."""
        self._end_of_buffers = self._size

    def words(self, earlier: Words | None) -> Words:
        """All sections; those of global memory are there already if there is an earlier memory that is large enough."""
        begin = self._end_of_buffers
        if earlier is None or len(earlier) < self._size:
            begin, earlier = 0, None
        contents = [(first, content()) for first, content in self._sections if first >= begin]
        room = ROOM if self._end_of_buffers else 0
        words = np.zeros(self._size + room, np.uint32) if earlier is None else earlier
        if begin:
            words[begin : self._size] = 0
        for first, content in contents:
            found = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
            words[first:].view(np.uint8)[: found.size] = found
        return words


def _place_buffers(
    memory: _Memory, launch: Launch, starts: NDArray[np.int64], backed: Collection[int]
) -> NDArray[np.int64]:
    """The first word of each global memory region; -1 if its contents are not kept."""
    words = np.full(len(starts), -1, np.int64)
    for order, buffer in enumerate(launch.buffers()):
        if order in backed:
            words[order] = memory.place_later(buffer.nbytes, partial(_contents, buffer))
    if launch.kernel.variables and launch.memories - 1 in backed:
        words[-1] = memory.place(np.frombuffer(variables(launch, starts), np.uint8))
    return words


def _place_constants(memory: _Memory, banks: dict[int, bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first word and the size in bytes of each constant bank."""
    first_word, size = np.zeros(CONSTANT_BANKS, np.int64), np.zeros(CONSTANT_BANKS, np.int64)
    for bank, content in banks.items():
        first_word[bank] = memory.place(np.frombuffer(content, np.uint8))
        size[bank] = len(content)
    return first_word, size


def _registers(program: Program, constants: Constants, warps: int) -> Words:
    """The register rows; those shared by all warps are filled in."""
    first_own = ZERO_ROWS + len(constants.rows)
    registers = _aligned_rows(first_own + warps * program.rows.own)
    registers[ZERO_ROWS:first_own] = constants.rows[:, None]
    return registers.reshape(-1)


def _aligned_rows(count: int) -> Words:
    """Rows of zeros, aligned for vector code."""
    words = np.zeros(count * 32 + ROW_ALIGNMENT // 4, np.uint32)
    first = -words.ctypes.data % ROW_ALIGNMENT // 4
    return words[first : first + count * 32].reshape(count, 32)


def _shared_word(key: Key, banks: dict[int, bytes]) -> int:
    kind, first, offset = key
    if kind == "value":
        return first
    content = banks.get(first, b"")[offset : offset + 4]
    return int.from_bytes(content, "little")


def _contents(buffer: DeviceBuffer) -> NDArray[np.generic]:
    return buffer.materialise() if isinstance(buffer, Buffer) else buffer
