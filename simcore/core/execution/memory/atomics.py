"""Atomic operations on memory, and the reductions that give nothing back."""

import math

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic.halves import float_of, round_narrow
from simcore.core.execution.arithmetic.singles import NAN, pick
from simcore.core.execution.lanes import ONE
from simcore.core.execution.memory.addresses import find_buffer, word_of
from simcore.core.execution.operands import own_at, source_at
from simcore.core.geometry import LINE_BYTES
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES

# Modes
(
    ADD, ADD_F32, ADD_F64, MIN, MAX, UMIN, UMAX, AND, OR, XOR, EXCHANGE, CAS, INC, DEC, ADD_F16X2, ADD_BF16X2, CAST,
    ADD_F32_FLUSHED, MIN_F16X2, MAX_F16X2, MIN_BF16X2, MAX_BF16X2,
) = range(22)  # fmt: skip

IN_GLOBAL_ONLY = 1  # `signed`


@jit()
def atomic(m, ins, space, w, lanes):
    """Read, modify and write, lane after lane; the old value goes to the destination.

    Returns the lanes that succeeded: all, but of a compare-and-store (CAST) those that stored, and of what is only
    done in global memory those whose addresses lie there.
    """
    if ins.mode == CAST:
        return _compare_and_store(m, ins, w, lanes)
    if ins.signed == IN_GLOBAL_ONLY and space != isa.SPACE_GLOBAL:
        return np.uint32(0)
    if ins.width == 16 and ins.mode == CAS:
        return _swap_128(m, ins, w, lanes)
    to = own_at(m, w, ins.destination)
    words = ins.width >> 2 if _is_by_words(ins.mode) else 1
    wide = ins.width == 8 and words == 1
    for x in range(LANES):
        if not lanes >> np.uint32(x) & ONE:
            continue
        buffer = 0
        if space == isa.SPACE_GLOBAL:
            buffer = find_buffer(m, m.address[x], ins.width)
            if m.buffer_word[buffer] < 0 and ins.destination_words == 0:
                continue
        at = word_of(m, space, w, x, m.address[x], buffer)
        if at < 0:
            return lanes
        if words > 1:
            for k in range(words):
                word = np.uint64(m.memory[at + k])
                given = np.uint64(m.registers[source_at(m, w, ins.a) + k * LANES + x])
                m.memory[at + k] = np.uint32(_modify(m, ins.mode, False, word, given, given))
                m.registers[to + k * LANES + x] = np.uint32(word)
            continue
        old = _word_at(m, at, wide)
        value = _source(m, w, ins.a, wide, x)
        other = _source(m, w, ins.b, wide, x)
        new = _modify(m, ins.mode, wide, old, value, other)
        m.memory[at] = np.uint32(new & np.uint64(isa.FULL_MASK))
        m.registers[to + x] = np.uint32(old & np.uint64(isa.FULL_MASK))
        if wide:
            m.memory[at + 1] = np.uint32(new >> np.uint64(32))
            m.registers[to + LANES + x] = np.uint32(old >> np.uint64(32))
    return lanes


@jit()
def _compare_and_store(m, ins, w, lanes):
    """CAST.SPIN, in shared memory: a lane stores if the word is what it expects. Returns the lanes that stored.

    Each bank has one try, the first lane's; of 64 bits each half of the warp has its own (benchmarks/simulator/
    shared_attempts.py on an H200). The others are told that they failed, and code that adds floats tries again.
    """
    stored, tried = np.uint32(0), np.uint32(0)
    to, wide = own_at(m, w, ins.destination), ins.width == 8
    for x in range(LANES):
        if wide and x == LANES // 2:
            tried = np.uint32(0)
        if not lanes >> np.uint32(x) & ONE:
            continue
        at = word_of(m, isa.SPACE_SHARED, w, x, m.address[x], 0)
        bank = ONE << np.uint32(m.address[x] // ins.width % (LINE_BYTES // ins.width))
        if not tried & bank and _word_at(m, at, wide) == _source(m, w, ins.a, wide, x):
            new = _source(m, w, ins.b, wide, x)
            m.memory[at] = np.uint32(new & np.uint64(isa.FULL_MASK))
            if wide:
                m.memory[at + 1] = np.uint32(new >> np.uint64(32))
            stored |= ONE << np.uint32(x)
        tried |= bank
        m.registers[to + x] = stored >> np.uint32(x) & ONE
        if wide:
            m.registers[to + LANES + x] = 0
    return stored


@jit_inline()
def _word_at(m, at, wide):
    word = np.uint64(m.memory[at])
    return word | np.uint64(m.memory[at + 1]) << np.uint64(32) if wide else word


@jit()
def _swap_128(m, ins, w, lanes):
    """Compare-and-swap of four words in global memory."""
    to, wanted, given = own_at(m, w, ins.destination), source_at(m, w, ins.a), source_at(m, w, ins.b)
    for x in range(LANES):
        if lanes >> np.uint32(x) & ONE:
            buffer = find_buffer(m, m.address[x], ins.width)
            at = word_of(m, isa.SPACE_GLOBAL, w, x, m.address[x], buffer)
            if at < 0:
                return lanes
            same = True
            for k in range(4):
                same = same and m.memory[at + k] == m.registers[wanted + k * LANES + x]
            for k in range(4):
                old = m.memory[at + k]
                if same:
                    m.memory[at + k] = m.registers[given + k * LANES + x]
                m.registers[to + k * LANES + x] = old
    return lanes


@jit_inline()
def _is_by_words(kind):
    """Whether an operation takes each word of several by itself: singles, and pairs of halves."""
    return kind == ADD_F32 or kind == ADD_F16X2 or kind == ADD_BF16X2 or kind >= ADD_F32_FLUSHED


@jit()
def _source(m, w, source, wide, x):
    at = source_at(m, w, source) + x
    value = np.uint64(m.registers[at])
    if wide:
        value |= np.uint64(m.registers[at + LANES]) << np.uint64(32)
    return value


@jit()
def _modify(m, kind, wide, old, value, other):
    sign = np.uint64(1) << np.uint64(63 if wide else 31)
    mask = ~np.uint64(0) if wide else np.uint64(isa.FULL_MASK)
    if kind == ADD:
        return (old + value) & mask
    if kind == ADD_F32 or kind == ADD_F32_FLUSHED:
        m.scratch[0] = np.uint32(old)
        m.scratch[1] = np.uint32(value)
        if kind == ADD_F32_FLUSHED:
            _flush(m, 0)
            _flush(m, 1)
        m.scratch_float[2] = m.scratch_float[0] + m.scratch_float[1]
        if kind == ADD_F32_FLUSHED:
            _flush(m, 2)
        return np.uint64(NAN if math.isnan(m.scratch_float[2]) else m.scratch[2])
    if kind == ADD_F64:
        m.wide[0] = old
        m.wide[1] = value
        m.wide_float[2] = m.wide_float[0] + m.wide_float[1]
        if math.isnan(m.wide_float[1]):
            return value
        return old if math.isnan(m.wide_float[0]) else m.wide[2]
    if kind == ADD_F16X2 or kind == ADD_BF16X2 or kind >= MIN_F16X2:
        is_bfloat = kind == ADD_BF16X2 or kind >= MIN_BF16X2
        total = np.uint64(0)
        for half in range(2):
            shift = np.uint64(16 * half)
            a = float_of(m, 0, np.uint32(old >> shift & np.uint64(0xFFFF)), is_bfloat)
            b = float_of(m, 0, np.uint32(value >> shift & np.uint64(0xFFFF)), is_bfloat)
            smaller = kind == MIN_F16X2 or kind == MIN_BF16X2
            v = pick(a, b, smaller, 0) if kind >= MIN_F16X2 else a + b
            total |= np.uint64(round_narrow(m, 0, v, isa.ROUND_NEAREST, is_bfloat)) << shift
        return total
    if kind == UMIN:
        return min(old, value)
    if kind == UMAX:
        return max(old, value)
    if kind == MIN:
        return old if old ^ sign < value ^ sign else value
    if kind == MAX:
        return old if old ^ sign > value ^ sign else value
    if kind == AND:
        return old & value
    if kind == OR:
        return old | value
    if kind == XOR:
        return old ^ value
    if kind == EXCHANGE:
        return value
    if kind == CAS:
        return other if old == value else old
    if kind == INC:
        return np.uint64(0) if old >= value else old + np.uint64(1)
    return value if old == np.uint64(0) or old > value else old - np.uint64(1)


@jit()
def _flush(m, x):
    """A denormal single becomes a zero of its sign."""
    if m.scratch[x] & np.uint32(0x7F80_0000) == 0:
        m.scratch[x] &= np.uint32(0x8000_0000)
