"""Execution units of a sub-partition, and the allocate stage, in which arithmetic reserves its register reads.

An instruction reaches that stage two cycles after it issues. It leaves when its reads fit into the window of cycles
that follows, one a bank and cycle. They are made as late in it as they can be, so that only what instructions before it
have left of a bank, or a wait, makes room for a second one. One instruction may wait behind it; while one does, nothing
issues (Huerta et al., MICRO 2025, section 5.1; benchmarks/silicon/runner/read_patterns.py and sequences.py on an H200).
While the stage waits, all stall counts of the sub-partition stand still. A product of 64 bits stays there for longer,
and stops its own warp's stall count alone.
Memory instructions pass it, too: they read the registers of their addresses, and of what they store, at the same banks,
and hold up what comes behind them a little longer.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import memory
from simcore.core.jit import AT_ONCE, fix_extents, jit_inline, row_at_most
from simcore.core.timing.state import (
    DISPATCH_STALL,
    LG_THROTTLE,
    MATH_PIPE_THROTTLE,
    MIO_THROTTLE,
    NOT_SELECTED,
)

ISSUE_TO_ALLOCATE = 2
"""Cycles from an instruction's issue to its allocate stage."""

(LAST, BEFORE) = range(2)
"""The last arithmetic instruction of a scheduler, and the one before it."""

MOST_HELD = 2.0
"""Cycles for which memory instructions hold up the arithmetic behind them, however many there are in a row: of 1 and
2 what comes nearer to micro/l1/row_window on an H200."""


@jit_inline()
def reads_registers(unit):
    """Whether a unit's instructions pass the allocate stage."""
    return isa.UNIT_BRANCH < unit <= isa.UNIT_TENSOR


@jit_inline()
def available(sm, s, unit):
    """The earliest cycle at which a unit, and the place before the allocate stage, are free."""
    return max(sm.unit_free[s, unit], sm.allocated[s, BEFORE])


@jit_inline()
def available_units(sm, s, now):
    """The units that are available in a cycle, a bit each."""
    return row_at_most(sm.unit_free, s, now) if sm.allocated[s, BEFORE] <= now else np.int64(0)


(BY_UNIT, BY_MIO, BY_PORTS, BY_OTHERS, HELD) = range(5)
"""What holds up a ready warp: its unit or its part of the MIO queue, the other part, the register ports, warps that are
preferred to it."""

fix_extents(
    "Sm",
    ready_for=(isa.UNITS,),
    held=(isa.UNITS, HELD),
    held_before=(HELD,),
    held_up=(HELD,),
    unit_free=(AT_ONCE,),
    banks_taken=(2,),
    allocated=(2,),
    stopped=(2, 2),
)


@jit_inline()
def held_by(sm, s, unit, at):
    """What holds up warps in a cycle that are ready for a unit that is not available, and until when it does."""
    unit_free = sm.unit_free[s, unit]
    if unit == isa.UNIT_LG and sm.lg_room_from[s] <= at < unit_free:
        return BY_MIO, unit_free
    if at < unit_free:
        return BY_UNIT, sm.lg_room_from[s] if unit == isa.UNIT_LG else unit_free
    return BY_PORTS, np.int64(isa.NEVER)


@jit_inline()
def stall_reason(unit, why):
    """The stall reason of warps that were ready for a unit."""
    if why == BY_OTHERS:
        return NOT_SELECTED
    if why == BY_PORTS:
        return DISPATCH_STALL
    if why == BY_MIO:
        return MIO_THROTTLE
    if unit == isa.UNIT_LG:
        return LG_THROTTLE
    return MIO_THROTTLE if unit in (isa.UNIT_MIO, isa.UNIT_ADU, isa.UNIT_XU) else MATH_PIPE_THROTTLE


@jit_inline()
def hold(sm, t, ins, s, w, now):
    """Hold the execution unit and the register banks as long as the instruction needs them; returns when it begins.

    FP32 goes to whichever of the two pipes is free, the lite one first; where there is no such pipe, to the heavy one.
    Pairs of numbers take both pipes (families/half2_chain: Nsight Compute counts an HFMA2 on each of them).
    """
    unit = ins.unit
    free = sm.unit_free
    begins = np.float64(now)
    if unit == isa.UNIT_FMA:
        if t.has_lite and free[s, isa.UNIT_FMA_LITE] <= now:
            free[s, isa.UNIT_FMA_LITE] = now + t.unit_interval[isa.UNIT_FMA_LITE]
        else:
            free[s, isa.UNIT_FMA_HEAVY] = now + t.unit_interval[isa.UNIT_FMA_HEAVY]
    elif unit == isa.UNIT_FMA_PAIR:
        free[s, isa.UNIT_FMA_HEAVY] = free[s, isa.UNIT_FMA_LITE] = now + t.unit_interval[unit]
    elif unit == isa.UNIT_XU:
        begins = _hold_xu(sm, t, ins, s, now)
    else:
        free[s, unit] = now + t.unit_interval[ins.pace]
    heavy = free[s, isa.UNIT_FMA_HEAVY]
    lite = free[s, isa.UNIT_FMA_LITE] if t.has_lite else heavy
    free[s, isa.UNIT_FMA] = min(lite, heavy)
    free[s, isa.UNIT_FMA_PAIR] = max(lite, heavy)
    if unit > isa.UNIT_BRANCH:
        _reserve_reads(sm, t, ins, s, w, now)
    return begins


@jit_inline()
def _hold_xu(sm, t, ins, s, now):
    """One instruction may wait before the XU after it has issued (benchmarks/silicon/micro/l1/issue_cadence)."""
    begins = max(float(now), sm.xu_free[s])
    pairs = (ins.pairs & 1) + (ins.destination_words >> 1)
    sm.xu_free[s] = begins + t.unit_interval[ins.pace] + t.xu_pair_interval * pairs
    sm.unit_free[s, isa.UNIT_XU] = np.int64(begins) + t.xu_place_interval if begins > now else now + 1
    return begins


@jit_inline()
def _reserve_reads(sm, t, ins, s, w, now):
    """Pass the allocate stage: leave it when the reads fit into the window, and take the banks for them."""
    same, is_double = w == sm.last_warp[s], ins.unit == isa.UNIT_FP64
    if is_double:
        same = w == sm.last_double_warp[s]
        sm.last_double_warp[s] = w
    reads_0 = ins.bank_reads_0 if same else ins.lone_reads_0
    reads_1 = ins.bank_reads_1 if same else ins.lone_reads_1
    entered = _next_entry(sm, s, now)
    at = _read(sm, t, s, entered, reads_0, reads_1, is_double)
    wide = ins.pace == isa.PACE_WIDE_PRODUCT
    if ins.unit == isa.UNIT_XU:
        at += _whole_cycles(sm, s, t.xu_register_interval)
    elif sm.register_traffic[s] >= 1.0:
        at += _whole_cycles(sm, s, 0.0)
    stays = at + (_whole_cycles(sm, s, t.wide_product_hold) if wide else 0)
    _enter(sm, s, stays, entered, at + (t.wide_product_wait if wide else 0))


@jit_inline()
def _next_entry(sm, s, now):
    """When what issues now enters the allocate stage: behind the last instruction there."""
    return max(now + ISSUE_TO_ALLOCATE, sm.allocated[s, LAST] + 1)


@jit_inline()
def _enter(sm, s, leaves, waits_from, waits_until):
    """An instruction enters the allocate stage; stall counts stand still while it waits there."""
    sm.allocated[s, BEFORE] = sm.allocated[s, LAST]
    sm.allocated[s, LAST] = leaves
    sm.stopped[s, BEFORE, 0] = sm.stopped[s, LAST, 0]
    sm.stopped[s, BEFORE, 1] = sm.stopped[s, LAST, 1]
    sm.stopped[s, LAST, 0] = waits_from
    sm.stopped[s, LAST, 1] = waits_until


@jit_inline()
def move_registers(sm, t, ins, s, now):
    """A memory instruction reads registers in the allocate stage, and holds arithmetic behind it up there by less than
    a cycle for each that it moves (benchmarks/silicon/micro/core/register_traffic); not other memory instructions
    (micro/l1/issue_cadence)."""
    words = max(ins.width >> 2, 1)
    if ins.operation == memory.LOAD or ins.operation == memory.LOAD_MATRIX:
        held = words * t.load_register_interval + (t.global_load_hold if ins.unit == isa.UNIT_LG else 0.0)
    elif ins.operation == memory.COPY_TO_SHARED:
        held = 0.0
    else:
        held = words * t.store_register_interval
    sm.register_traffic[s] = max(min(sm.register_traffic[s] + held, MOST_HELD), sm.register_traffic[s])
    entered = _next_entry(sm, s, now)
    leaves = _read_all(sm, t, ins, s, entered)
    _enter(sm, s, leaves, entered, leaves)


@jit_inline()
def _read_all(sm, t, ins, s, entered):
    """Take both banks for all that a memory instruction reads; returns when the last reads fit into the window."""
    at = entered
    reads_0, reads_1 = np.int64(ins.bank_reads_0), np.int64(ins.bank_reads_1)
    while reads_0 + reads_1 > 0:
        some_0, some_1 = min(reads_0, t.operand_read_window), min(reads_1, t.operand_read_window)
        at = _read(sm, t, s, at, some_0, some_1, False)
        reads_0 -= some_0
        reads_1 -= some_1
    return at


@jit_inline()
def _whole_cycles(sm, s, cycles):
    """Add to what the allocate stage still has to hold arithmetic up for; returns the whole cycles of it."""
    sm.register_traffic[s] += cycles
    whole = np.int64(sm.register_traffic[s])
    sm.register_traffic[s] -= whole
    return whole


NO_ROOM = -1


@jit_inline()
def _taken(t, taken, reads, early):
    """The cycles of the window, a bit each, in which a bank is taken, with some reads more, or `NO_ROOM` for these."""
    turn = 0
    while reads and turn < t.operand_read_window:
        cycle = np.int64(1) << (turn if early else t.operand_read_window - 1 - turn)
        if not taken & cycle:
            taken |= cycle
            reads -= 1
        turn += 1
    return NO_ROOM if reads else taken


@jit_inline()
def _read(sm, t, s, entered, reads_0, reads_1, early):
    """Take both banks for reads; returns when they fit into the window. FP64 reads as early as it can, as its mixes
    with other operations show (benchmarks/silicon/micro/core/wide_products)."""
    at = entered
    passed = min(at - sm.banks_at[s], t.operand_read_window)
    taken_0, taken_1 = sm.banks_taken[s, 0] >> passed, sm.banks_taken[s, 1] >> passed
    with_0, with_1 = _taken(t, taken_0, reads_0, early), _taken(t, taken_1, reads_1, early)
    while min(with_0, with_1) == NO_ROOM:
        at += 1
        taken_0, taken_1 = taken_0 >> 1, taken_1 >> 1
        with_0, with_1 = _taken(t, taken_0, reads_0, early), _taken(t, taken_1, reads_1, early)
    sm.banks_at[s] = at
    sm.banks_taken[s, 0], sm.banks_taken[s, 1] = with_0, with_1
    return at


@jit_inline()
def stops_others(sm, ins, s):
    """Whether the stall counts of the scheduler's other warps stand still while the last instruction waits."""
    if not reads_registers(ins.unit) or ins.pace == isa.PACE_WIDE_PRODUCT:
        return False
    return sm.stopped[s, LAST, 1] > sm.stopped[s, LAST, 0]


@jit_inline()
def stall_count_over(sm, s, now, stall):
    """When the stall count of an instruction that issues now has run out, which waits in the allocate stage stop, and
    when its warp may go on: one whose count has run out as such a wait begins stays until it ends, for `dispatch_stall`
    (benchmarks/silicon/micro/core/register_traffic, families/waves)."""
    over = now + stall
    if max(_left_of_wait(sm, s, BEFORE, now), _left_of_wait(sm, s, LAST, now)) <= 0:
        return over, over
    counted, over = _behind_wait(sm, s, BEFORE, now, over, over)
    return _behind_wait(sm, s, LAST, now, counted, over)


@jit_inline()
def _behind_wait(sm, s, which, now, counted, over):
    """The same two times, with one more of these waits."""
    first = _first_of_wait(sm, s, which, now)
    held = max(_left_of_wait(sm, s, which, now), 0) if over >= first else 0
    return counted + (held if counted > first else 0), over + held


@jit_inline()
def _first_of_wait(sm, s, which, now):
    """The first cycle behind this one of a wait in the allocate stage."""
    return max(sm.stopped[s, which, 0], now + 1)


@jit_inline()
def _left_of_wait(sm, s, which, now):
    """How many cycles it lasts from then on; less than one where there is none."""
    return sm.stopped[s, which, 1] - _first_of_wait(sm, s, which, now)
