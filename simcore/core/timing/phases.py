"""Asynchronous barriers in time: warps that are suspended until a phase is over, and arrivals that copies bring.

A warp whose check suspends it waits for the operation's result, which Nsight Compute counts as `long_scoreboard`
(benchmarks/silicon/micro/core/async_barrier). The end of any phase in its block makes the check look again; after
`phase_suspension` cycles it says no.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import outcomes
from simcore.core.execution.lanes import guard
from simcore.core.execution.memory import access, phases
from simcore.core.jit import jit, jit_inline, jit_out_of_line
from simcore.core.machine import REPORT_GIVES_UP, REPORT_LANES, REPORT_PHASES
from simcore.core.timing import eligibility, ledger, scoreboard
from simcore.core.timing.state import ARRIVALS, EMPTY, LONG_SCOREBOARD, NOT_WAITING

(DUE, SLOT, ADDRESS, MODE, LANES, ARRIVAL) = range(6)
"""Columns of the arrivals under way."""


@jit_out_of_line()
def suspend(sm, t, w, now):
    """A check puts its warp to sleep."""
    sm.suspended[w] = now + 1
    sm.ready[w] = now + t.phase_suspension
    sm.unit[w] = isa.UNIT_ADU


@jit_out_of_line()
def give_up(m, sm, w, now):
    """A check that was suspended for as long as can be is made once more, and says what it finds."""
    ledger.wait(sm.ledger, w, m.pc[w], LONG_SCOREBOARD, sm.suspended[w], now)
    sm.suspended[w] = NOT_WAITING
    m.report[REPORT_GIVES_UP] = 1


@jit_inline()
def wake_after(m, sm, t, w, now):
    """The instruction that a warp has issued may have ended phases of its block."""
    if m.report[REPORT_PHASES]:
        _wake(m, sm, t, m.warp_block[w], now)


@jit_out_of_line()
def _wake(m, sm, t, slot, now):
    """A phase of the block in a slot is over: its suspended warps look again."""
    m.report[REPORT_PHASES] = 0
    for index in range(sm.block_slots.shape[1]):
        w = sm.block_slots[slot, index]
        if w < 0 or m.warp_block[w] != slot or sm.unit[w] == EMPTY or sm.suspended[w] == NOT_WAITING:
            continue
        ins = m.code[m.pc[w]]
        if access.meet(m, ins, w, m.active[w] & guard(m, ins, w), isa.EXECUTE) != outcomes.SUSPENDED:
            until = now + np.int64(t.phase_latency)
            at = ledger.wait(sm.ledger, w, m.pc[w], LONG_SCOREBOARD, sm.suspended[w], until)
            sm.suspended[w] = NOT_WAITING
            scoreboard.wait_for_counters(m, sm, w, at)
            eligibility.wake(sm, t, w)


@jit_out_of_line()
def arrive_with_copies(m, sm, t, w, mode, now):
    """A warp arrives at a barrier when the copies that it has started are there: one arrival a lane."""
    due = max(now + np.int64(t.phase_latency), np.int64(np.ceil(sm.copies_done[w])))
    lanes = m.report[REPORT_LANES]
    while lanes:
        first = 0
        while not lanes >> first & 1:
            first += 1
        count = 0
        for x in range(first, isa.LANES):
            if lanes >> x & 1 and m.address[x] == m.address[first]:
                count += 1
                lanes &= ~(np.int64(1) << x)
        _expect(m, sm, m.warp_block[w], m.address[first], mode, count, due)


@jit()
def _expect(m, sm, slot, address, mode, count, due):
    """Keep an arrival until it is due; the rare one for which there is no room is there at once."""
    at = sm.arrivals_under_way[0]
    if at == ARRIVALS:
        for _ in range(count):
            phases.arrive_at(m, slot, address, mode, np.uint64(0))
        return
    sm.arrivals[at, DUE] = due
    sm.arrivals[at, SLOT] = slot
    sm.arrivals[at, ADDRESS] = address
    sm.arrivals[at, MODE] = mode
    sm.arrivals[at, LANES] = count
    sm.arrivals_under_way[0] = at + 1
    sm.next_arrival[0] = min(sm.next_arrival[0], due)


@jit()
def arrive(m, sm, t):
    """What is due first arrives."""
    now = sm.next_arrival[0]
    sm.next_arrival[0] = isa.NEVER
    m.report[REPORT_PHASES] = 0
    kept = 0
    for at in range(sm.arrivals_under_way[0]):
        slot = sm.arrivals[at, SLOT]
        if sm.arrivals[at, DUE] <= now:
            for _ in range(sm.arrivals[at, LANES]):
                phases.arrive_at(m, slot, sm.arrivals[at, ADDRESS], sm.arrivals[at, MODE], np.uint64(0))
            if m.report[REPORT_PHASES]:
                _wake(m, sm, t, slot, now)
        else:
            sm.next_arrival[0] = min(sm.next_arrival[0], sm.arrivals[at, DUE])
            for column in range(ARRIVAL):
                sm.arrivals[kept, column] = sm.arrivals[at, column]
            kept += 1
    sm.arrivals_under_way[0] = kept


@jit()
def forget(sm, slot):
    """A new block in a slot has nothing to do with arrivals at the barriers of the one before."""
    for at in range(sm.arrivals_under_way[0]):
        if sm.arrivals[at, SLOT] == slot:
            sm.arrivals[at, LANES] = 0
