"""Memory as an instruction sees it: addresses, bounds, loads, stores, atomics, constants.

Where an address lies in the one array that holds all memory is `word_of`'s business; what the caches make of it
is not decided here.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import first_of
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import (
    REPORT_ADDRESS,
    REPORT_BUFFER,
    REPORT_LANE,
    REPORT_LANES,
    REPORT_PC,
    REPORT_SPACE,
    REPORT_STATUS,
    REPORT_WARP,
)

ONE = np.uint32(1)
NOWHERE = -1
UNBACKED = -2


@jit_inline()
def addresses(m, ins, w, lanes):
    """Fill in the address of each lane that takes part."""
    r = m.registers
    mode = ins.address_mode
    uniform = np.int64(0)
    if mode & isa.ADDRESS_HAS_UNIFORM:
        row = row_of(m, w, ins.address_uniform) * 32 + first_of(lanes)
        uniform = np.int64(r[row])
        if mode & isa.ADDRESS_UNIFORM_64:
            uniform |= np.int64(r[row + 32]) << np.int64(32)
    offset = uniform + ins.value
    if not mode & isa.ADDRESS_HAS_BASE:
        for x in range(32):
            m.address[x] = offset
    else:
        row = row_of(m, w, ins.address_base) * 32
        if mode & isa.ADDRESS_BASE_64:
            for x in range(32):
                m.address[x] = (np.int64(r[row + x]) | np.int64(r[row + 32 + x]) << np.int64(32)) + offset
        else:
            scale = np.int64(mode >> isa.ADDRESS_SCALE_SHIFT)
            for x in range(32):
                m.address[x] = (np.int64(r[row + x]) << scale) + offset
    if ins.space == isa.SPACE_SHARED or ins.space == isa.SPACE_LOCAL:
        for x in range(32):
            m.address[x] &= np.int64(isa.FULL_MASK)
    m.report[REPORT_LANES] = np.int64(lanes)
    m.report[REPORT_SPACE] = ins.space


@jit()
def lanes_in_space(m, lanes, space):
    """The lanes whose generic address lies in a space; their addresses become offsets in it."""
    found = np.uint32(0)
    window = isa.SHARED_WINDOW if space == isa.SPACE_SHARED else isa.LOCAL_WINDOW
    for x in range(32):
        high = m.address[x] >> 32
        is_global = high != isa.SHARED_WINDOW and high != isa.LOCAL_WINDOW
        if lanes >> np.uint32(x) & ONE and (is_global if space == isa.SPACE_GLOBAL else high == window):
            found |= ONE << np.uint32(x)
            if not is_global:
                m.address[x] &= (1 << isa.WINDOW_BITS) - 1
    return found


@jit_inline()
def row_of(m, w, source):
    """The row that a source code names: the warp's own, or one that all warps share."""
    return m.first_own_row + w * m.own_rows + source if source >= 0 else ~source


@jit_inline()
def find_buffer(m, address, width):
    """The buffer that holds an access, or `NOWHERE`."""
    for b in range(m.buffer_start.size):
        if m.buffer_start[b] <= address and address + width <= m.buffer_end[b]:
            return b
    return NOWHERE


@jit_inline()
def check(m, ins, space, w, lanes):
    """Whether all addresses are within bounds and aligned; if not, the first lane at fault is reported."""
    width = ins.width
    misaligned = np.int64(0)
    low = np.int64(isa.NEVER)
    high = np.int64(-1)
    for x in range(32):
        if lanes >> np.uint32(x) & ONE:
            a = m.address[x]
            misaligned |= a & (width - 1)
            low = min(low, a)
            high = max(high, a)
    if not misaligned:
        if space == isa.SPACE_SHARED and high + width <= m.shared_limit:
            return True
        if space == isa.SPACE_LOCAL and high + width <= m.local_words * 4:
            return True
        if space == isa.SPACE_GLOBAL:
            b = find_buffer(m, low, width)
            if b >= 0 and high + width <= m.buffer_end[b]:
                return True
    for x in range(32):
        if lanes >> np.uint32(x) & ONE and not _fits(m, space, m.address[x], width):
            _fault(m, w, x, m.address[x])
            return False
    return True


@jit()
def _fits(m, space, address, width):
    if address & (width - 1):
        return False
    if space == isa.SPACE_SHARED:
        return address + width <= m.shared_limit
    if space == isa.SPACE_LOCAL:
        return address + width <= m.local_words * 4
    return find_buffer(m, address, width) >= 0


@jit()
def _fault(m, w, lane, address):
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
        return m.local_word + (w * m.local_words + (address >> 2)) * 32 + lane
    first = m.buffer_word[buffer]
    if first < 0:
        m.report[REPORT_STATUS] = isa.NEEDS_BUFFER
        m.report[REPORT_BUFFER] = buffer
        return UNBACKED
    return first + ((address - m.buffer_start[buffer]) >> 2)


@jit_inline()
def load(m, ins, space, w, lanes):
    """Load each lane's words into its registers."""
    row = (m.first_own_row + w * m.own_rows + ins.destination) * 32
    words = max(ins.width >> 2, 1)
    stride = 32 if space == isa.SPACE_LOCAL else 1
    buffer = 0
    for x in range(32):
        if not lanes >> np.uint32(x) & ONE:
            continue
        address = m.address[x]
        if space == isa.SPACE_GLOBAL and not (
            m.buffer_start[buffer] <= address and address < m.buffer_end[buffer]
        ):
            buffer = find_buffer(m, address, ins.width)
        at = word_of(m, space, w, x, address, buffer)
        if at < 0:
            return
        if ins.width >= 4:
            for k in range(words):
                m.registers[row + k * 32 + x] = m.memory[at + k * stride]
        else:
            m.registers[row + x] = _narrow(m.memory[at], address, ins.width, ins.signed)


@jit()
def _narrow(word, address, width, signed):
    bits = np.uint32(8 * width)
    value = word >> np.uint32(8 * (address & 3)) & ((ONE << bits) - ONE)
    if signed and value >> (bits - ONE) & ONE:
        value |= np.uint32(isa.FULL_MASK) << bits
    return value


@jit_inline()
def store(m, ins, space, w, lanes):
    """Store each lane's words. A buffer whose contents nobody asked for takes none."""
    source = ins.a
    words = max(ins.width >> 2, 1)
    stride = 32 if space == isa.SPACE_LOCAL else 1
    buffer = 0
    for x in range(32):
        if not lanes >> np.uint32(x) & ONE:
            continue
        address = m.address[x]
        if space == isa.SPACE_GLOBAL:
            if not (m.buffer_start[buffer] <= address and address < m.buffer_end[buffer]):
                buffer = find_buffer(m, address, ins.width)
            if m.buffer_word[buffer] < 0:
                continue
        at = word_of(m, space, w, x, address, buffer)
        if ins.width >= 4:
            for k in range(words):
                m.memory[at + k * stride] = m.registers[source_row(m, w, source, k) * 32 + x]
        else:
            shift = np.uint32(8 * (address & 3))
            mask = ((ONE << np.uint32(8 * ins.width)) - ONE) << shift
            value = m.registers[source_row(m, w, source, 0) * 32 + x] << shift
            m.memory[at] = (m.memory[at] & ~mask) | (value & mask)


@jit_inline()
def source_row(m, w, source, k):
    """Row of the k-th word of a multi-word source (a source below 0 is RZ, which is zero throughout)."""
    return m.first_own_row + w * m.own_rows + source + k if source >= 0 else ~source + k


@jit()
def load_constant(m, ins, w, lanes):
    """LDC: constant bank `mode` at `value` plus the index register."""
    index = row_of(m, w, ins.a) * 32
    row = (m.first_own_row + w * m.own_rows + ins.destination) * 32
    for x in range(32):
        if not lanes >> np.uint32(x) & ONE:
            continue
        address = np.int64(np.int32(m.registers[index + x])) + ins.value
        if address < 0 or address + ins.width > m.constant_bytes[ins.mode]:
            _fault(m, w, x, address)
            return
        at = m.constant_word[ins.mode] + (address >> 2)
        if ins.width < 4:
            m.registers[row + x] = _narrow(m.memory[at], address, ins.width, ins.signed)
        else:
            for k in range(ins.width >> 2):
                m.registers[row + k * 32 + x] = m.memory[at + k]


@jit()
def copy_to_shared(m, ins, w, lanes, copied):
    """LDGSTS: global to shared memory, past the registers; zeros in the lanes that are not among `copied`."""
    base = row_of(m, w, ins.a) * 32
    uniform = row_of(m, w, ins.b) * 32
    for x in range(32):
        if not copied >> np.uint32(x) & ONE:
            continue
        buffer = find_buffer(m, m.address[x], ins.width)
        source = word_of(m, isa.SPACE_GLOBAL, w, x, m.address[x], buffer)
        if source < 0:
            return
        target = np.int64(m.registers[base + x]) + np.int64(m.registers[uniform + x]) + ins.mode
        target &= np.int64(isa.FULL_MASK)
        if target + ins.width > m.shared_limit or target & (ins.width - 1):
            _fault(m, w, x, target)
            return
        at = word_of(m, isa.SPACE_SHARED, w, x, target, 0)
        kept = ins.width - np.int64(m.scratch[x])
        for k in range(ins.width >> 2):
            bits = 8 * min(max(kept - 4 * k, 0), 4)
            m.memory[at + k] = m.memory[source + k] & np.uint32((1 << bits) - 1)
    _fill_with_zeros(m, ins, w, lanes & ~copied)


@jit()
def take_omitted_bytes(m, ins):
    """LDGSTS.ZFILL gives in the address's lowest bits how many bytes at the end are zeros; put them in scratch."""
    omitted = (ins.width - 1) if ins.signed else 0
    for x in range(32):
        m.scratch[x] = np.uint32(m.address[x] & omitted)
        m.address[x] &= ~np.int64(omitted)


@jit()
def _fill_with_zeros(m, ins, w, lanes):
    """What LDGSTS writes to shared memory in lanes that it is not to copy."""
    base = row_of(m, w, ins.a) * 32
    uniform = row_of(m, w, ins.b) * 32
    for x in range(32):
        if lanes >> np.uint32(x) & ONE:
            target = np.int64(m.registers[base + x]) + np.int64(m.registers[uniform + x]) + ins.mode
            at = word_of(m, isa.SPACE_SHARED, w, x, target & np.int64(isa.FULL_MASK), 0)
            for k in range(ins.width >> 2):
                m.memory[at + k] = 0


@jit()
def load_matrices(m, ins, w):
    """LDSM: 8x8 matrices of halves; lane 8 j + i gives the address of row i of matrix j."""
    row = (m.first_own_row + w * m.own_rows + ins.destination) * 32
    count = ins.width >> 2
    for j in range(count):
        for x in range(32):
            if ins.mode:
                word = np.uint32(0)
                for half in range(2):
                    i = x % 4 * 2 + half
                    at = word_of(m, isa.SPACE_SHARED, w, x, m.address[8 * j + i], 0)
                    column = x // 4
                    value = m.memory[at + column // 2] >> np.uint32(16 * (column % 2)) & np.uint32(0xFFFF)
                    word |= value << np.uint32(16 * half)
                m.registers[row + j * 32 + x] = word
            else:
                at = word_of(m, isa.SPACE_SHARED, w, x, m.address[8 * j + x // 4], 0)
                m.registers[row + j * 32 + x] = m.memory[at + x % 4]
