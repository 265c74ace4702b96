"""Which lines of memory blocks touch, whenever they do, and which buffers they write: notes in a `Footprint`."""

import numpy as np

from simcore.core.execution.memory import addresses
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT, LOCAL_BASE
from simcore.core.jit import jit_inline


@jit_inline()
def buffer_of(m, line):
    """The buffer of a line; local memory comes after the last one."""
    buffer = addresses.find_buffer(m, line << LINE_SHIFT, 1)
    return buffer if buffer != addresses.NOWHERE else m.buffer_start.size


@jit_inline()
def add(m, footprint, line, buffer):
    """Add a line, unless it is there; returns its place, and whether it is new."""
    start = m.buffer_start[buffer] if buffer < m.buffer_start.size else LOCAL_BASE
    bit = footprint.first[buffer] + line - (start >> LINE_SHIFT)
    is_new = not footprint.seen[bit >> 6] >> (bit & 63) & 1
    if is_new:
        footprint.seen[bit >> 6] |= np.int64(1) << (bit & 63)
        footprint.touched[buffer] += LINE_BYTES
    return bit, is_new
