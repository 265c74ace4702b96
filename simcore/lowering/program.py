"""A packed kernel: the records that the jitted core executes, and the register rows that they name."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simcore.core.layout import CACHE_LINE_BYTES, INSTRUCTION
from simcore.lowering.effects import Effects
from simcore.machine_code.operands import Operand
from simcore.machine_code.sass import Instruction

ZERO_ROWS = 8
"""Shared rows 0..7 are zero: RZ, also for a wide operand that starts at it."""
TRASH_ROWS = 8
"""Rows at the end of a warp's own rows that receive results written to RZ."""
SPARE_ROWS = 3
"""Rows after a warp's registers, for wide operands that begin at the last one."""
RETURN_ROWS = 2
"""Rows after those: Rpc, which is there to return from traps and otherwise holds a state for a while."""

Key = tuple[str, int, int]


@dataclass
class Rows:
    """The rows shared by all warps, and the number of rows per warp.

    Attributes:
        registers: rows per warp for R0, R1, ...
        uniforms: rows per warp for UR0, UR1, ...
        shared: ("value", word, 0) or ("constant", bank, byte offset), by row from `ZERO_ROWS` on.
    """

    registers: int
    uniforms: int
    shared: list[Key] = field(default_factory=list)
    _start: dict[tuple[Key, ...], int] = field(default_factory=dict)

    @property
    def own(self) -> int:
        """Rows per warp."""
        return self.registers + self.uniforms + TRASH_ROWS

    @property
    def return_address(self) -> int:
        """The first row of Rpc."""
        return self.registers - RETURN_ROWS

    @property
    def trash(self) -> int:
        """The first row for results that are discarded."""
        return self.registers + self.uniforms

    def of_shared(self, *keys: Key) -> int:
        """The source code of consecutive shared rows with this content."""
        if keys not in self._start:
            self._start[keys] = ZERO_ROWS + len(self.shared)
            self.shared.extend(keys)
        return ~self._start[keys]


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel's packed code. Compared by identity, so that derived data can be cached.

    Attributes:
        instructions: as decoded, for messages and views.
        code: records of `layout.INSTRUCTION`, one per instruction.
        rows: the register rows that the code names.
        effects: what each instruction reads and writes.
    """

    instructions: tuple[Instruction, ...]
    code: NDArray[np.void]
    rows: Rows
    effects: tuple[Effects, ...]

    @cached_property
    def end(self) -> int:
        """Where the instructions begin that fill the code up."""
        end = len(self.instructions)
        while end and self.instructions[end - 1].opcode == "NOP":
            end -= 1
        return end


Record = dict[str, int]
"""The fields of `layout.INSTRUCTION` by name."""


def as_array(records: list[Record]) -> NDArray[np.void]:
    """The records in the core's format, from the beginning of a line of the processor's cache on."""
    room = np.zeros(len(records) * INSTRUCTION.itemsize + CACHE_LINE_BYTES, np.uint8)
    first = -room.ctypes.data % CACHE_LINE_BYTES
    code = room[first : first + len(records) * INSTRUCTION.itemsize].view(INSTRUCTION)
    for name in INSTRUCTION.names or ():
        code[name] = [record[name] for record in records]
    return code.view(np.recarray)


def rows_needed(instructions: tuple[Instruction, ...], registers: int) -> Rows:
    """The rows of a warp: the registers reported by the compiler, and the uniform registers that are named."""
    uniforms = max((u for i in instructions for o in i.operands for u in _uniforms(o)), default=-1) + 4
    return Rows(registers + SPARE_ROWS + RETURN_ROWS, uniforms)


def _uniforms(operand: Operand) -> list[int]:
    parts = (operand, operand.base, operand.uniform, operand.descriptor)
    return [p.index for p in parts if p and p.kind == "uniform_register" and p.index != 255]
