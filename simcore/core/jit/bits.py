"""Bit masks: what a processor finds in one instruction and Python has no name for."""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def lowest_bit(_context, mask):
    """The position of the lowest bit that is set in an int64 that is not 0."""
    if mask != types.int64:
        return None

    def generate(_codegen_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
