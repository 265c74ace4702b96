"""Values that are addresses: of named tuples (`reference`), of their arrays (`arrays`), of records (`records`)."""

from llvmlite import ir
from numba.extending import models


class AddressModel(models.PrimitiveModel):
    """How such a value is kept."""

    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, ir.IntType(8).as_pointer())


def load(builder, place):
    """Load what does not change while the core runs, which LLVM is told."""
    loaded = builder.load(place)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
