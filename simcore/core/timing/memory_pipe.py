"""The path of a memory instruction after issue: a scheduler's queue, address calculation, a shared buffer, the LSU.

Each scheduler has a queue, MIO, for what goes to the LSU: accesses to global, local and shared memory, shuffles, and
special registers of lanes. They leave it in order, and so do those of all schedulers leave the buffer before the LSU
(`lsu`): what comes behind a store that waits on its way to L2 waits, too
(benchmarks/silicon/micro/l1/stores_before_shared). A part of the queue is for accesses to global and local memory
(LG). Where that part is full, `lg_throttle` holds them up; where the whole queue is full, `mio_throttle` holds up
everything that goes there. What goes to the address divergence unit (ADU) has a queue and a buffer of its own (Huerta
et al., MICRO 2025, section 5.4), and where they are full the LSU's are not held up. The buffers take from one
scheduler's queue at a time, and some cycles pass until a scheduler knows that a place is free
(benchmarks/silicon/micro/l1/issue_cadence).
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import memory
from simcore.core.jit import fix_extents, jit_inline, jit_out_of_line
from simcore.core.machine import REPORT_LANES
from simcore.core.timing import lsu, rings, write_buffer
from simcore.core.timing.ports import take
from simcore.core.timing.state import PORT_TO_ADU, PORT_TO_LSU

(MIO, ADU, LG, QUEUES) = range(4)

fix_extents("Sm", queue_head=(QUEUES,), address_free=(QUEUES,))


@jit_out_of_line()
def issue(m, sm, t, ins, w, s, now):
    """Send a memory instruction on its way. Returns (when its result is there, when its sources are read)."""
    to_adu = ins.unit == isa.UNIT_ADU
    queue = ADU if to_adu else MIO
    active_mask = m.report[REPORT_LANES] if ins.space != isa.SPACE_CONSTANT else 0
    turn = take(sm, PORT_TO_ADU if to_adu else PORT_TO_LSU, float(now + 1), t.queue_turn_interval)
    addressed = max(sm.address_free[s, queue], turn)
    if not to_adu:
        write_buffer.note_sent(sm, s, ins.unit == isa.UNIT_LG and ins.operation == memory.STORE)
    drain = _drain_interval(t, ins)
    sm.address_free[s, queue] = addressed + drain
    entered = max(addressed, sm.buffer[queue, sm.buffer_head[queue]])
    start, done = lsu.serve(m, sm, t, ins, w, s, active_mask, entered, now)
    _pass_buffer(sm, queue, t.adu_buffer_depth if to_adu else t.memory_buffer_depth, start)
    place_free = entered + drain + t.queue_place_latency
    _pass_queue(sm, s, queue, t.adu_queue_depth if to_adu else t.mio_queue_depth, place_free)
    if ins.unit == isa.UNIT_LG:
        _pass_queue(sm, s, LG, t.lg_queue_depth, place_free)
    _block_units(sm, s, now)
    return done, start + t.source_read_latency


@jit_inline()
def _pass_buffer(sm, queue, depth, leaves):
    """Keep a place in the buffer that the schedulers share until the LSU or the ADU takes the instruction."""
    head = sm.buffer_head[queue]
    sm.buffer[queue, head] = leaves
    sm.buffer_head[queue] = rings.wrapped(head + 1, depth)


@jit_inline()
def _pass_queue(sm, s, queue, depth, place_free):
    """Keep a place in one of the scheduler's queues until it is known to be free."""
    head = sm.queue_head[s, queue]
    sm.queue[s, queue, head] = place_free
    sm.queue_head[s, queue] = rings.wrapped(head + 1, depth)


@jit_inline()
def _block_units(sm, s, now):
    """Full queues block the units that send instructions there."""
    mio = _room_from(sm, s, MIO, now)
    sm.lg_room_from[s] = _room_from(sm, s, LG, now)
    sm.unit_free[s, isa.UNIT_LG] = max(mio, sm.lg_room_from[s])
    sm.unit_free[s, isa.UNIT_MIO] = mio
    sm.unit_free[s, isa.UNIT_ADU] = _room_from(sm, s, ADU, now)


@jit_inline()
def _room_from(sm, s, queue, now):
    """When one of the scheduler's queues has room for one more."""
    return max(np.int64(np.ceil(sm.queue[s, queue, sm.queue_head[s, queue]])), np.int64(now + 1))


@jit_inline()
def _drain_interval(t, ins):
    """Cycles from one instruction to the next out of a scheduler's queue; a store hands over its data too."""
    operation = ins.operation
    if ins.unit == isa.UNIT_ADU:
        is_indexed = operation == memory.LOAD_CONSTANT and ins.constant < 0
        return t.constant_address_interval if is_indexed else t.queue_turn_interval
    addresses = t.global_address_interval if ins.unit == isa.UNIT_LG else t.address_interval
    if operation == memory.STORE or operation == memory.ATOMIC:
        return addresses + t.store_word_interval * max(ins.width >> 2, 1)
    return addresses
