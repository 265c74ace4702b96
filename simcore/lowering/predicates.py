"""Logic on predicates, and moves between predicates and registers."""

from simcore.core import isa
from simcore.core.execution import predicates
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand, parse_operand

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


@lowers("UP2UR", operation=predicates.P2R, unit=isa.UNIT_UNIFORM, suffixes=BYTES)
@lowers("P2R", operation=predicates.P2R, unit=isa.UNIT_ALU, suffixes=BYTES)
def _p2r(p: Packed) -> None:
    destination, *sources = _without_predicates(p)
    p.set(guard=isa.PREDICATE_TRUE, guard_flip=0, value=_byte_shift(p, destination))
    p.set(mode=_first(p))
    p.destination(destination)
    p.integers(*sources)
    p.reads_numbered_predicates(_first(p))


@lowers("UR2UP", operation=predicates.R2P, unit=isa.UNIT_UNIFORM, suffixes=BYTES)
@lowers("R2P", operation=predicates.R2P, unit=isa.UNIT_ALU, suffixes=BYTES)
def _r2p(p: Packed) -> None:
    if p.instruction.operands[0].text not in _ALL_PREDICATES:
        raise p.refuse()
    source, *masks = _without_predicates(p)
    mask = masks[0] if masks else parse_operand(hex(p.instruction.immediate & 0xFF))  # UR2UP's is not printed
    p.set(value=_byte_shift(p, source), mode=_first(p))
    p.integers(source, mask)
    p.may_write_numbered_predicates(_first(p))


_ALL_PREDICATES = ("PR", "UPR")


def _first(p: Packed) -> int:
    """The first of the predicates that PR stands for, or UPR."""
    return isa.UNIFORM_PREDICATES if p.instruction.opcode.startswith("U") else 0


def _without_predicates(p: Packed) -> list[Operand]:
    """The operands but for PR, which stands for P0 to P6, and UPR, for UP0 to UP6."""
    for operand in p.instruction.operands:
        if operand.text in _ALL_PREDICATES:
            p.reads(operand)
    return list(p.unread_operands)


def _byte_shift(p: Packed, operand: Operand) -> int:
    """The bit offset of the byte that a modifier, or the operand, names."""
    return next((8 * byte for byte in range(4) if p.has(f"B{byte}") or f"B{byte}" in operand.suffixes), 0)
