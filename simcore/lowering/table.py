"""The opcode table, and `lower`, which packs a kernel by it.

Each room of this package registers the opcodes it knows with `lowers`. A leading U (the uniform datapath's
twin of an opcode) has the same meaning on uniform registers, so it needs an entry only where its unit or
latency is another. An opcode that is not in the table is an `UnsupportedInstruction`.
"""

from collections.abc import Callable
from typing import NamedTuple

from simcore.core import isa
from simcore.errors import UnsupportedInstruction
from simcore.lowering.program import Packed, Program, UnpackableError, as_array, count_bank_reads, rows_needed
from simcore.machine_code.sass import Instruction

Lowering = Callable[[Packed, Instruction], None]


class Entry(NamedTuple):
    """What the table says of an opcode.

    Attributes:
        fill: fills in the operation, its mode and its operands.
        unit: the execution unit, `isa.UNIT_*`.
        latency: where its latency comes from, `isa.LATENCY_*`.
    """

    fill: Lowering
    unit: int
    latency: int


_TABLE: dict[str, Entry] = {}


def lowers(*opcodes: str, unit: int, latency: int = isa.LATENCY_FIXED) -> Callable[[Lowering], Lowering]:
    """Register a function for opcodes, with the unit and the latency class they have in common."""

    def register(function: Lowering) -> Lowering:
        for opcode in opcodes:
            _TABLE[opcode] = Entry(function, unit, latency)
        return function

    return register


def known_opcodes() -> frozenset[str]:
    """The opcodes in the table; each is also known with a leading U."""
    return frozenset(_TABLE)


def find(opcode: str) -> Entry | None:
    """The table's entry for an opcode or its uniform twin, or None."""
    if opcode in _TABLE:
        return _TABLE[opcode]
    twin = _TABLE.get(opcode.removeprefix("U"))
    return Entry(twin.fill, isa.UNIT_UNIFORM, isa.LATENCY_FIXED) if twin else None


def lower(instructions: tuple[Instruction, ...], registers: int, kernel: str) -> Program:
    """Pack a kernel's instructions.

    Args:
        instructions: as `simcore.machine_code.sass.decode` gives them.
        registers: what the compiler states that a thread uses.
        kernel: its name, for messages.

    Raises:
        UnsupportedInstruction: for the first opcode, or form of one, that is not modelled.
    """
    rows = rows_needed(instructions, registers)
    records = []
    for instruction in instructions:
        entry = find(instruction.opcode)
        try:
            if entry is None:
                raise UnpackableError(instruction.opcode)
            packed = Packed(instruction, rows)
            packed.guard(instruction.guard)
            packed.set(unit=entry.unit, latency=entry.latency)
            entry.fill(packed, instruction)
        except UnpackableError:
            raise UnsupportedInstruction(str(instruction), instruction.address, kernel) from None
        control = instruction.control
        packed.set(
            stall=control.stall,
            yields=control.yields,
            write_barrier=control.write_barrier,
            read_barrier=control.read_barrier,
            wait_mask=control.wait_mask,
        )
        records.append(packed.record)
    count_bank_reads(records, instructions, registers)
    return Program(instructions, as_array(records), rows)
