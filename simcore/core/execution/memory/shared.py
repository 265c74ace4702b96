"""LDGSTS, which copies to shared memory past the registers, and LDSM and STSM, which load and store matrices there."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ONE
from simcore.core.execution.memory.addresses import NOWHERE, fault, find_buffer, word_of, word_or_zero
from simcore.core.execution.operands import own_at, source_at
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
ZERO_FILL = 1  # LDGSTS's `signed`
(AS_STORED, TRANSPOSED) = range(2)  # `mode` of LDSM and STSM


@jit()
def take_omitted_bytes(m, ins):
    """LDGSTS.ZFILL gives in the address's lowest bits how many bytes at the end are zeros; put them in scratch."""
    omitted = (ins.width - 1) if ins.signed == ZERO_FILL else 0
    for x in range(LANES):
        m.scratch[x] = np.uint32(m.address[x] & omitted)
        m.address[x] &= ~np.int64(omitted)


@jit()
def copy(m, ins, w, lanes, copied):
    """LDGSTS: global to shared memory; zeros in the lanes that are not among `copied`."""
    for x in range(LANES):
        if not copied >> np.uint32(x) & ONE:
            continue
        buffer = find_buffer(m, m.address[x], ins.width)
        source = 0 if buffer == NOWHERE else word_of(m, isa.SPACE_GLOBAL, w, x, m.address[x], buffer)
        if source < 0:
            return
        to = target(m, ins, w, x)
        if to + ins.width > m.shared_limit or to & (ins.width - 1):
            fault(m, w, x, to)
            return
        at = word_of(m, isa.SPACE_SHARED, w, x, to, 0)
        kept = ins.width - np.int64(m.scratch[x])
        for k in range(ins.width >> 2):
            bits = 8 * min(max(kept - 4 * k, 0), 4)
            word = word_or_zero(m, m.address[x] + 4 * k) if buffer == NOWHERE else m.memory[source + k]
            m.memory[at + k] = word & np.uint32((1 << bits) - 1)
    _fill_with_zeros(m, ins, w, lanes & ~copied)


@jit_inline()
def target(m, ins, w, x):
    """The shared address that a lane copies to: sources a and b, and the displacement in `mode`."""
    r = m.registers
    base, uniform = r[source_at(m, w, ins.a) + x], r[source_at(m, w, ins.b) + x]
    return (np.int64(base) + np.int64(uniform) + ins.mode) & np.int64(isa.FULL_MASK)


@jit()
def _fill_with_zeros(m, ins, w, lanes):
    """What LDGSTS writes to shared memory in lanes that it is not to copy."""
    for x in range(LANES):
        if lanes >> np.uint32(x) & ONE:
            at = word_of(m, isa.SPACE_SHARED, w, x, target(m, ins, w, x), 0)
            for k in range(ins.width >> 2):
                m.memory[at + k] = 0


@jit()
def load_matrices(m, ins, w):
    """LDSM: 8x8 matrices of halves; lane 8 j + i gives the address of row i of matrix j."""
    to = own_at(m, w, ins.destination)
    for j in range(ins.width >> 2):
        for x in range(LANES):
            if ins.mode == TRANSPOSED:
                word = np.uint32(0)
                for half in range(2):
                    i = x % 4 * 2 + half
                    at = word_of(m, isa.SPACE_SHARED, w, x, m.address[8 * j + i], 0)
                    column = x // 4
                    value = m.memory[at + column // 2] >> np.uint32(16 * (column % 2)) & np.uint32(0xFFFF)
                    word |= value << np.uint32(16 * half)
                m.registers[to + j * LANES + x] = word
            else:
                at = word_of(m, isa.SPACE_SHARED, w, x, m.address[8 * j + x // 4], 0)
                m.registers[to + j * LANES + x] = m.memory[at + x % 4]


@jit()
def store_matrices(m, ins, w):
    """STSM: the reverse of LDSM; each half goes to its own place."""
    source = source_at(m, w, ins.a)
    for j in range(ins.width >> 2):
        for x in range(LANES):
            for half in range(2):
                if ins.mode == TRANSPOSED:
                    i, column = x % 4 * 2 + half, x // 4
                else:
                    i, column = x // 4, x % 4 * 2 + half
                at = word_of(m, isa.SPACE_SHARED, w, x, m.address[8 * j + i], 0) + column // 2
                shift = np.uint32(16 * (column % 2))
                value = m.registers[source + j * LANES + x] >> np.uint32(16 * half) & np.uint32(0xFFFF)
                m.memory[at] = (m.memory[at] & ~(np.uint32(0xFFFF) << shift)) | value << shift
