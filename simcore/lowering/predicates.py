"""What compares integers, combines predicates, and moves them to and from registers."""

from simcore.core import isa
from simcore.lowering.modes import comparison
from simcore.lowering.operands import integer_value
from simcore.lowering.program import Packed, predicate_index
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand
from simcore.machine_code.sass import Instruction


@lowers("ISETP", unit=isa.UNIT_ALU)
def _isetp(p: Packed, i: Instruction) -> None:
    first, second, a, b, *predicates = i.operands
    mode = comparison(i.modifiers, is_float=False)
    mode |= isa.COMPARE_UNSIGNED if "U32" in i.modifiers else 0
    mode |= isa.COMPARE_EXTENDED if "EX" in i.modifiers else 0
    p.set(operation=isa.ISETP, mode=mode)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.integers(a, b)


@lowers("PLOP3", unit=isa.UNIT_ALU)
def _plop3(p: Packed, i: Instruction) -> None:
    first, second, *sources, table, other = i.operands
    p.set(operation=isa.PLOP3, value=integer_value(table), mode=integer_value(other))
    p.predicates_out([first, second])
    indices = [predicate_index(s, isa.PREDICATE_TRUE) for s in sources]
    flips = [isa.FULL_MASK if s.negate else 0 for s in sources]
    p.set(a=indices[0], b=indices[1], c=indices[2], a_flip=flips[0], b_flip=flips[1], c_flip=flips[2])


@lowers("P2R", unit=isa.UNIT_ALU)
def _p2r(p: Packed, i: Instruction) -> None:
    destination, *sources = (o for o in i.operands if o.text != "PR")
    p.set(operation=isa.P2R, guard=isa.PREDICATE_TRUE, guard_flip=0, value=_byte_shift(i, destination))
    p.destination(destination)
    p.integers(*sources)


@lowers("R2P", unit=isa.UNIT_ALU)
def _r2p(p: Packed, i: Instruction) -> None:
    source, mask = (o for o in i.operands if o.text != "PR")
    p.set(operation=isa.R2P, value=_byte_shift(i, source))
    p.integers(source, mask)


def _byte_shift(i: Instruction, operand: Operand) -> int:
    names = [*i.modifiers, *operand.suffixes]
    return next((8 * byte for byte in range(4) if f"B{byte}" in names), 0)
