"""The path of a memory instruction after issue: queue, address calculation, shared stages, caches, return.

Each scheduler has a queue for local/global memory (LG) and one for the rest (MIO: shared memory, shuffles,
special registers); a full queue is `lg_throttle` or `mio_throttle`. The LSU stages behind them are shared by
the SM's schedulers (Huerta et al., MICRO 2025, section 5.4).
"""

import numpy as np

from simcore.core import access, caches, isa
from simcore.core.jit import jit, jit_inline
from simcore.core.state import REPORT_LANES, REPORT_SPACE
from simcore.core.timing import COUNT_SHARED_CONFLICTS, PORT_LSU, PORT_RED, PORT_TAGS

LG, MIO = 0, 1
# A store or reduction holds the tag stage twice as long as a load (benchmarks/silicon/micro/issue_cadence, H200).
STORE_COST = 2.0
READ_OPERANDS = 6.0  # cycles from leaving the address stage until the sources have been read


@jit_inline()
def issue(m, sm, t, ins, w, s, now):
    """Send a memory instruction on its way. Returns (when its result is there, when its sources are read)."""
    queue = LG if ins.unit == isa.UNIT_LG else MIO
    depth = t.lg_queue_depth if queue == LG else t.mio_queue_depth
    lanes = m.report[REPORT_LANES] if ins.space != isa.SPACE_CONSTANT else 0
    port = PORT_TAGS if queue == LG else PORT_LSU
    addressed = max(sm.address_free[s, queue], float(now + 1))
    sm.address_free[s, queue] = addressed + _drain_interval(t, ins)
    start = max(sm.shared_free[port], addressed)
    hold, done = _serve(m, sm, t, ins, w, lanes, start, now)
    sm.shared_free[port] = start + hold

    # The entry leaves the queue when the shared stages take it.
    head = sm.queue_head[s, queue]
    sm.queue[s, queue, head] = start
    head = head + 1 if head + 1 < depth else 0
    sm.queue_head[s, queue] = head
    sm.unit_free[s, ins.unit] = max(np.int64(np.ceil(sm.queue[s, queue, head])), np.int64(now + 1))
    return done, start + READ_OPERANDS


@jit_inline()
def _drain_interval(t, ins):
    """Cycles from one instruction to the next out of a scheduler's queue; a store hands over its data too."""
    operation = ins.operation
    if operation == isa.S2R:
        return t.special_register_interval
    global_path = t.address_interval if ins.unit == isa.UNIT_LG else 0.0
    if operation == isa.STORE or operation == isa.ATOMIC:
        return t.address_interval + global_path + t.store_word_interval * max(ins.width >> 2, 1)
    return t.address_interval + global_path


@jit()
def _serve(m, sm, t, ins, w, lanes, start, now):
    """Returns (cycles for which the shared stages are held, when the result is there)."""
    operation = ins.operation
    if operation == isa.S2R or operation == isa.LOAD_CONSTANT:
        return 0.0, start + t.latency[ins.latency]
    if ins.unit == isa.UNIT_MIO and not (isa.LOAD <= operation < isa.LAST_MEMORY):
        return t.lsu_interval, start + t.latency[ins.latency]
    if lanes == 0:
        return 0.0, start + t.l1_hit_latency
    if m.report[REPORT_SPACE] == isa.SPACE_SHARED:
        return _shared(m, sm, t, ins, lanes, start)
    return _global(m, sm, t, ins, w, lanes, start, now)


@jit()
def _shared(m, sm, t, ins, lanes, start):
    """Shared memory: as many passes as the busiest bank has distinct words."""
    if ins.operation == isa.ATOMIC:
        passes = _most_on_one_word(m, lanes) * t.shared_atomic_interval
        return max(passes, t.lsu_interval), start + t.shared_latency + passes
    passes = float(conflict_passes(m, sm, lanes, ins.width))
    needed = passes * 128.0 / t.shared_bytes_per_cycle
    sm.counters[COUNT_SHARED_CONFLICTS] += max(passes - ins.width / 4.0, 0.0)
    return max(needed, t.lsu_interval), start + t.shared_latency + max(needed - 1.0, 0.0)


@jit()
def conflict_passes(m, sm, lanes, width):
    """Most distinct 4-byte words that one of the 32 banks must deliver."""
    words = width >> 2 if width > 4 else 1
    worst = 0
    # Distinct words are counted per bank by their order among the lanes that share it.
    for bank in range(32):
        sm.line_sectors[bank] = 0
    for x in range(32):
        if not lanes >> x & 1:
            continue
        word = m.address[x] >> 2
        repeated = False
        for y in range(x):
            if lanes >> y & 1 and m.address[y] >> 2 == word:
                repeated = True
                break
        if repeated:
            continue
        for k in range(words):
            bank = (word + k) & 31
            sm.line_sectors[bank] += 1
            worst = max(worst, sm.line_sectors[bank])
    return worst


@jit()
def _most_on_one_word(m, lanes):
    worst = 0
    for x in range(32):
        if lanes >> x & 1:
            same = 0
            for y in range(32):
                if lanes >> y & 1 and m.address[y] == m.address[x]:
                    same += 1
            worst = max(worst, same)
    return worst


@jit()
def _atomic_cycles(m, sm, t, ins, lanes, count):
    """Cycles that the L2 slices take for a warp's atomics, of which this SM gets its share.

    A buffer no larger than a line is taken to be what all SMs aim at: their additions go one after the other,
    integers of one warp as one, floats lane by lane.
    """
    active = 0
    first = -1
    for x in range(32):
        if lanes >> x & 1:
            active += 1
            first = x if first < 0 else first
    b = access.find_buffer(m, m.address[first], ins.width)
    if m.buffer_end[b] - m.buffer_start[b] <= 128:
        is_float = ins.mode == isa.ATOMIC_ADD_F32 or ins.mode == isa.ATOMIC_ADD_F64
        return active * t.red_lane_interval if is_float else t.red_interval
    sectors = 0
    for i in range(count):
        for s in range(4):
            sectors += sm.line_sectors[i] >> s & 1
    return max(sectors * t.atomic_sector_interval, active * t.atomic_lane_interval)


@jit()
def _global(m, sm, t, ins, w, lanes, start, now):
    """Global and local memory: tags line by line, then the data stage by bytes."""
    operation = ins.operation
    is_local = m.report[REPORT_SPACE] == isa.SPACE_LOCAL
    count = caches.gather_lines(m, sm, w, lanes, ins.width, is_local)
    if operation == isa.ATOMIC:
        done = caches.access_lines(sm, t, count, caches.AT_L2, start, now)
        begin = max(sm.shared_free[PORT_RED], start)
        sm.shared_free[PORT_RED] = begin + _atomic_cycles(m, sm, t, ins, lanes, count)
        return max(t.tag_interval, count * t.line_interval) * STORE_COST, max(done, begin + t.l2_latency)
    sectors = 0
    for i in range(count):
        for s in range(4):
            sectors += sm.line_sectors[i] >> s & 1
    data = sectors * 32.0 / t.l1_bytes_per_cycle
    hold = max(t.tag_interval, count * t.line_interval, data)
    if operation == isa.STORE:
        kind = caches.WRITE_LOCAL if is_local else caches.WRITE
        return hold * STORE_COST, caches.access_lines(sm, t, count, kind, start, now)
    kind = caches.READ_LOCAL if is_local else caches.READ
    done = caches.access_lines(sm, t, count, kind, start, now)
    return hold, done + (ins.width / 4.0 - 1.0)
