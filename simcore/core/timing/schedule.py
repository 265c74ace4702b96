"""One SM in time: which scheduler is looked at next, and which of its warps issues.

A scheduler is looked at only when one of its warps may issue. At such a pass it keeps to the warp that it issued
last while that is eligible and has not yielded, else takes one of the oldest block (`eligibility.choose`).

While that warp alone can issue, its next instructions follow at once, before the other schedulers' turns (`run_ahead`).

What holds a warp up until it is ready is accounted when it issues (`issue`); what happens after that (units taken,
other warps preferred) is counted at each pass (`eligibility`).
"""

import numpy as np

from simcore.core import isa
from simcore.core.jit import by_reference, entry, jit_inline
from simcore.core.machine import REPORT_CLOCK, REPORT_PC, REPORT_STATUS, REPORT_WARP
from simcore.core.timing import eligibility, issue, phases, residency, run_ahead

LOOKED_AT = 8
"""Schedulers that are looked at one by one, cycle by cycle, for the next pass: those of two cycles."""


@entry()
def run_sm(machine, state, timing, block_list, warps_per_block, fitting, limit):
    """Run this SM's share of the grid: the blocks of a list, in its order.

    One that has reached its limit goes on where it was when it is called again.

    Args:
        fitting: how many of its blocks start at once; as many fit together.

    Returns the cycle at which the last block was retired; `m.report` tells how it ended.
    """
    m, sm, t = by_reference(machine), by_reference(state), by_reference(timing)
    end = _run(m, sm, t, block_list, warps_per_block, fitting, limit)
    eligibility.give_to_stall_reasons(m, sm)
    return end


@jit_inline()
def _run(m, sm, t, block_list, warps_per_block, fitting, limit):
    """Launch, issue and retire until all blocks have ended; returns as `run_sm`."""
    blocks_on_sm = block_list.size
    for slot in range(0 if sm.launched[0] else min(np.int64(fitting), blocks_on_sm)):
        at = np.int64(slot * t.first_wave_interval)
        residency.launch(m, sm, t, slot, block_list[slot], warps_per_block, at)
    lookahead = run_ahead.lookahead(m, t)
    launched = sm.launched[0]
    ended = sm.ended[0]
    last, then = np.int64(t.schedulers), np.int64(-1)
    while ended < blocks_on_sm:
        s, now = _next_scheduler(sm, t, last, then)
        if sm.next_arrival[0] < isa.NEVER and sm.next_arrival[0] <= now:
            phases.arrive(m, sm, t)
            continue
        if now >= isa.NEVER or now > limit:
            m.report[REPORT_STATUS] = isa.DEADLOCK if now >= isa.NEVER else isa.LIMIT
            m.report[REPORT_PC] = m.pc[max(sm.last_warp[s], 0)]
            m.report[REPORT_WARP] = max(sm.last_warp[s], 0)
            m.report[REPORT_CLOCK] = now
            return now
        last, then = s, now
        block_ends = _pass(m, sm, t, s, now, lookahead, limit)
        if m.report[REPORT_STATUS] != isa.OK:
            return now
        if block_ends:
            retired = residency.retire(sm, t, now)
            sm.retired[ended] = retired
            ended += 1
            sm.ended[0] = ended
            at = retired + np.int64(t.block_start_latency)
            while launched < blocks_on_sm:
                slot = residency.slot_for(sm, t, warps_per_block)
                if slot < 0:
                    break
                residency.launch(m, sm, t, slot, block_list[launched], warps_per_block, at)
                launched += 1
                at += np.int64(t.first_wave_interval)
    return sm.retired[ended - 1]


@jit_inline()
def _next_scheduler(sm, t, last, now):
    """The scheduler whose next pass comes first, and when that is: as a rule soon after the last one, so that a
    processor foresees it, and goes on with it before what that one has decided is known. No pass brings another's
    forward to its own cycle."""
    s = last
    for _ in range(LOOKED_AT):
        s += 1
        if s >= t.schedulers:
            s = np.int64(0)
            now += 1
        if sm.next_pass[s] <= now:
            return s, now
    return _first_of_all(sm, t)


@jit_inline()
def _first_of_all(sm, t):
    """The same, of all schedulers."""
    s = np.int64(0)
    soonest = sm.next_pass[0]
    for other in range(1, t.schedulers):
        at = sm.next_pass[other]
        s = np.int64(other) if at < soonest else s
        soonest = min(soonest, at)
    return s, soonest


@jit_inline()
def _pass(m, sm, t, s, now, lookahead, limit):
    """Look at one scheduler at one cycle: account, choose, issue. Returns whether a block ends."""
    eligibility.account_since_last_pass(sm, s, now)
    if sm.next_ready[s] <= now:
        eligibility.admit(sm, t, s, now)
    eligible, next_free, free = eligibility.find_eligible(sm, s, now)
    chosen = eligibility.choose(sm, t, s, eligible)
    if sm.last_pass[s] + 1 < sm.ledger.window_end:
        eligibility.record(m, sm, t, s, chosen, now)
    if chosen < 0:
        sm.last_pass[s] = now
        sm.next_pass[s] = max(min(sm.next_ready[s], next_free), now + 1)
        return False
    eligibility.leave(m, sm, t, s, chosen)
    eligibility.count_others(sm, s, free)
    sm.last_pass[s] = now
    block_ends = issue.issue(m, sm, t, s, chosen, now)
    if not sm.wanted[s] and sm.ready[chosen] < sm.next_ready[s]:
        now = run_ahead.issue_more(m, sm, t, s, chosen, now, lookahead, limit)
    sm.next_pass[s] = now + 1
    sm.next_ready[s] = min(sm.next_ready[s], sm.ready[chosen])
    if not sm.wanted[s]:
        sm.next_pass[s] = max(sm.next_ready[s], now + 1)
    return block_ends
