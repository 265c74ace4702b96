"""Logic on predicates, and moves between predicates and registers."""

from simcore.core import isa
from simcore.core.execution import predicates
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand

BYTES = "B0 B1 B2 B3"


_SIGN = "SIGN"


@lowers("PLOP3", operation=predicates.PLOP3, unit=isa.UNIT_ALU, without_effect="LUT", suffixes=_SIGN)
def _plop3(p: Packed) -> None:
    first, second, *sources, table, other = p.instruction.operands
    p.set(value=p.number(table), mode=p.number(other))
    p.predicates_out([first, second])
    if all(_SIGN in source.suffixes for source in sources):
        p.set(operation=predicates.PLOP3_SIGNS)
        p.integers(*sources)
    elif any(_SIGN in source.suffixes for source in sources):
        raise p.refuse()
    else:
        p.predicate_sources(*sources)


@lowers("P2R", operation=predicates.P2R, unit=isa.UNIT_ALU, suffixes=BYTES)
def _p2r(p: Packed) -> None:
    destination, *sources = _without_predicates(p)
    p.set(guard=isa.PREDICATE_TRUE, guard_flip=0, value=_byte_shift(p, destination))
    p.destination(destination)
    p.integers(*sources)
    p.reads_numbered_predicates()


@lowers("R2P", operation=predicates.R2P, unit=isa.UNIT_ALU, suffixes=BYTES)
def _r2p(p: Packed) -> None:
    if p.instruction.operands[0].text != "PR":
        raise p.refuse()
    source, mask = _without_predicates(p)
    p.set(value=_byte_shift(p, source))
    p.integers(source, mask)
    p.may_write_numbered_predicates()


def _without_predicates(p: Packed) -> list[Operand]:
    """The operands but for PR, which stands for P0 to P6."""
    for operand in p.instruction.operands:
        if operand.text == "PR":
            p.reads(operand)
    return list(p.unread_operands)


def _byte_shift(p: Packed, operand: Operand) -> int:
    """The bit offset of the byte that a modifier, or the operand, names."""
    return next((8 * byte for byte in range(4) if p.has(f"B{byte}") or f"B{byte}" in operand.suffixes), 0)
