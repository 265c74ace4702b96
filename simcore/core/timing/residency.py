"""Blocks on the SM: they take warp slots when they start, and leave them warp by warp.

When a block ends, as many start as there is room for. Warps that have ended leave their slots and registers to them,
though their blocks go on, but not their share of these blocks' shared memory: so more blocks may be there at a time
than fit together (benchmarks/silicon/micro/launch/early_ends.cu).
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import blocks
from simcore.core.geometry import MAX_WARPS_PER_BLOCK
from simcore.core.jit import jit, jit_inline, jit_out_of_line
from simcore.core.timing import barriers, eligibility, phases, rings, scoreboard
from simcore.core.timing.state import COUNT_RESIDENT, EMPTY, NOT_WAITING, NOTHING_WRITTEN, PORT_RETIRE


@jit()
def launch(m, sm, t, slot, block, warps, begin):
    """Put a block into a slot: its warps take free warp slots, round the schedulers, and are ready at `begin`.

    The first goes where the block before ended; of blocks of as many warps for each scheduler, to the next one, so that
    their first warps do not share a scheduler (benchmarks/silicon/micro/launch/warp_slots.py).
    """
    blocks.set_block(m, slot, block)
    sm.block_warps[slot] = warps
    phases.forget(sm, slot)
    for barrier in range(blocks.MAX_BARRIERS):
        sm.arrived[slot, barrier] = 0
        sm.expected[slot, barrier] = 0
    sm.launched[0] += 1
    s = sm.next_scheduler[0]
    for index in range(warps):
        w = _free_slot(sm, t, s)
        if w < 0:
            s = _emptiest(sm, t)
            w = _free_slot(sm, t, s)
        blocks.set_warp(m, w, slot, index)
        _start_warp(m, sm, w, slot, index, begin)
        eligibility.mark_starved(sm, t, s, w, False)
        eligibility.wake(sm, t, w)
        s = rings.wrapped(s + 1, t.schedulers)
    sm.next_scheduler[0] = rings.wrapped(s + 1, t.schedulers) if warps % t.schedulers == 0 else s


@jit_inline()
def _start_warp(m, sm, w, slot, index, begin):
    """Warp `index` of the block in a slot begins in warp slot `w`, with nothing under way."""
    sm.block_slots[slot, index] = w
    sm.ledger.warp[w] = sm.launched[0] * MAX_WARPS_PER_BLOCK + index
    sm.stores_left[w] = 0.0
    sm.updates[w] = NOTHING_WRITTEN
    sm.unfenced[w] = 0
    sm.copies_done[w] = 0.0
    scoreboard.clear(sm, w)
    sm.barrier[w] = NOT_WAITING
    sm.suspended[w] = NOT_WAITING
    sm.barrier_open[w] = 0
    sm.counting[w] = 0
    sm.turn[w] = eligibility.new_turn(sm, w)
    sm.ready[w] = begin
    sm.accounted[w] = begin
    sm.unit[w] = m.code[0].unit


@jit()
def slot_for(sm, t, warps):
    """The slot for a block of so many warps: the first without a block, or -1 if there is none, or no room for them."""
    free = 0
    for s in range(t.schedulers):
        free += _room(sm, t, s)
    if free < warps:
        return -1
    for slot in range(sm.block_warps.size):
        if sm.block_warps[slot] == 0:
            return slot
    return -1


@jit_inline()
def _room(sm, t, s):
    """For how many warps a scheduler has slots and registers."""
    room = t.warps_per_scheduler
    for k in range(t.slots_per_scheduler):
        room -= sm.unit[s * t.slots_per_scheduler + k] != EMPTY
    return room


@jit()
def _emptiest(sm, t):
    """The scheduler with room for most warps, the first of equals."""
    best = 0
    most = -1
    for s in range(t.schedulers):
        free = _room(sm, t, s)
        if free > most:
            most = free
            best = s
    return best


@jit()
def _free_slot(sm, t, s):
    """A scheduler's first free warp slot, or -1."""
    if _room(sm, t, s) <= 0:
        return -1
    first = s * t.slots_per_scheduler
    for w in range(first, first + t.slots_per_scheduler):
        if sm.unit[w] == EMPTY:
            return w
    return -1


@jit_out_of_line()
def end_warp(m, sm, t, w, now):
    """A warp exits; returns whether its block ends with it."""
    sm.unit[w] = EMPTY
    sm.ready[w] = isa.NEVER
    sm.counters[COUNT_RESIDENT] += now + 1 - sm.accounted[w]
    slot = m.warp_block[w]
    sm.block_warps[slot] -= 1
    if sm.block_warps[slot] == 0:
        return True
    for barrier in range(blocks.MAX_BARRIERS):
        if sm.arrived[slot, barrier]:
            barriers.release_if_complete(m, sm, t, slot, barrier, now + 1, now)
    return False


@jit_inline()
def retire(sm, t, now):
    """A block's end is taken note of, one block of the GPU after the other; returns when."""
    begin = max(sm.shared_free[PORT_RETIRE], float(now + 1))
    sm.shared_free[PORT_RETIRE] = begin + t.block_retire_interval
    return np.int64(begin)
