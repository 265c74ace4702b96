"""Loads and stores between memory and registers, and loads of constants."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ALL, ONE, first_of
from simcore.core.execution.memory.addresses import NOWHERE, fault, find_buffer, word_of, word_or_zero
from simcore.core.execution.operands import is_shared, own_at, source_at
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_CONSTANT, REPORT_CONSTANTS

LANES = isa.LANES
QUAD_BYTES = 16


@jit_inline()
def load(m, ins, space, w, lanes):
    """Load each lane's words into its registers."""
    if ins.width == 2 * QUAD_BYTES:
        _load_two_quads(m, ins, space, w, lanes)
        return
    to = own_at(m, w, ins.destination)
    words = max(ins.width >> 2, 1)
    stride = _stride(space)
    buffer = 0
    for x in range(LANES):
        if not lanes >> np.uint32(x) & ONE:
            continue
        address = m.address[x]
        if space == isa.SPACE_GLOBAL and not (
            m.buffer_start[buffer] <= address and address + ins.width <= m.buffer_end[buffer]
        ):
            found = find_buffer(m, address, ins.width)
            if found == NOWHERE:
                _load_partly(m, to + x, address, ins.width)
                continue
            buffer = found
        at = word_of(m, space, w, x, address, buffer)
        if at < 0:
            return
        if ins.width >= 4:
            for k in range(words):
                m.registers[to + k * LANES + x] = m.memory[at + k * stride]
        else:
            m.registers[to + x] = _narrow(m.memory[at], address, ins.width, ins.signed)


@jit()
def _load_two_quads(m, ins, space, w, lanes):
    """Eight words: four to the destination, four to the row that `c` names."""
    for half in range(2):
        to = own_at(m, w, ins.c if half else ins.destination)
        for x in range(LANES):
            if not lanes >> np.uint32(x) & ONE:
                continue
            if space == isa.SPACE_GLOBAL and find_buffer(m, m.address[x], ins.width) == NOWHERE:
                _load_partly(m, to + x, m.address[x] + QUAD_BYTES * half, QUAD_BYTES)
                continue
            at = _quad_of(m, ins, space, w, x, half)
            if at < 0:
                return
            for k in range(4):
                m.registers[to + k * LANES + x] = m.memory[at + k * _stride(space)]


@jit()
def _store_two_quads(m, ins, space, w, lanes):
    """Eight words: four of source a, four of source b."""
    for half in range(2):
        source = source_at(m, w, ins.b if half else ins.a)
        for x in range(LANES):
            if lanes >> np.uint32(x) & ONE:
                if space == isa.SPACE_GLOBAL and m.buffer_word[find_buffer(m, m.address[x], ins.width)] < 0:
                    continue
                at = _quad_of(m, ins, space, w, x, half)
                for k in range(4):
                    m.memory[at + k * _stride(space)] = m.registers[source + k * LANES + x]


@jit_inline()
def _stride(space):
    """Words from one of a lane's to its next."""
    return LANES if space == isa.SPACE_LOCAL else 1


@jit()
def _quad_of(m, ins, space, w, x, half):
    """Where the lower or upper four words of a lane's eight lie."""
    buffer = find_buffer(m, m.address[x], ins.width) if space == isa.SPACE_GLOBAL else 0
    return word_of(m, space, w, x, m.address[x] + QUAD_BYTES * half, buffer)


@jit()
def _load_partly(m, to, address, width):
    """A read of which not all lies inside a buffer: the words that do, and zeros."""
    for k in range(max(width >> 2, 1)):
        m.registers[to + k * LANES] = word_or_zero(m, address + 4 * k) if width >= 4 else np.uint32(0)


@jit()
def _narrow(word, address, width, signed):
    """A byte or half of a word, extended to a word."""
    bits = np.uint32(8 * width)
    value = word >> np.uint32(8 * (address & 3)) & ((ONE << bits) - ONE)
    if signed and value >> (bits - ONE) & ONE:
        value |= np.uint32(isa.FULL_MASK) << bits
    return value


@jit_inline()
def store(m, ins, space, w, lanes):
    """Store each lane's words. A buffer whose contents nobody asked for takes none."""
    if ins.width == 2 * QUAD_BYTES:
        _store_two_quads(m, ins, space, w, lanes)
        return
    source = source_at(m, w, ins.a)
    words = max(ins.width >> 2, 1)
    stride = _stride(space)
    buffer = 0
    for x in range(LANES):
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
                m.memory[at + k * stride] = m.registers[source + k * LANES + x]
        else:
            shift = np.uint32(8 * (address & 3))
            mask = ((ONE << np.uint32(8 * ins.width)) - ONE) << shift
            value = m.registers[source + x] << shift
            m.memory[at] = (m.memory[at] & ~mask) | (value & mask)


@jit()
def _distinct(m, row, lanes):
    """How many different words some lanes of a row have."""
    count = 0
    for x in range(LANES):
        if lanes >> np.uint32(x) & ONE:
            before = 0
            while before < x and not (
                lanes >> np.uint32(before) & ONE and m.registers[row + before] == m.registers[row + x]
            ):
                before += 1
            count += before == x
    return count


@jit_inline()
def _all_have(m, row, lanes, word):
    """Whether some lanes of a row all have a word."""
    others = np.uint32(0)
    for x in range(LANES):
        others |= (m.registers[row + x] ^ word) & (np.uint32(0) - (lanes >> np.uint32(x) & ONE))
    return others == 0


@jit()
def _load_one_constant(m, ins, w, lanes, to):
    """All lanes load what the first one does, from where that is reported."""
    address = m.report[REPORT_CONSTANT]
    if address < 0 or address + ins.width > m.constant_bytes[ins.mode]:
        fault(m, w, first_of(lanes), address)
        return
    at = m.constant_word[ins.mode] + (address >> 2)
    for k in range(max(ins.width >> 2, 1)):
        word = m.memory[at + k] if ins.width >= 4 else _narrow(m.memory[at], address, ins.width, ins.signed)
        _fill(m, to + k * LANES, word, lanes)


@jit_inline()
def _fill(m, row, word, lanes):
    """Some lanes of a row take a word."""
    if lanes == ALL:
        for x in range(LANES):
            m.registers[row + x] = word
    else:
        for x in range(LANES):
            keep = np.uint32(0) - (lanes >> np.uint32(x) & ONE)
            m.registers[row + x] = (word & keep) | (m.registers[row + x] & ~keep)


@jit()
def load_constant(m, ins, w, lanes):
    """LDC: constant bank `mode` at `value` plus the index register."""
    index = source_at(m, w, ins.a)
    to = own_at(m, w, ins.destination)
    if lanes:
        first = m.registers[index + first_of(lanes)]
        m.report[REPORT_CONSTANT] = np.int64(np.int32(first)) + ins.value
        if is_shared(ins.a) or _all_have(m, index, lanes, first):
            m.report[REPORT_CONSTANTS] = 1
            _load_one_constant(m, ins, w, lanes, to)
            return
    m.report[REPORT_CONSTANTS] = _distinct(m, index, lanes)
    for x in range(LANES):
        if not lanes >> np.uint32(x) & ONE:
            continue
        address = np.int64(np.int32(m.registers[index + x])) + ins.value
        if address < 0 or address + ins.width > m.constant_bytes[ins.mode]:
            fault(m, w, x, address)
            return
        at = m.constant_word[ins.mode] + (address >> 2)
        if ins.width < 4:
            m.registers[to + x] = _narrow(m.memory[at], address, ins.width, ins.signed)
        else:
            for k in range(ins.width >> 2):
                m.registers[to + k * LANES + x] = m.memory[at + k]
