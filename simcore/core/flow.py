"""Divergence and reconvergence: splits of a warp, convergence barriers, exits.

Since Volta a warp's threads diverge into splits that meet again at convergence barriers: BSSY adds
participants (several splits may pass it one after the other), BSYNC waits for all of them, BREAK and EXIT
take threads out. Of several splits that can run, the one furthest behind (lowest address) runs first, which
lets loops finish before what follows them.
"""

import numpy as np

from simcore.core.jit import jit, jit_inline

WARPSYNC_BARRIER = 16
BLOCK_BARRIER = 17
BARRIERS = 18
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
    elif target < following:
        _park(m, w, following, active & ~taken, RUNNABLE)
        m.pc[w] = target
        m.active[w] = taken
    else:
        _park(m, w, target, taken, RUNNABLE)
        m.pc[w] = following
        m.active[w] = active & ~taken


@jit()
def branch_indirect(m, w, lanes, addresses):
    """Send each lane in `lanes` to its own instruction, and the rest to the next."""
    rest = m.active[w] & ~lanes
    if rest:
        _park(m, w, m.pc[w] + 1, rest, RUNNABLE)
    while lanes:
        first = 0
        while not lanes >> np.uint32(first) & np.uint32(1):
            first += 1
        target = addresses[first]
        group = np.uint32(0)
        for lane in range(first, 32):
            if lanes >> np.uint32(lane) & np.uint32(1) and addresses[lane] == target:
                group |= np.uint32(1) << np.uint32(lane)
        _park(m, w, target, group, RUNNABLE)
        lanes &= ~group
    m.active[w] = np.uint32(0)
    resume(m, w)


@jit()
def wait(m, w, barrier, participants):
    """The current split arrives at a convergence barrier; whoever completes it goes on with all that waited.

    Returns whether the current split goes on (at the next instruction); if not, another split runs now.
    """
    m.barriers[w, barrier] = participants
    here = m.pc[w]
    arrived = m.active[w]
    for s in range(m.split_count[w]):
        if m.split_wait[w, s] == barrier:
            arrived |= m.split_mask[w, s]
    if participants & m.live[w] & ~arrived:
        _park(m, w, here, m.active[w], barrier)
        m.active[w] = np.uint32(0)
        resume(m, w)
        return False
    merged = m.active[w]
    s = 0
    while s < m.split_count[w]:
        if m.split_wait[w, s] != barrier:
            s += 1
        elif m.split_pc[w, s] == here:
            merged |= m.split_mask[w, s]
            _remove(m, w, s)
        else:
            m.split_pc[w, s] += 1
            m.split_wait[w, s] = RUNNABLE
            s += 1
    m.barriers[w, barrier] = np.uint32(0)
    m.active[w] = merged
    m.pc[w] = here + 1
    return True


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
    for barrier in range(BARRIERS):
        arrived = np.uint32(0)
        for s in range(m.split_count[w]):
            if m.split_wait[w, s] == barrier:
                arrived |= m.split_mask[w, s]
        if arrived and not m.barriers[w, barrier] & m.live[w] & ~arrived and barrier != BLOCK_BARRIER:
            _release(m, w, barrier)


@jit()
def resume(m, w):
    """Make the runnable split that is furthest behind the current one. Nobody runnable leaves no lane active."""
    if m.active[w]:
        return
    best = -1
    for s in range(m.split_count[w]):
        if m.split_wait[w, s] == RUNNABLE and (best < 0 or m.split_pc[w, s] < m.split_pc[w, best]):
            best = s
    if best >= 0:
        m.pc[w] = m.split_pc[w, best]
        m.active[w] = m.split_mask[w, best]
        _remove(m, w, best)


@jit()
def _release(m, w, barrier):
    """All splits that wait at a barrier go on as one."""
    m.barriers[w, barrier] = np.uint32(0)
    merged = np.uint32(0)
    after = 0
    s = 0
    while s < m.split_count[w]:
        if m.split_wait[w, s] == barrier:
            merged |= m.split_mask[w, s]
            after = m.split_pc[w, s] + 1
            _remove(m, w, s)
        else:
            s += 1
    _park(m, w, after, merged, RUNNABLE)


@jit()
def _park(m, w, pc, mask, barrier):
    s = m.split_count[w]
    m.split_pc[w, s] = pc
    m.split_mask[w, s] = mask
    m.split_wait[w, s] = barrier
    m.split_count[w] = s + 1


@jit()
def _remove(m, w, s):
    last = m.split_count[w] - 1
    m.split_pc[w, s] = m.split_pc[w, last]
    m.split_mask[w, s] = m.split_mask[w, last]
    m.split_wait[w, s] = m.split_wait[w, last]
    m.split_count[w] = last
