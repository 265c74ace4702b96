"""What one instruction does to the 32 lanes of a warp, arithmetic only.

Sources are copied to scratch (sign and complement applied on the way), the result is computed there for all
lanes, and the lanes that take part store it. Scratch rows: a, b, c, then the high words of pairs, then the
result and its high word.
"""

import math

import numpy as np

from simcore.core import isa
from simcore.core.jit import jit, jit_inline
from simcore.core.rounding import (
    fma,
    fma_error,
    round_double,
    round_half,
    round_integral,
    round_single,
    sum_error,
)

A, B, C, A_HIGH, B_HIGH, C_HIGH, D, D_HIGH = 0, 32, 64, 96, 128, 160, 192, 224
ONE = np.uint32(1)
ALL = np.uint32(isa.FULL_MASK)
SIGN = np.uint32(0x8000_0000)


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
            total = t[C + x]
            for byte in range(4):
                p = np.int64(a >> np.uint32(8 * byte) & np.uint32(255))
                q = np.int64(b >> np.uint32(8 * byte) & np.uint32(255))
                if not mode & 1 and p > 127:
                    p -= 256
                if not mode & 2 and q > 127:
                    q -= 256
                total += np.uint32(p * q & isa.FULL_MASK)
            t[D + x] = total
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


@jit_inline()
def guard(m, ins, w):
    """The lanes that the guard predicate lets through."""
    return m.predicates[w * isa.PREDICATES + ins.guard] ^ ins.guard_flip


@jit_inline()
def predicate_in(m, ins, w, which):
    """A predicate that is read besides the guard, a bit a lane."""
    if which == 0:
        return m.predicates[w * isa.PREDICATES + ins.predicate_in_0] ^ ins.predicate_in_0_flip
    return m.predicates[w * isa.PREDICATES + ins.predicate_in_1] ^ ins.predicate_in_1_flip


@jit_inline()
def set_predicate(m, w, index, bits, lanes):
    """Store a predicate in the lanes that take part."""
    at = w * isa.PREDICATES + index
    m.predicates[at] = (m.predicates[at] & ~lanes) | (bits & lanes)


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


@jit()
def _minmax(operation, m, ins, w):
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
    _store_comparison(m, ins, w, bits, lanes)


@jit_inline()
def _store_comparison(m, ins, w, bits, lanes):
    other = predicate_in(m, ins, w, 0)
    first = bits
    second = ~bits
    if ins.mode & isa.BOOLEAN_OR:
        first |= other
        second |= other
    elif ins.mode & isa.BOOLEAN_XOR:
        first ^= other
        second ^= other
    else:
        first &= other
        second &= other
    set_predicate(m, w, ins.predicate_out_0, first, lanes)
    set_predicate(m, w, ins.predicate_out_1, second, lanes)


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


# --- Single precision -------------------------------------------------------------------------------------


@jit_inline()
def singles(operation, m, ins, w):
    """Single-precision arithmetic; the result is in scratch."""
    f = m.scratch_float
    if operation == isa.FADD:
        for x in range(32):
            f[D + x] = f[A + x] + f[B + x]
    elif operation == isa.FMUL:
        for x in range(32):
            f[D + x] = f[A + x] * f[B + x]
    elif operation == isa.FFMA:
        for x in range(32):
            f[D + x] = fma(f[A + x], f[B + x], f[C + x])
    elif operation == isa.FMNMX or operation == isa.FMNMX3:
        _float_minmax(operation, m, ins, w)
    elif operation == isa.MUFU:
        _special_function(m, ins)
    elif operation == isa.FSET:
        bits = _compare_singles(m, ins) & predicate_in(m, ins, w, 0)
        for x in range(32):
            true = np.uint32(0x3F80_0000) if ins.value else ALL
            m.scratch[D + x] = true if bits >> np.uint32(x) & ONE else np.uint32(0)
        return
    if ins.mode and operation <= isa.FFMA:
        _directed(operation, m, ins)


@jit()
def _directed(operation, m, ins):
    """Directed rounding and saturation, which few instructions ask for."""
    f = m.scratch_float
    for x in range(32):
        if ins.mode & 3:
            # The product of two singles is exact in a double.
            product = np.float64(f[A + x])
            addend = np.float64(f[B + x])
            if operation != isa.FADD:
                product *= addend
                addend = np.float64(f[C + x]) if operation == isa.FFMA else 0.0
            total = product + addend
            f[D + x] = round_single(total, sum_error(product, addend, total), ins.mode & 3)
        if ins.mode & isa.FLOAT_SATURATE:
            v = f[D + x]
            f[D + x] = np.float32(0) if not v > 0 else min(v, np.float32(1))


@jit()
def _float_minmax(operation, m, ins, w):
    f = m.scratch_float
    smaller = predicate_in(m, ins, w, 0)
    for x in range(32):
        best = _pick(f[A + x], f[B + x], smaller >> np.uint32(x) & ONE)
        if operation == isa.FMNMX3:
            best = _pick(best, f[C + x], smaller >> np.uint32(x) & ONE)
        f[D + x] = best


@jit()
def _pick(a, b, smaller):
    if math.isnan(a):
        return b
    if math.isnan(b):
        return a
    return min(a, b) if smaller else max(a, b)


@jit_inline()
def _compare_singles(m, ins):
    f = m.scratch_float
    mode = ins.mode
    bits = np.uint32(0)
    for x in range(32):
        a = f[A + x]
        b = f[B + x]
        hit = (
            (mode & isa.COMPARE_LESS != 0 and a < b)
            or (mode & isa.COMPARE_EQUAL != 0 and a == b)
            or (mode & isa.COMPARE_GREATER != 0 and a > b)
            or (mode & isa.COMPARE_UNORDERED != 0 and not (a <= b or a > b))
        )
        bits |= np.uint32(hit) << np.uint32(x)
    return bits


@jit_inline()
def compare_singles(m, ins, w, lanes):
    """FSETP."""
    _store_comparison(m, ins, w, _compare_singles(m, ins), lanes)


@jit()
def check_division(m, ins, w, lanes):
    """FCHK: whether a division needs the slow path (an operand, or the quotient, near the range's ends)."""
    t = m.scratch
    bits = np.uint32(0)
    for x in range(32):
        ea = np.int64(t[A + x] >> np.uint32(23) & np.uint32(255))
        eb = np.int64(t[B + x] >> np.uint32(23) & np.uint32(255))
        slow = ea == 255 or eb == 255 or eb == 0 or eb >= 253 or ea <= 23 or ea - eb >= 126 or ea - eb <= -126
        bits |= np.uint32(slow) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, bits, lanes)


@jit()
def _special_function(m, ins):
    f = m.scratch_float
    t = m.scratch
    mode = ins.mode
    for x in range(32):
        a = np.float64(f[A + x])
        if mode == isa.MUFU_RCP:
            v = np.inf if a == 0.0 else 1.0 / a
            f[D + x] = np.float32(math.copysign(v, a))
        elif mode == isa.MUFU_RSQ:
            f[D + x] = (
                np.float32(np.inf if a == 0.0 else 1.0 / math.sqrt(a)) if a >= 0.0 else np.float32(np.nan)
            )
        elif mode == isa.MUFU_SQRT:
            f[D + x] = np.float32(math.sqrt(a)) if a >= 0.0 else np.float32(np.nan)
        elif mode == isa.MUFU_EX2:
            f[D + x] = np.float32(np.inf if a > 129.0 else 2.0**a)
        elif mode == isa.MUFU_LG2:
            if a > 0.0:
                f[D + x] = np.float32(math.log2(a)) if a < np.inf else np.float32(np.inf)
            else:
                f[D + x] = np.float32(-np.inf) if a == 0.0 else np.float32(np.nan)
        elif mode == isa.MUFU_SIN:
            f[D + x] = np.float32(math.sin(a * 2.0 * math.pi))
        elif mode == isa.MUFU_COS:
            f[D + x] = np.float32(math.cos(a * 2.0 * math.pi))
        elif mode == isa.MUFU_TANH:
            f[D + x] = np.float32(math.tanh(a))
        else:
            # The 64H forms take and give the high word of a double.
            m.wide[x] = np.uint64(t[A + x]) << np.uint64(32)
            d = m.wide_float[x]
            if mode == isa.MUFU_RCP64H:
                m.wide_float[x] = math.copysign(np.inf, d) if d == 0.0 else 1.0 / d
            else:
                m.wide_float[x] = np.inf if d == 0.0 else 1.0 / math.sqrt(d) if d > 0.0 else np.nan
            t[D + x] = np.uint32(m.wide[x] >> np.uint64(32))


# --- Conversions ------------------------------------------------------------------------------------------


@jit()
def conversions(operation, m, ins):
    """Between integers, singles, doubles and halves; the result is in scratch."""
    t = m.scratch
    f = m.scratch_float
    for x in range(32):
        if operation == isa.I2F:
            _integer_to_float(m, ins, x)
        elif operation == isa.F2I:
            _float_to_integer(m, ins, x)
        elif operation == isa.FRND:
            if ins.width == 8:
                v = _double(m, x, A, A_HIGH)
                _set_double(m, x, v if not math.isfinite(v) else np.float64(round_integral(v, ins.mode)))
            else:
                s = np.float64(f[A + x])
                f[D + x] = np.float32(s if not math.isfinite(s) else np.float64(round_integral(s, ins.mode)))
        elif operation == isa.F2F:
            if ins.mode == 0:
                _set_double(m, x, np.float64(f[A + x]))
            elif ins.mode == 1:
                f[D + x] = round_single(_double(m, x, A, A_HIGH), 0.0, ins.value)
            elif ins.mode == 2:
                t[D + x] = round_half(np.float64(f[A + x]), ins.value)
            elif ins.mode == 3:
                f[D + x] = half_to_single(t[A + x] & np.uint32(0xFFFF))
            else:
                f[D + x] = f[A + x]
        elif operation == isa.F2FP:
            if ins.mode:
                t[D + x] = single_to_bfloat(t[A + x]) << np.uint32(16) | single_to_bfloat(t[B + x])
            else:
                high = round_half(np.float64(f[A + x]), isa.ROUND_NEAREST)
                t[D + x] = high << np.uint32(16) | round_half(np.float64(f[B + x]), isa.ROUND_NEAREST)


@jit()
def _integer_to_float(m, ins, x):
    t = m.scratch
    bits = ins.value & 255
    v = np.uint64(t[A + x])
    if bits == 64:
        v |= np.uint64(t[A_HIGH + x]) << np.uint64(32)
    elif bits < 32:
        v = v >> np.uint64(ins.value >> 8) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))
    sign = 1.0
    if ins.signed and v >> np.uint64(bits - 1):
        sign = -1.0
        v = np.uint64(0) - (v | ~np.uint64(0) << np.uint64(bits - 1))
    if ins.width == 8:
        nearest = np.float64(v)
        beyond = 0.0
        if nearest >= 2.0**64 or np.uint64(nearest) > v:
            beyond = -1.0
        elif np.uint64(nearest) < v:
            beyond = 1.0
        _set_double(m, x, round_double(sign * nearest, sign * beyond, ins.mode))
        return
    if v >> np.uint64(53):
        # What a double cannot hold leaves its mark in the last bit, so that rounding again is right.
        rest = v & np.uint64(0x7FF)
        v = (v ^ rest) | np.uint64(rest != 0) << np.uint64(11)
    m.scratch_float[D + x] = round_single(sign * np.float64(v), 0.0, ins.mode)


@jit()
def _float_to_integer(m, ins, x):
    t = m.scratch
    v = _double(m, x, A, A_HIGH) if ins.width == 8 else np.float64(m.scratch_float[A + x])
    wide = ins.destination_words == 2
    bits = 64 if wide else 32
    if math.isnan(v):
        result = np.uint64(0)
        if wide:
            result = np.uint64(1) << np.uint64(63)
    else:
        low = -(2.0 ** (bits - 1)) if ins.signed else 0.0
        high = 2.0 ** (bits - 1) if ins.signed else 2.0**bits
        if math.isfinite(v):
            v = np.float64(round_integral(v, ins.mode))
        if v >= high:
            top = bits - 1 if ins.signed else bits
            result = ~np.uint64(0) if top == 64 else (np.uint64(1) << np.uint64(top)) - np.uint64(1)
        elif v <= low:
            result = np.uint64(np.int64(low)) if ins.signed else np.uint64(0)
        elif v < 0:
            result = np.uint64(np.int64(v))
        elif v >= 2.0**63:
            result = np.uint64(np.int64(v - 2.0**63)) | np.uint64(1) << np.uint64(63)
        else:
            result = np.uint64(np.int64(v))
    t[D + x] = np.uint32(result & np.uint64(isa.FULL_MASK))
    t[D_HIGH + x] = np.uint32(result >> np.uint64(32))


@jit()
def half_to_single(h):
    """The value of a binary16 in the low 16 bits."""
    exponent = np.int64(h >> np.uint32(10) & np.uint32(31))
    fraction = np.float64(h & np.uint32(1023))
    if exponent == 0:
        v = fraction * 2.0**-24
    elif exponent == 31:
        v = np.inf if fraction == 0.0 else np.nan
    else:
        v = (1.0 + fraction / 1024.0) * 2.0 ** np.float64(exponent - 15)
    return np.float32(-v if h >> np.uint32(15) & ONE else v)


@jit()
def single_to_bfloat(word):
    """The bfloat16 nearest to a single given by its bits, ties to even."""
    if word & np.uint32(0x7FFF_FFFF) > np.uint32(0x7F80_0000):
        return np.uint32(0x7FFF)
    bias = np.uint32(0x7FFF) + (word >> np.uint32(16) & ONE)
    return np.uint32((np.uint64(word) + np.uint64(bias)) >> np.uint64(16)) & np.uint32(0xFFFF)


# --- Double precision -------------------------------------------------------------------------------------


@jit()
def _double(m, x, low, high):
    m.wide[x] = np.uint64(m.scratch[high + x]) << np.uint64(32) | np.uint64(m.scratch[low + x])
    return m.wide_float[x]


@jit()
def _set_double(m, x, value):
    m.wide_float[x] = value
    m.scratch[D + x] = np.uint32(m.wide[x] & np.uint64(isa.FULL_MASK))
    m.scratch[D_HIGH + x] = np.uint32(m.wide[x] >> np.uint64(32))


@jit()
def doubles(operation, m, ins):
    """Double-precision arithmetic; the result is in scratch."""
    direction = ins.mode & 3
    for x in range(32):
        a = _double(m, x, A, A_HIGH)
        b = _double(m, x, B, B_HIGH)
        if operation == isa.DADD:
            v = a + b
            beyond = sum_error(a, b, v) if direction else 0.0
        elif operation == isa.DMUL:
            v = a * b
            beyond = fma(a, b, -v) if direction else 0.0
        else:
            c = _double(m, x, C, C_HIGH)
            v = fma(a, b, c)
            beyond = fma_error(a, b, c, v) if direction else 0.0
        _set_double(m, x, round_double(v, beyond, direction))


@jit()
def compare_doubles(m, ins, w, lanes):
    """DSETP."""
    mode = ins.mode
    bits = np.uint32(0)
    for x in range(32):
        a = _double(m, x, A, A_HIGH)
        b = _double(m, x, B, B_HIGH)
        hit = (
            (mode & isa.COMPARE_LESS != 0 and a < b)
            or (mode & isa.COMPARE_EQUAL != 0 and a == b)
            or (mode & isa.COMPARE_GREATER != 0 and a > b)
            or (mode & isa.COMPARE_UNORDERED != 0 and not (a <= b or a > b))
        )
        bits |= np.uint32(hit) << np.uint32(x)
    _store_comparison(m, ins, w, bits, lanes)


# --- Packed halves, packed singles, matrices --------------------------------------------------------------


@jit()
def _half_of(word, choice, which):
    """Half 0 or 1 of a packed operand, where `choice` may have named one half for both."""
    take = which if choice == 0 else choice - 1
    return np.float64(half_to_single(word >> np.uint32(16 * take) & np.uint32(0xFFFF)))


@jit()
def halves(operation, m, ins):
    """Packed half-precision arithmetic; the result is in scratch."""
    t = m.scratch
    for x in range(32):
        out = np.uint32(0)
        for which in range(2):
            a = _half_of(t[A + x], ins.value & 15, which)
            b = _half_of(t[B + x], ins.value >> 4 & 15, which)
            if operation == isa.HADD2_F32:
                m.scratch_float[D + x] = np.float32(a + b)
                break
            if operation == isa.HADD2:
                v = a + b
            elif operation == isa.HMUL2:
                v = a * b
            else:
                v = a * b + _half_of(t[C + x], ins.value >> 8 & 15, which)
            if ins.mode & isa.FLOAT_SATURATE:
                v = 0.0 if not v > 0.0 else min(v, 1.0)
            out |= round_half(v, isa.ROUND_NEAREST) << np.uint32(16 * which)
        else:
            t[D + x] = out


@jit()
def packed_singles(m, ins):
    """FFMA2, FADD2, FMUL2: two singles a lane, in a register pair."""
    f = m.scratch_float
    kind = ins.mode & 15
    for x in range(32):
        for which in range(2):
            a = f[(A_HIGH if which and not ins.mode & 16 else A) + x]
            b = f[(B_HIGH if which and not ins.mode & 32 else B) + x]
            c = f[(C_HIGH if which and not ins.mode & 64 else C) + x]
            f[(D_HIGH if which else D) + x] = fma(a, b, c) if kind == 0 else a + b if kind == 1 else a * b


@jit()
def multiply_matrices(m, ins, w):
    """HMMA.16816.F32 and .1688.F32: D = A B + C, the fragments spread over lanes as the PTX ISA lays them out."""
    depth = ins.value
    base = m.first_own_row + w * m.own_rows
    a_row, b_row, c_row, d_row = base + ins.a, base + ins.b, base + ins.c, base + ins.destination
    r = m.registers
    out = m.wide_float
    for row in range(16):
        for column in range(8):
            lane = (row % 8) * 4 + column // 2
            register = row // 8 * 2 + column % 2
            m.scratch[0] = np.uint32(0) if ins.c < 0 else r[(c_row + register) * 32 + lane]
            total = np.float64(m.scratch_float[0])
            for k in range(depth):
                a_lane = (row % 8) * 4 + k % 8 // 2
                a_word = r[(a_row + row // 8 + k // 8 * 2) * 32 + a_lane]
                b_word = r[(b_row + k // 8) * 32 + column * 4 + k % 8 // 2]
                a = half_to_single(a_word >> np.uint32(16 * (k % 2)) & np.uint32(0xFFFF))
                b = half_to_single(b_word >> np.uint32(16 * (k % 2)) & np.uint32(0xFFFF))
                total += np.float64(a) * np.float64(b)
            out[row * 8 + column] = total
    for row in range(16):
        for column in range(8):
            m.scratch_float[0] = np.float32(out[row * 8 + column])
            lane = (row % 8) * 4 + column // 2
            r[(d_row + row // 8 * 2 + column % 2) * 32 + lane] = m.scratch[0]
