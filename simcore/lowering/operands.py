"""The parts of an instruction's operand list, and the fields that most opcodes fill in the same way."""

from simcore.lowering.program import Packed, UnpackableError
from simcore.machine_code.operands import Operand
from simcore.machine_code.sass import Instruction


def parts(i: Instruction) -> tuple[list[Operand], Operand, list[Operand], list[Operand]]:
    """Split operands into predicates out, destination, sources, predicates in, which stand in this order."""
    operands = list(i.operands)
    out = take_predicates(operands)
    destination = operands.pop(0)
    predicates_in = take_predicates(operands, last=True)
    out += take_predicates(operands)
    return out, destination, operands, predicates_in


def take_predicates(operands: list[Operand], last: bool = False) -> list[Operand]:
    """Take the predicates that stand first, or last, off the list, and give them back in order."""
    taken: list[Operand] = []
    while operands and operands[-1 if last else 0].kind in ("predicate", "uniform_predicate"):
        taken.append(operands.pop(-1 if last else 0))
    return taken[::-1] if last else taken


def result_of(packed: Packed, i: Instruction, operation: int) -> list[Operand]:
    """Fill in destination and predicates; give back the sources."""
    out, destination, sources, predicates_in = parts(i)
    packed.set(operation=operation)
    packed.destination(destination)
    packed.predicates_out(out)
    packed.predicates_in(predicates_in)
    return sources


def integer_value(operand: Operand) -> int:
    """The value of an operand that must be an integer."""
    if operand.kind != "integer":
        raise UnpackableError(str(operand))
    return operand.value
