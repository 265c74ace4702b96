"""Arrays by reference: what a field of a named tuple that was passed by reference is, if it is an array.

Its value is the address of numba's own array in the entry point's frame. An item is read and written with one index an
axis, which must not be negative: counting from the end would cost every access three instructions, and loops over
neighbours would not be vectorised. Arrays are in C order.

Arrays of different fields do not overlap, which every access says (by LLVM's type-based alias analysis): what was
loaded from one is not loaded again because another one was written.
"""

import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin, lower_getattr
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import register_model
from numba.np.arrayobj import make_array

from simcore.core.jit.addresses import AddressModel, load
from simcore.core.jit.records import RecordReference

SAME_MEMORY = {"scratch_float": "scratch", "wide_float": "wide"}
"""Fields whose arrays are other fields' seen as another type."""


EXTENTS: dict[str, tuple[int, ...]] = {}
"""Of arrays' last axes, as `fix_extents` was told, by owner and field."""


def fix_extents(owner, **fields):
    """Say how far the last axes of a named tuple's arrays extend, where that is the same for all GPUs and kernels: the
    place of an item is found without multiplying by numbers that have to be loaded."""
    EXTENTS.update({f"{owner}.{field}": extents for field, extents in fields.items()})


class ArrayReference(types.Type):
    """The address of an array that is a field of a named tuple."""

    def __init__(self, array, owner, field):
        self.array = array
        self.memory = f"{owner}.{SAME_MEMORY.get(field, field)}"
        self.extents = EXTENTS.get(self.memory, ())
        super().__init__(f"ArrayReference({array.dtype}, {array.ndim}, {self.memory})")

    @property
    def key(self):
        """Equal for arrays alike in the same memory."""
        return self.array, self.memory


register_model(ArrayReference)(AddressModel)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = ArrayReference

    def resolve_size(self, reference):
        return types.intp

    def resolve_shape(self, reference):
        return types.UniTuple(types.intp, reference.array.ndim)

    def resolve_ctypes(self, reference):
        return reference

    def resolve_data(self, _reference):
        return types.uintp


@lower_getattr(ArrayReference, "size")
def _size(context, builder, reference, value):
    size = context.get_constant(types.intp, 1)
    for extent in _shape(context, builder, reference, value):
        size = builder.mul(size, extent)
    return size


@lower_getattr(ArrayReference, "shape")
def _shape_tuple(context, builder, reference, value):
    return cgutils.pack_array(builder, _shape(context, builder, reference, value))


@lower_getattr(ArrayReference, "ctypes")
def _ctypes(_context, _builder, _reference, value):
    return value


@lower_getattr(ArrayReference, "data")
def _address(context, builder, reference, value):
    return builder.ptrtoint(_data(context, builder, reference, value), context.get_value_type(types.uintp))


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args, kws):
        if not _is_item(args):
            return None
        kind = args[0].array.dtype
        return signature(RecordReference(kind) if isinstance(kind, types.Record) else kind, *args)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args, kws):
        if _is_item(args):
            return signature(types.none, args[0], args[1], args[0].array.dtype)
        return None


@lower_builtin(operator.getitem, ArrayReference, types.Any)
def _get_item(context, builder, sig, args):
    place = _place(context, builder, sig, args)
    if isinstance(sig.return_type, RecordReference):
        return builder.bitcast(place, context.get_value_type(sig.return_type))
    item = context.unpack_value(builder, sig.return_type, place)
    _name_memory(builder, sig.args[0])
    return item


@lower_builtin(operator.setitem, ArrayReference, types.Any, types.Any)
def _set_item(context, builder, sig, args):
    context.pack_value(builder, sig.args[2], args[2], _place(context, builder, sig, args))
    _name_memory(builder, sig.args[0])
    return context.get_dummy_value()


def _name_memory(builder, reference):
    """Say of the last instruction, if it loads or stores, in which memory."""
    access = builder.block.instructions[-1]
    if isinstance(access, ir.LoadInstr | ir.StoreInstr):
        module, offset = builder.module, ir.Constant(ir.IntType(64), 0)
        root = module.add_metadata([ir.MetaDataString(module, "arrays of named tuples")])
        memory = module.add_metadata([ir.MetaDataString(module, reference.memory), root, offset])
        access.set_metadata("tbaa", module.add_metadata([memory, memory, offset]))


def _is_item(args):
    """Whether these are an array's reference and as many indices as it has axes."""
    if not isinstance(args[0], ArrayReference):
        return False
    index = args[1]
    indices = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    integers = all(isinstance(types.unliteral(each), types.Integer) for each in indices)
    return integers and len(indices) == args[0].array.ndim


def _place(context, builder, sig, args):
    """The address of an item."""
    reference, index = sig.args[:2]
    shape = _shape(context, builder, reference, args[0])
    if isinstance(index, types.BaseTuple):
        indices = zip(cgutils.unpack_tuple(builder, args[1], len(index)), index, strict=True)
    else:
        indices = [(args[1], index)]
    at = context.get_constant(types.intp, 0)
    for extent, (value, kind) in zip(shape, indices, strict=True):
        number = context.cast(builder, value, types.unliteral(kind), types.intp)
        at = builder.add(builder.mul(at, extent, flags=["nsw"]), number, flags=["nsw"])
    return builder.gep(_data(context, builder, reference, args[0]), [at], inbounds=True)


def load_row(context, builder, reference, value, first, kind):
    """Load items that follow each other as a vector: of an array of one axis from the first on, of two axes a row."""
    if reference.array.ndim == 2:
        first = builder.mul(first, context.get_constant(types.intp, kind.count), flags=["nsw"])
    place = builder.gep(_data(context, builder, reference, value), [first], inbounds=True)
    row = builder.load(builder.bitcast(place, kind.as_pointer()), align=kind.element.width // 8)
    _name_memory(builder, reference)
    return row


def _data(context, builder, reference, value):
    return load(builder, _stored(context, builder, reference, value)._get_ptr_by_name("data"))


def _shape(context, builder, reference, value):
    stored = _stored(context, builder, reference, value)
    shape = stored._get_ptr_by_name("shape")
    known = [context.get_constant(types.intp, extent) for extent in reference.extents]
    return [
        load(builder, cgutils.gep_inbounds(builder, shape, 0, axis))
        for axis in range(reference.array.ndim - len(known))
    ] + known


def _stored(context, builder, reference, value):
    """Numba's array at the address."""
    place = builder.bitcast(value, context.get_value_type(reference.array).as_pointer())
    return make_array(reference.array)(context, builder, ref=place)
