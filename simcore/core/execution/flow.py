"""Divergence and reconvergence: splits of a warp, convergence barriers, exits.

Since Volta a warp's threads diverge into splits that meet again at convergence barriers: BSSY adds
participants (several splits may pass it one after the other), BSYNC waits for all of them, BREAK and EXIT
take threads out.

Which split goes on is what clocks and instruction counts of an H200 show (`benchmarks/silicon/README.md`): at a
divergent branch the side with fewer lanes, at a tie the one that does not jump; the other side goes on when
that one waits or ends, the latest first. One split is kept as such besides the running one; of those that have
waited longer only the threads' own program counters are known, so that they meet where these are equal.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import A, first_of
from simcore.core.execution.outcomes import GO_ON, STOPPED
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_PC, REPORT_STATUS, REPORT_WARP

WARPSYNC_BARRIER = 16
COLLECTIVE_BARRIER = 17
BLOCK_BARRIER = 18
BARRIERS = 19
RUNNABLE = -1


@jit_inline()
def branch(m, w, taken, target):
    """Send the lanes in `taken` to `target` and the rest of the current split to the next instruction."""
    active = m.active[w]
    following = m.pc[w] + 1
    if taken == active:
        m.pc[w] = target
    elif taken == 0:
        m.pc[w] = following
    else:
        _diverge(m, w, active & ~taken, following, taken, target)


@jit()
def branch_indirect(m, w, lanes, addresses):
    """Send the lanes in `lanes` to their own instructions, and the rest to the next.

    One execution sends the lanes that have the first one's target; the others execute the instruction again.
    """
    here = m.pc[w]
    rest = m.active[w] & ~lanes
    if rest:
        m.pc[w] = here + 1
        if lanes:
            _diverge(m, w, lanes, here, rest, here + 1)
        return
    first = first_of(lanes)
    target = addresses[first]
    group = np.uint32(0)
    for lane in range(first, isa.LANES):
        if lanes >> np.uint32(lane) & np.uint32(1) and addresses[lane] == target:
            group |= np.uint32(1) << np.uint32(lane)
    m.pc[w] = target
    if group != lanes:
        _diverge(m, w, group, target, lanes & ~group, here)


@jit()
def _diverge(m, w, first, first_pc, second, second_pc):
    """Go on with the smaller part of the current split, the first at a tie, and leave the other for later."""
    if _lanes_in(first) <= _lanes_in(second):
        _leave_for_later(m, w, second_pc, second)
        m.pc[w] = first_pc
        m.active[w] = first
    else:
        _leave_for_later(m, w, first_pc, first)
        m.pc[w] = second_pc
        m.active[w] = second


@jit_inline()
def _lanes_in(mask):
    count = 0
    while mask:
        mask &= mask - np.uint32(1)
        count += 1
    return count


@jit()
def wait(m, w, barrier, participants):
    """The current split arrives at a convergence barrier; whoever completes it goes on with all that waited.

    Those that have met at a WARPSYNC execute it once more together, as an H100's and an H200's counters show.

    Returns whether the current split goes on; if not, another split runs now.
    """
    m.barriers[w, barrier] = participants
    here = m.pc[w]
    arrived = m.active[w] | _waiting(m, w, barrier, participants)
    if participants & m.live[w] & ~arrived:
        _park(m, w, here, m.active[w], barrier)
        m.active[w] = np.uint32(0)
        resume(m, w)
        return False
    merged = m.active[w]
    s = 0
    while s < m.split_count[w]:
        if m.split_wait[w, s] != barrier or not m.split_mask[w, s] & participants:
            s += 1
        elif m.split_pc[w, s] == here or barrier == COLLECTIVE_BARRIER:
            merged |= m.split_mask[w, s]
            _remove(m, w, s)
        else:
            m.split_pc[w, s] += 1
            m.split_wait[w, s] = RUNNABLE
            s += 1
    m.barriers[w, barrier] = np.uint32(0)
    met = merged != m.active[w]
    m.active[w] = merged
    m.pc[w] = here if met and barrier == WARPSYNC_BARRIER else here + 1
    return True


@jit()
def wait_apart(m, w, barrier):
    """Those lanes of the current split whose mask names the same lanes as the first one's meet there; then the others.

    Each lane's mask is its source a.
    """
    first = first_of(m.active[w])
    named = np.uint32(m.scratch[A + first])
    group = np.uint32(0)
    for lane in range(first, isa.LANES):
        if m.active[w] >> np.uint32(lane) & np.uint32(1) and m.scratch[A + lane] == named:
            group |= np.uint32(1) << np.uint32(lane)
    if group != m.active[w]:
        _leave_for_later(m, w, m.pc[w], m.active[w] & ~group)
        m.active[w] = group
    wait(m, w, barrier, named | group)


@jit()
def return_from_collective(m, w):
    """The lanes that met for a collective operation go on where each of them came from."""
    for lane in range(isa.LANES):
        m.address[lane] = m.returns[w, lane]
    branch_indirect(m, w, m.active[w], m.address)


@jit_inline()
def outcome_of_wait(m, w):
    """After a wait some split runs on, unless all wait for one that never comes."""
    if m.active[w]:
        return GO_ON
    m.report[REPORT_STATUS] = isa.DEADLOCK
    m.report[REPORT_PC] = m.pc[w]
    m.report[REPORT_WARP] = w
    return STOPPED


@jit()
def leave(m, w, lanes):
    """Lanes of the current split exit. Returns whether the warp has ended."""
    m.live[w] &= ~lanes
    m.active[w] &= ~lanes
    if m.live[w] == 0:
        return True
    if m.split_count[w]:
        release_completed(m, w)
    if m.active[w]:
        m.pc[w] += 1
    else:
        resume(m, w)
    return False


@jit()
def release_completed(m, w):
    """Let go the splits at barriers that wait for nobody any more (after an exit or a BREAK)."""
    for barrier in range(WARPSYNC_BARRIER):
        waiting = _waiting(m, w, barrier, m.barriers[w, barrier])
        if waiting and not m.barriers[w, barrier] & m.live[w] & ~waiting:
            _release(m, w, barrier)
    s = 0
    while s < m.split_count[w]:
        barrier = m.split_wait[w, s]
        participants = m.split_mates[w, s]
        s += 1
        if barrier < WARPSYNC_BARRIER or barrier == BLOCK_BARRIER:
            continue
        if not participants & m.live[w] & ~_waiting(m, w, barrier, participants):
            m.barriers[w, barrier] = participants
            _release(m, w, barrier)
            s = 0


@jit()
def give_way(m, w):
    """YIELD: splits that wait for no others than the current one go on before it, and without it."""
    for barrier in range(WARPSYNC_BARRIER):
        waiting = _waiting(m, w, barrier, m.barriers[w, barrier])
        if waiting and not m.barriers[w, barrier] & m.live[w] & ~waiting & ~m.active[w]:
            _leave_for_later(m, w, m.pc[w], m.active[w])
            rest = m.barriers[w, barrier] & ~waiting
            _release(m, w, barrier)
            m.barriers[w, barrier] = rest
            m.active[w] = np.uint32(0)
            resume(m, w)
            return


@jit_inline()
def has_runnable(m, w):
    """Whether another split could go on."""
    return m.split_count[w] > 0 and _latest_runnable(m, w) >= 0


@jit()
def take_turns(m, w):
    """The runnable split that was left first goes on, and the current one is left for later."""
    s = 0
    while m.split_wait[w, s] != RUNNABLE:
        s += 1
    pc, mask = m.split_pc[w, s], m.split_mask[w, s]
    _remove(m, w, s)
    _park(m, w, m.pc[w], m.active[w], RUNNABLE)
    m.pc[w] = pc
    m.active[w] = mask


@jit()
def _waiting(m, w, barrier, participants):
    """The lanes that wait at a barrier and take part in it as it stands; a call may have set it aside."""
    waiting = np.uint32(0)
    for s in range(m.split_count[w]):
        if m.split_wait[w, s] == barrier:
            waiting |= m.split_mask[w, s]
    return waiting & participants


@jit()
def resume(m, w):
    """Go on with the runnable split that was left last. Nobody runnable leaves no lane active."""
    if m.active[w]:
        return
    latest = _latest_runnable(m, w)
    if latest < 0:
        latest = _latest_without_the_others(m, w)
    if latest >= 0:
        m.pc[w] = m.split_pc[w, latest]
        m.active[w] = m.split_mask[w, latest]
        _remove(m, w, latest)


@jit()
def _latest_runnable(m, w):
    for s in range(m.split_count[w] - 1, -1, -1):
        if m.split_wait[w, s] == RUNNABLE:
            return s
    return -1


@jit()
def _latest_without_the_others(m, w):
    """The split that came last to a convergence barrier, past it, where all wait for each other.

    Those that it waits for may wait at a WARPSYNC for lanes that are here, or for them at another place that uses the
    same barrier; what a program means needs no convergence barrier. At a block's barrier it is a deadlock.
    """
    latest = -1
    in_warp = False
    in_block = False
    for s in range(m.split_count[w]):
        if m.split_wait[w, s] < WARPSYNC_BARRIER:
            latest = s
        elif m.split_wait[w, s] < BLOCK_BARRIER:
            in_warp = True
        else:
            in_block = True
    if latest < 0 or (in_block and not in_warp):
        return -1
    m.barriers[w, m.split_wait[w, latest]] &= ~m.split_mask[w, latest]
    m.split_pc[w, latest] += 1
    m.split_wait[w, latest] = RUNNABLE
    return latest


@jit()
def _leave_for_later(m, w, pc, mask):
    """Keep a runnable split; the one kept until now joins the threads that have waited at the same instruction."""
    latest = _latest_runnable(m, w)
    for s in range(latest):
        if m.split_wait[w, s] == RUNNABLE and m.split_pc[w, s] == m.split_pc[w, latest]:
            m.split_mask[w, latest] |= m.split_mask[w, s]
            _remove(m, w, s)
            break
    _park(m, w, pc, mask, RUNNABLE)


@jit()
def _release(m, w, barrier):
    """All splits that wait at a barrier, and take part in it, go on: as one with the last, where they wait with it."""
    participants = m.barriers[w, barrier]
    m.barriers[w, barrier] = np.uint32(0)
    here = -1
    for s in range(m.split_count[w]):
        if m.split_wait[w, s] == barrier and m.split_mask[w, s] & participants:
            here = m.split_pc[w, s]
    merged = np.uint32(0)
    s = 0
    while s < m.split_count[w]:
        if m.split_wait[w, s] != barrier or not m.split_mask[w, s] & participants:
            s += 1
        elif m.split_pc[w, s] == here or barrier == COLLECTIVE_BARRIER:
            merged |= m.split_mask[w, s]
            _remove(m, w, s)
        else:
            m.split_pc[w, s] += 1
            m.split_wait[w, s] = RUNNABLE
            s += 1
    _leave_for_later(m, w, here + 1, merged)


@jit()
def _park(m, w, pc, mask, barrier):
    s = m.split_count[w]
    m.split_pc[w, s] = pc
    m.split_mask[w, s] = mask
    m.split_wait[w, s] = barrier
    m.split_mates[w, s] = m.barriers[w, barrier] if barrier >= 0 else np.uint32(0)
    m.split_count[w] = s + 1


@jit()
def _remove(m, w, s):
    """Take a split off the list, which stays in the order in which splits were left."""
    last = m.split_count[w] - 1
    for i in range(s, last):
        m.split_pc[w, i] = m.split_pc[w, i + 1]
        m.split_mask[w, i] = m.split_mask[w, i + 1]
        m.split_wait[w, i] = m.split_wait[w, i + 1]
        m.split_mates[w, i] = m.split_mates[w, i + 1]
    m.split_count[w] = last
