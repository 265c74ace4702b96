"""What is written waits on its way to L2, line by line, so that words which follow go along with it.

Lines stay while stores pass the tag stage one behind the other. Between two stores, those leave that have waited for
some cycles, the oldest first, and so does the oldest where there is no place for another one
(benchmarks/silicon/micro/l2/store_merging on an H200). What several schedulers send to the LSU passes in turn, so
each scheduler that stores gets an equal part of the places, and a larger one if more of what the others send than of
what it sends itself is something else: what threads write word by word reaches L2 as whole sectors where a store's
lines fit into that part, and one by one where they do not.
"""

import numpy as np

from simcore.core.execution import footprint
from simcore.core.jit import jit, jit_inline
from simcore.core.timing import l2, partial_sectors, ports, rings
from simcore.core.timing.sectors import count_of, is_whole, sectors_of
from simcore.core.timing.state import PORT_EGRESS, PORT_L2_FILL, PORT_L2_WRITE

# Cycles for which what L2 does for DRAM's reads and writes may wait before the SM's writes do: some latencies of DRAM.
# Chosen with the launches of 10 to 20 us of `micro/dram/mixed_streams`, of which twice as much would be a tenth.
FILL_BACKLOG = 1000.0

# Places of the buffer that a line takes if bytes or halves of words are written. Two such lines of each scheduler still
# merge in part, three hardly and four not at all, where four of words do (benchmarks/silicon/micro/l2/records_in_parts
# on an H200).
PLACES_OF_PARTS = 2.5

# What the last instruction counts among those that a scheduler has sent to the LSU: its queue holds some eight.
LAST_OF_QUEUE = 0.25


@jit()
def write(m, sm, t, w, line, words, places, start, now):
    """Write words of one line through to L2; returns when the buffer on the way has the places for them."""
    s = w // t.slots_per_scheduler
    sm.storing_until[s] = max(sm.storing_until[s], start)
    place = _place_of(sm, t, s, line)
    if place >= 0:
        _go_along(m, sm, t, w, s, line, words, place, start, now)
        return start
    enters = _make_room(sm, t, s, places, start, now)
    place = rings.wrapped(sm.waiting_head[s] + sm.waiting[s], t.write_buffer_lines)
    sm.waiting[s] += 1
    sm.waiting_line[s, place] = line
    sm.waiting_words[s, place] = words
    sm.waiting_since[s, place] = start
    sm.waiting_until[s, place] = _leave(m, sm, t, w, line, words, enters, start, now)
    return enters


@jit_inline()
def _place_of(sm, t, s, line):
    """Where a scheduler's line waits, or -1."""
    place = sm.waiting_head[s]
    for _ in range(sm.waiting[s]):
        if sm.waiting_line[s, place] == line:
            return place
        place = rings.wrapped(place + 1, t.write_buffer_lines)
    return np.int64(-1)


@jit_inline()
def _make_room(sm, t, s, places, start, now):
    """When a scheduler's part of the buffer has room for a line that takes some places; its oldest leave for it."""
    part = max(np.int64(t.write_buffer_lines / (places * _storing_schedulers(sm, t, s, now))), 1)
    enters = start
    while sm.waiting[s] >= part:
        enters = max(enters, sm.waiting_until[s, sm.waiting_head[s]])
        _take_out_the_oldest(sm, t, s)
    return enters


@jit_inline()
def _take_out_the_oldest(sm, t, s):
    """A scheduler's oldest line waits no longer."""
    sm.waiting_head[s] = rings.wrapped(sm.waiting_head[s] + 1, t.write_buffer_lines)
    sm.waiting[s] -= 1


@jit()
def let_lines_leave(sm, t, start):
    """Before a store begins, lines that have waited leave while none passes."""
    at = sm.store_passed[0]
    while at < start:
        s = _with_the_oldest(sm, t)
        if s < 0:
            break
        head = sm.waiting_head[s]
        at = max(at, sm.waiting_since[s, head] + t.write_buffer_wait, sm.waiting_until[s, head])
        if at < start:
            at += count_of(sectors_of(sm.waiting_words[s, head])) * t.egress_cycles_per_sector
            _take_out_the_oldest(sm, t, s)


@jit_inline()
def _with_the_oldest(sm, t):
    """The scheduler whose oldest line is the oldest of all, or -1 if no line waits."""
    oldest = -1
    since = np.inf
    for s in range(t.schedulers):
        if sm.waiting[s] and sm.waiting_since[s, sm.waiting_head[s]] < since:
            oldest = s
            since = sm.waiting_since[s, sm.waiting_head[s]]
    return oldest


@jit_inline()
def note_sent(sm, s, is_store):
    """A scheduler sends an instruction to the LSU."""
    sm.store_share[s] += ((1.0 if is_store else 0.0) - sm.store_share[s]) * LAST_OF_QUEUE


@jit_inline()
def _storing_schedulers(sm, t, own, now):
    """How many schedulers' stores pass in turn: the one that issues a store, and of others that have some on their way
    to the tag stage as many as pass between two of its own, one at most."""
    count = 1.0
    for s in range(t.schedulers):
        if s != own and sm.storing_until[s] >= now:
            count += min(sm.store_share[s] / sm.store_share[own], 1.0)
    return count


@jit_inline()
def _go_along(m, sm, t, w, s, line, words, place, start, now):
    """Words join their line, which waits at a place of the buffer: only sectors that it did not hold cost anything."""
    more = sectors_of(words) & ~sectors_of(sm.waiting_words[s, place])
    sm.waiting_words[s, place] |= words
    if more or partial_sectors.are_expected(sm):
        added, _ = l2.note_written(m, sm, t, w, line, words, more, start, now)
        for port in (PORT_L2_WRITE, PORT_L2_FILL):
            sm.shared_free[port] += added * t.l2_write_cycles_per_sector
            sm.busy[port] += added * t.l2_write_cycles_per_sector


@jit_inline()
def _slots(t, count, whole):
    """What a request that writes sectors of a line, whole or in part, costs in whole sectors of a whole line
    (benchmarks/silicon/micro/l2/sectors_of_lines)."""
    if whole:
        return max(float(count), t.write_request_cost + count * t.write_request_sector_cost)
    return count + t.write_mask_cost


@jit_inline()
def _leave(m, sm, t, w, line, words, enters, start, now):
    """A line that entered the buffer leaves the SM; returns when, which a backlog of writes before L2 puts off."""
    behind = max(
        sm.shared_free[PORT_L2_WRITE] - t.l2_write_backlog, sm.shared_free[PORT_L2_FILL] - FILL_BACKLOG
    )
    begin = max(enters, sm.shared_free[PORT_EGRESS], behind)
    count, merged = l2.note_written(m, sm, t, w, line, words, sectors_of(words), start, now)
    slots = _slots(t, count, is_whole(words))
    ports.take(sm, PORT_EGRESS, begin, slots * t.egress_cycles_per_sector)
    ports.take(sm, PORT_L2_WRITE, begin, slots * t.l2_write_cycles_per_sector)
    ports.take(sm, PORT_L2_FILL, begin, (count - merged) * t.l2_write_cycles_per_sector)
    if t.hot_share > 0.0 and t.is_hot[footprint.buffer_of(m, line)]:
        l2.hold_hot_slice(sm, t, begin, count * t.l2_slice_write_interval)
    return begin
