"""Special registers, and the clock."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import D_HIGH, D
from simcore.core.jit import jit_inline
from simcore.core.machine import REPORT_CLOCK

LANES = isa.LANES
(S2R, CLOCK) = isa.operations(isa.SPECIAL, 2)

# S2R's `value`: which register.
(
    ZERO, TID_X, TID_Y, TID_Z, CTAID_X, CTAID_Y, CTAID_Z, LANEID, WARPID, LANEMASK_EQ, LANEMASK_LT, LANEMASK_LE,
    LANEMASK_GT, LANEMASK_GE, CLOCK_LOW, SMID, CLOCK_HIGH, TIMER_LOW, TIMER_HIGH, VIRTID,
) = range(20)  # fmt: skip
VIRTID_WARP_SHIFT = 8  # of the warp's number, by the code that the compiler makes for `%warpid`
CLOCKS = (CLOCK_LOW, CLOCK_HIGH, TIMER_LOW, TIMER_HIGH)
OF_LANES = (
    TID_X, TID_Y, TID_Z, LANEID, WARPID, VIRTID, LANEMASK_EQ, LANEMASK_LT, LANEMASK_LE, LANEMASK_GT, LANEMASK_GE,
)  # fmt: skip
"""Those that an S2R reads lane by lane: Nsight Compute counts it on the LSU, that of the others and S2UR on the ADU
(benchmarks/silicon/micro/l1/special_among_hits)."""

# CLOCK's `value`: zeros; cycles, and the upper word of these; nanoseconds, and theirs.
(CLOCK_ZERO, CLOCK_CYCLES, CLOCK_UPPER, CLOCK_NANOSECONDS, CLOCK_NANOSECONDS_UPPER) = range(5)

# Cycles by which a reading advances a clock that nobody keeps, where blocks are executed without time: what a pass of
# a loop that waits for it takes, so such a loop ends and is counted nearly as it is timed.
CYCLES_OF_A_READING = 32


@jit_inline()
def execute(m, ins, w):
    """Read a special register, or the clock as a pair; the result is in scratch."""
    u = m.scratch
    if ins.operation == CLOCK:
        clock = np.int64(0)
        if ins.value == CLOCK_NANOSECONDS:
            clock = _nanoseconds(m)
        elif ins.value == CLOCK_NANOSECONDS_UPPER:
            clock = _nanoseconds(m) >> 32
        elif ins.value != CLOCK_ZERO:
            clock = m.report[REPORT_CLOCK] >> (32 if ins.value == CLOCK_UPPER else 0)
        if ins.value != CLOCK_ZERO:
            m.report[REPORT_CLOCK] += CYCLES_OF_A_READING
        for x in range(LANES):
            u[D + x] = np.uint32(clock & isa.FULL_MASK)
            u[D_HIGH + x] = np.uint32(clock >> 32)
        return
    if TID_X <= ins.value <= TID_Z:
        _place_threads(m, w, ins.value - TID_X)
        return
    if CTAID_X <= ins.value <= CTAID_Z:
        place = np.uint32(m.block_index[m.warp_block[w], ins.value - CTAID_X])
        for x in range(LANES):
            u[D + x] = place
        return
    for x in range(LANES):
        u[D + x] = np.uint32(_value(m, w, ins.value, x) & isa.FULL_MASK)
    if ins.value in CLOCKS:
        m.report[REPORT_CLOCK] += CYCLES_OF_A_READING


@jit_inline()
def _place_threads(m, w, axis):
    """Where each lane's thread is in the block, along an axis; most warps are in one row."""
    u = m.scratch
    width, height = m.block_shape[0], m.block_shape[1]
    row, i = divmod(m.warp_index[w] * LANES, width)
    k, j = divmod(row, height)
    if i + LANES <= width:
        first, step = np.uint32(i if axis == 0 else j if axis == 1 else k), np.uint32(axis == 0)
        for x in range(LANES):
            u[D + x] = first + np.uint32(x) * step
        return
    for x in range(LANES):
        u[D + x] = np.uint32(i if axis == 0 else j if axis == 1 else k)
        i += 1
        if i == width:
            i = 0
            j += 1
            if j == height:
                j = 0
                k += 1


@jit_inline()
def _value(m, w, register, x):
    value = np.int64(0)
    if register == LANEID:
        value = np.int64(x)
    elif register == WARPID:
        value = m.warp_index[w]
    elif register == LANEMASK_EQ:
        value = np.int64(1) << x
    elif register == LANEMASK_LT:
        value = (np.int64(1) << x) - 1
    elif register == LANEMASK_LE:
        value = (np.int64(2) << x) - 1
    elif register == LANEMASK_GT:
        value = isa.FULL_MASK ^ ((np.int64(2) << x) - 1)
    elif register == LANEMASK_GE:
        value = isa.FULL_MASK ^ ((np.int64(1) << x) - 1)
    elif register == CLOCK_LOW:
        value = m.report[REPORT_CLOCK]
    elif register == CLOCK_HIGH:
        value = m.report[REPORT_CLOCK] >> 32
    elif register == TIMER_LOW:
        value = _nanoseconds(m)
    elif register == TIMER_HIGH:
        value = _nanoseconds(m) >> 32
    elif register == VIRTID:
        value = m.warp_index[w] << VIRTID_WARP_SHIFT
    return value


@jit_inline()
def _nanoseconds(m):
    """The global timer."""
    return m.report[REPORT_CLOCK] * 1000 // m.cycles_per_microsecond
