"""What instructions do to memory; what the caches make of it is not decided here."""

from simcore.core import isa
from simcore.core.jit import jit_inline

(
    LOAD, STORE, ATOMIC, COPY_TO_SHARED, LOAD_CONSTANT, LOAD_MATRIX, STORE_MATRIX,
    ARRIVE_AT_PHASE, CHECK_PHASE, ARRIVE_WITH_COPIES,
) = isa.operations(isa.MEMORY, 10)  # fmt: skip


@jit_inline()
def is_of_phase(operation):
    """Whether an operation is one on an asynchronous barrier."""
    return operation >= ARRIVE_AT_PHASE and operation <= ARRIVE_WITH_COPIES
