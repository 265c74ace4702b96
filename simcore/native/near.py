"""Accesses of neighbours of which only the addresses matter: checked at once, by the first lane's.

Most are: all lanes of a warp are active, and lie at or behind the first one, no further than a row of them would.
"""

from functools import reduce
from typing import NamedTuple

from llvmlite import ir

from simcore.core import isa
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT
from simcore.native import log
from simcore.native.buffers import buffer_of
from simcore.native.state import Context
from simcore.native.vectors import LONG, WORD, pack, splat, words


class Access(NamedTuple):
    """What is accessed.

    Attributes:
        width: bytes a lane.
        is_discarded: whether it must be of a buffer whose contents are not kept.
        is_logged: whether it must not be at a line of the sample.
    """

    width: int
    is_discarded: bool
    is_logged: bool

    @property
    def bytes(self) -> int:
        """Of a row of lanes."""
        return isa.LANES * self.width


def emit(
    builder: ir.IRBuilder,
    context: Context,
    access: Access,
    base: list[ir.Value],
    added: ir.Value,
    lanes: ir.Value,
    done: ir.Block,
) -> None:
    """Emit the way of such accesses; the builder goes on with all others.

    Args:
        base: the rows of the address, to which something is added.
        done: where to go when an access is made.
    """
    near, found, others = (builder.append_basic_block(name) for name in ("near", "found", "others"))
    builder.cbranch(_are_near(builder, access, base, lanes), near, others)
    builder.position_at_end(near)
    first = builder.add(_first(builder, base), added)
    _, _, word = buffer_of(builder, context, first, access.bytes, others)
    builder.branch(found)
    builder.position_at_end(found)
    conditions = [builder.icmp_unsigned("==", builder.and_(first, LONG(access.width - 1)), LONG(0))]
    if access.is_discarded:
        conditions.append(builder.icmp_signed("<", word, LONG(0)))
    if access.is_logged:
        line = builder.trunc(builder.lshr(first, LONG(LINE_SHIFT)), WORD)
        for further in range(access.bytes // LINE_BYTES + 1):
            of_sample = log.of_sample(builder, context, builder.add(line, WORD(further)))
            conditions.append(builder.not_(of_sample))
    builder.cbranch(reduce(builder.and_, conditions), done, others)
    builder.position_at_end(others)


def _are_near(builder: ir.IRBuilder, access: Access, base: list[ir.Value], lanes: ir.Value) -> ir.Value:
    """Whether all lanes are active, and a multiple of the width behind the first one, within a row."""
    low, first = base[0], builder.extract_element(base[0], WORD(0))
    behind = builder.sub(low, splat(builder, first))
    shift = access.width.bit_length() - 1
    if shift:  # rotated, so that what is no multiple is too far
        behind = builder.or_(
            builder.lshr(behind, words(shift)), builder.shl(behind, words(isa.LANES - shift))
        )
    within = builder.icmp_unsigned("<", behind, words(isa.LANES))
    for high in base[1:]:
        alike = splat(builder, builder.extract_element(high, WORD(0)))
        within = builder.and_(within, builder.icmp_unsigned("==", high, alike))
    everywhere = builder.and_(pack(builder, within), lanes)
    does_not_wrap = builder.icmp_unsigned("<=", first, WORD(isa.FULL_MASK + 1 - access.bytes))
    return builder.and_(builder.icmp_unsigned("==", everywhere, WORD(isa.FULL_MASK)), does_not_wrap)


def _first(builder: ir.IRBuilder, base: list[ir.Value]) -> ir.Value:
    """The first lane's address, before anything is added to it."""
    low, *high = (builder.zext(builder.extract_element(row, WORD(0)), LONG) for row in base)
    return reduce(lambda sofar, word: builder.or_(sofar, builder.shl(word, LONG(32))), high, low)
