"""A scheduler runs ahead of the others while one of its warps alone can issue.

Between two instructions that reach beyond a sub-partition, what its warp does is seen by nobody else. So if all other
warps of the scheduler are known to be not ready before a cycle, and no other scheduler can make one so, the warp's
instructions until then are issued one after the other, instead of each in its turn among those of all schedulers. The
result is the same.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import control, memory
from simcore.core.jit import jit, jit_inline, jit_out_of_line
from simcore.core.machine import REPORT_STATUS
from simcore.core.timing import front_end, issue, pipes
from simcore.core.timing.state import NOT_WAITING


@jit()
def lookahead(m, t):
    """Cycles after which a scheduler feels at the earliest what another one does: a block that ends there makes room.

    Warps that wait at a block barrier are looked for each time. Asynchronous barriers let others go at any time, and
    constants that do not fit in their cache push each other out, so with these nobody runs ahead.
    """
    for pc in range(m.code_end):
        if memory.is_of_phase(m.code[pc].operation):
            return -isa.NEVER
    return np.int64(t.block_start_latency) if front_end.keeps_constants(m, t) else -isa.NEVER


@jit_out_of_line()
def issue_more(m, sm, t, s, w, now, lookahead, limit):
    """After an instruction of a warp, issue those behind it while no other warp can; returns when the last issued."""
    until = _until(sm, t, s, now, lookahead, limit)
    while _goes_on(m, sm, t, s, w, until):
        now = sm.ready[w]
        sm.last_pass[s] = now
        issue.issue(m, sm, t, s, w, now)
    return now


@jit_inline()
def _until(sm, t, s, now, lookahead, limit):
    """The cycle from which on another warp of the scheduler may be ready, if none is."""
    if now < sm.ledger.window_end:
        return np.int64(0)
    if sm.stopped_warps[s]:
        return np.int64(0)
    soonest = min(sm.next_ready[s], limit + 1)
    for other in range(t.schedulers):
        if other != s:
            soonest = min(soonest, sm.next_pass[other] + lookahead)
    return soonest


@jit_inline()
def _goes_on(m, sm, t, s, w, until):
    """Whether a warp's next instruction can issue as soon as the warp is ready, unnoticed outside of its scheduler."""
    if sm.ready[w] >= until or sm.has_changed[s] or m.report[REPORT_STATUS] != isa.OK:
        return False
    pc = m.pc[w]
    ins = m.code[pc]
    if pipes.available(sm, s, ins.unit) > sm.ready[w] or sm.barrier[w] != NOT_WAITING:
        return False
    following = pc + 1
    if ins.operation == control.BRA:
        taken = control.taking(m, ins, w)
        if taken == m.active[w]:
            following = np.int64(ins.target)
        elif taken:
            return False
    elif not pipes.reads_registers(ins.unit):
        return False
    return front_end.is_at_hand(m, sm, t, s, w, following, sm.ready[w])
