"""How many registers each instruction reads from each of a sub-partition's two banks."""

from simcore.core import isa
from simcore.core.execution import memory
from simcore.lowering.program import Record
from simcore.machine_code.sass import Instruction


def count_bank_reads(records: list[Record], instructions: tuple[Instruction, ...], registers: int) -> None:
    """Fill in how many registers each instruction reads from each of the two banks.

    Register r is in bank r % 2. An operand that is marked for reuse stays in its slot until a register is read into
    that slot, of whichever bank (benchmarks/silicon/runner/sequences.py on an H200); FP64 has slots of its own
    (benchmarks/silicon/micro/core/wide_products). What stays is tracked along straight-line code; nothing does at a
    jump or a jump's target, or when another warp issues.
    """
    targets = {record["target"] for record in records}
    kept_in: dict[tuple[bool, int], set[int]] = {}
    for index, (record, instruction) in enumerate(zip(records, instructions, strict=True)):
        if index in targets or record["operation"] >> isa.FAMILY_BITS == isa.CONTROL:
            kept_in.clear()
        reads: tuple[set[int], set[int]] = (set(), set())
        named: tuple[set[int], set[int]] = (set(), set())
        is_double = record["unit"] == isa.UNIT_FP64
        for slot, source in enumerate("abc"[: record["sources"]]):
            wide = bool(record["pairs"] >> slot & 1)
            first = record[source]
            registers_read = {r for r in range(first, first + 1 + wide) if 0 <= r < registers}
            if not registers_read:
                continue
            kept = kept_in.pop((is_double, slot), set())
            for register in registers_read:
                named[register % 2].add(register)
                if register not in kept:
                    reads[register % 2].add(register)
            if instruction.control.reuse >> slot & 1:
                kept_in[is_double, slot] = registers_read
        record["bank_reads_0"], record["bank_reads_1"] = len(reads[0]), len(reads[1])
        record["lone_reads_0"], record["lone_reads_1"] = len(named[0]), len(named[1])
        record["result_banks"] = _result_banks(record, registers)
        if record["unit"] in _MEMORY_UNITS and record["operation"] >> isa.FAMILY_BITS == isa.MEMORY:
            even, odd = _reads_of_memory(record, registers)
            record["bank_reads_0"] = record["lone_reads_0"] = even
            record["bank_reads_1"] = record["lone_reads_1"] = odd


def _reads_of_memory(record: Record, registers: int) -> tuple[int, int]:
    """Of a memory instruction: the registers of its address, and of what it stores."""
    spans = []
    if record["address_mode"] & isa.ADDRESS_HAS_BASE:
        spans.append((record["address_base"], 1 + bool(record["address_mode"] & isa.ADDRESS_BASE_64)))
    words = max(record["width"] // 4, 1) if record["operation"] != memory.COPY_TO_SHARED else 1
    spans += [(record[source], words) for source in "abc"[: record["sources"]]]
    moved = [r for first, count in spans for r in range(first, first + count) if 0 <= r < registers]
    odd = sum(r % 2 for r in moved)
    return len(moved) - odd, odd


_MEMORY_UNITS = (isa.UNIT_LG, isa.UNIT_MIO)
_SOON = (isa.UNIT_FMA, isa.UNIT_FMA_HEAVY, isa.UNIT_FMA_LITE, isa.UNIT_FMA_PAIR, isa.UNIT_ALU, isa.UNIT_HALF)


def _result_banks(record: Record, registers: int) -> int:
    """The banks that an instruction's result is written to, a bit each, if it is one of 32-bit arithmetic."""
    first = record["destination"]
    if record["unit"] not in _SOON or not 0 <= first < registers:
        return 0
    return 0b11 if record["destination_words"] > 1 else 1 << first % 2
