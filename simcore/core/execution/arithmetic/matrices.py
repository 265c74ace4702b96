"""The tensor cores' matrices, their fragments spread over the lanes as the PTX ISA lays them out.

An element of A or B takes half a byte to 4 bytes; with e elements a word, k runs over the words of four lanes, then
over the next register.
"""

import math

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic.conversions import byte_to_half
from simcore.core.execution.arithmetic.halves import float_of
from simcore.core.execution.arithmetic.rounding import fma, round_half
from simcore.core.execution.arithmetic.singles import NAN
from simcore.core.execution.lanes import ALL, B_HIGH
from simcore.core.execution.operands import own_at, source_at
from simcore.core.jit import jit

LANES = isa.LANES
(HMMA, DMMA) = isa.operations(isa.MATRIX, 2)

# Modes of HMMA: the elements of A (`width` has those of B where they may differ), integers from S8 on; the sums; and
# 8 rows instead of 16.
(F16, BFLOAT, TF32, E4M3, E5M2, S8, U8, S4, U4) = range(9)
KIND_MASK, SUM_F16, SATURATE, EIGHT_ROWS = 15, 16, 32, 64

FREE = B_HIGH  # an element of scratch to work in

# Wide scratch: the sums of a product, then as much of A and of B as lies in a word of each lane of four.
COLUMNS, SUMS, MAX_PER_WORD = 8, 16 * 8, 8
AT_A = SUMS
AT_B = AT_A + 16 * MAX_PER_WORD
FREE_WIDE = AT_B + MAX_PER_WORD * COLUMNS  # an element to work in
WIDE_ROWS = 21  # of 16 doubles


@jit()
def execute(m, ins, w, lanes):
    """Multiply matrices. Without all 32 lanes nothing is stored, as on an H100 and an H200."""
    if lanes != ALL:
        return
    if ins.operation == HMMA:
        _multiply(m, ins, w)
    else:
        _multiply_doubles(m, ins, w)


@jit()
def _multiply(m, ins, w):
    """HMMA, IMMA and QMMA: D = A B + C for 16 rows (or 8), 8 columns, and a depth of `value`.

    Products are exact as doubles; their sums are rounded one after another, in the order of k.
    """
    wide = m.wide_float
    kind = ins.mode & KIND_MASK
    per_word = 1 if kind == TF32 else 2 if kind <= BFLOAT else 4 if kind <= U8 else 8
    rows = 8 if ins.mode & EIGHT_ROWS else 16
    for row in range(rows):
        for column in range(COLUMNS):
            wide[row * COLUMNS + column] = _addend(m, ins, w, row, column)
    for first in range(0, ins.value, per_word):
        _unpack(m, ins, w, first // per_word, per_word)
        for k in range(per_word):
            for row in range(rows):
                a = wide[AT_A + row * per_word + k]
                for column in range(COLUMNS):
                    wide[row * COLUMNS + column] += a * wide[AT_B + k * COLUMNS + column]
    for row in range(rows):
        for column in range(COLUMNS):
            _store(m, ins, w, row, column, wide[row * COLUMNS + column])


@jit()
def _unpack(m, ins, w, word, per_word):
    """The elements of A and B in a word of the depth: the first, second, third or fourth of a register's."""
    kind = ins.mode & KIND_MASK
    kind_b = ins.width if kind >= E4M3 else kind
    bands = 1 if ins.mode & EIGHT_ROWS else 2
    at_a = source_at(m, w, ins.a) + word // 4 * bands * LANES + word % 4
    at_b = source_at(m, w, ins.b) + word // 4 * LANES + word % 4
    for row in range(8 * bands):
        packed = m.registers[at_a + row // 8 * LANES + row % 8 * 4]
        for k in range(per_word):
            m.wide_float[AT_A + row * per_word + k] = _element(m, packed, k, kind)
    for column in range(COLUMNS):
        packed = m.registers[at_b + column * 4]
        for k in range(per_word):
            m.wide_float[AT_B + k * COLUMNS + column] = _element(m, packed, k, kind_b)


@jit()
def _element(m, word, index, kind):
    if kind == TF32:
        m.scratch[FREE] = word & np.uint32(0xFFFF_E000)
        return np.float64(m.scratch_float[FREE])
    if kind >= S4:
        value = np.int64(word >> np.uint32(4 * index) & np.uint32(15))
        return np.float64(value - 16 if kind == S4 and value > 7 else value)
    if kind >= S8:
        value = np.int64(word >> np.uint32(8 * index) & np.uint32(255))
        return np.float64(value - 256 if kind == S8 and value > 127 else value)
    if kind >= E4M3:
        half = byte_to_half(word >> np.uint32(8 * index), kind - E4M3)
        return float_of(m, FREE, np.uint32(half), False)
    return float_of(m, FREE, word >> np.uint32(16 * index), kind == BFLOAT)


@jit()
def _addend(m, ins, w, row, column):
    at = source_at(m, w, ins.c) + (row % 8) * 4 + column // 2
    if ins.mode & SUM_F16:
        word = m.registers[at + row // 8 * LANES]
        return float_of(m, FREE, word >> np.uint32(16 * (column % 2)), False)
    word = m.registers[at + (row // 8 * 2 + column % 2) * LANES]
    if ins.mode & KIND_MASK >= S8:
        return np.float64(np.int32(word))
    m.scratch[FREE] = word
    return np.float64(m.scratch_float[FREE])


@jit()
def _store(m, ins, w, row, column, total):
    r = m.registers
    at = own_at(m, w, ins.destination) + (row % 8) * 4 + column // 2
    if ins.mode & SUM_F16:
        at += row // 8 * LANES
        half = round_half(total, isa.ROUND_NEAREST)
        r[at] = half if column % 2 == 0 else r[at] & np.uint32(0xFFFF) | half << np.uint32(16)
        return
    at += (row // 8 * 2 + column % 2) * LANES
    if ins.mode & KIND_MASK >= S8:
        if ins.mode & SATURATE:
            total = min(max(total, -(2.0**31)), 2.0**31 - 1.0)
        r[at] = np.uint32(np.int64(total) & isa.FULL_MASK)
        return
    m.scratch_float[FREE] = np.float32(total)
    r[at] = NAN if math.isnan(total) else m.scratch[FREE]


@jit()
def _multiply_doubles(m, ins, w):
    """DMMA: D = A B + C in double precision, for 8 rows or 16, 8 columns, and a depth of `value`."""
    out = m.wide_float
    at_a, at_b, at_c = source_at(m, w, ins.a), source_at(m, w, ins.b), source_at(m, w, ins.c)
    bands = 1 if ins.mode & EIGHT_ROWS else 2
    for row in range(8 * bands):
        for column in range(8):
            lane, pair = row % 8 * 4 + column // 2, row // 8 * 2 + column % 2
            total = _double_at(m, at_c + pair * 2 * LANES + lane)
            for k in range(ins.value):
                a = _double_at(m, at_a + (row // 8 + k // 4 * bands) * 2 * LANES + row % 8 * 4 + k % 4)
                total = fma(a, _double_at(m, at_b + k // 4 * 2 * LANES + column * 4 + k % 4), total)
            out[row * 8 + column] = total
    to = own_at(m, w, ins.destination)
    for row in range(8 * bands):
        for column in range(8):
            at = to + (row // 8 * 2 + column % 2) * 2 * LANES + row % 8 * 4 + column // 2
            bits = m.wide[row * 8 + column]
            m.registers[at] = np.uint32(bits & np.uint64(isa.FULL_MASK))
            m.registers[at + LANES] = np.uint32(bits >> np.uint64(32))


@jit()
def _double_at(m, at):
    """The double in a row and the next one."""
    high = np.uint64(m.registers[at + LANES])
    m.wide[FREE_WIDE] = high << np.uint64(32) | np.uint64(m.registers[at])
    return m.wide_float[FREE_WIDE]
