"""The path of a memory instruction after issue: a scheduler's queue, address calculation, a shared buffer, the LSU.

Each scheduler has a queue for local/global memory (LG) and one for the rest (MIO: shared memory, shuffles, special
registers); a full queue is `lg_throttle` or `mio_throttle`. Behind them lies a buffer for each kind and then the LSU
(`lsu`), both shared by the SM's schedulers (Huerta et al., MICRO 2025, section 5.4;
benchmarks/silicon/micro/l1/issue_cadence).
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import memory
from simcore.core.jit import jit_inline
from simcore.core.machine import REPORT_LANES
from simcore.core.timing import lsu

(LG, MIO, QUEUES) = range(3)


@jit_inline()
def issue(m, sm, t, ins, w, s, now):
    """Send a memory instruction on its way. Returns (when its result is there, when its sources are read)."""
    queue = LG if ins.unit == isa.UNIT_LG else MIO
    active_mask = m.report[REPORT_LANES] if ins.space != isa.SPACE_CONSTANT else 0
    addressed = max(sm.address_free[s, queue], float(now + 1))
    sm.address_free[s, queue] = addressed + _drain_interval(t, ins)
    entered = max(addressed, sm.buffer[queue, sm.buffer_head[queue]])
    start, done = lsu.serve(m, sm, t, ins, w, s, active_mask, entered, now)
    _pass_buffer(sm, t, queue, start)
    _pass_queue(sm, t, s, queue, ins.unit, entered, now)
    return done, start + t.source_read_latency


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
    addresses = t.global_address_interval if ins.unit == isa.UNIT_LG else t.address_interval
    if operation == memory.STORE or operation == memory.ATOMIC:
        return addresses + t.store_word_interval * max(ins.width >> 2, 1)
    return addresses
