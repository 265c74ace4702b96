"""The numbers that the packed program and the jitted core agree on.

Everything here is a plain integer, because numba freezes module-level integers into the compiled code.
"""

FULL_MASK = 0xFFFF_FFFF

# --- Operations -------------------------------------------------------------------------------------------
# Control flow; `LAST_CONTROL` divides them from what computes lane by lane.
(
    NOP, EXIT, BRA, BRA_DIV, BRX, CALL, RET, BSSY, BSYNC, BREAK, BMOV_TO_REGISTER, BMOV_FROM_REGISTER,
    WARPSYNC, BAR_SYNC, BAR_ARRIVE, DEPBAR, COPY_GROUP, MEMBAR, SLEEP, TRAP, BAR_REDUCE, YIELD,
    LAST_CONTROL,
) = range(23)  # fmt: skip

# Memory; `LAST_MEMORY` closes them.
(
    LOAD, STORE, ATOMIC, COPY_TO_SHARED, LOAD_CONSTANT, LOAD_MATRIX, LAST_MEMORY,
) = range(22, 29)  # fmt: skip

# Lane by lane on 32-bit words, then predicates, warp-wide, float, double, half.
(
    MOV, SEL, IADD3, IMAD, IMAD_HI, IMAD_WIDE, LEA, LEA_HI, LOP3, SHF, IMNMX, IADD_MNMX, IMNMX3, IABS, POPC,
    FLO, BREV, PRMT, SGXT, BMSK, ISETP, PLOP3, P2R, R2P, IDP, IADD64, MOV64, VABSDIFF,
) = range(40, 68)  # fmt: skip
(
    S2R, CLOCK, SHFL, VOTE, MATCH, REDUX, R2UR, ELECT, IN_SHARED, BARRIER_RESULT,
) = range(70, 80)  # fmt: skip
(
    FADD, FMUL, FFMA, FMNMX, FMNMX3, FSETP, FSET, FCHK, MUFU, FRND, I2F, F2I, F2F, F2FP, FFMA2, FSWZADD,
) = range(80, 96)  # fmt: skip
(DADD, DMUL, DFMA, DSETP, DMNMX) = range(100, 105)
(HADD2, HMUL2, HFMA2, HSETP2, HMNMX2, HADD2_F32, HSET2) = range(110, 117)
(HMMA, DMMA, MOVM) = range(120, 123)

# --- Execution units --------------------------------------------------------------------------------------
# FMA may use either FP32 pipe; the rest have one. Units up to LAST_PIPE are latched for an interval.
(
    UNIT_BRANCH, UNIT_FMA, UNIT_FMA_HEAVY, UNIT_FMA_LITE, UNIT_ALU, UNIT_HALF, UNIT_FP64, UNIT_XU, UNIT_UNIFORM,
    UNIT_TENSOR, UNIT_LG, UNIT_MIO, UNITS,
) = range(13)  # fmt: skip

# --- Where a result's latency comes from ------------------------------------------------------------------
(
    LATENCY_FIXED, LATENCY_XU, LATENCY_SHUFFLE, LATENCY_SPECIAL_REGISTER, LATENCY_CONSTANT, LATENCY_FP64,
    LATENCY_UNIFORM, LATENCY_MEMORY, LATENCY_MATCH, LATENCY_REDUX, LATENCY_UNIFORM_SPECIAL,
    LATENCY_CLASSES,
) = range(12)  # fmt: skip

# --- Memory spaces ----------------------------------------------------------------------------------------
(SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONSTANT, SPACE_GENERIC) = range(5)
# Where generic addresses of shared and of local memory lie: the upper words, and the bits of an offset in it.
SHARED_WINDOW, LOCAL_WINDOW, WINDOW_BITS = 0x7E01, 0x7E02, 24

# --- How an address is made of a register (pair), a uniform register (pair) and a displacement ------------
ADDRESS_BASE_64 = 1
ADDRESS_UNIFORM_64 = 2
ADDRESS_HAS_BASE = 4
ADDRESS_HAS_UNIFORM = 8
ADDRESS_SCALE_SHIFT = 8  # bits 8..11: log2 of the base's factor

# --- Atomic operations ------------------------------------------------------------------------------------
(
    ATOMIC_ADD, ATOMIC_ADD_F32, ATOMIC_ADD_F64, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_UMIN, ATOMIC_UMAX, ATOMIC_AND,
    ATOMIC_OR, ATOMIC_XOR, ATOMIC_EXCHANGE, ATOMIC_CAS, ATOMIC_INC, ATOMIC_DEC, ATOMIC_ADD_F16X2,
    ATOMIC_ADD_BF16X2, ATOMIC_CAST,
) = range(17)  # fmt: skip

# --- Modes ------------------------------------------------------------------------------------------------
# Comparisons: a bit each for less, equal, greater and unordered; then how the result meets the predicate.
COMPARE_LESS, COMPARE_EQUAL, COMPARE_GREATER, COMPARE_UNORDERED = 1, 2, 4, 8
BOOLEAN_OR, BOOLEAN_XOR = 16, 32
COMPARE_UNSIGNED, COMPARE_EXTENDED, COMPARE_PICK = 64, 128, 256

SHIFT_RIGHT, SHIFT_SIGNED, SHIFT_HIGH, SHIFT_WRAP, SHIFT_64 = 1, 2, 4, 8, 16

(ROUND_NEAREST, ROUND_DOWN, ROUND_UP, ROUND_ZERO) = range(4)
FLOAT_SATURATE, FLOAT_FLUSH, FLOAT_KEEP_NAN = 16, 32, 64
# Halves: bfloat16 instead of binary16, negative results as zero; of comparisons, whether both halves must hold.
HALF_BFLOAT, HALF_RELU, HALF_BOTH = 1 << 10, 1 << 11, 1 << 12
(FLOAT_32, FLOAT_64, FLOAT_HALF, FLOAT_BFLOAT) = range(4)
# Elements of matrices, from MATRIX_S8 on integers; then the kind of the sums.
(MATRIX_F16, MATRIX_BFLOAT, MATRIX_TF32, MATRIX_S8, MATRIX_U8) = range(5)
MATRIX_SUM_F16, MATRIX_SATURATE = 16, 32

(REDUCE_COUNT, REDUCE_ALL, REDUCE_ANY) = range(3)

(
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_SQRT,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_SIN,
    MUFU_COS,
    MUFU_TANH,
    MUFU_RCP64H,
    MUFU_RSQ64H,
) = range(10)

(SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY) = range(4)
(VOTE_ALL, VOTE_ANY, VOTE_EQ) = range(3)
(REDUX_SUM, REDUX_MIN, REDUX_MAX, REDUX_UMIN, REDUX_UMAX, REDUX_AND, REDUX_OR, REDUX_XOR) = range(8)

(
    SPECIAL_ZERO, SPECIAL_TID_X, SPECIAL_TID_Y, SPECIAL_TID_Z, SPECIAL_CTAID_X, SPECIAL_CTAID_Y, SPECIAL_CTAID_Z,
    SPECIAL_LANEID, SPECIAL_WARPID, SPECIAL_LANEMASK_EQ, SPECIAL_LANEMASK_LT, SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_GT, SPECIAL_LANEMASK_GE, SPECIAL_CLOCK, SPECIAL_SMID,
) = range(16)  # fmt: skip

# --- Predicates of a warp: P0..P6, PT, UP0..UP6, UPT, and one that takes what nobody reads ----------------
PREDICATE_TRUE = 7
UNIFORM_PREDICATES = 8
UNIFORM_PREDICATE_TRUE = 15
PREDICATE_TRASH = 16
PREDICATES = 17

# --- What to do with an instruction -----------------------------------------------------------------------
(SKIP, ADDRESS_ONLY, EXECUTE) = range(3)

# --- Stall reasons, in the order of `simcore.diagnosis.stalls.REASONS` ----------------------------------------------
# --- How a run ended --------------------------------------------------------------------------------------
(OK, FAULT, LIMIT, UNSUPPORTED, NEEDS_BUFFER, DEADLOCK, TRAPPED) = range(7)

NEVER = 1 << 60
