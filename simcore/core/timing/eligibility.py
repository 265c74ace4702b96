"""Which warps of a scheduler are eligible, which of them issues, and what held up the others.

A warp is ready when its stall count has run out and the dependence counters that it waits for are released. It is
eligible when its instruction's unit, queue and register ports are free too. Warps that are ready for the same unit are
held up in the same cycles and for the same reasons, so those are counted once for the unit. A warp that issues is given
what was counted since it became ready.
"""

import numpy as np

from simcore.core import isa
from simcore.core.geometry import MAX_WARPS_PER_BLOCK
from simcore.core.jit import jit, jit_inline, lowest_bit
from simcore.core.timing import ledger, pipes
from simcore.core.timing.state import EMPTY, NOT_SELECTED, UNSORTED


@jit_inline()
def pass_over(sm, s, now):
    """A scheduler is looked at in the cycle after an issue; where nobody was ready then, that pass was left out."""
    if now > sm.last_pass[s] + 1 and sm.last_issue[s] == sm.last_pass[s]:
        sm.last_pass[s] += 1


@jit_inline()
def account_since_last_pass(sm, s, now):
    """Count the cycles since the last pass for the warps that were ready then."""
    cycles = now - sm.last_pass[s] - 1
    units = sm.wanted[s]
    while cycles > 0 and units:
        unit = lowest_bit(units)
        units &= units - 1
        sm.held[s, unit, pipes.held_by(sm, s, unit)] += cycles


@jit_inline()
def admit(sm, t, s, now):
    """Take in the warps that have become ready, and find out when the next one will be."""
    first = s * t.slots_per_scheduler
    if sm.waiting_count[s] == UNSORTED:
        new = _sort(sm, t, s, now)
        count = sm.waiting_count[s]
    else:
        new = np.int64(0)
        count = sm.waiting_count[s]
        while count and sm.ready[first + sm.waiting[s, count - 1]] <= now:
            new |= np.int64(1) << sm.waiting[s, count - 1]
            count -= 1
        sm.waiting_count[s] = count
        sm.ready_warps[s] |= new
    sm.next_ready[s] = sm.ready[first + sm.waiting[s, count - 1]] if count else isa.NEVER
    while new:
        position = lowest_bit(new)
        new &= new - 1
        w = first + position
        unit = sm.unit[w]
        sm.wanted[s] |= np.int64(1) << unit
        sm.ready_for[s, unit] |= np.int64(1) << position
        sm.held_before[w, pipes.BY_UNIT] = sm.held[s, unit, pipes.BY_UNIT]
        sm.held_before[w, pipes.BY_MIO] = sm.held[s, unit, pipes.BY_MIO]
        sm.held_before[w, pipes.BY_PORTS] = sm.held[s, unit, pipes.BY_PORTS]
        sm.held_before[w, pipes.BY_OTHERS] = sm.held[s, unit, pipes.BY_OTHERS]


@jit()
def _sort(sm, t, s, now):
    """Put the warps that are not ready in order; returns those that have become ready, a bit for each position."""
    first = s * t.slots_per_scheduler
    ready = np.int64(0)
    sm.waiting_count[s] = 0
    for position in range(t.slots_per_scheduler):
        if sm.ready[first + position] <= now:
            ready |= np.int64(1) << position
        elif sm.unit[first + position] != EMPTY:
            wait(sm, t, s, first + position)
    new = ready & ~sm.ready_warps[s]
    sm.ready_warps[s] = ready
    return new


@jit_inline()
def wait(sm, t, s, w):
    """A warp waits until it is ready, in the order of those of its scheduler."""
    if sm.waiting_count[s] == UNSORTED:
        return
    first = s * t.slots_per_scheduler
    at = sm.waiting_count[s]
    while at and sm.ready[first + sm.waiting[s, at - 1]] < sm.ready[w]:
        sm.waiting[s, at] = sm.waiting[s, at - 1]
        at -= 1
    sm.waiting[s, at] = w - first
    sm.waiting_count[s] += 1


@jit_inline()
def wake(sm, t, w):
    """A warp becomes ready at a time that another one decided: its scheduler looks at it then."""
    s = w // t.slots_per_scheduler
    sm.waiting_count[s] = UNSORTED
    sm.next_ready[s] = min(sm.next_ready[s], sm.ready[w])
    sm.next_pass[s] = min(sm.next_pass[s], max(sm.ready[w], sm.last_pass[s] + 1))


@jit_inline()
def find_eligible(sm, s, now):
    """Count this cycle for the warps that are ready; returns the eligible ones, a bit for each position, and when
    those that are not may be."""
    eligible = np.int64(0)
    soonest = np.int64(isa.NEVER)
    units = sm.wanted[s]
    while units:
        unit = lowest_bit(units)
        units &= units - 1
        available = pipes.available(sm, s, unit)
        if available > now:
            soonest = min(soonest, available)
            sm.held[s, unit, pipes.held_by(sm, s, unit)] += 1
        else:
            eligible |= sm.ready_for[s, unit]
            sm.held[s, unit, pipes.BY_OTHERS] += 1
    return eligible, soonest


@jit_inline()
def choose(sm, t, s, eligible):
    """The eligible warp that issues, or -1 if there is none."""
    first = s * t.slots_per_scheduler
    chosen = np.int64(-1)
    while eligible:
        w = first + lowest_bit(eligible)
        eligible &= eligible - 1
        if w == sm.greedy[s]:
            return w
        if chosen < 0 or _goes_before(sm, w, chosen):
            chosen = w
    return chosen


@jit_inline()
def _goes_before(sm, w, other):
    """Whether a warp is preferred to another one, neither being the greedy choice.

    Those of the block that was launched first go first; of one block, the one that has not issued for longest, and of
    new ones the youngest (benchmarks/silicon/micro/core/phase_trace and issue_trace on an H200).
    """
    warp, rival = sm.ledger.warp[w], sm.ledger.warp[other]
    if warp // MAX_WARPS_PER_BLOCK != rival // MAX_WARPS_PER_BLOCK:
        return warp < rival
    if sm.issued[w] != sm.issued[other]:
        return sm.issued[w] < sm.issued[other]
    return warp > rival


@jit_inline()
def leave(m, sm, t, s, w):
    """A warp that issues is no longer ready; what held it up until this cycle goes to stall reasons."""
    unit = sm.unit[w]
    bit = np.int64(1) << (w - s * t.slots_per_scheduler)
    sm.ready_warps[s] &= ~bit
    sm.ready_for[s, unit] &= ~bit
    if not sm.ready_for[s, unit]:
        sm.wanted[s] &= ~(np.int64(1) << unit)
    _give_to_stall_reasons(m, sm, s, w, unit, pipes.BY_UNIT, 0)
    _give_to_stall_reasons(m, sm, s, w, unit, pipes.BY_MIO, 0)
    _give_to_stall_reasons(m, sm, s, w, unit, pipes.BY_PORTS, 0)
    _give_to_stall_reasons(m, sm, s, w, unit, pipes.BY_OTHERS, 1)  # but the cycle in which it issues


@jit_inline()
def _give_to_stall_reasons(m, sm, s, w, unit, why, but):
    """What held a warp up for a unit goes to that stall reason, but for some cycles."""
    cycles = sm.held[s, unit, why] - sm.held_before[w, why] - but
    if cycles:
        ledger.add(sm.ledger, m.pc[w], pipes.stall_reason(unit, why), cycles)


@jit()
def record(m, sm, t, s, chosen, now):
    """Record what each ready warp waits for at a pass, and waited for since the last one."""
    warps = sm.ready_warps[s]
    while warps:
        w = s * t.slots_per_scheduler + lowest_bit(warps)
        warps &= warps - 1
        unit = sm.unit[w]
        since = max(sm.ready[w], sm.last_pass[s] + 1)
        is_eligible = pipes.available(sm, s, unit) <= now
        until = now if is_eligible else now + 1
        if since < until:
            reason = pipes.stall_reason(unit, pipes.held_by(sm, s, unit))
            ledger.record(sm.ledger, w, m.pc[w], reason, since, until)
        if is_eligible and w != chosen:
            ledger.record(sm.ledger, w, m.pc[w], NOT_SELECTED, now, now + 1)
