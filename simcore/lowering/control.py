"""Jumps, calls, divergence, barriers and fences."""

from simcore.core import isa
from simcore.core.execution import block_barrier, control, warp
from simcore.core.execution.arithmetic import integers
from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.lowering.operands import predicates_among
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand, parse_operand

FARTHEST = 1 << 31
"""No kernel has an instruction there."""

ALL_LANES = parse_operand("0xffffffff")


def _target(p: Packed) -> int:
    operand = p.instruction.operands[-1]
    address = p.number(operand)
    if address % INSTRUCTION_BYTES or not 0 <= address < FARTHEST:
        raise p.refuse()
    return address // INSTRUCTION_BYTES


@lowers("ENDCOLLECTIVE", operation=control.END_COLLECTIVE, unit=isa.UNIT_BRANCH)
@lowers("NOP", "ERRBAR", "CGAERRBAR", "PREEXIT", "ACQBULK", operation=control.NOP, unit=isa.UNIT_BRANCH)
@lowers("YIELD", operation=control.YIELD, unit=isa.UNIT_BRANCH)
@lowers("LDGDEPBAR", operation=control.COPY_GROUP, unit=isa.UNIT_ADU, latency=isa.LATENCY_MEMORY)
def _without_operands(p: Packed) -> None:
    pass


@lowers("MEMBAR", operation=control.MEMBAR, unit=isa.UNIT_BRANCH, without_effect="SC ALL")
def _membar(p: Packed) -> None:
    p.set(mode=p.choice({"CTA": control.SCOPE_BLOCK, "GPU": control.SCOPE_GPU, "SYS": control.SCOPE_SYSTEM}))


@lowers("CCTLL", operation=control.NOP, unit=isa.UNIT_BRANCH, without_effect="PF1 PF2")
@lowers("CCTL", operation=control.NOP, unit=isa.UNIT_BRANCH, without_effect="E IVALL PF1 PF2 PML2 RML2 DML2")
def _cctl(p: Packed) -> None:
    """Prefetches, and advice to the caches, which change no result; the lines they bring are not modelled."""
    p.reads(*p.instruction.operands)


@lowers("NANOSLEEP", operation=control.SLEEP, unit=isa.UNIT_BRANCH)
def _nanosleep(p: Packed) -> None:
    """SYNCS sleeps until an asynchronous barrier's phase is over, which the check before it has waited for."""
    if p.has("SYNCS"):
        p.set(operation=control.YIELD)
    p.integers(*p.instruction.operands)


@lowers("EXIT", operation=control.EXIT, unit=isa.UNIT_BRANCH)
def _exit(p: Packed) -> None:
    p.predicates_in(predicates_among(p))


@lowers("BRA", "JMP", operation=control.BRA, unit=isa.UNIT_BRANCH, without_effect="U")
def _bra(p: Packed) -> None:
    *operands, _ = p.instruction.operands
    p.set(target=_target(p))
    if_converged = p.has("CONV")
    if p.has("DIV") or if_converged:
        p.set(operation=control.BRA_DIV, mode=control.IF_CONVERGED if if_converged else 0)
        p.integers(*operands)
    else:
        p.set(mode=control.IF_ANY if p.has("ANY") else 0)
        p.predicates_in(operands)


@lowers("BRX", operation=control.BRX, unit=isa.UNIT_BRANCH)
def _brx(p: Packed) -> None:
    register, displacement = p.instruction.operands
    p.set(value=p.number(displacement) + p.instruction.address + INSTRUCTION_BYTES)
    p.integers(register)


@lowers("CALL", operation=control.CALL, unit=isa.UNIT_BRANCH, without_effect="REL NOINC")
def _call(p: Packed) -> None:
    if p.has("ABS"):
        # Only the driver's functions (printf, malloc, a failed assert) lie outside the kernel.
        p.set(operation=control.TRAP, value=isa.UNSUPPORTED)
        p.integers(*p.instruction.operands, pairs=1)
    elif p.instruction.operands[0].kind == "register":
        register, displacement = p.instruction.operands
        p.set(value=p.number(displacement))
        p.integers(register)
    else:
        p.set(target=_target(p))


@lowers("LEPC", operation=integers.MOV64, unit=isa.UNIT_ALU)
def _lepc(p: Packed) -> None:
    """Where a function of the driver returns to; as none of these is modelled, any place will do."""
    destination, *named = p.instruction.operands
    p.reads(*named)
    p.destination(destination, 2)
    address = p.instruction.address + INSTRUCTION_BYTES
    p.set(a=p.rows.of_shared(("value", address, 0), ("value", 0, 0)), sources=1, pairs=1)


@lowers("RET", operation=control.RET, unit=isa.UNIT_BRANCH, without_effect="REL NODEC")
def _ret(p: Packed) -> None:
    register, base = p.instruction.operands
    p.set(value=p.number(base))
    p.integers(register)


def _barrier(p: Packed, operand: Operand) -> int:
    """The number of a convergence barrier."""
    if operand.kind != "barrier":
        raise p.refuse()
    p.reads(operand)
    return operand.index


@lowers("BSSY", operation=control.BSSY, unit=isa.UNIT_BRANCH, without_effect="RELIABLE RECONVERGENT")
def _bssy(p: Packed) -> None:
    p.set(value=_barrier(p, p.instruction.operands[0]), target=_target(p))


@lowers("BSYNC", operation=control.BSYNC, unit=isa.UNIT_BRANCH, without_effect="RELIABLE RECONVERGENT")
@lowers("BREAK", operation=control.BREAK, unit=isa.UNIT_BRANCH, without_effect="RELIABLE RECONVERGENT")
def _convergence_barrier(p: Packed) -> None:
    (barrier,) = (o for o in p.instruction.operands if o.kind == "barrier")
    p.predicates_in(predicates_among(p))
    p.set(value=_barrier(p, barrier))


@lowers("BMOV", unit=isa.UNIT_BRANCH, latency=isa.LATENCY_UNIFORM, without_effect="32")
def _bmov(p: Packed) -> None:
    first, second = p.instruction.operands
    if second.kind == "barrier":
        clear = control.CLEAR if p.has("CLEAR") else 0
        p.set(operation=control.BMOV_TO_REGISTER, value=_barrier(p, second), mode=clear)
        p.destination(first)
    elif first.kind == "barrier":
        p.set(operation=control.BMOV_FROM_REGISTER, value=_barrier(p, first))
        p.integers(second)
    else:
        raise p.refuse()


@lowers("WARPSYNC", operation=control.WARPSYNC, unit=isa.UNIT_BRANCH, without_effect="ALL")
def _warpsync(p: Packed) -> None:
    """EXCLUSIVE and COLLECTIVE let groups of lanes go on one after the other.

    Lanes that meet for the latter, perhaps from different places, go their own ways again at ENDCOLLECTIVE.
    """
    if p.has("EXCLUSIVE"):
        p.set(operation=control.WARPSYNC_APART)
    elif p.has("COLLECTIVE"):
        p.set(operation=control.COLLECTIVE, target=_target(p))
    named = [o for o in p.instruction.operands if o.kind != "integer" or o in p.unread_operands]
    p.integers(named[0] if named else ALL_LANES)


_BARRIERS = {"SYNC": control.BAR_SYNC, "ARV": control.BAR_ARRIVE, "RED": control.BAR_REDUCE}
_BLOCK_REDUCTIONS = {
    "POPC": block_barrier.REDUCE_COUNT,
    "AND": block_barrier.REDUCE_ALL,
    "OR": block_barrier.REDUCE_ANY,
}


@lowers("BAR", unit=isa.UNIT_BRANCH, without_effect="DEFER_BLOCKING")
def _bar(p: Packed) -> None:
    operands = p.instruction.operands
    numbers = [o for o in operands if o.kind in ("integer", "register")]
    predicates = predicates_among(p)
    if not numbers or len(numbers) + len(predicates) < len(operands):
        raise p.refuse()
    operation = p.choice(_BARRIERS)
    p.set(operation=operation)
    p.integers(*numbers)
    p.predicates_in(predicates)
    if operation == control.BAR_REDUCE:
        p.set(mode=p.choice(_BLOCK_REDUCTIONS))


@lowers("B2R", operation=warp.BARRIER_RESULT, unit=isa.UNIT_MIO, latency=isa.LATENCY_SPECIAL_REGISTER)
def _b2r(p: Packed) -> None:
    if not p.has("RESULT"):
        raise p.refuse()
    destination, *predicates = p.instruction.operands
    p.destination(destination)
    p.predicates_out(predicates)


@lowers("DEPBAR", operation=control.DEPBAR, unit=isa.UNIT_BRANCH)
def _depbar(p: Packed) -> None:
    barrier, count = p.instruction.operands
    if barrier.kind != "scoreboard" or not p.has("LE"):
        raise p.refuse()
    p.reads(barrier)
    p.set(mode=barrier.index, value=p.number(count))


@lowers("BPT", operation=control.TRAP, unit=isa.UNIT_BRANCH, without_effect="TRAP")
def _bpt(p: Packed) -> None:
    for operand in p.instruction.operands:
        p.number(operand)
    p.set(value=isa.TRAPPED)
