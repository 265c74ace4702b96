"""Items of an array that follow each other, looked at all at once: vector instructions, without a branch for any.

They are integers, or floats of which none is negative: the bits of these are in the order of the numbers. Such an array
has `AT_ONCE - 1` items more than are in use, so that there are as many behind each, or whole rows of them. What was
stored a few instructions before is late: a processor does not pass one item on to a load of many.
"""

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.core.imputils import lower_builtin
from numba.extending import type_callable

from simcore.core.jit.arrays import ArrayReference, load_row

AT_ONCE = 16
"""Items that are looked at together."""

ALL_AT_ONCE = (1 << AT_ONCE) - 1
"""All of them, a bit each."""

MOST = (1 << 63) - 1

_ROW = ir.VectorType(ir.IntType(64), AT_ONCE)
_BITS = ir.VectorType(ir.IntType(1), AT_ONCE)


def at_most(items, first, bound):
    """Which of the items from the first on are at most some number, a bit each."""
    return sum(int(items[first + k] <= bound) << k for k in range(AT_ONCE))


def row_at_most(items, row, bound):
    """The same of a row of an array of so many columns."""
    return at_most(items[row], 0, bound)


def least(items, first, chosen):
    """The least of the chosen ones of the items from the first on, a bit each; `MOST` if there is none."""
    return min((items[first + k].item() for k in range(AT_ONCE) if int(chosen) >> k & 1), default=MOST)


@type_callable(at_most)
@type_callable(row_at_most)
def _type_of_at_most(_context):
    def typer(items, _first, _bound):
        return types.int64 if isinstance(items, ArrayReference) else None

    return typer


@type_callable(least)
def _type_of_least(_context):
    def typer(items, _first, _chosen):
        return items.array.dtype if isinstance(items, ArrayReference) else None

    return typer


@lower_builtin(at_most, ArrayReference, types.Integer, types.Number)
@lower_builtin(row_at_most, ArrayReference, types.Integer, types.Number)
def _at_most(context, builder, signature, arguments):
    item = signature.args[0].array.dtype
    bound = context.cast(builder, arguments[2], types.unliteral(signature.args[2]), item)
    each = _in_each(builder, builder.bitcast(bound, ir.IntType(64)))
    bits = builder.icmp_signed("<=", _row(context, builder, signature, arguments), each)
    return builder.zext(builder.bitcast(bits, ir.IntType(AT_ONCE)), ir.IntType(64))


@lower_builtin(least, ArrayReference, types.Integer, types.Integer)
def _least(context, builder, signature, arguments):
    row = _row(context, builder, signature, arguments)
    chosen = context.cast(builder, arguments[2], types.unliteral(signature.args[2]), types.int64)
    bits = builder.bitcast(builder.trunc(chosen, ir.IntType(AT_ONCE)), _BITS)
    others = ir.Constant(_ROW, [ir.Constant(ir.IntType(64), MOST)] * AT_ONCE)
    kind = ir.FunctionType(ir.IntType(64), [_ROW])
    smallest = get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.smin.v{AT_ONCE}i64")
    bits = builder.call(smallest, [builder.select(bits, row, others)])
    return builder.bitcast(bits, context.get_value_type(signature.return_type))


def _row(context, builder, signature, arguments):
    """The items' bits, as integers."""
    first = context.cast(builder, arguments[1], types.unliteral(signature.args[1]), types.int64)
    return load_row(context, builder, signature.args[0], arguments[0], first, _ROW)


def _in_each(builder, number):
    """A number in each place of a row."""
    one = builder.insert_element(ir.Constant(_ROW, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(
        one, one, ir.Constant(ir.VectorType(ir.IntType(32), AT_ONCE), [0] * AT_ONCE)
    )
