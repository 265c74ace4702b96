"""How a kernel's loads fare in L1, and its accesses in shared memory, as Nsight Compute's memory tables show it."""

from simcore.analysis.stack_slots import STACK_POINTER
from simcore.core.timing.state import (
    COUNT_BANK_CONFLICTS,
    COUNT_L1_MISSES,
    COUNT_LOAD_SECTORS,
    COUNT_LOADS,
    COUNT_SHARED,
    COUNT_SHARED_WAVEFRONTS,
    Sm,
)
from simcore.lowering.program import Program
from simcore.machine_code.sass import Instruction


def memory(program: Program, sm: Sm) -> dict[str, float]:
    """Rates of the timed SM, by name; those of accesses that a kernel does not make are left out.

    - `l1_hit_rate`: share of the sectors read by global and local loads that L1 holds, or has asked for, 0 to 1.
    - `sectors_per_load`: sectors that such a load of a warp touches, 1 to 128.
    - `wavefronts_per_shared_access`: passes through the banks of shared memory.
    - `bank_conflicts`: share of these beyond the fewest that the width of the access takes, 0 to 1.
    - `local_instructions`: share of the issued instructions that load from local memory or store to it, 0 to 1.
    - `local_sectors`: share of the sectors read by loads that are local memory's, 0 to 1.
    - `spills`: 1 if local memory holds spilled registers alone, 0 if it holds arrays that are indexed at run time.
    """
    counted = sm.counters
    rates = {}
    if counted[COUNT_LOADS]:
        rates["l1_hit_rate"] = float(1.0 - counted[COUNT_L1_MISSES] / counted[COUNT_LOAD_SECTORS])
        rates["sectors_per_load"] = float(counted[COUNT_LOAD_SECTORS] / counted[COUNT_LOADS])
    if counted[COUNT_SHARED]:
        wavefronts = counted[COUNT_SHARED_WAVEFRONTS]
        rates["wavefronts_per_shared_access"] = float(wavefronts / counted[COUNT_SHARED])
        rates["bank_conflicts"] = float(counted[COUNT_BANK_CONFLICTS] / wavefronts)
    return rates | _local(program, sm)


def _local(program: Program, sm: Sm) -> dict[str, float]:
    """The share of local memory; a lane's words are apart so that a warp's access fills whole sectors."""
    used = [
        (instruction, int(count), int(width))
        for instruction, count, width in zip(
            program.instructions, sm.issues, program.code["width"], strict=True
        )
        if count and instruction.opcode in ("LDL", "STL")
    ]
    if not used:
        return {}
    rates = {"local_instructions": sum(count for _, count, _ in used) / float(sm.issues.sum())}
    if sectors := float(sm.counters[COUNT_LOAD_SECTORS]):
        read = sum(count * max(width, 1) for instruction, count, width in used if instruction.opcode == "LDL")
        rates["local_sectors"] = min(read / sectors, 1.0)
    return rates | {"spills": float(all(_is_spill(instruction) for instruction, *_ in used))}


def _is_spill(instruction: Instruction) -> bool:
    address = next(operand for operand in instruction.operands if operand.kind == "address")
    return address.base is not None and address.base.index == STACK_POINTER
