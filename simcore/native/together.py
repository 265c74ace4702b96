"""Loads of all active lanes from one place, as of what a warp's threads share: found and checked once."""

from functools import reduce
from typing import NamedTuple

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import native
from simcore.core.geometry import LINE_SHIFT, WORD_BYTES
from simcore.native import log
from simcore.native.buffers import buffer_of
from simcore.native.state import Context
from simcore.native.vectors import LONG, ROW_ALIGNMENT, WORD, first_lane, pack, splat


class Load(NamedTuple):
    """What is loaded from global memory.

    Attributes:
        width: bytes a lane, a power of two, at least a word.
        is_logged: whether it must not be at a line of the sample.
    """

    width: int
    is_logged: bool


def emit(
    builder: ir.IRBuilder,
    context: Context,
    load: Load,
    base: list[ir.Value],
    added: ir.Value,
    lanes: ir.Value,
    rows: ir.Value,
    done: ir.Block,
) -> None:
    """Emit the way of such loads; the builder goes on with all others.

    Args:
        base: the rows of the address, to which something is added.
        rows: take what is loaded.
        done: where to go when a load is made.
    """
    together, found, others = (builder.append_basic_block(name) for name in ("together", "found", "others"))
    lane = first_lane(builder, lanes)
    firsts = [builder.extract_element(row, lane) for row in base]
    agree = [
        builder.icmp_unsigned("==", row, splat(builder, word)) for row, word in zip(base, firsts, strict=True)
    ]
    apart = builder.and_(builder.not_(pack(builder, reduce(builder.and_, agree))), lanes)
    builder.cbranch(builder.icmp_unsigned("==", apart, WORD(0)), together, others)
    builder.position_at_end(together)
    low, *high = (builder.zext(word, LONG) for word in firsts)
    whole = reduce(lambda sofar, word: builder.or_(sofar, builder.shl(word, LONG(32))), high, low)
    address = builder.add(whole, added)
    start, _, word = buffer_of(builder, context, address, load.width, others)
    builder.branch(found)
    builder.position_at_end(found)
    _go_on_if(builder, _may_be_loaded(builder, context, load, address, word), others)
    offset = builder.lshr(builder.sub(address, start), LONG(WORD_BYTES.bit_length() - 1))
    at = builder.gep(context.array(native.MEMORY), [builder.add(word, offset)], source_etype=WORD)
    for k in range(load.width // WORD_BYTES):
        loaded = builder.load(builder.gep(at, [LONG(k)], source_etype=WORD), typ=WORD)
        to = builder.gep(rows, [LONG(k * isa.LANES)], source_etype=WORD)
        builder.store(splat(builder, loaded), to, align=ROW_ALIGNMENT)
    builder.branch(done)
    builder.position_at_end(others)


def _may_be_loaded(
    builder: ir.IRBuilder, context: Context, load: Load, address: ir.Value, word: ir.Value
) -> ir.Value:
    """Whether an address is aligned, in a buffer whose contents are kept, and not to be logged."""
    odd = builder.and_(address, LONG(load.width - 1))
    conditions = [builder.icmp_unsigned("==", odd, LONG(0)), builder.icmp_signed(">=", word, LONG(0))]
    if load.is_logged:
        line = builder.trunc(builder.lshr(address, LONG(LINE_SHIFT)), WORD)
        conditions.append(builder.not_(log.of_sample(builder, context, line)))
    return reduce(builder.and_, conditions)


def _go_on_if(builder: ir.IRBuilder, holds: ir.Value, others: ir.Block) -> None:
    on = builder.append_basic_block("on")
    builder.cbranch(holds, on, others)
    builder.position_at_end(on)
