"""Which lines of memory blocks touch, whenever they do, and which buffers they write: notes in a `Footprint`."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.memory import COPY_TO_SHARED, STORE, addresses
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT, LOCAL_BASE
from simcore.core.jit import jit, jit_inline, lowest_bit
from simcore.core.machine import REPORT_LANES, REPORT_SPACE


@jit_inline()
def buffer_of(m, line):
    """The buffer of a line; local memory comes after the last one."""
    buffer = addresses.find_buffer(m, line << LINE_SHIFT, 1)
    return buffer if buffer != addresses.NOWHERE else m.buffer_start.size


@jit_inline()
def add(m, footprint, line, buffer):
    """Add a line, unless it is there."""
    start = m.buffer_start[buffer] if buffer < m.buffer_start.size else LOCAL_BASE
    bit = footprint.first[buffer] + line - (start >> LINE_SHIFT)
    if not footprint.seen[bit >> 6] >> (bit & 63) & 1:
        footprint.seen[bit >> 6] |= np.int64(1) << (bit & 63)
        footprint.touched[buffer] += LINE_BYTES


@jit()
def note(m, footprint, pc):
    """Add what the instruction just executed touched of global memory."""
    ins = m.code[pc]
    if ins.operation >> isa.FAMILY_BITS != isa.MEMORY or ins.operation > COPY_TO_SHARED:
        return
    if m.action[pc] == isa.SKIP or m.report[REPORT_SPACE] != isa.SPACE_GLOBAL:
        return
    lanes = m.report[REPORT_LANES]
    if not _are_others(m, footprint.last, lanes) and ins.operation != STORE:
        return
    if ins.operation == STORE:
        footprint.last[isa.LANES] = 0
    last = np.int64(-1)
    while lanes:
        line = m.address[lowest_bit(lanes)] >> LINE_SHIFT
        lanes &= lanes - 1
        if line != last:
            last = line
            buffer = buffer_of(m, line)
            add(m, footprint, line, buffer)
            if ins.operation == STORE:
                footprint.written[buffer] = 1
            else:
                footprint.read[buffer] = 1


@jit_inline()
def _are_others(m, last, lanes):
    """Whether an access is to other lines than the last one, which is remembered."""
    others = lanes & ~last[isa.LANES]
    last[isa.LANES] = lanes
    for x in range(isa.LANES):
        line = m.address[x] >> LINE_SHIFT
        others |= line ^ last[x]
        last[x] = line
    return others != 0
