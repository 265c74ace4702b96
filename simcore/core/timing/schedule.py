"""One SM in time: which scheduler is looked at next, and which of its warps issues.

A scheduler is looked at only when one of its warps may issue. At such a pass it keeps to the warp it issued
last while that is eligible, else takes the youngest eligible one (greedy, then youngest: Huerta et al., MICRO
2025, section 4). Warps that access local or global memory take turns instead (`_goes_before`). A warp is eligible when
its stall count has run out, the dependence counters that it waits for are released, and its instruction's unit, queue
and register ports are free.

What holds a warp up until it is ready is accounted when it issues (`issue`); what happens after that (units taken,
other warps preferred) is accounted at each pass.
"""

import numpy as np

from simcore.core import isa
from simcore.core.jit import by_reference, entry, jit_inline
from simcore.core.machine import REPORT_PC, REPORT_STATUS, REPORT_WARP
from simcore.core.timing import issue, ledger, pipes, residency
from simcore.core.timing.state import NOT_SELECTED


@entry()
def run_sm(machine, state, timing, block_list, warps_per_block, block_slots, limit):
    """Run this SM's share of the grid: the blocks of a list, in its order.

    Returns the cycle at which the last block was retired; `m.report` tells how it ended.
    """
    m, sm, t = by_reference(machine), by_reference(state), by_reference(timing)
    blocks_on_sm = block_list.size
    launched = min(np.int64(block_slots), blocks_on_sm)
    for slot in range(launched):
        at = np.int64(slot * t.first_wave_interval)
        residency.launch(m, sm, t, slot, block_list[slot], warps_per_block, at)
    ended = 0
    end = np.int64(0)
    while ended < blocks_on_sm:
        s = _next_scheduler(sm, t)
        now = sm.next_pass[s]
        if now >= isa.NEVER or now > limit:
            m.report[REPORT_STATUS] = isa.DEADLOCK if now >= isa.NEVER else isa.LIMIT
            m.report[REPORT_PC] = m.pc[max(sm.last_warp[s], 0)]
            m.report[REPORT_WARP] = max(sm.last_warp[s], 0)
            return now
        finished_slot = _pass(m, sm, t, s, now)
        if m.report[REPORT_STATUS] != isa.OK:
            return now
        if finished_slot >= 0:
            retired = residency.retire(sm, t, now)
            sm.retired[ended] = retired
            ended += 1
            end = max(end, retired)
            if launched < blocks_on_sm:
                at = retired + np.int64(t.block_start_latency)
                residency.launch(m, sm, t, finished_slot, block_list[launched], warps_per_block, at)
                launched += 1
    return end


@jit_inline()
def _next_scheduler(sm, t):
    """The scheduler whose next pass comes first."""
    s = np.int64(0)
    for other in range(1, t.schedulers):
        if sm.next_pass[other] < sm.next_pass[s]:
            s = np.int64(other)
    return s


@jit_inline()
def _pass(m, sm, t, s, now):
    """Look at one scheduler at one cycle: account, choose, issue. Returns the block slot that ended, or -1."""
    chosen, soonest = _choose(m, sm, t, s, now)
    sm.last_pass[s] = now
    if chosen < 0:
        sm.next_pass[s] = max(soonest, now + 1)
        return -1
    sm.next_pass[s] = now + 1
    return issue.issue(m, sm, t, s, chosen, now)


@jit_inline()
def _choose(m, sm, t, s, now):
    """The warp that issues, or -1, and the next cycle at which another may; the other eligible ones wait."""
    first = s * t.slots_per_scheduler
    greedy = sm.last_warp[s]
    chosen = np.int64(-1)
    soonest = np.int64(isa.NEVER)
    for w in range(first, first + t.slots_per_scheduler):
        ready = sm.ready[w]
        if ready > now:
            soonest = min(soonest, ready)
            continue
        available = pipes.available(sm, s, w)
        _account_throttle(m, sm, s, w, available, now)
        if available > now:
            soonest = min(soonest, available)
        elif chosen < 0:
            chosen = w
        elif _goes_before(sm, w, chosen, greedy):
            ledger.stall(sm.ledger, chosen, m.pc[chosen], NOT_SELECTED, now, now + 1)
            chosen = w
        else:
            ledger.stall(sm.ledger, w, m.pc[w], NOT_SELECTED, now, now + 1)
    return chosen, soonest


@jit_inline()
def _goes_before(sm, w, other, greedy):
    """Whether a warp is preferred to another one that may issue too.

    Warps with a local or global access take turns, in the order in which their last wait for one ended: what a warp
    loads together stays together, and none falls behind. If the youngest went first, the older ones would wait until it
    ends, and what is left of the warps would always fit in L1; counters say otherwise (`rsqrt_chain` on an H200 and an
    H100, `tests/silicon/*/catalog.jsonl.gz`: hit rates of 58 and 62 % for unroll 2, where L1 would give 87 %).
    """
    if sm.unit[w] == isa.UNIT_LG and sm.unit[other] == isa.UNIT_LG and sm.woke[w] != sm.woke[other]:
        return sm.woke[w] < sm.woke[other]
    return w == greedy or (other != greedy and sm.ledger.warp[w] > sm.ledger.warp[other])


@jit_inline()
def _account_throttle(m, sm, s, w, available, now):
    """The cycles since the last pass in which a ready warp's unit was taken, this one too if it still is."""
    since = max(sm.ready[w], sm.last_pass[s] + 1)
    if available > now or since < now:
        reason = pipes.throttle(sm.unit[w], sm.unit_free[s, sm.unit[w]], sm.last_pass[s])
        held = now + 1 if available > now else now
        ledger.stall(sm.ledger, w, m.pc[w], reason, since, held)
