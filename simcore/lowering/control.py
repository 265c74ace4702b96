"""Jumps, calls, divergence, barriers and fences."""

from simcore.core import isa
from simcore.core.execution import block_barrier, control, warp
from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.lowering.operands import integer_value, is_predicate, predicates_among
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import parse_operand

ALL_LANES = parse_operand("0xffffffff")


def _target(p: Packed) -> int:
    operand = p.instruction.operands[-1]
    if operand.kind != "integer" or operand.value % INSTRUCTION_BYTES:
        raise p.refuse()
    return operand.value // INSTRUCTION_BYTES


@lowers(
    "NOP", "ERRBAR", "CGAERRBAR", "PREEXIT", "ACQBULK", "LEPC", operation=control.NOP, unit=isa.UNIT_BRANCH
)
@lowers("CCTL", operation=control.NOP, unit=isa.UNIT_BRANCH, without_effect="IVALL")
@lowers("NANOSLEEP", operation=control.NOP, unit=isa.UNIT_BRANCH)
@lowers("YIELD", operation=control.YIELD, unit=isa.UNIT_BRANCH)
@lowers("LDGDEPBAR", operation=control.COPY_GROUP, unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
@lowers("MEMBAR", operation=control.MEMBAR, unit=isa.UNIT_BRANCH, without_effect="SC ALL CTA GPU SYS")
def _without_operands(p: Packed) -> None:
    pass


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
        p.integers(operands[0])
    else:
        p.predicates_in([o for o in operands if is_predicate(o)])


@lowers("BRX", operation=control.BRX, unit=isa.UNIT_BRANCH)
def _brx(p: Packed) -> None:
    register, displacement = p.instruction.operands
    p.set(value=integer_value(displacement) + p.instruction.address + INSTRUCTION_BYTES)
    p.integers(register)


@lowers("CALL", operation=control.CALL, unit=isa.UNIT_BRANCH, without_effect="REL NOINC")
def _call(p: Packed) -> None:
    if p.has("ABS"):
        # Only driver functions (printf, malloc, a failed assert) lie outside the kernel.
        p.set(operation=control.TRAP, value=isa.UNSUPPORTED)
    elif p.instruction.operands[0].kind == "register":
        register, displacement = p.instruction.operands
        p.set(value=integer_value(displacement))
        p.integers(register)
    else:
        p.set(target=_target(p))


@lowers("RET", operation=control.RET, unit=isa.UNIT_BRANCH, without_effect="REL NODEC")
def _ret(p: Packed) -> None:
    register, base = p.instruction.operands
    p.set(value=integer_value(base))
    p.integers(register)


@lowers("BSSY", operation=control.BSSY, unit=isa.UNIT_BRANCH, without_effect="RELIABLE RECONVERGENT")
def _bssy(p: Packed) -> None:
    p.set(value=p.instruction.operands[0].index, target=_target(p))


@lowers("BSYNC", operation=control.BSYNC, unit=isa.UNIT_BRANCH, without_effect="RELIABLE RECONVERGENT")
@lowers("BREAK", operation=control.BREAK, unit=isa.UNIT_BRANCH, without_effect="RELIABLE RECONVERGENT")
def _convergence_barrier(p: Packed) -> None:
    p.predicates_in(predicates_among(p))
    p.set(value=p.instruction.operands[-1].index)


@lowers("BMOV", unit=isa.UNIT_BRANCH, latency=isa.LATENCY_UNIFORM, without_effect="32")
def _bmov(p: Packed) -> None:
    first, second = p.instruction.operands
    if second.kind == "barrier":
        clear = control.CLEAR if p.has("CLEAR") else 0
        p.set(operation=control.BMOV_TO_REGISTER, value=second.index, mode=clear)
        p.destination(first)
    elif first.kind == "barrier":
        p.set(operation=control.BMOV_FROM_REGISTER, value=first.index)
        p.integers(second)
    else:
        raise p.refuse()


@lowers("WARPSYNC", "ENDCOLLECTIVE", operation=control.WARPSYNC, unit=isa.UNIT_BRANCH, without_effect="ALL")
def _warpsync(p: Packed) -> None:
    if p.has("COLLECTIVE") or p.instruction.opcode == "ENDCOLLECTIVE":
        # Only reached by a warp that diverged before a warp-wide operation.
        p.set(operation=control.TRAP, value=isa.UNSUPPORTED)
        return
    p.integers(p.instruction.operands[0] if p.instruction.operands else ALL_LANES)


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
    barrier, count, *others = p.instruction.operands
    if others or not p.has("LE"):
        raise p.refuse()
    p.set(mode=barrier.index, value=integer_value(count))


@lowers("BPT", operation=control.TRAP, unit=isa.UNIT_BRANCH, without_effect="TRAP")
def _bpt(p: Packed) -> None:
    p.set(value=isa.TRAPPED)
