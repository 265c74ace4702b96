"""Addresses: how an instruction forms them, what they may reach, and where that lies in the machine's memory."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ONE, first_of
from simcore.core.execution.memory import COPY_TO_SHARED, LOAD
from simcore.core.execution.operands import source_at
from simcore.core.jit import jit, jit_inline, jit_seldom, lowest_bit
from simcore.core.machine import (
    REPORT_ADDRESS,
    REPORT_BOUNDS,
    REPORT_BUFFER,
    REPORT_IN_A_ROW,
    REPORT_LANE,
    REPORT_LANES,
    REPORT_OUTSIDE,
    REPORT_PC,
    REPORT_SPACE,
    REPORT_STATUS,
    REPORT_WARP,
)

LANES = isa.LANES
NOWHERE = -1
UNBACKED = -2
MAPPED_TOGETHER = 1 << 21  # bytes: the granularity of device memory (cuMemGetAllocationGranularity)


@jit_inline()
def form(m, ins, w, lanes):
    """Fill in the address of each lane."""
    r = m.registers
    mode = ins.address_mode
    uniform = np.int64(0)
    if mode & isa.ADDRESS_HAS_UNIFORM:
        at = source_at(m, w, ins.address_uniform) + first_of(lanes)
        uniform = np.int64(r[at])
        if mode & isa.ADDRESS_UNIFORM_64:
            uniform |= np.int64(r[at + LANES]) << np.int64(32)
    offset = uniform + ins.value
    is_offset = ins.space == isa.SPACE_SHARED or ins.space == isa.SPACE_LOCAL
    bits = np.int64(isa.FULL_MASK if is_offset else -1)
    if not mode & isa.ADDRESS_HAS_BASE:
        for x in range(LANES):
            m.address[x] = offset & bits
    else:
        at = source_at(m, w, ins.address_base)
        if mode & isa.ADDRESS_BASE_64:
            for x in range(LANES):
                base = np.int64(r[at + x]) | np.int64(r[at + LANES + x]) << np.int64(32)
                m.address[x] = (base + offset) & bits
        else:
            scale = np.int64(mode >> isa.ADDRESS_SCALE_SHIFT)
            for x in range(LANES):
                m.address[x] = ((np.int64(r[at + x]) << scale) + offset) & bits
    m.report[REPORT_LANES] = np.int64(lanes)
    m.report[REPORT_SPACE] = ins.space


@jit()
def lanes_in_space(m, lanes, space):
    """The lanes whose generic address lies in a space; their addresses become offsets in it."""
    found = np.uint32(0)
    window = isa.SHARED_WINDOW if space == isa.SPACE_SHARED else isa.LOCAL_WINDOW
    for x in range(LANES):
        high = m.address[x] >> 32
        is_global = high != isa.SHARED_WINDOW and high != isa.LOCAL_WINDOW
        if lanes >> np.uint32(x) & ONE and (is_global if space == isa.SPACE_GLOBAL else high == window):
            found |= ONE << np.uint32(x)
            if not is_global:
                m.address[x] &= (1 << isa.WINDOW_BITS) - 1
    return found


@jit_inline()
def find_buffer(m, address, width):
    """The buffer that holds an access, or `NOWHERE`."""
    for b in range(m.buffer_start.size):
        if m.buffer_start[b] <= address and address + width <= m.buffer_end[b]:
            return b
    return NOWHERE


@jit_inline()
def are_in_a_row(m, lanes, width):
    """Whether some lanes' accesses, of so many bytes each, follow one another in memory as the lanes do."""
    apart = np.int64(0)
    zero = of_lane_zero(m, lanes, width)
    for x in range(LANES):
        apart |= (m.address[x] - (zero + x * width)) & -(lanes >> x & 1)
    return apart == 0


@jit_inline()
def of_lane_zero(m, lanes, width):
    """The address of lane 0, of accesses in a row."""
    first = lowest_bit(lanes)
    return m.address[first] - first * width


@jit_inline()
def check(m, ins, space, w, lanes):
    """Whether all addresses are within bounds and aligned; if not, the first lane at fault is reported."""
    width = np.int64(ins.width)
    m.report[REPORT_IN_A_ROW] = are_in_a_row(m, np.int64(lanes), width)
    if m.report[REPORT_IN_A_ROW] and _row_fits(m, space, np.int64(lanes), width):
        return True
    misaligned = np.int64(0)
    low = np.int64(isa.NEVER)
    high = np.int64(-1)
    for x in range(LANES):
        a = m.address[x]
        active = lanes >> np.uint32(x) & ONE != 0
        misaligned |= a & (width - 1) if active else 0
        low = min(low, a if active else isa.NEVER)
        high = max(high, a if active else -1)
    if not misaligned:
        if space == isa.SPACE_SHARED and high + width <= m.shared_limit:
            return True
        if space == isa.SPACE_LOCAL and high + width <= m.local_words * 4:
            return True
        if space == isa.SPACE_GLOBAL:
            b = find_buffer(m, low, width)
            if b >= 0 and high + width <= m.buffer_end[b]:
                return True
    for x in range(LANES):
        if lanes >> np.uint32(x) & ONE and not _fits(m, space, m.address[x], width):
            if not _may_read_outside(m, ins, space, m.address[x]):
                fault(m, w, x, m.address[x])
                return False
            m.report[REPORT_OUTSIDE] += 1
            if find_buffer(m, m.address[x], 1) == NOWHERE:
                m.report[REPORT_LANES] &= ~(np.int64(1) << x)
    return True


@jit_inline()
def are_unbacked(m, ins):
    """Whether no lane of an access to global memory is at a buffer whose contents are kept; else it is reported."""
    for b in range(m.buffer_word.size):
        if m.buffer_word[b] >= 0:
            return _are_at_unbacked(m, ins)
    return True


@jit()
def _are_at_unbacked(m, ins):
    """The same, where the contents of some buffers are kept."""
    lanes = m.report[REPORT_LANES]
    buffer = NOWHERE
    while lanes:
        address = m.address[lowest_bit(lanes)]
        lanes &= lanes - 1
        if buffer < 0 or not (m.buffer_start[buffer] <= address and address < m.buffer_end[buffer]):
            buffer = find_buffer(m, address, ins.width)
        if m.buffer_word[buffer] >= 0:
            m.report[REPORT_STATUS] = isa.NEEDS_STORES
            m.report[REPORT_BUFFER] = buffer
            return False
    return True


@jit()
def _may_read_outside(m, ins, space, address):
    """Whether an access may miss all buffers: an aligned read of memory that a GPU has mapped together with one."""
    if not m.report[REPORT_BOUNDS] or space != isa.SPACE_GLOBAL or address & (ins.width - 1):
        return False
    if ins.operation != LOAD and ins.operation != COPY_TO_SHARED:
        return False
    for b in range(m.buffer_start.size):
        if m.buffer_start[b] - MAPPED_TOGETHER <= address and address < m.buffer_end[b] + MAPPED_TOGETHER:
            return True
    return False


@jit()
def _fits(m, space, address, width):
    if address & (width - 1):
        return False
    if space == isa.SPACE_SHARED:
        return address + width <= m.shared_limit
    if space == isa.SPACE_LOCAL:
        return address + width <= m.local_words * 4
    return find_buffer(m, address, width) >= 0


@jit_inline()
def _row_fits(m, space, lanes, width):
    """Whether accesses in a row, of all lanes, are within bounds and aligned."""
    address, size = of_lane_zero(m, lanes, width), LANES * width
    if address & (width - 1):
        return False
    if space == isa.SPACE_GLOBAL:
        return find_buffer(m, address, size) >= 0
    limit = m.shared_limit if space == isa.SPACE_SHARED else m.local_words * 4
    return address >= 0 and address + size <= limit


@jit_seldom()
def fault(m, w, lane, address):
    """Report an access that cannot be."""
    m.report[REPORT_STATUS] = isa.FAULT
    m.report[REPORT_PC] = m.pc[w]
    m.report[REPORT_WARP] = w
    m.report[REPORT_LANE] = lane
    m.report[REPORT_ADDRESS] = address


@jit_inline()
def word_of(m, space, w, lane, address, buffer):
    """Where an address lies in `memory`; `buffer` holds a global one."""
    if space == isa.SPACE_SHARED:
        return m.shared_word + m.warp_block[w] * m.shared_words + (address >> 2)
    if space == isa.SPACE_LOCAL:
        return m.local_word + (w * m.local_words + (address >> 2)) * LANES + lane
    first = m.buffer_word[buffer]
    if first < 0:
        m.report[REPORT_STATUS] = isa.NEEDS_BUFFER
        m.report[REPORT_BUFFER] = buffer
        return UNBACKED
    return first + ((address - m.buffer_start[buffer]) >> 2)


@jit()
def word_or_zero(m, address):
    """A word of global memory, zero outside of all buffers."""
    buffer = find_buffer(m, address, 4)
    if buffer == NOWHERE:
        return np.uint32(0)
    at = word_of(m, isa.SPACE_GLOBAL, 0, 0, address, buffer)
    return m.memory[at] if at >= 0 else np.uint32(0)
