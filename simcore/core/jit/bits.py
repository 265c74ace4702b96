"""Bit masks: what a processor finds in one instruction and Python has no name for."""

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin
from numba.extending import type_callable


def lowest_bit(mask: int) -> int:
    """The position of the lowest bit that is set in an int64 that is not 0."""
    return (int(mask) & -int(mask)).bit_length() - 1


@type_callable(lowest_bit)
def _type_of_lowest_bit(_context):
    def typer(mask):
        return types.int64 if mask == types.int64 else None

    return typer


@lower_builtin(lowest_bit, types.int64)
def _count_trailing_zeros(_context, builder, _signature, arguments):
    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))
