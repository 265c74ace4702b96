"""The numbers that the packed program and the jitted core agree on, and that no one family of operations owns.

Everything here is a plain integer, because numba freezes module-level integers into the compiled code.
"""

FULL_MASK = 0xFFFF_FFFF
LANES = 32
NEVER = 1 << 60

# --- Families of operations -------------------------------------------------------------------------------
# `operation >> FAMILY_BITS` is the family. Each is declared, with its mode bits, beside the code that executes it.
FAMILY_BITS = 6
(
    CONTROL, MEMORY, SPECIAL, PREDICATE, WARP, INTEGER, BITS, PACKED, SINGLE, CONVERSION, DOUBLE, HALF, MATRIX,
    FAMILIES,
) = range(14)  # fmt: skip


def operations(family: int, count: int) -> range:
    """The numbers of a family's operations, to be given names."""
    if count > 1 << FAMILY_BITS:
        raise ValueError(f"a family has at most {1 << FAMILY_BITS} operations")
    first = family << FAMILY_BITS
    return range(first, first + count)


# --- Execution units --------------------------------------------------------------------------------------
# FMA may use either FP32 pipe, FMA_PAIR needs both; the rest have one. Arithmetic units, from FMA to TENSOR, are held
# for an interval.
(
    UNIT_BRANCH, UNIT_FMA, UNIT_FMA_HEAVY, UNIT_FMA_LITE, UNIT_FMA_PAIR, UNIT_ALU, UNIT_HALF, UNIT_FP64, UNIT_XU,
    UNIT_UNIFORM, UNIT_TENSOR, UNIT_LG, UNIT_MIO, UNIT_ADU, UNITS,
) = range(15)  # fmt: skip

# --- How long an instruction holds its unit --------------------------------------------------------------------
# The pace of most is their unit's; the tensor core's products have one by type and shape, and integer products of
# 64 bits stay in the allocate stage.
(
    PACE_TENSOR_SHORT, PACE_TENSOR_HALF, PACE_TENSOR_HALF_SHORT, PACE_TENSOR_INTEGER, PACE_TENSOR_INTEGER_SHORT,
    PACE_DMMA_884, PACE_DMMA_1684, PACE_DMMA_1688, PACE_DMMA_16816, PACE_WIDE_PRODUCT,
    PACES,
) = range(UNITS, UNITS + 11)  # fmt: skip

# --- Where a result's latency comes from ------------------------------------------------------------------
(
    LATENCY_FIXED, LATENCY_XU, LATENCY_SHUFFLE, LATENCY_SHUFFLE_BY_REGISTER, LATENCY_SPECIAL_REGISTER,
    LATENCY_CONSTANT, LATENCY_FP64, LATENCY_UNIFORM, LATENCY_MEMORY, LATENCY_MATCH, LATENCY_REDUX,
    LATENCY_UNIFORM_SPECIAL,
    LATENCY_DMMA_884, LATENCY_DMMA_1684, LATENCY_DMMA_1688, LATENCY_DMMA_16816,
    LATENCY_CLASSES,
) = range(17)  # fmt: skip

# --- Memory spaces ----------------------------------------------------------------------------------------
(SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONSTANT, SPACE_GENERIC) = range(5)
# Where generic addresses of shared and of local memory lie: the upper words, and the bits of an offset in it.
SHARED_WINDOW, LOCAL_WINDOW, WINDOW_BITS = 0x7E01, 0x7E02, 24

# Where the functions of the driver would lie that a kernel may call: the upper word; the lower one numbers them.
EXTERNAL_WINDOW = 0x7E03

# --- How an address is made of a register (pair), a uniform register (pair) and a displacement ------------
ADDRESS_BASE_64 = 1
ADDRESS_UNIFORM_64 = 2
ADDRESS_HAS_BASE = 4
ADDRESS_HAS_UNIFORM = 8
ADDRESS_SCALE_SHIFT = 8  # bits 8..11: log2 of the base's factor

# --- Modes that several families share --------------------------------------------------------------------
# Comparisons: a bit each for less, equal, greater and unordered; then how the result meets the predicate.
COMPARE_LESS, COMPARE_EQUAL, COMPARE_GREATER, COMPARE_UNORDERED = 1, 2, 4, 8
BOOLEAN_OR, BOOLEAN_XOR = 16, 32

(ROUND_NEAREST, ROUND_DOWN, ROUND_UP, ROUND_ZERO) = range(4)
ROUND_MASK = 3
FLOAT_SATURATE, FLOAT_FLUSH, FLOAT_KEEP_NAN, FLOAT_XOR_SIGN = 16, 32, 64, 128

# --- Predicates of a warp: P0..P6, PT, UP0..UP6, UPT, and one that takes what nobody reads ----------------
PREDICATE_TRUE = 7
UNIFORM_PREDICATES = 8
UNIFORM_PREDICATE_TRUE = 15
PREDICATE_TRASH = 16
PREDICATES = 17

# --- What to do with an instruction -----------------------------------------------------------------------
(SKIP, ADDRESS_ONLY, EXECUTE) = range(3)

# --- How a run ended --------------------------------------------------------------------------------------
(OK, FAULT, LIMIT, UNSUPPORTED, NEEDS_BUFFER, NEEDS_STORES, DEADLOCK, TRAPPED, ENDLESS) = range(9)
