"""Predicates combined with each other, and moved to and from registers."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ALL, ONE, A, B, C, D, set_predicate
from simcore.core.jit import jit

LANES = isa.LANES
NUMBERED = (
    isa.PREDICATE_TRUE
)  # predicates that P2R and R2P move: P0 to P6, or as many from the one that `mode` says
(PLOP3, P2R, R2P, PLOP3_SIGNS) = isa.operations(isa.PREDICATE, 4)


@jit()
def execute(m, ins, w, lanes):
    """Combine or move predicates; P2R's result is in scratch."""
    if ins.operation == PLOP3:
        base = w * isa.PREDICATES
        a = m.predicates[base + ins.a] ^ ins.a_flip
        b = m.predicates[base + ins.b] ^ ins.b_flip
        c = m.predicates[base + ins.c] ^ ins.c_flip
        _combine(m, ins, w, lanes, a, b, c)
    elif ins.operation == PLOP3_SIGNS:
        _combine(m, ins, w, lanes, _signs(m, A), _signs(m, B), _signs(m, C))
    elif ins.operation == P2R:
        _to_register(m, ins, w)
    else:
        _from_register(m, ins, w, lanes)


@jit()
def _signs(m, row):
    """The signs of a source in scratch, a bit a lane."""
    bits = np.uint32(0)
    for x in range(LANES):
        bits |= (m.scratch[row + x] >> np.uint32(31)) << np.uint32(x)
    return bits


@jit()
def _combine(m, ins, w, lanes, a, b, c):
    """PLOP3: two truth tables, `value` and `mode`, over three predicates or the signs of three registers."""
    first = np.uint32(0)
    second = np.uint32(0)
    for row in range(8):
        term = (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        if ins.value >> row & 1:
            first |= term
        if ins.mode >> row & 1:
            second |= term
    set_predicate(m, w, ins.predicate_out_0, first, lanes)
    set_predicate(m, w, ins.predicate_out_1, second, lanes)


@jit()
def _to_register(m, ins, w):
    """P2R: a byte of the source is replaced by the predicates, in the bits of the mask."""
    u = m.scratch
    for x in range(LANES):
        bits = np.uint32(0)
        for p in range(NUMBERED):
            bits |= (m.predicates[w * isa.PREDICATES + ins.mode + p] >> np.uint32(x) & ONE) << np.uint32(p)
        mask = u[B + x] << np.uint32(ins.value)
        u[D + x] = (u[A + x] & ~mask) | (bits << np.uint32(ins.value) & mask)


@jit()
def _from_register(m, ins, w, lanes):
    """R2P: each bit of the mask lets one predicate take the source's bit."""
    u = m.scratch
    written = ALL if ins.mode == isa.UNIFORM_PREDICATES else lanes
    for p in range(NUMBERED):
        selected = np.uint32(0)
        bits = np.uint32(0)
        for x in range(LANES):
            selected |= (u[B + x] >> np.uint32(p) & ONE) << np.uint32(x)
            bits |= (u[A + x] >> np.uint32(ins.value + p) & ONE) << np.uint32(x)
        set_predicate(m, w, ins.mode + p, bits, selected & written)
