"""The parts of an instruction's operand list, and the fields that most opcodes fill the same way."""

from simcore.lowering.packed import Packed, UnpackableError
from simcore.machine_code.operands import Operand, parse_operand
from simcore.machine_code.sass import Instruction

RZ = parse_operand("RZ")


def parts(i: Instruction) -> tuple[list[Operand], Operand, list[Operand], list[Operand]]:
    """Split operands into output predicates, destination, sources and input predicates, in this order."""
    operands = list(i.operands)
    out = take_predicates(operands)
    destination = operands.pop(0)
    predicates_in = take_predicates(operands, last=True)
    out += take_predicates(operands)
    return out, destination, operands, predicates_in


def take_predicates(operands: list[Operand], last: bool = False) -> list[Operand]:
    """Remove the leading or trailing predicates from the list and return them in order."""
    taken: list[Operand] = []
    while operands and is_predicate(operands[-1 if last else 0]):
        taken.append(operands.pop(-1 if last else 0))
    return taken[::-1] if last else taken


def result_of(p: Packed, words: int = 1) -> list[Operand]:
    """Fill in the destination, of one word or more, and the predicates; return the sources."""
    out, destination, sources, predicates_in = parts(p.instruction)
    p.destination(destination, words)
    p.predicates_out(out)
    p.predicates_in(predicates_in)
    return sources


def predicates_among(p: Packed) -> list[Operand]:
    """The predicates among the operands."""
    return [o for o in p.instruction.operands if is_predicate(o)]


def is_predicate(operand: Operand) -> bool:
    """Whether an operand is a predicate."""
    return operand.kind in ("predicate", "uniform_predicate")


def integer_value(operand: Operand) -> int:
    """The value of an operand that must be an integer."""
    if operand.kind != "integer":
        raise UnpackableError(str(operand))
    return operand.value
