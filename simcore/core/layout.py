"""Records and arrays that the jitted core walks.

A warp's registers are rows of 32 words, one a lane. Rows that all warps share come first (zero, immediates,
constants resolved at launch), then each warp's own: registers, uniform registers, and rows for results that
nobody reads. An operand names a row of its warp (0 and up) or a shared row (~row, below 0).

An instruction's record is three lines of the processor's cache: what decides when it issues and what is next, what a
memory instruction or a result needs, and the operands. Most instructions of a timed kernel need the first alone.
"""

import numpy as np

CACHE_LINE_BYTES = 64
"""Of the processor that the core runs on."""

INSTRUCTION = np.dtype(
    [
        # Scheduling
        ("operation", "i4"),
        ("unit", "i4"),
        ("stall", "i4"),
        ("yields", "i4"),
        ("write_barrier", "i4"),
        ("read_barrier", "i4"),
        ("wait_mask", "i4"),
        ("latency", "i4"),
        ("pace", "i4"),
        (
            "constant",
            "i4",
        ),  # line of 64 bytes of a constant at a fixed address (bank * 1024 + offset // 64), or -1
        # Registers read from each of the sub-partition's two banks: after an instruction of the same warp, whose
        # operands the reuse cache may hold, and after another warp's.
        ("bank_reads_0", "i4"),
        ("bank_reads_1", "i4"),
        ("lone_reads_0", "i2"),
        ("lone_reads_1", "i2"),
        ("result_banks", "i4"),  # that a result of 32-bit arithmetic is written to, a bit each
        ("guard", "i4"),
        ("guard_flip", "u4"),  # all ones where the guard is negated
        # Memory
        ("value", "i8"),
        ("space", "i4"),
        ("width", "i4"),  # bytes a lane
        ("address_mode", "i4"),
        ("address_base", "i4"),
        ("address_uniform", "i4"),
        ("signed", "i2"),
        ("counts_lanes", "i2"),  # an atomic that adds one, lanes on the same word together
        ("past_l1", "i2"),  # a load that L1 neither looks up nor keeps
        ("pairs", "i2"),  # bit i: source i is a register pair, and its signs are on the high word
        ("mode", "i4"),
        ("target", "i4"),
        # Results
        ("destination", "i4"),
        ("destination_words", "i4"),
        ("predicate_out_0", "i4"),
        ("predicate_out_1", "i4"),
        ("sources", "i4"),  # how many of a, b, c are lane-by-lane sources
        # Sources: (row & keep ^ flip) + add, so that signs, magnitudes and complements need no code.
        ("predicate_in_0", "i4"),
        ("predicate_in_0_flip", "u4"),
        ("predicate_in_1", "i4"),
        ("predicate_in_1_flip", "u4"),
        ("a", "i4"),
        ("b", "i4"),
        ("c", "i4"),
        ("a_keep", "u4"),
        ("b_keep", "u4"),
        ("c_keep", "u4"),
        ("a_flip", "u4"),
        ("b_flip", "u4"),
        ("c_flip", "u4"),
        ("a_add", "u4"),
        ("b_add", "u4"),
        ("c_add", "u4"),
    ],
    align=True,
)
