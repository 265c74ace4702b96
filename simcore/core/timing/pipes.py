"""Execution units of a sub-partition, and the stage in which arithmetic reserves its register reads."""

from simcore.core import isa
from simcore.core.jit import jit_inline
from simcore.core.timing.state import (
    DISPATCH_STALL,
    LG_THROTTLE,
    MATH_PIPE_THROTTLE,
    MIO_THROTTLE,
    NOT_SELECTED,
)


@jit_inline()
def reads_registers(unit):
    """Whether a unit's instructions pass the stage that reserves register reads."""
    return isa.UNIT_BRANCH < unit <= isa.UNIT_TENSOR


@jit_inline()
def available(sm, s, unit):
    """The earliest cycle at which a unit, and for arithmetic the stage that reserves reads, are free."""
    free = sm.unit_free[s, unit]
    return max(free, sm.allocated[s]) if reads_registers(unit) else free


(BY_UNIT, BY_PORTS, BY_OTHERS, HELD) = range(4)
"""What holds up a ready warp: its unit or queue, the register ports, warps that are preferred to it."""


@jit_inline()
def held_by(sm, s, unit):
    """What held up warps that were ready for a unit that was not available since the last pass."""
    if unit >= isa.UNIT_LG or sm.unit_free[s, unit] > sm.last_pass[s]:
        return BY_UNIT
    return BY_PORTS


@jit_inline()
def stall_reason(unit, why):
    """The stall reason of warps that were ready for a unit."""
    if why == BY_OTHERS:
        return NOT_SELECTED
    if why == BY_PORTS:
        return DISPATCH_STALL
    if unit == isa.UNIT_LG:
        return LG_THROTTLE
    return MIO_THROTTLE if unit == isa.UNIT_MIO else MATH_PIPE_THROTTLE


@jit_inline()
def hold(sm, t, ins, s, w, now):
    """Hold the execution unit, and the register banks, for as long as the instruction needs them.

    FP32 goes to whichever of the two pipes is free, the lite one first; where there is no such pipe, to the heavy one.
    """
    unit = ins.unit
    free = sm.unit_free
    if unit == isa.UNIT_FMA:
        if t.has_lite and free[s, isa.UNIT_FMA_LITE] <= now:
            free[s, isa.UNIT_FMA_LITE] = now + t.unit_interval[isa.UNIT_FMA_LITE]
        else:
            free[s, isa.UNIT_FMA_HEAVY] = now + t.unit_interval[isa.UNIT_FMA_HEAVY]
    else:
        free[s, unit] = now + t.unit_interval[ins.pace]
    if t.has_lite:
        free[s, isa.UNIT_FMA] = min(free[s, isa.UNIT_FMA_LITE], free[s, isa.UNIT_FMA_HEAVY])
    else:
        free[s, isa.UNIT_FMA] = free[s, isa.UNIT_FMA_HEAVY]
    if unit > isa.UNIT_BRANCH:
        _reserve_reads(sm, t, ins, s, w, now)


@jit_inline()
def _reserve_reads(sm, t, ins, s, w, now):
    """Reserve register reads in a window of a few cycles, one a bank and cycle; until that is done, no other
    arithmetic instruction issues (Huerta et al., MICRO 2025, section 5.1: the allocate stage)."""
    same = w == sm.last_warp[s]
    reads_0 = ins.bank_reads_0 if same else ins.lone_reads_0
    reads_1 = ins.bank_reads_1 if same else ins.lone_reads_1
    window = t.operand_read_window + 1
    at = max(now + 1, sm.allocated[s] + 1)
    at = max(at, sm.bank_free[s, 0] + reads_0 - window, sm.bank_free[s, 1] + reads_1 - window)
    sm.bank_free[s, 0] = max(sm.bank_free[s, 0], at + 1) + reads_0
    sm.bank_free[s, 1] = max(sm.bank_free[s, 1], at + 1) + reads_1
    sm.allocated[s] = at
