"""The buffers of global memory, as emitted code finds them."""

from llvmlite import ir

from simcore.core.execution import native
from simcore.native.state import Context
from simcore.native.vectors import LONG


def buffer_of(
    builder: ir.IRBuilder, context: Context, begins: ir.Value, size: int, otherwise: ir.Block
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The start, the end and the first word of the buffer that holds some bytes from an address on.

    Args:
        otherwise: where to go if there is none.
    """
    ends = builder.add(begins, LONG(size))
    before = builder.block
    search, others, found = (builder.append_basic_block(name) for name in ("search", "others", "found"))
    builder.branch(search)
    builder.position_at_end(search)
    number = builder.phi(LONG)
    start, end, word = (
        builder.load(builder.gep(context.array(place), [number], source_etype=LONG), typ=LONG)
        for place in (native.BUFFER_START, native.BUFFER_END, native.BUFFER_WORD)
    )
    holds = builder.and_(builder.icmp_signed("<=", start, begins), builder.icmp_signed("<=", ends, end))
    builder.cbranch(holds, found, others)
    builder.position_at_end(others)
    following = builder.add(number, LONG(1))
    number.add_incoming(LONG(0), before)
    number.add_incoming(following, others)
    is_one = builder.icmp_signed("<", following, context.known(native.BUFFERS))
    builder.cbranch(is_one, search, otherwise)
    builder.position_at_end(found)
    return start, end, word
