"""Which lines of memory blocks touch, whenever they do, and which buffers they write."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution.memory import COPY_TO_SHARED, STORE, addresses
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT, LOCAL_BASE
from simcore.core.jit import jit, jit_inline, lowest_bit
from simcore.core.machine import REPORT_LANES, REPORT_SPACE


class Footprint(NamedTuple):
    """Lines, by buffer; local memory comes after the last one.

    Attributes:
        touched: [buffer + 1] bytes of the lines, each counted once.
        written: [buffer + 1] whether any of them was written.
        seen: which lines those are: a bit for each line of the buffers and then of local memory, 64 to a word; none
            are noted where there are no words.
        first: [buffer + 1] the first bit of each.
        last: [lane] the line of each in the last access that was noted, and which lanes took part in it.
    """

    touched: NDArray[np.float64]
    written: NDArray[np.int64]
    seen: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


_NO_LINES = np.zeros(0, np.int64)
NONE = Footprint(np.zeros(0), _NO_LINES, _NO_LINES, _NO_LINES, _NO_LINES)


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
