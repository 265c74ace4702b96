"""Divergence and reconvergence: splits of a warp, convergence barriers, exits.

Since Volta a warp's threads diverge into splits that meet again at convergence barriers: BSSY adds
participants (several splits may pass it one after the other), BSYNC waits for all of them, BREAK and EXIT
take threads out.

Which split goes on is what clocks and instruction counts of an H200 show (`benchmarks/silicon/README.md`): at a
divergent branch the side with fewer lanes, at a tie the one that does not jump; the other side goes on when
that one waits or ends, the latest first. One split is kept as such besides the running one; of those that have
waited longer only the threads' own program counters are known, so that they meet where these are equal, be it at
a BSYNC where some of them wait already. In a recursion, where each depth sets the barrier register of the one
before aside, these may leave it for the wrong depth, and are apart from then on (random programs on an H100 and an
H200). YIELD lets all others go first, and clears the convergence barriers at which they wait for the yielding split
(US patent 10,067,768), but for those that a function has set aside and restored; those that have yielded at the same
place go on together. Lanes that a convergence barrier does not name pass its BSYNC, and so does a split when all others
wait or have yielded. A BREAK that completes a barrier runs once more, after those that it lets go; those that an exit
lets go from a WARPSYNC execute that once more, too (`benchmarks.simulator.random_flow` on an H100).
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import A, first_of
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_UNSURE

WARPSYNC_BARRIER = 16
COLLECTIVE_BARRIER = 17
BLOCK_BARRIER = 18
# No barriers: the lanes whose YIELD executes once more, those that have met for a collective operation, and the
# convergence barriers, a bit each, that BMOV has restored since their last BSSY.
YIELD_AGAIN, MET, RESTORED = 19, 20, 21
BARRIERS = 22
# What a split waits for besides barriers: its turn; the same, and known by its threads alone; that all others wait.
RUNNABLE, SCATTERED, YIELDED = -1, -2, -3


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

    Those that have met at a WARPSYNC of either form execute it once more together, as the counters of an H100 show.

    Returns whether the current split goes on; if not, another split runs now.
    """
    here = m.pc[w]
    if barrier < WARPSYNC_BARRIER and not m.active[w] & participants:
        m.pc[w] = here + 1
        return True
    m.barriers[w, barrier] = participants
    arrived = m.active[w] | _waiting(m, w, barrier, participants)
    missing = participants & m.live[w] & ~arrived
    yielded = np.uint32(0)
    if missing and barrier < WARPSYNC_BARRIER:
        yielded = missing & lanes_at(m, w, YIELDED, YIELDED)
    if missing & ~yielded and (barrier >= WARPSYNC_BARRIER or not _only_yielded_go_on(m, w)):
        _park(m, w, here, m.active[w], barrier)
        m.active[w] = np.uint32(0)
        resume(m, w)
        return False
    if missing:
        _note_choice(m, w)
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
    m.pc[w] = here + 1
    if met and (barrier == WARPSYNC_BARRIER or barrier == COLLECTIVE_BARRIER):
        m.pc[w] = here
    if met and barrier == COLLECTIVE_BARRIER:
        m.barriers[w, MET] = merged
    return True


@jit()
def _only_yielded_go_on(m, w):
    """Whether no other split could go on but those that have yielded, and there are such."""
    return lanes_at(m, w, YIELDED, YIELDED) != 0 and lanes_at(m, w, SCATTERED, RUNNABLE) == 0


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
def enter_collective(m, w, target):
    """Note where the lanes of the current split go on after a collective operation, and that they do so together."""
    if m.active[w] & m.barriers[w, MET]:
        m.barriers[w, MET] &= ~m.active[w]
        return
    together = first_of(m.active[w])
    for lane in range(isa.LANES):
        if m.active[w] >> np.uint32(lane) & np.uint32(1):
            m.returns[w, lane] = target * isa.LANES + together


@jit()
def return_from_collective(m, w):
    """The lanes that met for a collective operation go on where they came from, each split of them by itself."""
    here = m.pc[w]
    lanes = m.active[w]
    first = m.returns[w, first_of(lanes)]
    group = np.uint32(0)
    for lane in range(isa.LANES):
        if lanes >> np.uint32(lane) & np.uint32(1) and m.returns[w, lane] == first:
            group |= np.uint32(1) << np.uint32(lane)
    m.pc[w] = first // isa.LANES
    if group != lanes:
        _diverge(m, w, group, m.pc[w], lanes & ~group, here)


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
    """Let go the splits at barriers that wait for nobody any more (after an exit or a BREAK); whether there are any."""
    released = False
    for barrier in range(WARPSYNC_BARRIER):
        waiting = _waiting(m, w, barrier, m.barriers[w, barrier])
        if waiting and not m.barriers[w, barrier] & m.live[w] & ~waiting:
            release(m, w, barrier)
            released = True
    s = 0
    while s < m.split_count[w]:
        barrier = m.split_wait[w, s]
        participants = m.split_mates[w, s]
        s += 1
        if barrier < WARPSYNC_BARRIER or barrier == BLOCK_BARRIER:
            continue
        if not participants & m.live[w] & ~_waiting(m, w, barrier, participants):
            m.barriers[w, barrier] = participants
            release(m, w, barrier)
            released = True
            s = 0
    return released


@jit()
def go_behind_released(m, w):
    """BREAK: those that it has let go run now, and it executes once more when its split goes on."""
    _note_choice(m, w)
    latest = _latest(m, w, RUNNABLE)
    pc, mask = m.split_pc[w, latest], m.split_mask[w, latest]
    _remove(m, w, latest)
    _leave_for_later(m, w, m.pc[w], m.active[w])
    m.pc[w] = pc
    m.active[w] = mask


@jit()
def give_way(m, w):
    """YIELD: all other splits go on first, and those at a convergence barrier do not wait for this one any more.

    Where some wait, the instruction lets those of one barrier go and executes once more, as an H100's counters show.
    """
    _note_choice(m, w)
    again = m.barriers[w, YIELD_AGAIN] & m.active[w]
    m.barriers[w, YIELD_AGAIN] &= ~m.active[w]
    waits = not again and lanes_at(m, w, 0, BARRIERS) != 0
    if _release_from_yielded(m, w) or waits:
        m.barriers[w, YIELD_AGAIN] |= m.active[w]
        return
    m.pc[w] += 1
    if has_runnable(m, w):
        _park(m, w, m.pc[w], m.active[w], YIELDED)
        m.active[w] = np.uint32(0)
        resume(m, w)


@jit_inline()
def _note_choice(m, w):
    """Note that splits are left at several places: which one a GPU goes on with, or lets go, is not known exactly."""
    for s in range(1, m.split_count[w]):
        if m.split_pc[w, s] != m.split_pc[w, 0]:
            m.report[REPORT_UNSURE] += 1
            return


@jit()
def _release_from_yielded(m, w):
    """Let go the splits at a convergence barrier that wait for yielded ones alone, or for such as wait at one too.

    Returns whether there is such a barrier; the first of several is taken.
    """
    held_up = m.active[w] | lanes_at(m, w, YIELDED, YIELDED) | lanes_at(m, w, 0, WARPSYNC_BARRIER - 1)
    for barrier in range(WARPSYNC_BARRIER):
        if m.barriers[w, RESTORED] >> np.uint32(barrier) & np.uint32(1):
            continue
        waiting = _waiting(m, w, barrier, m.barriers[w, barrier])
        if waiting and not m.barriers[w, barrier] & m.live[w] & ~waiting & ~held_up:
            release(m, w, barrier)
            return True
    return False


@jit_inline()
def has_runnable(m, w):
    """Whether another split could go on."""
    return m.split_count[w] > 0 and lanes_at(m, w, YIELDED, RUNNABLE) != 0


@jit()
def take_turns(m, w):
    """The split that was left first and could go on does so, and the current one is left for later."""
    s = 0
    while not YIELDED <= m.split_wait[w, s] <= RUNNABLE:
        s += 1
    pc, mask = m.split_pc[w, s], m.split_mask[w, s]
    _remove(m, w, s)
    _park(m, w, m.pc[w], m.active[w], RUNNABLE)
    m.pc[w] = pc
    m.active[w] = mask


@jit()
def _waiting(m, w, barrier, participants):
    """The lanes that wait at a barrier and take part in it as it stands; a call may have set it aside."""
    return lanes_at(m, w, barrier, barrier) & participants


@jit()
def lanes_at(m, w, first, last):
    """The lanes of the splits that wait at a barrier between two, or are in such a state."""
    lanes = np.uint32(0)
    for s in range(m.split_count[w]):
        if first <= m.split_wait[w, s] <= last:
            lanes |= m.split_mask[w, s]
    return lanes


@jit()
def resume(m, w):
    """Go on with the runnable split that was left last. Nobody runnable leaves no lane active."""
    if m.active[w]:
        return
    latest = _latest(m, w, RUNNABLE)
    if latest < 0:
        latest = _latest(m, w, SCATTERED)
    if latest < 0:
        latest = _first_yielded(m, w)
    if latest < 0:
        latest = _latest_without_the_others(m, w)
    if latest >= 0:
        m.pc[w] = m.split_pc[w, latest]
        m.active[w] = m.split_mask[w, latest]
        _remove(m, w, latest)


@jit()
def _latest(m, w, state):
    for s in range(m.split_count[w] - 1, -1, -1):
        if m.split_wait[w, s] == state:
            return s
    return -1


@jit()
def _first_yielded(m, w):
    """The split that yielded first, with all that yielded where it did."""
    first = 0
    while first < m.split_count[w] and m.split_wait[w, first] != YIELDED:
        first += 1
    if first == m.split_count[w]:
        return -1
    _note_choice(m, w)
    for s in range(m.split_count[w] - 1, first, -1):
        if m.split_wait[w, s] == YIELDED and m.split_pc[w, s] == m.split_pc[w, first]:
            m.split_mask[w, first] |= m.split_mask[w, s]
            _remove(m, w, s)
    return first


@jit()
def _latest_without_the_others(m, w):
    """The split that came last to a convergence barrier, past it, where all wait for each other.

    Those that it waits for may wait at a WARPSYNC for lanes that are here, or for them at another place that uses the
    same barrier; what a program means needs no convergence barrier. From a block's barrier they go on first.
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
    kept = _latest(m, w, RUNNABLE)
    if kept >= 0:
        m.split_wait[w, kept] = SCATTERED
        for s in range(m.split_count[w] - 1, -1, -1):
            waits_in_warp = m.split_wait[w, s] < WARPSYNC_BARRIER
            if s != kept and waits_in_warp and m.split_pc[w, s] == m.split_pc[w, kept]:
                m.split_mask[w, kept] |= m.split_mask[w, s]
                _remove(m, w, s)
                kept -= s < kept
    _park(m, w, pc, mask, RUNNABLE)


@jit()
def release(m, w, barrier):
    """All splits that wait at a barrier, and take part in it, go on: as one with the last, where they wait with it.

    Those at a WARPSYNC execute it once more.
    """
    forward = 0 if barrier == WARPSYNC_BARRIER else 1
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
            m.split_pc[w, s] += forward
            m.split_wait[w, s] = RUNNABLE
            s += 1
    _leave_for_later(m, w, here + forward, merged)


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
