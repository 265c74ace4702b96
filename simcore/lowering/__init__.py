"""How each SASS opcode maps to the core's operations and units: one module per family of opcodes.

Units come from Nsight Compute's pipe counters on an H200 and, for the other architectures, from the throughput table
of the CUDA C++ Programming Guide.
"""

from simcore.lowering import (  # noqa: F401  each registers its opcodes
    control,
    conversions,
    floats,
    halves_and_tensor,
    integers,
    memory,
    phases,
    predicates,
    warp,
)
from simcore.lowering.table import known_opcodes, lower

__all__ = ["known_opcodes", "lower"]
