"""Named tuples by reference: the jitted functions take a pointer where they name a machine.

Numba passes a named tuple as its values, and an array as seven of them: a function of the machine, the SM and its
numbers would have seven hundred arguments, at every call. An entry point puts each tuple into its own frame once
(`by_reference`), and all others take the address; a field that is an array is taken by reference too (`arrays`). What
stands there does not change while the core runs (the contents of the arrays do), which every load says, so LLVM keeps
it in registers.
"""

from typing import TypeVar

from numba.core import cgutils, types
from numba.core.types import NamedTuple  # type: ignore[attr-defined]
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    register_model,
    type_callable,
)

from simcore.core.jit.addresses import AddressModel, load
from simcore.core.jit.arrays import ArrayReference

Record = TypeVar("Record")


class Reference(types.Type):
    """The address of a named tuple."""

    def __init__(self, record):
        self.record = record
        super().__init__(f"Reference({record.instance_class.__name__})")

    @property
    def key(self):
        """Equal for the same fields."""
        return self.record


register_model(Reference)(AddressModel)


def by_reference(record: Record) -> Record:
    """Put a named tuple into the caller's frame, and return its address; in plain Python the tuple itself."""
    return record


@type_callable(by_reference)
def _type_of_reference(_context):
    def typer(record):
        return Reference(record) if isinstance(record, NamedTuple) else None

    return typer


@lower_builtin(by_reference, NamedTuple)
def _put_into_frame(context, builder, signature, arguments):
    place = cgutils.alloca_once_value(builder, arguments[0])
    return builder.bitcast(place, context.get_value_type(signature.return_type))


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, name):
        record = reference.record
        if name not in record.fields:
            return None
        field = record[record.fields.index(name)]
        if isinstance(field, types.Array):
            return ArrayReference(field, record.instance_class.__name__, name)
        return Reference(field) if isinstance(field, NamedTuple) else field


@lower_getattr_generic(Reference)
def _field(context, builder, reference, value, name):
    record = reference.record
    index = record.fields.index(name)
    field = record[index]
    base = builder.bitcast(value, context.get_value_type(record).as_pointer())
    place = cgutils.gep_inbounds(builder, base, 0, index)
    if isinstance(field, NamedTuple | types.Array):
        return builder.bitcast(place, value.type)
    return load(builder, place)
