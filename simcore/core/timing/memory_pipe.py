"""The path of a memory instruction after issue: queues, address calculation, shared stages, caches, return.

Each scheduler has a queue for local/global memory (LG) and one for the rest (MIO: shared memory, shuffles, special
registers); a full queue is `lg_throttle` or `mio_throttle`. Behind them lies a buffer for each kind and then the LSU,
both shared by the SM's schedulers (Huerta et al., MICRO 2025, section 5.4; benchmarks/silicon/micro/issue_cadence): the
tag stage, which global and local accesses pass line by line, and the data stage, which shared memory passes too.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import control, lanes, memory, special, warp
from simcore.core.execution.memory import atomics
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_LANES, REPORT_SPACE
from simcore.core.timing import front_end, l2
from simcore.core.timing import l1 as caches
from simcore.core.timing.state import (
    PORT_ATOMIC,
    PORT_DATA,
    PORT_L2_WRITE,
    PORT_TAGS,
)

LG, MIO = 0, 1
READ_OPERANDS = 6.0  # cycles from leaving the address stage until the sources have been read
STORE_BYTES = 128.0  # a cycle that a warp's stores hand over
SHARED_LOAD_BYTES = 256.0  # a cycle that shared loads return to registers (micro/bank_conflicts, broadcasts)
GLOBAL_LOAD_BYTES = 128.0  # the same of global loads (micro/l1_patterns, broadcasts)


@jit_inline()
def issue(m, sm, t, ins, w, s, now):
    """Send a memory instruction on its way. Returns (when its result is there, when its sources are read)."""
    queue = LG if ins.unit == isa.UNIT_LG else MIO
    active_mask = m.report[REPORT_LANES] if ins.space != isa.SPACE_CONSTANT else 0
    addressed = max(sm.address_free[s, queue], float(now + 1))
    sm.address_free[s, queue] = addressed + _drain_interval(t, ins)
    entered = max(addressed, sm.buffer[queue, sm.buffer_head[queue]])
    start, done = _serve(m, sm, t, ins, w, s, active_mask, entered, now)
    _pass_buffer(sm, t, queue, start)
    _pass_queue(sm, t, s, queue, ins.unit, entered, now)
    return done, start + READ_OPERANDS


@jit_inline()
def _pass_buffer(sm, t, queue, leaves):
    """Keep a place in the buffer that the schedulers share until the LSU takes the instruction."""
    head = sm.buffer_head[queue]
    sm.buffer[queue, head] = leaves
    sm.buffer_head[queue] = head + 1 if head + 1 < t.memory_buffer_depth else 0


@jit_inline()
def _pass_queue(sm, t, s, queue, unit, leaves, now):
    """Keep a place in the scheduler's queue until the buffer takes the instruction; a full one blocks the unit."""
    depth = t.lg_queue_depth if queue == LG else t.mio_queue_depth
    head = sm.queue_head[s, queue]
    sm.queue[s, queue, head] = leaves
    head = head + 1 if head + 1 < depth else 0
    sm.queue_head[s, queue] = head
    sm.unit_free[s, unit] = max(np.int64(np.ceil(sm.queue[s, queue, head])), np.int64(now + 1))


@jit_inline()
def _drain_interval(t, ins):
    """Cycles from one instruction to the next out of a scheduler's queue; a store hands over its data too."""
    operation = ins.operation
    if operation == special.S2R or operation == memory.LOAD_CONSTANT:
        return t.special_register_interval
    global_path = t.address_interval if ins.unit == isa.UNIT_LG else 0.0
    if operation == memory.STORE or operation == memory.ATOMIC:
        return t.address_interval + global_path + t.store_word_interval * max(ins.width >> 2, 1)
    return t.address_interval + global_path


@jit()
def _serve(m, sm, t, ins, w, s, active_mask, entered, now):
    """Returns (when the shared stages take the instruction, when its result is there)."""
    operation = ins.operation
    if operation == special.S2R:
        return entered, entered + t.latency[ins.latency]
    if operation == memory.LOAD_CONSTANT:
        return entered, front_end.load(sm, t, ins, entered) + t.latency[ins.latency]
    if ins.unit == isa.UNIT_MIO and operation >> isa.FAMILY_BITS != isa.MEMORY:
        return _across_lanes(m, sm, t, ins, entered)
    if operation == control.COPY_GROUP:
        return entered, max(entered, sm.copies_done[w])
    if active_mask == 0:
        start = take(sm, PORT_DATA, entered, t.lsu_interval)
        return start, start + t.shared_latency
    if m.report[REPORT_SPACE] == isa.SPACE_SHARED:
        return _shared(m, sm, t, ins, w, s, active_mask, entered)
    return _global(m, sm, t, ins, w, s, active_mask, entered, now)


@jit()
def _across_lanes(m, sm, t, ins, entered):
    """Shuffles and what else looks across lanes; a match goes round once for each distinct value."""
    rounds = 1
    hold = t.lsu_interval
    if ins.operation == warp.MATCH:
        rounds = _distinct_groups(m)
        hold = rounds * t.match_interval
    elif ins.operation == warp.REDUX:
        hold = t.redux_interval
    start = take(sm, PORT_DATA, entered, hold)
    return start, start + t.latency[ins.latency] + (rounds - 1) * t.match_round_latency


@jit()
def _distinct_groups(m):
    """Groups of lanes that a match just found: each lane's result names its group."""
    groups = 0
    for x in range(32):
        first = 0
        while first < x and m.scratch[lanes.D + first] != m.scratch[lanes.D + x]:
            first += 1
        groups += first == x
    return groups


@jit_inline()
def take(sm, port, earliest, hold):
    """Hold a stage that the schedulers share; returns from when."""
    start = max(sm.shared_free[port], earliest)
    sm.shared_free[port] = start + hold
    sm.busy[port] += hold
    return start


@jit_inline()
def _in_turn(sm, s, start, hold):
    """One scheduler gets at most every other cycle of the data stage; returns when its instruction passes."""
    start = max(start, sm.scheduler_data_free[s])
    sm.scheduler_data_free[s] = start + 2.0 * hold
    return start


@jit()
def _shared(m, sm, t, ins, w, s, active_mask, entered):
    """Shared memory: as many passes as the busiest bank has distinct words."""
    count = caches.gather_lines(m, sm, w, active_mask, ins.width, False)
    passes = float(caches.bank_passes(sm, count))
    needed = passes * 128.0 / t.shared_bytes_per_cycle
    if ins.operation == memory.ATOMIC and not ins.counts_lanes:
        needed = max(needed, _most_on_one_word(m, active_mask) * t.shared_atomic_interval)
    rate = SHARED_LOAD_BYTES if ins.operation == memory.LOAD else STORE_BYTES
    hold = max(needed, ins.width * 32.0 / rate, t.lsu_interval)
    start = _in_turn(sm, s, take(sm, PORT_DATA, entered, hold), hold)
    return start, start + t.shared_latency + hold - 1.0


@jit()
def _most_on_one_word(m, active_mask):
    worst = 0
    for x in range(32):
        if active_mask >> x & 1:
            same = 0
            for y in range(32):
                if active_mask >> y & 1 and m.address[y] == m.address[x]:
                    same += 1
            worst = max(worst, same)
    return worst


@jit()
def _global(m, sm, t, ins, w, s, active_mask, entered, now):
    """Global and local memory: tags line by line, data by bytes."""
    is_local = m.report[REPORT_SPACE] == isa.SPACE_LOCAL
    count = caches.gather_lines(m, sm, w, active_mask, ins.width, is_local)
    tags = caches.tag_cycles(sm, t, count)
    sm.busy[PORT_TAGS] += tags
    if ins.operation == memory.STORE or ins.operation == memory.ATOMIC:
        data = ins.width * 32.0 / STORE_BYTES
        start = max(sm.shared_free[PORT_TAGS], take(sm, PORT_DATA, entered, data))
        return start, _send(m, sm, t, ins, w, active_mask, is_local, count, tags, start, now)
    data = max(
        caches.bank_passes(sm, count) * 128.0 / t.l1_bytes_per_cycle, ins.width * 32.0 / GLOBAL_LOAD_BYTES
    )
    if ins.operation == memory.COPY_TO_SHARED:
        data += t.lsu_interval
    start = max(sm.shared_free[PORT_TAGS], take(sm, PORT_DATA, entered, data))
    sm.shared_free[PORT_TAGS] = start + tags
    start = _in_turn(sm, s, start, data)
    done = caches.access_lines(m, sm, t, count, caches.READ, tags, start, now) + data - 1.0
    if ins.operation == memory.COPY_TO_SHARED:
        sm.copies_done[w] = max(sm.copies_done[w], done)
    return start, done


@jit()
def _send(m, sm, t, ins, w, active_mask, is_local, count, tags, start, now):
    """A store or an atomic on its way to L2 holds the tag stage until it has left; returns when its result is there."""
    if ins.operation == memory.ATOMIC:
        done, left = _atomic(m, sm, t, ins, active_mask, count, tags, start, now)
    else:
        kind = caches.WRITE_LOCAL if is_local else caches.WRITE
        left = caches.access_lines(m, sm, t, count, kind, tags, start, now)
        done = left
    sm.shared_free[PORT_TAGS] = max(start + tags, left)
    sm.stores_left[w] = max(sm.stores_left[w], left + t.store_latency)
    return done


@jit()
def _atomic(m, sm, t, ins, active_mask, count, tags, start, now):
    """Atomics happen in L2. Returns (when their results are there, when they have left).

    The slices do one lane on a word after the other. Lines that all SMs aim at are each in one slice, so there the
    whole GPU waits in line (benchmarks/silicon/micro/hot_atomics); otherwise this SM gets its share of all slices.
    """
    active = 0
    for x in range(32):
        active += active_mask >> x & 1
    sectors = caches.count_sectors(sm, count)
    reached = caches.access_lines(m, sm, t, count, caches.AT_L2, tags, start, now)
    buffer = 0
    for i in range(count):
        buffer = l2.mark_atomic(m, sm, t, sm.line[i], now)
    is_float = ins.mode == atomics.ADD_F32 or ins.mode == atomics.ADD_F64
    in_turn = _most_on_one_word(m, active_mask) * (t.atomic_float_interval if is_float else t.atomic_interval)
    one_line = max(in_turn, active / count * t.atomic_hot_lane_interval)
    own_share = max(sectors * t.atomic_sector_interval, active * t.atomic_lane_interval)
    hold = max(own_share, count * one_line * t.atomic_contention[buffer])
    begin = take(sm, PORT_ATOMIC, start, hold)
    sm.shared_free[PORT_L2_WRITE] = (
        max(sm.shared_free[PORT_L2_WRITE], start)
        + sectors * t.partial_sector_cost * t.l2_write_cycles_per_sector
    )
    sm.busy[PORT_L2_WRITE] += sectors * t.partial_sector_cost * t.l2_write_cycles_per_sector
    return max(reached, begin + t.l2_latency), max(start, begin - t.l2_write_backlog)
