"""Integer and logic operations on 32-bit words, lane by lane."""

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
    guard,
    predicate_in,
    set_predicate,
    store_comparison,
)
from simcore.core.jit import jit, jit_inline


@jit_inline()
def integers(operation, m, ins, w):
    """Integer and logic operations on 32-bit words; the result is in scratch."""
    t = m.scratch
    mode = ins.mode
    if operation == isa.MOV:
        for x in range(32):
            t[D + x] = t[A + x]
    elif operation == isa.IMAD:
        carry = predicate_in(m, ins, w, 0) if mode & 1 else np.uint32(0)
        for x in range(32):
            t[D + x] = t[A + x] * t[B + x] + t[C + x]
        if carry:
            for x in range(32):
                t[D + x] += carry >> np.uint32(x) & ONE
    elif operation == isa.IADD3:
        _iadd3(m, ins, w)
    elif operation == isa.LOP3:
        _lop3(m, ins, w)
    elif operation == isa.SHF:
        _shf(m, ins)
    elif operation == isa.SEL:
        chosen = predicate_in(m, ins, w, 0)
        for x in range(32):
            t[D + x] = t[A + x] if chosen >> np.uint32(x) & ONE else t[B + x]
    elif operation == isa.IMAD_WIDE or operation == isa.IMAD_HI:
        _imad_wide(m, ins, w, operation == isa.IMAD_HI)
    elif operation == isa.LEA:
        shift = np.uint64(ins.value)
        carries = np.uint32(0)
        extra = np.uint64(mode >> 4)
        for x in range(32):
            total = (np.uint64(t[A + x]) << shift & np.uint64(isa.FULL_MASK)) + np.uint64(t[B + x]) + extra
            t[D + x] = np.uint32(total & np.uint64(isa.FULL_MASK))
            carries |= np.uint32(total >> np.uint64(32) != np.uint64(0)) << np.uint32(x)
        set_predicate(m, w, ins.predicate_out_0, carries, m.active[w] & guard(m, ins, w))
    elif operation == isa.LEA_HI:
        _lea_high(m, ins, w)
    elif operation == isa.IMNMX or operation == isa.IADD_MNMX or operation == isa.IMNMX3:
        _minmax(operation, m, ins, w)
    elif operation == isa.IABS:
        for x in range(32):
            v = np.int32(t[A + x])
            t[D + x] = np.uint32(-v if v < 0 else v)
    elif operation == isa.PRMT:
        _prmt(m)
    else:
        _bit_operations(operation, m, ins, w)


@jit()
def _bit_operations(operation, m, ins, w):
    t = m.scratch
    mode = ins.mode
    for x in range(32):
        a = t[A + x]
        b = t[B + x]
        if operation == isa.POPC:
            count = np.uint32(0)
            for bit in range(32):
                count += a >> np.uint32(bit) & ONE
            t[D + x] = count
        elif operation == isa.BREV:
            out = np.uint32(0)
            for bit in range(32):
                out |= (a >> np.uint32(bit) & ONE) << np.uint32(31 - bit)
            t[D + x] = out
        elif operation == isa.FLO:
            v = a
            if not mode & 2 and a & SIGN:
                v = ~a
            position = 31
            while position >= 0 and not v >> np.uint32(position) & ONE:
                position -= 1
            if position < 0:
                t[D + x] = ALL
            else:
                t[D + x] = np.uint32(31 - position if mode & 4 else position)
        elif operation == isa.SGXT:
            bits = min(b, np.uint32(32))
            if bits == 0:
                t[D + x] = np.uint32(0)
            elif bits >= 32:
                t[D + x] = a
            else:
                low = a & ((ONE << bits) - ONE)
                if not mode & 2 and low >> (bits - ONE) & ONE:
                    low |= ALL << bits
                t[D + x] = low
        elif operation == isa.BMSK:
            start = min(a, np.uint32(32))
            count = min(b, np.uint32(32))
            ones = ALL if count == 32 else (ONE << count) - ONE
            t[D + x] = np.uint32(0) if start == 32 else ones << start
        elif operation == isa.IDP:
            t[D + x] = _dot_product(a, b, t[C + x], mode)
        elif operation == isa.VABSDIFF:
            t[D + x] = _absolute_difference(a, b, t[C + x], mode)
        elif operation == isa.IADD64:
            va = np.uint64(t[A_HIGH + x]) << np.uint64(32) | np.uint64(a)
            vb = np.uint64(t[B_HIGH + x]) << np.uint64(32) | np.uint64(b)
            total = va + vb + np.uint64(ins.value)
            t[D + x] = np.uint32(total & np.uint64(isa.FULL_MASK))
            t[D_HIGH + x] = np.uint32(total >> np.uint64(32))
        elif operation == isa.MOV64:
            t[D + x] = a
            t[D_HIGH + x] = t[A_HIGH + x]
        elif operation == isa.P2R:
            bits = np.uint32(0)
            for p in range(7):
                bits |= (m.predicates[w * isa.PREDICATES + p] >> np.uint32(x) & ONE) << np.uint32(p)
            mask = b << np.uint32(ins.value)
            t[D + x] = (a & ~mask) | (bits << np.uint32(ins.value) & mask)


@jit_inline()
def _iadd3(m, ins, w):
    t = m.scratch
    if (
        ins.mode == 0
        and ins.predicate_out_0 == isa.PREDICATE_TRASH
        and ins.predicate_out_1 == isa.PREDICATE_TRASH
    ):
        extra = np.uint32(ins.value)
        for x in range(32):
            t[D + x] = t[A + x] + t[B + x] + t[C + x] + extra
        return
    carry_0 = predicate_in(m, ins, w, 0) if ins.mode else np.uint32(0)
    carry_1 = predicate_in(m, ins, w, 1) if ins.mode else np.uint32(0)
    out_0 = np.uint32(0)
    out_1 = np.uint32(0)
    for x in range(32):
        total = np.uint64(t[A + x]) + np.uint64(t[B + x]) + np.uint64(t[C + x]) + np.uint64(ins.value)
        total += np.uint64(carry_0 >> np.uint32(x) & ONE) + np.uint64(carry_1 >> np.uint32(x) & ONE)
        t[D + x] = np.uint32(total & np.uint64(isa.FULL_MASK))
        carries = total >> np.uint64(32)
        out_0 |= np.uint32(carries >= np.uint64(1)) << np.uint32(x)
        out_1 |= np.uint32(carries >= np.uint64(2)) << np.uint32(x)
    lanes = m.active[w] & guard(m, ins, w)
    set_predicate(m, w, ins.predicate_out_0, out_0, lanes)
    set_predicate(m, w, ins.predicate_out_1, out_1, lanes)


@jit_inline()
def _lop3(m, ins, w):
    t = m.scratch
    table = ins.value
    if table == 0xC0:
        for x in range(32):
            t[D + x] = t[A + x] & t[B + x]
    elif table == 0xFC:
        for x in range(32):
            t[D + x] = t[A + x] | t[B + x]
    elif table == 0x3C:
        for x in range(32):
            t[D + x] = t[A + x] ^ t[B + x]
    else:
        m0 = ALL if table & 1 else np.uint32(0)
        m1 = ALL if table & 2 else np.uint32(0)
        m2 = ALL if table & 4 else np.uint32(0)
        m3 = ALL if table & 8 else np.uint32(0)
        m4 = ALL if table & 16 else np.uint32(0)
        m5 = ALL if table & 32 else np.uint32(0)
        m6 = ALL if table & 64 else np.uint32(0)
        m7 = ALL if table & 128 else np.uint32(0)
        for x in range(32):
            a = t[A + x]
            b = t[B + x]
            c = t[C + x]
            t[D + x] = (
                (~a & ~b & ~c & m0) | (~a & ~b & c & m1) | (~a & b & ~c & m2) | (~a & b & c & m3)
                | (a & ~b & ~c & m4) | (a & ~b & c & m5) | (a & b & ~c & m6) | (a & b & c & m7)
            )  # fmt: skip
    if ins.predicate_out_0 != isa.PREDICATE_TRASH:
        bits = np.uint32(0)
        for x in range(32):
            bits |= np.uint32(t[D + x] != 0) << np.uint32(x)
        other = predicate_in(m, ins, w, 0)
        bits = bits & other if ins.mode else bits | other
        set_predicate(m, w, ins.predicate_out_0, bits, m.active[w] & guard(m, ins, w))


@jit_inline()
def _shf(m, ins):
    t = m.scratch
    mode = ins.mode
    limit = np.uint64(64 if mode & isa.SHIFT_64 else 32)
    high = mode & isa.SHIFT_HIGH
    for x in range(32):
        v = np.uint64(t[C + x]) << np.uint64(32) | np.uint64(t[A + x])
        s = np.uint64(t[B + x])
        s = s & (limit - np.uint64(1)) if mode & isa.SHIFT_WRAP else min(s, limit)
        if not mode & isa.SHIFT_RIGHT:
            v = np.uint64(0) if s >= np.uint64(64) else v << s
        elif mode & isa.SHIFT_SIGNED:
            v = np.uint64(np.int64(v) >> np.int64(min(s, np.uint64(63))))
        else:
            v = np.uint64(0) if s >= np.uint64(64) else v >> s
        t[D + x] = np.uint32(v >> np.uint64(32)) if high else np.uint32(v & np.uint64(isa.FULL_MASK))


@jit_inline()
def _imad_wide(m, ins, w, only_high):
    t = m.scratch
    carry_in = predicate_in(m, ins, w, 0) if ins.mode & 1 else np.uint32(0)
    carries = np.uint32(0)
    for x in range(32):
        c = np.uint64(t[C_HIGH + x]) << np.uint64(32) | np.uint64(t[C + x])
        if ins.mode & 2:
            product = np.uint64(t[A + x]) * np.uint64(t[B + x])
        else:
            product = np.uint64(np.int64(np.int32(t[A + x])) * np.int64(np.int32(t[B + x])))
        partial = product + c
        total = partial + np.uint64(carry_in >> np.uint32(x) & ONE)
        carries |= np.uint32(partial < c or total < partial) << np.uint32(x)
        high = np.uint32(total >> np.uint64(32))
        t[D + x] = high if only_high else np.uint32(total & np.uint64(isa.FULL_MASK))
        t[D_HIGH + x] = high
    set_predicate(m, w, ins.predicate_out_0, carries, m.active[w] & guard(m, ins, w))


@jit_inline()
def _lea_high(m, ins, w):
    t = m.scratch
    shift = np.uint64(ins.value)
    carry = predicate_in(m, ins, w, 0) if ins.mode & 1 else np.uint32(0)
    for x in range(32):
        a = t[A + x]
        high = (ALL if a & SIGN else np.uint32(0)) if ins.mode & 2 else t[C + x]
        v = np.uint64(high) << np.uint64(32) | np.uint64(a)
        shifted = np.uint32(v << shift >> np.uint64(32))
        t[D + x] = shifted + t[B + x] + (carry >> np.uint32(x) & ONE) + np.uint32(ins.mode >> 4)


@jit_inline()
def _part(word, part, bits, unsigned):
    """One of the parts of a packed word as an integer."""
    value = np.int64(word >> np.uint32(bits * part)) & ((1 << bits) - 1)
    return value if unsigned or not value >> (bits - 1) else value - (1 << bits)


@jit()
def _dot_product(a, b, c, mode):
    """IDP: four bytes by four, or two halfwords by two bytes, and their sum with c."""
    total = np.int64(c)
    for i in range(2 if mode & 4 else 4):
        p = _part(a, i, 16 if mode & 4 else 8, mode & 1)
        q = _part(b, i + 2 if mode & 8 else i, 8, mode & 2)
        total += p * q
    return np.uint32(total & isa.FULL_MASK)


@jit()
def _absolute_difference(a, b, c, mode):
    """VABSDIFF of words, to which c is added, and VABSDIFF4 of bytes, packed or summed with c."""
    if not mode & 1:
        return np.uint32(
            (abs(_part(a, 0, 32, mode & 2) - _part(b, 0, 32, mode & 2)) + np.int64(c)) & isa.FULL_MASK
        )
    packed = np.int64(0)
    total = np.int64(c)
    for i in range(4):
        difference = abs(_part(a, i, 8, mode & 2) - _part(b, i, 8, mode & 2))
        packed |= difference << (8 * i)
        total += difference
    return np.uint32((total if mode & 4 else packed) & isa.FULL_MASK)


@jit()
def _packed_minmax(m, ins, w, bits):
    """VIMNMX of the parts of a word."""
    t = m.scratch
    smaller = predicate_in(m, ins, w, 0)
    for x in range(32):
        out = np.int64(0)
        for i in range(32 // bits):
            p = _part(t[A + x], i, bits, ins.mode & 2)
            q = _part(t[B + x], i, bits, ins.mode & 2)
            best = min(p, q) if smaller >> np.uint32(x) & ONE else max(p, q)
            if ins.mode & 4:
                best = max(best, 0)
            out |= (best & ((1 << bits) - 1)) << (bits * i)
        t[D + x] = np.uint32(out)


@jit()
def _minmax(operation, m, ins, w):
    if ins.mode >> 8:
        _packed_minmax(m, ins, w, ins.mode >> 8)
        return
    t = m.scratch
    smaller = predicate_in(m, ins, w, 0)
    flip = np.uint32(0) if ins.mode & 2 else SIGN  # orders signed words as unsigned ones
    for x in range(32):
        a = t[A + x] ^ flip
        b = t[B + x] ^ flip
        if operation == isa.IADD_MNMX:
            a = np.uint32(t[A + x] + t[B + x]) ^ flip  # numba adds in 64 bits
            b = t[C + x] ^ flip
        take_smaller = smaller >> np.uint32(x) & ONE
        best = min(a, b) if take_smaller else max(a, b)
        if operation == isa.IMNMX3:
            c = t[C + x] ^ flip
            best = min(best, c) if take_smaller else max(best, c)
        if ins.mode & 4:
            best = max(best, SIGN)
        t[D + x] = best ^ flip


@jit()
def _prmt(m):
    t = m.scratch
    for x in range(32):
        pool = np.uint64(t[C + x]) << np.uint64(32) | np.uint64(t[A + x])
        selector = t[B + x]
        out = np.uint32(0)
        for byte in range(4):
            choice = selector >> np.uint32(4 * byte) & np.uint32(15)
            value = np.uint32(pool >> np.uint64(8 * (choice & np.uint32(7))) & np.uint64(255))
            if choice & np.uint32(8):
                value = np.uint32(255) if value & np.uint32(128) else np.uint32(0)
            out |= value << np.uint32(8 * byte)
        t[D + x] = out


@jit_inline()
def compare_integers(m, ins, w, lanes):
    """ISETP: a comparison, met with another predicate, and its complement."""
    t = m.scratch
    mode = ins.mode
    flip = np.uint32(0) if mode & isa.COMPARE_UNSIGNED else SIGN
    less = np.uint32(0)
    greater = np.uint32(0)
    for x in range(32):
        a = t[A + x] ^ flip
        b = t[B + x] ^ flip
        less |= np.uint32(a < b) << np.uint32(x)
        greater |= np.uint32(a > b) << np.uint32(x)
    equal = ~(less | greater)
    bits = np.uint32(0)
    if mode & isa.COMPARE_LESS:
        bits |= less
    if mode & isa.COMPARE_GREATER:
        bits |= greater
    if mode & isa.COMPARE_EXTENDED:
        bits |= equal & predicate_in(m, ins, w, 1)
    elif mode & isa.COMPARE_EQUAL:
        bits |= equal
    store_comparison(m, ins, w, bits, lanes)
