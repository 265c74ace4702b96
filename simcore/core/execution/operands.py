"""Registers: where the rows that a record names lie, and the way from them to scratch and back."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import A_HIGH, ALL, D_HIGH, ONE, A, B, C, D
from simcore.core.jit import jit_inline

LANES = isa.LANES
FIRST, SECOND, THIRD = 1, 2, 4  # bits of `pairs`


@jit_inline()
def own_at(m, w, register):
    """Where a row of the warp's own begins in `registers`; the following words of a wide one begin LANES further."""
    return (m.first_own_row + w * m.own_rows + register) * LANES


@jit_inline()
def is_shared(source):
    """Whether a source code names a row that all warps share, which has one word in all lanes."""
    return source < 0


@jit_inline()
def source_at(m, w, source):
    """Where the row that a source code names begins: one of the warp's own, or one that all warps share."""
    own = own_at(m, w, source)
    return ~source * LANES if is_shared(source) else own


@jit_inline()
def load_sources(m, ins, w):
    """Copy the sources to scratch, with their signs."""
    sources = ins.sources
    _load(m, source_at(m, w, ins.a), A, ins.a_keep, ins.a_flip, ins.a_add)
    if sources > 1:
        _load(m, source_at(m, w, ins.b), B, ins.b_keep, ins.b_flip, ins.b_add)
        if sources > 2:
            _load(m, source_at(m, w, ins.c), C, ins.c_keep, ins.c_flip, ins.c_add)
    if ins.pairs:
        if ins.pairs & FIRST:
            _load_pair(m, source_at(m, w, ins.a), A, ins.a_keep, ins.a_flip)
        if ins.pairs & SECOND and sources > 1:
            _load_pair(m, source_at(m, w, ins.b), B, ins.b_keep, ins.b_flip)
        if ins.pairs & THIRD and sources > 2:
            _load_pair(m, source_at(m, w, ins.c), C, ins.c_keep, ins.c_flip)


@jit_inline()
def _load(m, at, row, keep, flip, add):
    u = m.scratch
    r = m.registers
    for x in range(LANES):
        u[row + x] = ((r[at + x] & keep) ^ flip) + add


@jit_inline()
def _load_pair(m, at, row, keep, flip):
    """Signs of a pair are on its high word; a complement is on both."""
    u = m.scratch
    low_flip = flip if flip == ALL else np.uint32(0)
    for x in range(LANES):
        u[row + x] = m.registers[at + x] ^ low_flip
        u[A_HIGH + row + x] = (m.registers[at + LANES + x] & keep) ^ flip


@jit_inline()
def store_result(m, ins, w, lanes):
    """Copy the result from scratch to the destination in the lanes given."""
    at = own_at(m, w, ins.destination)
    _store(m, at, D, lanes)
    if ins.destination_words == 2:
        _store(m, at + LANES, D_HIGH, lanes)


@jit_inline()
def _store(m, at, row, lanes):
    """Copy a row of scratch to a register in the lanes given."""
    r = m.registers
    u = m.scratch
    if lanes == ALL:
        for x in range(LANES):
            r[at + x] = u[row + x]
    else:
        for x in range(LANES):
            keep = np.uint32(0) - (lanes >> np.uint32(x) & ONE)
            r[at + x] = (u[row + x] & keep) | (r[at + x] & ~keep)
