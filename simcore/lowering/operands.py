"""The parts of an instruction's operand list, and the fields that most opcodes fill the same way."""

from simcore.lowering.packed import Packed
from simcore.machine_code.operands import Operand, parse_operand
from simcore.machine_code.sass import Instruction

RZ = parse_operand("RZ")
NEVER = parse_operand("!PT")
"""A predicate that never holds."""


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


def result_of(p: Packed, words: int = 1, sets: int = 0, takes: int = 0) -> list[Operand]:
    """Fill in the destination and the predicates; return the sources.

    Args:
        words: of the destination.
        sets: predicates that the operation sets; any others must be PT.
        takes: predicates that it reads besides the guard.
    """
    out, destination, sources, predicates_in = parts(p.instruction)
    p.destination(destination, words)
    p.predicates_out(out[:sets])
    p.nothing(out[sets:])
    p.predicates_in(predicates_in[:takes])
    return sources


def predicates_among(p: Packed) -> list[Operand]:
    """The predicates among the operands."""
    return [o for o in p.instruction.operands if is_predicate(o)]


def is_predicate(operand: Operand) -> bool:
    """Whether an operand is a predicate."""
    return operand.kind in ("predicate", "uniform_predicate")
