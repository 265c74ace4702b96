"""A log of the accesses to lines of a sample, for the interpreter to read when a stretch has returned."""

from typing import NamedTuple

from llvmlite import ir

from simcore.core.execution import native, trail
from simcore.core.geometry import LINE_SHIFT
from simcore.native.state import Context
from simcore.native.vectors import LONG, POINTER, WORD, WORDS, longs, pack, splat, words

LOG_ALIGNMENT = 8
"""Bytes."""

TAKES = [POINTER, LONG, LONG]
"""The types of what is known of a logged access."""


class Logged(NamedTuple):
    """What is known of a logged access.

    Attributes:
        count: where the number of accesses stands that have been logged.
        pc: of its instruction.
        position: of its instruction among those that the stretch has executed, from 1.
    """

    count: ir.Value
    pc: ir.Value
    position: ir.Value


def emit(
    builder: ir.IRBuilder,
    context: Context,
    logged: Logged,
    address: ir.Value,
    lanes: ir.Value,
    full: ir.Block,
) -> None:
    """Emit the logging of an access, if any of its lanes is at a line of the sample.

    Args:
        full: where to go if there is no room left.
    """
    line = builder.trunc(builder.lshr(address, longs(LINE_SHIFT)), WORDS)
    chosen = builder.and_(pack(builder, of_sample(builder, context, line)), lanes)
    some, room, on = (builder.append_basic_block(name) for name in ("logs", "room", "logged"))
    builder.cbranch(builder.icmp_unsigned("!=", chosen, WORD(0)), some, on)
    builder.position_at_end(some)
    count = builder.load(logged.count, typ=LONG)
    builder.cbranch(builder.icmp_signed("<", count, LONG(trail.LOGGED_AT_ONCE)), room, full)
    builder.position_at_end(room)
    place = builder.mul(count, LONG(trail.LOG_FIELDS))
    at = builder.gep(context.array(native.LOG), [place], source_etype=LONG)
    builder.store(address, at, align=LOG_ALIGNMENT)
    for place, value in (
        (trail.LOG_PC, logged.pc),
        (trail.LOG_LANES, builder.zext(lanes, LONG)),
        (trail.LOG_SAMPLED, builder.zext(chosen, LONG)),
        (trail.LOG_POSITION, logged.position),
    ):
        builder.store(value, builder.gep(at, [LONG(place)], source_etype=LONG))
    builder.store(builder.add(count, LONG(1)), logged.count)
    builder.branch(on)
    builder.position_at_end(on)


def of_sample(builder: ir.IRBuilder, context: Context, line: ir.Value) -> ir.Value:
    """Whether lines, or one, are of the sample, as `trail` has it; of their numbers, the lower words."""
    mask = builder.trunc(context.known(native.SAMPLE), WORD)
    constant = WORD
    if line.type == WORDS:
        mask, constant = splat(builder, mask), words
    bits = builder.mul(line, constant(trail.SPREAD))
    for shift, factor in ((trail.HALF, trail.FIRST), (trail.LESS, trail.SECOND)):
        bits = builder.mul(builder.xor(bits, builder.lshr(bits, constant(shift))), constant(factor))
    bits = builder.xor(bits, builder.lshr(bits, constant(trail.HALF)))
    return builder.icmp_unsigned("==", builder.and_(bits, mask), constant(0))
