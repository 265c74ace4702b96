"""Block barriers: a warp arrives, and the last arrival lets all go that wait.

Arithmetic behind a barrier does not wait for the others: loads, stores, shuffles, special functions, branches, fences
and the next barrier do (benchmarks/silicon/micro/core/barrier_wait on an H200).
"""

import numpy as np

from simcore.core import isa
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_BARRIER, REPORT_EXPECTED
from simcore.core.timing import data_stage, eligibility, ledger, pipes, scoreboard
from simcore.core.timing.state import BARRIER, EMPTY, NOT_WAITING, PORT_BARRIER, WAIT


@jit()
def arrive(m, sm, t, w, after, now, waits):
    """A warp arrives at its block's barrier, and goes on at `after` unless it waits there."""
    slot = m.warp_block[w]
    barrier = m.report[REPORT_BARRIER]
    sm.arrived[slot, barrier] += 1
    sm.expected[slot, barrier] = m.report[REPORT_EXPECTED] // 32
    at = ledger.wait(sm.ledger, w, m.pc[w], WAIT, now + 1, after)
    if waits:
        sm.barrier[w] = barrier
    if waits and not _goes_on(m.code[m.pc[w]]):
        _wait(sm, t, w, at)
    else:
        scoreboard.wait_for_counters(m, sm, w, at)
    # The barrier unit takes one warp's arrival after the other.
    taken = max(sm.shared_free[PORT_BARRIER], float(now)) + t.barrier_interval
    sm.shared_free[PORT_BARRIER] = taken
    release_if_complete(m, sm, t, slot, barrier, np.int64(taken) + t.barrier_latency, now)


@jit()
def release_if_complete(m, sm, t, slot, barrier, at, now):
    """When all that are expected have arrived, let the waiting warps go at `at`.

    Then the data stage of L1 and shared memory serves nobody for a moment (benchmarks/silicon/micro/l1/barrier_mix.cu).
    """
    need = sm.expected[slot, barrier] if sm.expected[slot, barrier] else sm.block_warps[slot]
    if sm.arrived[slot, barrier] < need:
        return
    sm.arrived[slot, barrier] = 0
    data_stage.serve(sm, float(now), t.barrier_data_interval)
    for index in range(sm.block_slots.shape[1]):
        w = sm.block_slots[slot, index]
        if w >= 0 and m.warp_block[w] == slot and sm.unit[w] != EMPTY and sm.barrier[w] == barrier:
            sm.barrier[w] = NOT_WAITING
            if sm.ready[w] < isa.NEVER:
                sm.barrier_open[w] = np.int64(at)
                continue
            sm.stopped_warps[w // t.slots_per_scheduler] -= 1
            begin = ledger.wait(sm.ledger, w, m.pc[w], BARRIER, sm.barrier_since[w], np.int64(at))
            scoreboard.wait_for_counters(m, sm, w, begin)
            eligibility.wake(sm, t, w)


@jit_inline()
def wait_if_closed(m, sm, t, w):
    """Hold up a warp that has gone on behind a barrier, if its next instruction waits for the others."""
    is_open = sm.barrier[w] == NOT_WAITING and sm.barrier_open[w] <= sm.ready[w]
    if is_open or _goes_on(m.code[m.pc[w]]):
        return
    if sm.barrier[w] != NOT_WAITING:
        _wait(sm, t, w, sm.ready[w])
    else:
        sm.ready[w] = ledger.wait(sm.ledger, w, m.pc[w], BARRIER, sm.ready[w], sm.barrier_open[w])


@jit_inline()
def _goes_on(ins):
    """Whether an instruction issues although others have not reached the barrier."""
    return pipes.reads_registers(ins.unit) and ins.unit != isa.UNIT_XU and ins.latency == isa.LATENCY_FIXED


@jit_inline()
def _wait(sm, t, w, since):
    """Have a warp wait until the last one arrives."""
    sm.barrier_since[w] = since
    sm.ready[w] = isa.NEVER
    sm.unit[w] = isa.UNIT_BRANCH
    sm.stopped_warps[w // t.slots_per_scheduler] += 1
