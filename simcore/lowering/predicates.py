"""Logic on predicates, and moves between predicates and registers."""

from simcore.core import isa
from simcore.core.execution import predicates
from simcore.lowering.operands import integer_value
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand


@lowers("PLOP3", operation=predicates.PLOP3, unit=isa.UNIT_ALU, without_effect="LUT")
def _plop3(p: Packed) -> None:
    first, second, *sources, table, other = p.instruction.operands
    p.set(value=integer_value(table), mode=integer_value(other))
    p.predicates_out([first, second])
    p.predicate_sources(*sources)


@lowers("P2R", operation=predicates.P2R, unit=isa.UNIT_ALU)
def _p2r(p: Packed) -> None:
    destination, *sources = (o for o in p.instruction.operands if o.text != "PR")
    p.set(guard=isa.PREDICATE_TRUE, guard_flip=0, value=_byte_shift(p, destination))
    p.destination(destination)
    p.integers(*sources)
    p.reads_numbered_predicates()


@lowers("R2P", operation=predicates.R2P, unit=isa.UNIT_ALU)
def _r2p(p: Packed) -> None:
    source, mask = (o for o in p.instruction.operands if o.text != "PR")
    p.set(value=_byte_shift(p, source))
    p.integers(source, mask)
    p.may_write_numbered_predicates()


def _byte_shift(p: Packed, operand: Operand) -> int:
    """The bit offset of the byte that a modifier, or the operand, names."""
    return next((8 * byte for byte in range(4) if p.has(f"B{byte}") or f"B{byte}" in operand.suffixes), 0)
