"""Moves, selection, sums and products of 32-bit words and of pairs, lane by lane."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import (
    A_HIGH,
    ALL,
    B_HIGH,
    C_HIGH,
    D_HIGH,
    ONE,
    SIGN,
    A,
    B,
    C,
    D,
    predicate_in,
    set_predicate,
    store_comparison,
)
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
(
    MOV, SEL, IADD3, IMAD, IMAD_HI, IMAD_WIDE, LEA, LEA_HI, IABS, ISETP, IADD64, MOV64,
    ISETP64, SEL64,
) = isa.operations(isa.INTEGER, 14)  # fmt: skip

# Modes. Sums and LEA: the carry comes from predicates. `value` of sums and of IMAD_WIDE, and `mode` of LEA from bit
# LEA_ONES_SHIFT on, hold how many sources are negated: their complements are in scratch, and this makes up for it.
CARRY_IN = 1
UNSIGNED = 2  # IMAD_HI and IMAD_WIDE
LEA_SIGN_EXTENDED = 2
LEA_NEGATED = 4  # a, once it is shifted
LEA_ONES_SHIFT = 4
COMPARE_UNSIGNED, COMPARE_EXTENDED = 64, 128  # ISETP, besides `isa.COMPARE_*`


@jit_inline()
def execute(m, ins, w, lanes):
    """Integer operations on 32-bit words; the result is in scratch."""
    u = m.scratch
    operation = ins.operation
    if operation == MOV:
        for x in range(LANES):
            u[D + x] = u[A + x]
    elif operation == IMAD:
        _imad(m, ins, w)
    elif operation == IADD3:
        _iadd3(m, ins, w, lanes)
    elif operation == ISETP or operation == ISETP64:
        _compare(m, ins, w, lanes)
    elif operation == SEL:
        chosen = predicate_in(m, ins, w, 0)
        for x in range(LANES):
            u[D + x] = u[A + x] if chosen >> np.uint32(x) & ONE else u[B + x]
    elif operation == IMAD_WIDE or operation == IMAD_HI:
        _imad_wide(m, ins, w, lanes, operation == IMAD_HI)
    elif operation == LEA:
        _lea(m, ins, w, lanes)
    elif operation == LEA_HI:
        _lea_high(m, ins, w, lanes)
    elif operation == IABS:
        for x in range(LANES):
            v = np.int32(u[A + x])
            u[D + x] = np.uint32(-v if v < 0 else v)
    elif operation == IADD64:
        _iadd64(m, ins, w, lanes)
    elif operation == SEL64:
        chosen = predicate_in(m, ins, w, 0)
        for x in range(LANES):
            is_first = chosen >> np.uint32(x) & ONE
            u[D + x] = u[A + x] if is_first else u[B + x]
            u[D_HIGH + x] = u[A_HIGH + x] if is_first else u[B_HIGH + x]
    else:
        for x in range(LANES):
            u[D + x] = u[A + x]
            u[D_HIGH + x] = u[A_HIGH + x]


@jit_inline()
def _imad(m, ins, w):
    u = m.scratch
    carry = predicate_in(m, ins, w, 0) if ins.mode & CARRY_IN else np.uint32(0)
    for x in range(LANES):
        u[D + x] = u[A + x] * u[B + x] + u[C + x]
    if carry:
        for x in range(LANES):
            u[D + x] += carry >> np.uint32(x) & ONE


@jit_inline()
def _iadd3(m, ins, w, lanes):
    u = m.scratch
    if (
        ins.mode == 0
        and ins.predicate_out_0 == isa.PREDICATE_TRASH
        and ins.predicate_out_1 == isa.PREDICATE_TRASH
    ):
        ones = np.uint32(ins.value)
        for x in range(LANES):
            u[D + x] = u[A + x] + u[B + x] + u[C + x] + ones
        return
    carry_0 = predicate_in(m, ins, w, 0) if ins.mode & CARRY_IN else np.uint32(0)
    carry_1 = predicate_in(m, ins, w, 1) if ins.mode & CARRY_IN else np.uint32(0)
    out_0 = np.uint32(0)
    out_1 = np.uint32(0)
    for x in range(LANES):
        total = np.uint64(u[A + x]) + np.uint64(u[B + x]) + np.uint64(u[C + x]) + np.uint64(ins.value)
        total += np.uint64(carry_0 >> np.uint32(x) & ONE) + np.uint64(carry_1 >> np.uint32(x) & ONE)
        u[D + x] = np.uint32(total & np.uint64(isa.FULL_MASK))
        carries = total >> np.uint64(32)
        out_0 |= np.uint32(carries >= np.uint64(1)) << np.uint32(x)
        out_1 |= np.uint32(carries >= np.uint64(2)) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, out_0, lanes)
    set_predicate(m, w, ins.predicate_out_1, out_1, lanes)


@jit_inline()
def _pair(u, low, high, x):
    """A lane's source of 64 bits."""
    return np.uint64(u[high + x]) << np.uint64(32) | np.uint64(u[low + x])


@jit()
def _iadd64(m, ins, w, lanes):
    """IADD.64 and IADD3.64; only the former, whose c is zero, sets a carry."""
    u = m.scratch
    carry_in = predicate_in(m, ins, w, 0) if ins.mode & CARRY_IN else np.uint32(0)
    carries = np.uint32(0)
    for x in range(LANES):
        a = _pair(u, A, A_HIGH, x)
        b = _pair(u, B, B_HIGH, x)
        c = _pair(u, C, C_HIGH, x)
        partial = a + b
        total = partial + c + np.uint64(ins.value) + np.uint64(carry_in >> np.uint32(x) & ONE)
        carries |= np.uint32(partial < a or total < partial) << np.uint32(x)
        u[D + x] = np.uint32(total & np.uint64(isa.FULL_MASK))
        u[D_HIGH + x] = np.uint32(total >> np.uint64(32))
    set_predicate(m, w, ins.predicate_out_0, carries, lanes)


@jit_inline()
def _imad_wide(m, ins, w, lanes, only_high):
    """A product of words and a sum of 64 bits. Few instructions take its carries, which take as long as itself."""
    u = m.scratch
    carry_in = predicate_in(m, ins, w, 0) if ins.mode & CARRY_IN else np.uint32(0)
    for x in range(LANES):
        _, total = _wide_sums(u, ins, carry_in, x)
        high = np.uint32(total >> np.uint64(32))
        u[D + x] = high if only_high else np.uint32(total & np.uint64(isa.FULL_MASK))
        u[D_HIGH + x] = high
    if ins.predicate_out_0 != isa.PREDICATE_TRASH:
        set_predicate(m, w, ins.predicate_out_0, _wide_carries(u, ins, carry_in), lanes)


@jit_inline()
def _wide_carries(u, ins, carry_in):
    carries = np.uint32(0)
    for x in range(LANES):
        partial, total = _wide_sums(u, ins, carry_in, x)
        carries |= np.uint32(partial < _pair(u, C, C_HIGH, x) or total < partial) << np.uint32(x)
    return carries


@jit_inline()
def _wide_sums(u, ins, carry_in, x):
    """A lane's product and c, without and with what is carried in."""
    if ins.mode & UNSIGNED:
        product = np.uint64(u[A + x]) * np.uint64(u[B + x])
    else:
        product = np.uint64(np.int64(np.int32(u[A + x])) * np.int64(np.int32(u[B + x])))
    partial = product + _pair(u, C, C_HIGH, x)
    return partial, partial + np.uint64(ins.value) + np.uint64(carry_in >> np.uint32(x) & ONE)


@jit_inline()
def _lea(m, ins, w, lanes):
    """LEA: a shifted left, plus b."""
    u = m.scratch
    shift = np.uint64(ins.value)
    carry = predicate_in(m, ins, w, 0) if ins.mode & CARRY_IN else np.uint32(0)
    carries = np.uint32(0)
    ones = np.uint64(ins.mode >> LEA_ONES_SHIFT)
    flip = np.uint64(isa.FULL_MASK if ins.mode & LEA_NEGATED else 0)
    for x in range(LANES):
        shifted = (np.uint64(u[A + x]) << shift & np.uint64(isa.FULL_MASK)) ^ flip
        total = shifted + np.uint64(u[B + x]) + ones + np.uint64(carry >> np.uint32(x) & ONE)
        u[D + x] = np.uint32(total & np.uint64(isa.FULL_MASK))
        carries |= np.uint32(total >> np.uint64(32) != np.uint64(0)) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, carries, lanes)


@jit_inline()
def _lea_high(m, ins, w, lanes):
    """LEA.HI: the upper word of the pair (a, c) shifted left, plus b."""
    u = m.scratch
    shift = np.uint64(ins.value)
    carry = predicate_in(m, ins, w, 0) if ins.mode & CARRY_IN else np.uint32(0)
    carries = np.uint32(0)
    ones = np.uint64(ins.mode >> LEA_ONES_SHIFT)
    for x in range(LANES):
        a = u[A + x]
        high = (ALL if a & SIGN else np.uint32(0)) if ins.mode & LEA_SIGN_EXTENDED else u[C + x]
        v = np.uint64(high) << np.uint64(32) | np.uint64(a)
        total = (v << shift >> np.uint64(32)) + np.uint64(u[B + x]) + ones
        total += np.uint64(carry >> np.uint32(x) & ONE)
        u[D + x] = np.uint32(total & np.uint64(isa.FULL_MASK))
        carries |= np.uint32(total >> np.uint64(32) != np.uint64(0)) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, carries, lanes)


@jit_inline()
def _compare(m, ins, w, lanes):
    """ISETP: a comparison, met with another predicate, and its complement."""
    u = m.scratch
    mode = ins.mode
    flip = np.uint32(0) if mode & COMPARE_UNSIGNED else SIGN  # orders signed words as unsigned ones
    less = np.uint32(0)
    greater = np.uint32(0)
    if ins.operation == ISETP64:
        for x in range(LANES):
            a_high = u[A_HIGH + x] ^ flip
            b_high = u[B_HIGH + x] ^ flip
            a, b = u[A + x], u[B + x]
            less |= np.uint32(a_high < b_high or (a_high == b_high and a < b)) << np.uint32(x)
            greater |= np.uint32(a_high > b_high or (a_high == b_high and a > b)) << np.uint32(x)
    else:
        for x in range(LANES):
            a = u[A + x] ^ flip
            b = u[B + x] ^ flip
            less |= np.uint32(a < b) << np.uint32(x)
            greater |= np.uint32(a > b) << np.uint32(x)
    equal = ~(less | greater)
    bits = np.uint32(0)
    if mode & isa.COMPARE_LESS:
        bits |= less
    if mode & isa.COMPARE_GREATER:
        bits |= greater
    if mode & COMPARE_EXTENDED:
        bits |= equal & predicate_in(m, ins, w, 1)
    elif mode & isa.COMPARE_EQUAL:
        bits |= equal
    store_comparison(m, ins, w, bits, lanes)
