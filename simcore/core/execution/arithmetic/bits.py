"""Logic, shifts, permutations and counts of the bits of a word, lane by lane."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ALL, ONE, SIGN, A, B, C, D, predicate_in, set_predicate
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
(LOP3, SHF, PRMT, POPC, FLO, BREV, SGXT, BMSK) = isa.operations(isa.BITS, 8)

# Modes
LOP3_AND = 1  # the predicate says whether the result is not zero and, instead of or, another predicate holds
SHIFT_RIGHT, SHIFT_SIGNED, SHIFT_HIGH, SHIFT_WRAP, SHIFT_64 = 1, 2, 4, 8, 16
UNSIGNED = 2  # FLO and SGXT
WRAPPED = 8  # SGXT and BMSK: bit counts and positions count from 0 again after 31
FLO_SHIFT = 4  # how far to shift left until the leading bit is at the top, instead of its position

# LOP3's truth tables that are worth a loop of their own.
(A_AND_B, A_OR_B, A_XOR_B) = (0xC0, 0xFC, 0x3C)


@jit_inline()
def execute(m, ins, w, lanes):
    """Operations on the bits of words; the result is in scratch."""
    operation = ins.operation
    if operation == LOP3:
        _lop3(m, ins, w, lanes)
    elif operation == SHF:
        _shf(m, ins)
    elif operation == PRMT:
        _prmt(m, ins)
    else:
        _of_each_lane(m, ins)


@jit_inline()
def _lop3(m, ins, w, lanes):
    u = m.scratch
    table = ins.value
    if table == A_AND_B:
        for x in range(LANES):
            u[D + x] = u[A + x] & u[B + x]
    elif table == A_OR_B:
        for x in range(LANES):
            u[D + x] = u[A + x] | u[B + x]
    elif table == A_XOR_B:
        for x in range(LANES):
            u[D + x] = u[A + x] ^ u[B + x]
    else:
        _truth_table(m, table)
    if ins.predicate_out_0 != isa.PREDICATE_TRASH:
        bits = np.uint32(0)
        for x in range(LANES):
            bits |= np.uint32(u[D + x] != 0) << np.uint32(x)
        other = predicate_in(m, ins, w, 0)
        bits = bits & other if ins.mode & LOP3_AND else bits | other
        set_predicate(m, w, ins.predicate_out_0, bits, lanes)


@jit_inline()
def _truth_table(m, table):
    """Bit 4 a + 2 b + c of the table is the result for these bits."""
    u = m.scratch
    m0 = ALL if table & 1 else np.uint32(0)
    m1 = ALL if table & 2 else np.uint32(0)
    m2 = ALL if table & 4 else np.uint32(0)
    m3 = ALL if table & 8 else np.uint32(0)
    m4 = ALL if table & 16 else np.uint32(0)
    m5 = ALL if table & 32 else np.uint32(0)
    m6 = ALL if table & 64 else np.uint32(0)
    m7 = ALL if table & 128 else np.uint32(0)
    for x in range(LANES):
        a = u[A + x]
        b = u[B + x]
        c = u[C + x]
        u[D + x] = (
            (~a & ~b & ~c & m0) | (~a & ~b & c & m1) | (~a & b & ~c & m2) | (~a & b & c & m3)
            | (a & ~b & ~c & m4) | (a & ~b & c & m5) | (a & b & ~c & m6) | (a & b & c & m7)
        )  # fmt: skip


@jit_inline()
def _shf(m, ins):
    """SHF: the pair (a, c) shifted by b."""
    u = m.scratch
    mode = ins.mode
    limit = np.uint64(64 if mode & SHIFT_64 else 32)
    high = mode & SHIFT_HIGH
    for x in range(LANES):
        v = np.uint64(u[C + x]) << np.uint64(32) | np.uint64(u[A + x])
        s = np.uint64(u[B + x])
        s = s & (limit - np.uint64(1)) if mode & SHIFT_WRAP else min(s, limit)
        if not mode & SHIFT_RIGHT:
            v = np.uint64(0) if s >= np.uint64(64) else v << s
        elif mode & SHIFT_SIGNED:
            v = np.uint64(np.int64(v) >> np.int64(min(s, np.uint64(63))))
        else:
            v = np.uint64(0) if s >= np.uint64(64) else v >> s
        u[D + x] = np.uint32(v >> np.uint64(32)) if high else np.uint32(v & np.uint64(isa.FULL_MASK))


@jit()
def _prmt(m, ins):
    """PRMT: four bytes of the pair (a, c), each picked by four bits of b; the highest of these repeats its sign.

    `value`, if it is not 0, holds four selectors of 16 bits, of which b names one.
    """
    u = m.scratch
    for x in range(LANES):
        pool = np.uint64(u[C + x]) << np.uint64(32) | np.uint64(u[A + x])
        selector = u[B + x]
        if ins.value:
            selector = np.uint32(ins.value >> np.int64(16 * (selector & np.uint32(3))) & 0xFFFF)
        out = np.uint32(0)
        for byte in range(4):
            choice = selector >> np.uint32(4 * byte) & np.uint32(15)
            value = np.uint32(pool >> np.uint64(8 * (choice & np.uint32(7))) & np.uint64(255))
            if choice & np.uint32(8):
                value = np.uint32(255) if value & np.uint32(128) else np.uint32(0)
            out |= value << np.uint32(8 * byte)
        u[D + x] = out


@jit()
def _of_each_lane(m, ins):
    u = m.scratch
    operation = ins.operation
    for x in range(LANES):
        if operation == POPC:
            u[D + x] = _count_ones(u[A + x])
        elif operation == BREV:
            u[D + x] = _reverse(u[A + x])
        elif operation == FLO:
            u[D + x] = _find_leading(u[A + x], ins.mode)
        elif operation == SGXT:
            u[D + x] = _extend(u[A + x], _bits(u[B + x], ins.mode), ins.mode)
        else:
            u[D + x] = _mask(_bits(u[A + x], ins.mode), _bits(u[B + x], ins.mode))


@jit_inline()
def _bits(count, mode):
    """A number of bits or a position, of 32 at most."""
    return count & np.uint32(31) if mode & WRAPPED else min(count, np.uint32(32))


@jit_inline()
def _count_ones(a):
    count = np.uint32(0)
    for bit in range(32):
        count += a >> np.uint32(bit) & ONE
    return np.uint32(count)


@jit_inline()
def _reverse(a):
    out = np.uint32(0)
    for bit in range(32):
        out |= (a >> np.uint32(bit) & ONE) << np.uint32(31 - bit)
    return out


@jit_inline()
def _find_leading(a, mode):
    """FLO: the position of the leading one or, of a negative number, of the leading zero; all ones if there is none."""
    v = ~a if not mode & UNSIGNED and a & SIGN else a
    position = 31
    while position >= 0 and not v >> np.uint32(position) & ONE:
        position -= 1
    if position < 0:
        return ALL
    return np.uint32(31 - position if mode & FLO_SHIFT else position)


@jit_inline()
def _extend(a, bits, mode):
    """SGXT: the lowest bits, sign-extended unless unsigned."""
    if bits == 0:
        return np.uint32(0)
    if bits >= 32:
        return a
    low = a & ((ONE << bits) - ONE)
    if not mode & UNSIGNED and low >> (bits - ONE) & ONE:
        low |= ALL << bits
    return np.uint32(low)


@jit_inline()
def _mask(start, count):
    """BMSK: ones from a bit on."""
    ones = ALL if count == 32 else (ONE << count) - ONE
    return np.uint32(0) if start == 32 else np.uint32(ones << start)
