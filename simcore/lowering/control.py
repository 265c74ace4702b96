"""Jumps, calls, divergence, barriers and fences."""

from simcore.core import isa
from simcore.lowering.operands import integer_value
from simcore.lowering.program import Packed, UnpackableError
from simcore.lowering.table import lowers
from simcore.machine_code.cubin import INSTRUCTION_BYTES
from simcore.machine_code.operands import parse_operand
from simcore.machine_code.sass import Instruction


def _target(i: Instruction) -> int:
    operand = i.operands[-1]
    if operand.kind != "integer" or operand.value % INSTRUCTION_BYTES:
        raise UnpackableError(str(i))
    return operand.value // INSTRUCTION_BYTES


@lowers("NOP", "ERRBAR", "CGAERRBAR", "PREEXIT", "ACQBULK", "CCTL", "LEPC", unit=isa.UNIT_BRANCH)
def _nop(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.NOP)


@lowers("YIELD", unit=isa.UNIT_BRANCH)
def _yield(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.YIELD)


@lowers("EXIT", unit=isa.UNIT_BRANCH)
def _exit(p: Packed, i: Instruction) -> None:
    p.predicates_in([o for o in i.operands if "predicate" in o.kind])
    p.set(operation=isa.EXIT)


@lowers("BRA", "JMP", unit=isa.UNIT_BRANCH)
def _bra(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.BRA, target=_target(i))
    if {"DIV", "CONV"} & set(i.modifiers):
        p.set(operation=isa.BRA_DIV, mode=int("CONV" in i.modifiers))
        p.integers(i.operands[0])
    else:
        p.predicates_in([o for o in i.operands[:-1] if "predicate" in o.kind])


@lowers("BRX", unit=isa.UNIT_BRANCH)
def _brx(p: Packed, i: Instruction) -> None:
    register, displacement = i.operands
    p.set(operation=isa.BRX, value=integer_value(displacement) + i.address + INSTRUCTION_BYTES)
    p.integers(register)


@lowers("CALL", unit=isa.UNIT_BRANCH)
def _call(p: Packed, i: Instruction) -> None:
    if "ABS" in i.modifiers:
        # Only functions of the driver's (printf, malloc, a failed assert) lie outside of the kernel.
        p.set(operation=isa.TRAP, value=isa.UNSUPPORTED)
    elif i.operands[0].kind == "register":
        register, displacement = i.operands
        p.set(operation=isa.CALL, value=integer_value(displacement))
        p.integers(register)
    else:
        p.set(operation=isa.CALL, target=_target(i))


@lowers("RET", unit=isa.UNIT_BRANCH)
def _ret(p: Packed, i: Instruction) -> None:
    register, base = i.operands
    p.set(operation=isa.RET, value=integer_value(base))
    p.integers(register)


@lowers("BSSY", unit=isa.UNIT_BRANCH)
def _bssy(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.BSSY, value=i.operands[0].index, target=_target(i))


@lowers("BSYNC", unit=isa.UNIT_BRANCH)
def _bsync(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.BSYNC, value=i.operands[-1].index)


@lowers("BREAK", unit=isa.UNIT_BRANCH)
def _break(p: Packed, i: Instruction) -> None:
    p.predicates_in([o for o in i.operands if "predicate" in o.kind])
    p.set(operation=isa.BREAK, value=i.operands[-1].index)


@lowers("BMOV", unit=isa.UNIT_BRANCH, latency=isa.LATENCY_UNIFORM)
def _bmov(p: Packed, i: Instruction) -> None:
    first, second = i.operands
    if second.kind == "barrier":
        p.set(operation=isa.BMOV_TO_REGISTER, value=second.index, mode=int("CLEAR" in i.modifiers))
        p.destination(first)
    elif first.kind == "barrier":
        p.set(operation=isa.BMOV_FROM_REGISTER, value=first.index)
        p.integers(second)
    else:
        raise UnpackableError(str(i))


@lowers("WARPSYNC", "ENDCOLLECTIVE", unit=isa.UNIT_BRANCH)
def _warpsync(p: Packed, i: Instruction) -> None:
    if "COLLECTIVE" in i.modifiers or i.opcode == "ENDCOLLECTIVE":
        # Only reached by a warp that diverged ahead of a warp-wide operation.
        p.set(operation=isa.TRAP, value=isa.UNSUPPORTED)
        return
    p.set(operation=isa.WARPSYNC)
    p.integers(i.operands[0] if i.operands else parse_operand("0xffffffff"))


@lowers("BAR", unit=isa.UNIT_BRANCH)
def _bar(p: Packed, i: Instruction) -> None:
    numbers = [o for o in i.operands if o.kind in ("integer", "register")]
    predicates = [o for o in i.operands if "predicate" in o.kind]
    operations = {"SYNC": isa.BAR_SYNC, "ARV": isa.BAR_ARRIVE, "RED": isa.BAR_REDUCE}
    if i.modifiers[0] not in operations or not numbers or len(numbers) + len(predicates) < len(i.operands):
        raise UnpackableError(str(i))
    p.set(operation=operations[i.modifiers[0]])
    p.integers(*numbers)
    p.predicates_in(predicates)
    if i.modifiers[0] == "RED":
        p.set(mode=("POPC", "AND", "OR").index(i.modifiers[1]))


@lowers("B2R", unit=isa.UNIT_MIO, latency=isa.LATENCY_SPECIAL_REGISTER)
def _b2r(p: Packed, i: Instruction) -> None:
    if i.modifiers != ("RESULT",):
        raise UnpackableError(i.name)
    destination, *predicates = i.operands
    p.set(operation=isa.BARRIER_RESULT)
    p.destination(destination)
    p.predicates_out(predicates)


@lowers("DEPBAR", unit=isa.UNIT_BRANCH)
def _depbar(p: Packed, i: Instruction) -> None:
    barrier, count, *others = i.operands
    if others:
        raise UnpackableError(str(i))
    p.set(operation=isa.DEPBAR, mode=barrier.index, value=integer_value(count))


@lowers("LDGDEPBAR", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _ldgdepbar(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.COPY_GROUP)


@lowers("MEMBAR", unit=isa.UNIT_BRANCH)
def _membar(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.MEMBAR, mode=("CTA", "GPU", "SYS").index(i.modifiers[-1]) if i.modifiers else 0)


@lowers("NANOSLEEP", unit=isa.UNIT_BRANCH)
def _nanosleep(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.SLEEP)
    p.integers(i.operands[-1])


@lowers("BPT", unit=isa.UNIT_BRANCH)
def _bpt(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.TRAP, value=isa.TRAPPED)
