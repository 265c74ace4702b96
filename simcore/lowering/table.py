"""The opcode table, and `lower`, which packs a kernel with it.

Each module of this package registers its opcodes with `lowers`. A leading U (the uniform datapath's twin of an opcode)
has the same meaning on uniform registers, so it needs its own entry only if its unit or latency differs. An opcode that
is not in the table, or a modifier that an entry neither reads nor lists, is an `UnsupportedInstruction`.
"""

from collections.abc import Callable
from typing import NamedTuple

from simcore.core import isa
from simcore.errors import UnsupportedInstruction
from simcore.lowering.effects import Effects
from simcore.lowering.packed import REUSE, Packed, UnpackableError
from simcore.lowering.program import Program, Record, Rows, as_array, rows_needed
from simcore.lowering.refused import feature_of_instruction
from simcore.lowering.register_banks import count_bank_reads
from simcore.machine_code.sass import Instruction

Fill = Callable[[Packed], None]
Modifiers = frozenset[str]


class Entry(NamedTuple):
    """The table's entry for an opcode.

    Attributes:
        fill: names the operands and reads the modifiers. The named operands are what the instruction reads and writes.
        operation: the core's operation; -1 if `fill` chooses it.
        unit: the execution unit, `isa.UNIT_*`.
        latency: where its latency comes from, `isa.LATENCY_*`.
        without_effect: modifiers without effect on the model.
        suffixes: of operands, that are read or have no effect.
        across_lanes: whether lanes read each other's sources.
        is_timed_by_result: whether its latency depends on its result.
    """

    fill: Fill
    operation: int
    unit: int
    latency: int
    without_effect: Modifiers
    suffixes: Modifiers
    across_lanes: bool
    is_timed_by_result: bool


_TABLE: dict[str, Entry] = {}


def lowers(
    *opcodes: str,
    unit: int,
    operation: int = -1,
    latency: int = isa.LATENCY_FIXED,
    without_effect: str = "",
    suffixes: str = "",
    across_lanes: bool = False,
    is_timed_by_result: bool = False,
) -> Callable[[Fill], Fill]:
    """Register a function for opcodes that share everything else (see `Entry`).

    `without_effect` and `suffixes` are lists of modifiers, separated by spaces.
    """
    harmless = frozenset(without_effect.split()), frozenset(suffixes.split())

    def register(fill: Fill) -> Fill:
        for opcode in opcodes:
            _TABLE[opcode] = Entry(
                fill, operation, unit, latency, *harmless, across_lanes, is_timed_by_result
            )
        return fill

    return register


def known_opcodes() -> frozenset[str]:
    """The opcodes in the table; each is also known with a leading U."""
    return frozenset(_TABLE)


def find(opcode: str) -> Entry | None:
    """The table's entry for an opcode or its uniform twin, or None."""
    if opcode in _TABLE:
        return _TABLE[opcode]
    twin = _TABLE.get(opcode.removeprefix("U"))
    return twin._replace(unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_FIXED) if twin else None


def lower(instructions: tuple[Instruction, ...], registers: int, kernel: str) -> Program:
    """Pack a kernel's instructions.

    Args:
        instructions: as `simcore.machine_code.sass.decode` gives them.
        registers: registers per thread, as reported by the compiler.
        kernel: its name, for messages.

    Raises:
        UnsupportedInstruction: for the first opcode, or form of one, that is not modelled.
    """
    rows = rows_needed(instructions, registers)
    records: list[Record] = []
    effects: list[Effects] = []
    for instruction in instructions:
        try:
            record, effect = _pack(instruction, rows)
        except UnpackableError:
            raise UnsupportedInstruction(
                str(instruction),
                instruction.address,
                kernel,
                feature=feature_of_instruction(instruction),
            ) from None
        records.append(record)
        effects.append(effect)
    count_bank_reads(records, instructions, registers)
    return Program(instructions, as_array(records), rows, tuple(effects))


def _pack(instruction: Instruction, rows: Rows) -> tuple[Record, Effects]:
    """One instruction's record and effects."""
    entry = find(instruction.opcode)
    if entry is None:
        raise UnpackableError(instruction.opcode)
    packed = Packed(instruction, rows)
    packed.set(operation=entry.operation, unit=entry.unit, latency=entry.latency)
    try:
        entry.fill(packed)
    except (ValueError, IndexError, KeyError):  # other operands than the entry takes apart
        raise packed.refuse() from None
    _check_that_all_is_read(packed, entry)
    control = instruction.control
    packed.set(
        pace=packed.record["pace"] or packed.record["unit"],
        stall=control.stall,
        yields=control.yields,
        write_barrier=control.write_barrier,
        read_barrier=control.read_barrier,
        wait_mask=control.wait_mask,
    )
    return packed.record, packed.effects(entry.across_lanes, entry.is_timed_by_result)


def _check_that_all_is_read(packed: Packed, entry: Entry) -> None:
    """Refuse an instruction of which a part is neither read nor known to be harmless."""
    suffixes = {s for o in packed.instruction.operands if o.kind != "address" for s in o.suffixes}
    unknown_modifiers = set(packed.unread_modifiers) - entry.without_effect
    unknown_suffixes = suffixes - entry.suffixes - REUSE
    if unknown_modifiers or unknown_suffixes or packed.unread_operands:
        raise packed.refuse()
