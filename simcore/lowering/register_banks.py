"""How many registers each instruction reads from each of a sub-partition's two banks."""

from simcore.core import isa
from simcore.lowering.program import Record
from simcore.machine_code.sass import Instruction


def count_bank_reads(records: list[Record], instructions: tuple[Instruction, ...], registers: int) -> None:
    """Fill in how many registers each instruction reads from each of the two banks.

    Register r is in bank r % 2; an operand that an earlier instruction of the same warp marked for reuse in the same
    operand slot comes from the reuse cache (Huerta et al., MICRO 2025, section 5.3). The cache is tracked along
    straight-line code and assumed empty at every jump and jump target, and after another warp.
    """
    targets = {record["target"] for record in records}
    cached: dict[tuple[int, int], int] = {}
    for index, (record, instruction) in enumerate(zip(records, instructions, strict=True)):
        if index in targets or record["operation"] >> isa.FAMILY_BITS == isa.CONTROL:
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
