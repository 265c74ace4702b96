"""Accesses of neighbours of which only the addresses matter: checked at once, by the first lanes of rows.

Most are: all lanes of a warp are active, and those of the warp, of each half or of each quarter lie at or behind the
first one of these, no further than a row of them would.
"""

from functools import reduce
from typing import NamedTuple

from llvmlite import ir

from simcore.core import isa
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT
from simcore.native import log
from simcore.native.buffers import buffer_of
from simcore.native.state import Context
from simcore.native.vectors import LONG, WORD, WORDS, pack, words

ROW_LANES = (isa.LANES, isa.LANES // 2, isa.LANES // 4)
"""Of a row, the most frequent first: blocks may be narrower than a warp."""


class Access(NamedTuple):
    """What is accessed.

    Attributes:
        width: bytes a lane, a power of two.
        is_discarded: whether it must be of a buffer whose contents are not kept.
        is_logged: whether it must not be at a line of the sample.
    """

    width: int
    is_discarded: bool
    is_logged: bool


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
    whole, others = (builder.append_basic_block(name) for name in ("whole", "others"))
    builder.cbranch(builder.icmp_unsigned("==", lanes, WORD(isa.FULL_MASK)), whole, others)
    builder.position_at_end(whole)
    for row_lanes in ROW_LANES:
        rows, narrower = (builder.append_basic_block(name) for name in ("rows", "narrower"))
        builder.cbranch(_are_in_rows(builder, access, base, row_lanes), rows, narrower)
        builder.position_at_end(rows)
        for lane in range(0, isa.LANES, row_lanes):
            first = builder.add(_first(builder, base, lane, row_lanes * access.width, others), added)
            _check_row(builder, context, access, first, row_lanes * access.width, others)
        builder.branch(done)
        builder.position_at_end(narrower)
    builder.branch(others)
    builder.position_at_end(others)


def _are_in_rows(builder: ir.IRBuilder, access: Access, base: list[ir.Value], row_lanes: int) -> ir.Value:
    """Whether all lanes are a multiple of the width behind the first of their row, within that: as both are powers of
    two, such distances have some bits alone."""
    firsts = ir.Constant(WORDS, [lane // row_lanes * row_lanes for lane in range(isa.LANES)])
    behind, *apart = (builder.sub(row, builder.shuffle_vector(row, row, firsts)) for row in base)
    too_far = builder.and_(behind, words(~((row_lanes - 1) * access.width)))
    fit = builder.icmp_unsigned("==", reduce(builder.or_, apart, too_far), words(0))
    return builder.icmp_unsigned("==", pack(builder, fit), WORD(isa.FULL_MASK))


def _first(builder: ir.IRBuilder, base: list[ir.Value], lane: int, size: int, others: ir.Block) -> ir.Value:
    """The address of a row's first lane, before anything is added to it; goes elsewhere if its lower word wraps."""
    low, *high = (builder.zext(builder.extract_element(row, WORD(lane)), LONG) for row in base)
    _go_on_if(builder, builder.icmp_unsigned("<=", low, LONG((1 << 32) - size)), others)
    return reduce(lambda sofar, word: builder.or_(sofar, builder.shl(word, LONG(32))), high, low)


def _check_row(
    builder: ir.IRBuilder, context: Context, access: Access, first: ir.Value, size: int, others: ir.Block
) -> None:
    """Check a row of some bytes by its first lane's address; goes elsewhere if others must look at it."""
    found = builder.append_basic_block("found")
    _, _, word = buffer_of(builder, context, first, size, others)
    builder.branch(found)
    builder.position_at_end(found)
    conditions = [builder.icmp_unsigned("==", builder.and_(first, LONG(access.width - 1)), LONG(0))]
    if access.is_discarded:
        conditions.append(builder.icmp_signed("<", word, LONG(0)))
    _go_on_if(builder, reduce(builder.and_, conditions), others)
    if access.is_logged:
        _go_on_if_not_of_sample(builder, context, first, size, others)


def _go_on_if_not_of_sample(
    builder: ir.IRBuilder, context: Context, first: ir.Value, size: int, others: ir.Block
) -> None:
    """Go elsewhere if some bytes from an address on may lie in lines of the sample."""
    line = builder.trunc(builder.lshr(first, LONG(LINE_SHIFT)), WORD)
    behind = builder.add(builder.and_(first, LONG(LINE_BYTES - 1)), LONG(size - 1))
    further, none = (builder.append_basic_block(name) for name in ("further", "none"))
    _go_on_if(builder, builder.not_(log.of_sample(builder, context, line)), others)
    builder.cbranch(builder.icmp_unsigned(">=", behind, LONG(LINE_BYTES)), further, none)
    builder.position_at_end(further)
    for number in range(1, (size - 1) // LINE_BYTES + 2):
        of_sample = log.of_sample(builder, context, builder.add(line, WORD(number)))
        _go_on_if(builder, builder.not_(of_sample), others)
    builder.branch(none)
    builder.position_at_end(none)


def _go_on_if(builder: ir.IRBuilder, holds: ir.Value, others: ir.Block) -> None:
    on = builder.append_basic_block("on")
    builder.cbranch(holds, on, others)
    builder.position_at_end(on)
