"""Predicates combined with each other and moved from registers."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ONE, A, B, set_predicate
from simcore.core.jit import jit


@jit()
def registers_to_predicates(m, ins, w, lanes):
    """R2P: each bit of the mask lets one predicate take the source's bit."""
    t = m.scratch
    for p in range(7):
        selected = np.uint32(0)
        bits = np.uint32(0)
        for x in range(32):
            selected |= (t[B + x] >> np.uint32(p) & ONE) << np.uint32(x)
            bits |= (t[A + x] >> np.uint32(ins.value + p) & ONE) << np.uint32(x)
        set_predicate(m, w, p, bits, selected & lanes)


@jit()
def combine_predicates(m, ins, w, lanes):
    """PLOP3: two truth tables over three predicates."""
    base = w * isa.PREDICATES
    a = m.predicates[base + ins.a] ^ ins.a_flip
    b = m.predicates[base + ins.b] ^ ins.b_flip
    c = m.predicates[base + ins.c] ^ ins.c_flip
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
