"""Pack decoded instructions into the arrays that the jitted core walks."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.layout import INSTRUCTION
from simcore.machine_code.operands import Operand
from simcore.machine_code.sass import Instruction

ZERO_ROWS = 4
"""Shared rows 0..3 are zero: RZ, also where a wide operand starts at it."""
TRASH_ROWS = 4
"""Rows at the end of a warp's own that take results written to RZ."""
NO_PREDICATE = 7
CONSTANT_LINE_BYTES = 64
CONSTANT_LINES_PER_BANK = 1024

Key = tuple[str, int, int]


@dataclass
class Rows:
    """The rows that all warps share, and how many rows a warp has of its own.

    Attributes:
        registers: rows of a warp for R0, R1, ...
        uniforms: rows of a warp for UR0, UR1, ...
        shared: ("value", word, 0) or ("constant", bank, byte offset), by row from `ZERO_ROWS` on.
    """

    registers: int
    uniforms: int
    shared: list[Key] = field(default_factory=list)
    _start: dict[tuple[Key, ...], int] = field(default_factory=dict)

    @property
    def own(self) -> int:
        """Rows a warp has of its own."""
        return self.registers + self.uniforms + TRASH_ROWS

    @property
    def trash(self) -> int:
        """The first row that takes results nobody reads."""
        return self.registers + self.uniforms

    def of_shared(self, *keys: Key) -> int:
        """The source code of consecutive shared rows with this content."""
        if keys not in self._start:
            self._start[keys] = ZERO_ROWS + len(self.shared)
            self.shared.extend(keys)
        return ~self._start[keys]


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel's code, packed. Compared by identity, so that what follows from it can be kept.

    Attributes:
        instructions: as decoded, for messages and views.
        code: records of `layout.INSTRUCTION`, one an instruction.
        rows: the register rows that the code names.
    """

    instructions: tuple[Instruction, ...]
    code: NDArray[np.void]
    rows: Rows


Record = dict[str, int]
"""The fields of `layout.INSTRUCTION` by name."""

_NEUTRAL: Record = {
    **dict.fromkeys(INSTRUCTION.names or (), 0),
    **dict.fromkeys(("predicate_out_0", "predicate_out_1"), isa.PREDICATE_TRASH),
    **dict.fromkeys(("guard", "predicate_in_0", "predicate_in_1"), isa.PREDICATE_TRUE),
    **dict.fromkeys(("a", "b", "c"), ~0),
    **dict.fromkeys(("a_keep", "b_keep", "c_keep"), isa.FULL_MASK),
    "target": -1,
    "constant": -1,
}


class Packed:
    """One instruction's record while it is being filled in."""

    def __init__(self, instruction: Instruction, rows: Rows) -> None:
        self.instruction = instruction
        self.rows = rows
        self.record = _NEUTRAL | {"destination": rows.trash}

    def set(self, **fields: int) -> None:
        """Set fields of the record."""
        self.record.update(fields)

    def destination(self, operand: Operand, words: int = 1) -> None:
        """Name the row, or the first of several, that takes the result."""
        self.record["destination"] = self._own_row(operand, self.rows.trash)
        self.record["destination_words"] = words

    def predicates_out(self, operands: list[Operand]) -> None:
        """Name the predicates that take results; PT takes what nobody reads."""
        for slot, operand in enumerate(operands[:2]):
            self.record[f"predicate_out_{slot}"] = predicate_index(operand, isa.PREDICATE_TRASH)

    def predicates_in(self, operands: list[Operand]) -> None:
        """Name the predicates that are read besides the guard."""
        for slot, operand in enumerate(operands[:2]):
            self.record[f"predicate_in_{slot}"] = predicate_index(operand, isa.PREDICATE_TRUE)
            self.record[f"predicate_in_{slot}_flip"] = isa.FULL_MASK if operand.negate else 0

    def guard(self, operand: Operand | None) -> None:
        """Name the guard predicate."""
        if operand:
            self.record["guard"] = predicate_index(operand, isa.PREDICATE_TRUE)
            self.record["guard_flip"] = isa.FULL_MASK if operand.negate else 0

    def integers(self, *operands: Operand, pairs: int = 0, complement: bool = False) -> None:
        """Name integer sources; a minus is two's complement, or a plain complement where the carry does the rest."""
        for slot, operand in zip("abc", operands, strict=False):
            self.record[slot] = self.row(operand, pair=bool(pairs >> "abc".index(slot) & 1))
            if operand.invert or operand.negate:
                self.record[f"{slot}_flip"] = isa.FULL_MASK
            if operand.negate and not complement:
                self.record[f"{slot}_add"] = 1
        self.set(sources=len(operands), pairs=pairs)

    def floats(self, *operands: Operand, sign: int = 0x8000_0000, pairs: int = 0) -> None:
        """Name floating-point sources; minus and magnitude work on the sign bits."""
        for slot, operand in zip("abc", operands, strict=False):
            self.record[slot] = self.row(operand, pair=bool(pairs))
            if operand.absolute:
                self.record[f"{slot}_keep"] = isa.FULL_MASK ^ sign
            if operand.negate:
                self.record[f"{slot}_flip"] = sign
        self.set(sources=len(operands), pairs=pairs)

    def address(self, operand: Operand, default_64: bool) -> None:
        """Name the parts of a memory address."""
        mode = 0
        base, uniform = operand.base, operand.uniform
        if base is not None:
            mode |= isa.ADDRESS_HAS_BASE
            self.record["address_base"] = self._own_row(base, ~0)
            if "64" in base.suffixes or (default_64 and uniform is None):
                mode |= isa.ADDRESS_BASE_64
            scale = next((int(s[1:]) for s in base.suffixes if s in ("X4", "X8", "X16")), 1)
            mode |= (scale.bit_length() - 1) << isa.ADDRESS_SCALE_SHIFT
        if uniform is not None:
            mode |= isa.ADDRESS_HAS_UNIFORM | (isa.ADDRESS_UNIFORM_64 if default_64 else 0)
            self.record["address_uniform"] = self._own_row(uniform, ~0)
        self.set(address_mode=mode, value=operand.value)

    def row(self, operand: Operand, pair: bool = False) -> int:
        """The source code of an operand: a row of the warp, or a shared one."""
        words = 2 if pair else 1
        if operand.kind in ("register", "uniform_register"):
            return self._own_row(operand, ~0)
        if operand.kind == "constant":
            self.constant(operand)
            return self.rows.of_shared(
                *(("constant", operand.index, operand.value + 4 * word) for word in range(words))
            )
        if operand.kind == "integer":
            value = operand.value & 0xFFFF_FFFF_FFFF_FFFF
            return self.rows.of_shared(
                *(("value", value >> 32 * word & isa.FULL_MASK, 0) for word in range(words))
            )
        if operand.kind == "float":
            # The word's immediate field holds the bits; of a double, the upper half.
            upper = ("value", self.instruction.immediate, 0)
            return self.rows.of_shared(("value", 0, 0), upper) if pair else self.rows.of_shared(upper)
        raise UnpackableError(f"operand {operand}")

    def constant(self, operand: Operand) -> None:
        """Name the line of a constant at a fixed address."""
        line = operand.index * CONSTANT_LINES_PER_BANK + operand.value // CONSTANT_LINE_BYTES
        self.record["constant"] = line

    def _own_row(self, operand: Operand, zero: int) -> int:
        if operand.index == 255:
            return zero
        return operand.index + (self.rows.registers if operand.kind == "uniform_register" else 0)


class UnpackableError(Exception):
    """The packing has no rule for this form of an instruction."""


def predicate_index(operand: Operand, true: int) -> int:
    """Where a predicate lies among a warp's; `true` stands for PT and UPT."""
    if operand.index == NO_PREDICATE:
        return true
    uniform = operand.kind == "uniform_predicate"
    return operand.index + (isa.UNIFORM_PREDICATES if uniform else 0)


def count_bank_reads(records: list[Record], instructions: tuple[Instruction, ...], registers: int) -> None:
    """Fill in how many registers each instruction reads from each of the two banks.

    Register r lies in bank r % 2; an operand that an earlier instruction of the same warp marked for reuse, in the
    same operand slot, comes from the reuse cache (Huerta et al., MICRO 2025, section 5.3). The cache is
    followed along straight-line code and taken as empty at every jump and jump target, and after another warp.
    """
    targets = {record["target"] for record in records}
    cached: dict[tuple[int, int], int] = {}
    for index, (record, instruction) in enumerate(zip(records, instructions, strict=True)):
        if index in targets or record["operation"] < isa.LAST_CONTROL:
            cached.clear()
        reads: tuple[set[int], set[int]] = (set(), set())
        named: tuple[set[int], set[int]] = (set(), set())
        for slot, source in enumerate("abc"[: record["sources"]]):
            wide = bool(record["pairs"] >> slot & 1)
            first = record[source]
            for register in range(first, first + 1 + wide):
                if not 0 <= register < registers:
                    continue
                bank = register % 2
                named[bank].add(register)
                if cached.get((bank, slot)) != register:
                    reads[bank].add(register)
                cached.pop((bank, slot), None)
                if instruction.control.reuse >> slot & 1:
                    cached[bank, slot] = register
        record["bank_reads_0"], record["bank_reads_1"] = len(reads[0]), len(reads[1])
        record["lone_reads_0"], record["lone_reads_1"] = len(named[0]), len(named[1])


def as_array(records: list[Record]) -> NDArray[np.void]:
    """The records as the core takes them."""
    code = np.zeros(len(records), dtype=INSTRUCTION)
    for name in INSTRUCTION.names or ():
        code[name] = [record[name] for record in records]
    return code.view(np.recarray)


def rows_needed(instructions: tuple[Instruction, ...], registers: int) -> Rows:
    """The rows of a warp: as many registers as the compiler states, and the uniform registers named."""
    uniforms = max((u for i in instructions for o in i.operands for u in _uniforms(o)), default=-1) + 4
    return Rows(registers + 3, uniforms)


def _uniforms(operand: Operand) -> list[int]:
    parts = (operand, operand.base, operand.uniform, operand.descriptor)
    return [p.index for p in parts if p and p.kind == "uniform_register" and p.index != 255]
