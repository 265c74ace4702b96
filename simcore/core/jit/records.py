"""Records by reference: an item of an array of records, such as an instruction.

Its value is its address. What stands there does not change while the core runs, which every load says: what was read of
an instruction is not read again because something was written meanwhile.
"""

from numba.core import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, register_model

from simcore.core.jit.addresses import AddressModel, load


class RecordReference(types.Type):
    """The address of a record."""

    def __init__(self, record):
        self.record = record
        super().__init__(f"RecordReference({record.size})")

    @property
    def key(self):
        """Equal for the same fields."""
        return self.record


register_model(RecordReference)(AddressModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = RecordReference

    def generic_resolve(self, reference, name):
        record = reference.record
        return record.typeof(name) if name in record.fields else None


@lower_getattr_generic(RecordReference)
def _field(context, builder, reference, value, name):
    record = reference.record
    place = builder.gep(value, [context.get_constant(types.intp, record.offset(name))], inbounds=True)
    return load(builder, builder.bitcast(place, context.get_data_type(record.typeof(name)).as_pointer()))
