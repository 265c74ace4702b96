"""Which warps of a scheduler are eligible, which of them issues, and what held up the others.

A warp is ready when its stall count has run out and the dependence counters that it waits for are released. It is
eligible when its instruction's unit, queue and register ports are free too. Warps that are ready for the same unit are
held up in the same cycles and for the same reasons, so those are counted once for the unit. A warp that issues is given
what was counted since it became ready.
"""

import numpy as np

from simcore.core import isa
from simcore.core.geometry import MAX_WARPS_PER_BLOCK
from simcore.core.jit import AT_ONCE, at_most, jit, jit_inline, jit_seldom, least, lowest_bit
from simcore.core.timing import ledger, pipes
from simcore.core.timing.state import NOT_SELECTED

TURN_SHIFT = 40
"""Of a warp's turn: above the cycles, the order of its block's launch."""


@jit_inline()
def account_since_last_pass(sm, s, now):
    """Count the cycles since the last pass for the warps that were ready then."""
    first = sm.last_pass[s] + 1
    units = sm.wanted[s] if first < now else 0
    while units:
        unit = lowest_bit(units)
        units &= units - 1
        at = first
        while at < now:
            why, until = pipes.held_by(sm, s, unit, at)
            sm.held[s, unit, why] += min(until, now) - at
            at = until


@jit_inline()
def admit(sm, t, s, now):
    """Take in the warps that have become ready, and find out when the next one will be."""
    first = s * t.slots_per_scheduler
    ready, soonest = _look(sm, t, first, 0, now)
    for position in range(AT_ONCE, t.slots_per_scheduler, AT_ONCE):
        others, later = _look(sm, t, first, position, now)
        ready |= others << position
        soonest = min(soonest, later)
    new = ready & ~sm.ready_warps[s]
    sm.ready_warps[s] = ready
    sm.next_ready[s] = soonest
    sm.has_changed[s] = 0
    while new:
        position = lowest_bit(new)
        new &= new - 1
        _want(sm, s, first + position, position)


@jit_inline()
def _look(sm, t, first, position, now):
    """Which of a scheduler's warps from a position on are ready, and when the first of the others will be."""
    own = (np.int64(1) << min(t.slots_per_scheduler - position, AT_ONCE)) - 1
    ready = at_most(sm.ready, first + position, now) & own
    return ready, min(least(sm.ready, first + position, own ^ ready), isa.NEVER)


@jit_inline()
def _want(sm, s, w, position):
    """A warp that has become ready wants its unit."""
    unit = sm.unit[w]
    sm.wanted[s] |= np.int64(1) << unit
    sm.ready_for[s, unit] |= np.int64(1) << position
    for why in range(pipes.HELD):
        sm.held_before[w, why] = sm.held[s, unit, why]


@jit_inline()
def wake(sm, t, w):
    """A warp becomes ready at a time that another one decided: its scheduler looks at it then."""
    s = w // t.slots_per_scheduler
    sm.has_changed[s] = 1
    sm.next_ready[s] = min(sm.next_ready[s], sm.ready[w])
    sm.next_pass[s] = min(sm.next_pass[s], max(sm.ready[w], sm.last_pass[s] + 1))


@jit_inline()
def find_eligible(sm, s, now):
    """Count this cycle for the warps that are ready and not eligible. Returns those that are, a bit for each position,
    when the others may be, and the units that are available, a bit each."""
    wanted, eligible = sm.wanted[s], sm.ready_warps[s]
    free = wanted & pipes.available_units(sm, s, now)
    soonest = np.int64(isa.NEVER)
    busy = wanted ^ free
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        why, _ = pipes.held_by(sm, s, unit, now)
        sm.held[s, unit, why] += 1
        eligible &= ~sm.ready_for[s, unit]
        soonest = min(soonest, pipes.available(sm, s, unit))
    return eligible, soonest, free


@jit_inline()
def choose(sm, t, s, eligible):
    """The eligible warp that issues, or -1 if there is none."""
    first = s * t.slots_per_scheduler
    greedy = sm.greedy[s]
    if greedy >= 0 and eligible >> (greedy - first) & 1 and not eligible & sm.starved[s]:
        return greedy
    if not eligible:
        return np.int64(-1)
    chosen = first + lowest_bit(eligible)
    eligible &= eligible - 1
    first_turn = sm.turn[chosen]
    while eligible:
        w = first + lowest_bit(eligible)
        eligible &= eligible - 1
        turn = sm.turn[w]
        chosen = w if turn < first_turn else chosen
        first_turn = min(first_turn, turn)
    return chosen


@jit_inline()
def turn(sm, w, since):
    """A number for a warp that has not issued since some cycle: of the eligible warps, that with the least of them is
    preferred where there is no greedy choice.

    Those of the block that was launched first go first; of one block, the one that has not issued for longest, and of
    new ones the youngest (benchmarks/silicon/micro/core/phase_trace and issue_trace on an H200). So it is of those
    that are starved, and nobody is greedy beside them: their instruction buffers are empty, and the fetch stage fills
    the youngest's first (Huerta et al., MICRO 2025, section 5.1). In code that the L0 does not hold a few warps are
    ahead of the others of their scheduler, which fall behind (benchmarks/silicon/micro/front_end/drifting_warps).
    """
    return (sm.ledger.warp[w] // MAX_WARPS_PER_BLOCK << TURN_SHIFT) + since


@jit_inline()
def new_turn(sm, w):
    """The same of a warp that has never issued, or is starved, by its position in the block."""
    return turn(sm, w, -1 - sm.ledger.warp[w] % MAX_WARPS_PER_BLOCK)


@jit_inline()
def mark_starved(sm, t, s, w, is_starved):
    """Whether a warp waits for the line of its next instruction, or has done so."""
    bit = _bit(t, s, w)
    sm.starved[s] = sm.starved[s] | bit if is_starved else sm.starved[s] & ~bit


@jit_inline()
def renew_turn_if_starved(sm, t, s, w):
    """A warp that has issued, and is starved, is preferred as one that has never issued."""
    if sm.starved[s] & _bit(t, s, w):
        sm.turn[w] = new_turn(sm, w)


@jit_inline()
def _bit(t, s, w):
    """A warp among those of its scheduler."""
    return np.int64(1) << (w - s * t.slots_per_scheduler)


@jit_inline()
def leave(m, sm, t, s, w):
    """A warp that issues is no longer ready; what held it up before this cycle goes to stall reasons."""
    unit = sm.unit[w]
    bit = _bit(t, s, w)
    sm.ready_warps[s] &= ~bit
    sm.ready_for[s, unit] &= ~bit
    if not sm.ready_for[s, unit]:
        sm.wanted[s] &= ~(np.int64(1) << unit)
    pc = m.pc[w]
    for why in range(pipes.HELD):
        sm.held_up[pc, why] += sm.held[s, unit, why] - sm.held_before[w, why]


@jit_inline()
def count_others(sm, s, units):
    """Count this cycle for the warps that are ready for some units, and left behind by the one that issues."""
    units &= sm.wanted[s]
    while units:
        sm.held[s, lowest_bit(units), pipes.BY_OTHERS] += 1
        units &= units - 1


@jit()
def give_to_stall_reasons(m, sm):
    """What held warps up before each instruction goes to its stall reasons."""
    for pc in range(m.code_end):
        for why in range(pipes.HELD):
            ledger.add(sm.ledger, pc, pipes.stall_reason(m.code[pc].unit, why), sm.held_up[pc, why])
            sm.held_up[pc, why] = 0


@jit_seldom()
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
        while since < until:
            why, over = pipes.held_by(sm, s, unit, since)
            ledger.record(sm.ledger, w, m.pc[w], pipes.stall_reason(unit, why), since, min(over, until))
            since = over
        if is_eligible and w != chosen:
            ledger.record(sm.ledger, w, m.pc[w], NOT_SELECTED, now, now + 1)
