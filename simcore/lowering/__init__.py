"""What each SASS opcode means to the core, and which unit executes it: a room for each family of opcodes.

Units are those that hardware counters showed on an H200 (pipe counters of Nsight Compute) and, for the
other architectures, the throughput table of the CUDA C++ Programming Guide.
"""

from simcore.lowering import (  # noqa: F401  each fills its part of the table
    control,
    conversions,
    floats,
    halves_and_tensor,
    integers,
    memory,
    predicates,
    warp,
)
from simcore.lowering.table import known_opcodes, lower

__all__ = ["known_opcodes", "lower"]
