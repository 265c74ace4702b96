"""One SM in time: block launch, four schedulers, issue, dependences, barriers; every warp-cycle accounted.

A scheduler is looked at only when one of its warps may issue. At such a pass it keeps to the warp it issued
last while that is eligible, else takes the youngest eligible one (greedy, then youngest: Huerta et al., MICRO
2025, section 4). A warp is eligible when its stall count has run out, the dependence counters that it waits for
are released, and its instruction's unit, queue and register ports are free.

When a warp issues, everything that will hold it up until it is ready again is known, and is given to stall
reasons at once; what happens after that (units taken, other warps preferred) is given at each pass.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import blocks, control, outcomes
from simcore.core.execution.step import step
from simcore.core.jit import jit, jit_inline, jit_splice
from simcore.core.machine import (
    REPORT_BARRIER,
    REPORT_CLOCK,
    REPORT_EXPECTED,
    REPORT_LANES,
    REPORT_PC,
    REPORT_STATUS,
    REPORT_WARP,
)
from simcore.core.timing import front_end, memory_pipe
from simcore.core.timing.state import (
    BARRIER,
    BRANCH_RESOLVING,
    COUNT_RESIDENT,
    DISPATCH_STALL,
    DRAIN,
    IMC_MISS,
    LG_THROTTLE,
    LONG_SCOREBOARD,
    MATH_PIPE_THROTTLE,
    MEMBAR,
    MIO_THROTTLE,
    NO_INSTRUCTION,
    NOT_SELECTED,
    PORT_BARRIER,
    PORT_DATA,
    PORT_RETIRE,
    SELECTED,
    SHORT_SCOREBOARD,
    WAIT,
    WARPS_OF_A_BLOCK,
)

EMPTY = -1
NO_BARRIER = 7


@jit()
def run_sm(m, sm, t, block_list, warps_per_block, block_slots, limit):
    """Run this SM's share of the grid: the blocks of a list, in its order.

    Returns the cycle at which the last block was retired; `m.report` tells how it ended.
    """
    blocks_on_sm = block_list.size
    launched = 0
    ended = 0
    end = np.int64(0)
    for slot in range(block_slots):
        if launched < blocks_on_sm:
            at = np.int64(slot * t.first_wave_interval)
            _launch(m, sm, t, slot, block_list[launched], warps_per_block, at)
            launched += 1
    while ended < blocks_on_sm:
        s = np.int64(0)
        now = sm.next_pass[0]
        for other in range(1, t.schedulers):
            if sm.next_pass[other] < now:
                now = sm.next_pass[other]
                s = other
        if now >= isa.NEVER or now > limit:
            m.report[REPORT_STATUS] = isa.DEADLOCK if now >= isa.NEVER else isa.LIMIT
            m.report[REPORT_PC] = m.pc[max(sm.last_warp[s], 0)]
            m.report[REPORT_WARP] = max(sm.last_warp[s], 0)
            return now
        finished_slot = _pass(m, sm, t, s, now)
        if m.report[REPORT_STATUS] != isa.OK:
            return now
        if finished_slot >= 0:
            ended += 1
            retired = _retire(sm, t, now)
            sm.retired[ended - 1] = retired
            end = max(end, retired)
            if launched < blocks_on_sm:
                at = retired + np.int64(t.block_start_latency)
                _launch(m, sm, t, finished_slot, block_list[launched], warps_per_block, at)
                launched += 1
    return end


@jit_inline()
def _retire(sm, t, now):
    """A block's end is taken note of, one block of the GPU after the other; returns when."""
    begin = max(sm.shared_free[PORT_RETIRE], float(now + 1))
    sm.shared_free[PORT_RETIRE] = begin + t.block_retire_interval
    return np.int64(begin)


@jit()
def _launch(m, sm, t, slot, block, warps, begin):
    """Put a block into a slot: its warps take free warp slots, round the schedulers, and are ready at `begin`."""
    blocks.set_block(m, slot, block)
    sm.block_warps[slot] = warps
    for barrier in range(blocks.MAX_BARRIERS):
        sm.arrived[slot, barrier] = 0
        sm.expected[slot, barrier] = 0
    sm.launched[0] += 1
    s = _emptiest(sm, t)
    for index in range(warps):
        w = _free_slot(sm, t, s)
        if w < 0:
            s = _emptiest(sm, t)
            w = _free_slot(sm, t, s)
        blocks.set_warp(m, w, slot, index)
        sm.block_slots[slot, index] = w
        sm.ledger.warp[w] = sm.launched[0] * WARPS_OF_A_BLOCK + index
        sm.stores_left[w] = 0.0
        sm.copies_done[w] = 0.0
        for barrier in range(6):
            sm.release[w, barrier] = 0
            sm.pending_count[w, barrier] = 0
        sm.barrier[w] = -1
        sm.ready[w] = begin
        sm.accounted[w] = begin
        sm.unit[w] = m.code[0].unit
        sm.next_pass[s] = min(sm.next_pass[s], begin)
        s = s + 1 if s + 1 < t.schedulers else 0


@jit()
def _emptiest(sm, t):
    best = 0
    most = -1
    for s in range(t.schedulers):
        free = 0
        for k in range(t.slots_per_scheduler):
            free += sm.unit[s * t.slots_per_scheduler + k] == EMPTY
        if free > most:
            most = free
            best = s
    return best


@jit()
def _free_slot(sm, t, s):
    first = s * t.slots_per_scheduler
    for w in range(first, first + t.slots_per_scheduler):
        if sm.unit[w] == EMPTY:
            return w
    return -1


@jit_inline()
def _available(sm, s, w):
    """The earliest cycle at which the warp's unit, and for arithmetic the stage that reserves reads, are free."""
    unit = sm.unit[w]
    free = sm.unit_free[s, unit]
    return max(free, sm.allocated[s]) if isa.UNIT_BRANCH < unit <= isa.UNIT_TENSOR else free


@jit_splice()
def _pass(m, sm, t, s, now):
    """Look at one scheduler at one cycle: account, choose, issue. Returns the block slot that ended, or -1."""
    first = s * t.slots_per_scheduler
    since = sm.last_pass[s] + 1
    greedy = sm.last_warp[s]
    chosen = np.int64(-1)
    soonest = np.int64(isa.NEVER)
    for w in range(first, first + t.slots_per_scheduler):
        ready = sm.ready[w]
        if ready > now:
            soonest = min(soonest, ready)
            continue
        available = _available(sm, s, w)
        if available > now or max(ready, since) < now:
            reason = _throttle(sm.unit[w], sm.unit_free[s, sm.unit[w]], sm.last_pass[s])
            held = now + 1 if available > now else now
            _stall(sm.ledger, w, m.pc[w], reason, max(ready, since), held)
        if available > now:
            soonest = min(soonest, available)
        elif chosen < 0:
            chosen = w
        elif w == greedy or (chosen != greedy and sm.ledger.warp[w] > sm.ledger.warp[chosen]):
            _stall(sm.ledger, chosen, m.pc[chosen], NOT_SELECTED, now, now + 1)
            chosen = w
        else:
            _stall(sm.ledger, w, m.pc[w], NOT_SELECTED, now, now + 1)
    sm.last_pass[s] = now
    if chosen < 0:
        sm.next_pass[s] = max(soonest, now + 1)
        return -1
    sm.next_pass[s] = now + 1
    return _issue(m, sm, t, s, chosen, now)


@jit()
def _stall(ledger, w, pc, reason, at, until):
    """Give a warp's cycles from `at` to before `until` to a reason, in total and for the instruction that waits."""
    ledger.stalls[reason] += until - at
    ledger.instruction_stalls[pc, reason] += until - at
    if at < ledger.window[1]:
        _record(ledger, w, pc, reason, at, until)


@jit()
def _record(ledger, w, pc, reason, at, until):
    """Keep what happened if it reaches into the window; as a warp has one state a cycle, there is room for all."""
    count = ledger.recorded[0]
    if until > ledger.window[0]:
        ledger.events[count, 0] = w
        ledger.events[count, 1] = ledger.warp[w]
        ledger.events[count, 2] = pc
        ledger.events[count, 3] = reason
        ledger.events[count, 4] = at
        ledger.events[count, 5] = until
        ledger.recorded[0] = count + 1


@jit()
def _until(ledger, w, pc, reason, at, until):
    """The warp waits for one reason from `at` on; returns when that ends."""
    if until > at:
        _stall(ledger, w, pc, reason, at, until)
        return until
    return at


@jit()
def _throttle(unit, unit_free, last_pass):
    """The reason that a ready warp's unit stands for: taken, or held back by the register ports."""
    if unit == isa.UNIT_LG:
        return LG_THROTTLE
    if unit == isa.UNIT_MIO:
        return MIO_THROTTLE
    return MATH_PIPE_THROTTLE if unit_free > last_pass else DISPATCH_STALL


@jit_splice()
def _issue(m, sm, t, s, w, now):
    """Issue one instruction: execute it, reserve its path, and work out when the warp is ready again."""
    pc = m.pc[w]
    ins = m.code[pc]
    _stall(sm.ledger, w, pc, SELECTED, now, now + 1)
    sm.issues[pc] += 1
    m.report[REPORT_CLOCK] = now
    m.report[REPORT_LANES] = 0
    outcome = step(m, w)
    if outcome == outcomes.STOPPED:
        return -1
    done = np.float64(now)
    read = done
    if ins.unit >= isa.UNIT_LG:
        done, read = memory_pipe.issue(m, sm, t, ins, w, s, now)
    else:
        _hold_unit(sm, t, ins, s, w, now)
        done = np.float64(now + t.latency[ins.latency])
        read = np.float64(now + t.read_window)
    sm.last_warp[s] = w
    if ins.write_barrier != NO_BARRIER:
        _hold_counter(sm, w, ins.write_barrier, np.int64(np.ceil(done)), ins.unit == isa.UNIT_LG)
    if ins.read_barrier != NO_BARRIER:
        _hold_counter(sm, w, ins.read_barrier, np.int64(np.ceil(read)), ins.unit == isa.UNIT_LG)
    if outcome == outcomes.ENDED:
        return _end_warp(m, sm, t, w, now)
    if outcome == outcomes.ARRIVE or outcome == outcomes.ARRIVE_AND_GO_ON:
        _arrive(m, sm, t, w, now + max(ins.stall, 1), now, outcome == outcomes.ARRIVE)
        return -1
    _next_instruction(m, sm, t, ins, w, now, outcome == outcomes.TAKEN)
    return -1


@jit_inline()
def _next_instruction(m, sm, t, ins, w, now, taken):
    """When the warp is ready for its next instruction, and what holds it up until then."""
    at = now + 1
    after = now + max(ins.stall, 1)
    if ins.yields and ins.stall <= 1:
        after += 1
    if isa.UNIT_BRANCH < ins.unit <= isa.UNIT_TENSOR:
        # What waits for the register ports starts its stall count when it has them.
        after += max(sm.allocated[w // t.slots_per_scheduler] - now - 1, 0)
    at = _until(sm.ledger, w, m.pc[w], WAIT, at, after)
    if taken:
        resolved = front_end.resolved(sm, t, ins, w, after)
        at = _until(sm.ledger, w, m.pc[w], BRANCH_RESOLVING, at, resolved)
        at = _until(sm.ledger, w, m.pc[w], NO_INSTRUCTION, at, at + t.refetch_cycles)
    if ins.operation == control.BSYNC:
        at = _until(sm.ledger, w, m.pc[w], BRANCH_RESOLVING, at, at + t.reconverge_cycles)
    if ins.operation == control.MEMBAR:
        at = _until(sm.ledger, w, m.pc[w], MEMBAR, at, at + t.membar_cycles)
    at = _until(sm.ledger, w, m.pc[w], NO_INSTRUCTION, at, front_end.fetched(m, sm, t, w, at))
    _wait_for_counters(m, sm, w, at)
    at = sm.ready[w]
    operand = front_end.operand(sm, t, m.code[m.pc[w]], at)
    sm.ready[w] = _until(sm.ledger, w, m.pc[w], IMC_MISS, at, operand)


@jit_inline()
def _wait_for_counters(m, sm, w, at):
    """Make the warp ready once the counters that its next instruction waits for are released."""
    ins = m.code[m.pc[w]]
    mask = ins.wait_mask
    until_short = np.int64(0)
    until_long = np.int64(0)
    if mask:
        for barrier in range(6):
            if mask >> barrier & 1:
                if sm.release_long[w, barrier]:
                    until_long = max(until_long, sm.release[w, barrier])
                else:
                    until_short = max(until_short, sm.release[w, barrier])
    if ins.operation == control.DEPBAR:
        until_long = max(until_long, _partial_release(sm, w, ins.mode, ins.value))
    if until_long >= until_short:
        at = _until(sm.ledger, w, m.pc[w], LONG_SCOREBOARD, at, until_long)
    else:
        at = _until(sm.ledger, w, m.pc[w], LONG_SCOREBOARD, at, until_long)
        at = _until(sm.ledger, w, m.pc[w], SHORT_SCOREBOARD, at, until_short)
    if ins.operation == control.EXIT:
        at = _until(sm.ledger, w, m.pc[w], DRAIN, at, np.int64(sm.stores_left[w]))
    sm.ready[w] = at
    sm.unit[w] = ins.unit


@jit_inline()
def _hold_counter(sm, w, barrier, until, is_long):
    """An operation holds a dependence counter until it is done."""
    if until >= sm.release[w, barrier]:
        sm.release[w, barrier] = until
        sm.release_long[w, barrier] = is_long
    count = sm.pending_count[w, barrier]
    sm.pending[w, barrier, count & 63] = until
    sm.pending_count[w, barrier] = count + 1


@jit()
def _partial_release(sm, w, barrier, allowed):
    """When at most `allowed` of a counter's operations are outstanding (they end in order)."""
    count = sm.pending_count[w, barrier]
    latest = np.int64(0)
    for i in range(max(count - 63, 0), count - allowed):
        latest = max(latest, sm.pending[w, barrier, i & 63])
    return latest


@jit_inline()
def _hold_unit(sm, t, ins, s, w, now):
    """Latch the execution unit, and the register banks, for as long as the instruction needs them."""
    unit = ins.unit
    interval = t.unit_interval[unit]
    free = sm.unit_free
    if unit == isa.UNIT_FMA:
        if t.has_lite and free[s, isa.UNIT_FMA_LITE] <= now:
            free[s, isa.UNIT_FMA_LITE] = now + interval
        else:
            free[s, isa.UNIT_FMA_HEAVY] = now + interval
    else:
        free[s, unit] = now + interval
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
    at = max(now + 1, sm.allocated[s] + 1)
    at = max(
        at, sm.bank_free[s, 0] + reads_0 - t.read_window - 1, sm.bank_free[s, 1] + reads_1 - t.read_window - 1
    )
    sm.bank_free[s, 0] = max(sm.bank_free[s, 0], at + 1) + reads_0
    sm.bank_free[s, 1] = max(sm.bank_free[s, 1], at + 1) + reads_1
    sm.allocated[s] = at


@jit()
def _end_warp(m, sm, t, w, now):
    """A warp exits; returns its block's slot if it was the block's last."""
    sm.unit[w] = EMPTY
    sm.ready[w] = isa.NEVER
    sm.counters[COUNT_RESIDENT] += now + 1 - sm.accounted[w]
    slot = m.warp_block[w]
    sm.block_warps[slot] -= 1
    if sm.block_warps[slot] == 0:
        return slot
    for barrier in range(blocks.MAX_BARRIERS):
        if sm.arrived[slot, barrier]:
            _release_if_complete(m, sm, t, slot, barrier, now + 1, now)
    return -1


@jit()
def _arrive(m, sm, t, w, after, now, waits):
    """A warp arrives at its block's barrier."""
    slot = m.warp_block[w]
    barrier = m.report[REPORT_BARRIER]
    sm.arrived[slot, barrier] += 1
    sm.expected[slot, barrier] = m.report[REPORT_EXPECTED] // 32
    at = _until(sm.ledger, w, m.pc[w], WAIT, now + 1, after)
    if waits:
        sm.barrier[w] = barrier
        sm.barrier_since[w] = at
        sm.ready[w] = isa.NEVER
        sm.unit[w] = isa.UNIT_BRANCH
    else:
        _wait_for_counters(m, sm, w, at)
    # The barrier unit takes one warp's arrival after the other.
    taken = max(sm.shared_free[PORT_BARRIER], float(now)) + t.barrier_interval
    sm.shared_free[PORT_BARRIER] = taken
    _release_if_complete(m, sm, t, slot, barrier, np.int64(taken) + t.barrier_latency, now)


@jit()
def _release_if_complete(m, sm, t, slot, barrier, at, now):
    """When all that are expected have arrived, let the waiting warps go at `at`.

    Then the data stage of L1 and shared memory serves nobody for a moment (benchmarks/silicon/micro/barrier_mix.cu).
    """
    need = sm.expected[slot, barrier] if sm.expected[slot, barrier] else sm.block_warps[slot]
    if sm.arrived[slot, barrier] < need:
        return
    sm.arrived[slot, barrier] = 0
    memory_pipe.take(sm, PORT_DATA, float(now), t.barrier_data_interval)
    per_scheduler = sm.ready.size // sm.next_pass.size
    for index in range(sm.block_slots.shape[1]):
        w = sm.block_slots[slot, index]
        if w >= 0 and m.warp_block[w] == slot and sm.unit[w] != EMPTY and sm.barrier[w] == barrier:
            sm.barrier[w] = -1
            begin = _until(sm.ledger, w, m.pc[w], BARRIER, sm.barrier_since[w], np.int64(at))
            _wait_for_counters(m, sm, w, begin)
            s = w // per_scheduler
            sm.next_pass[s] = min(sm.next_pass[s], max(sm.ready[w], sm.last_pass[s] + 1))
