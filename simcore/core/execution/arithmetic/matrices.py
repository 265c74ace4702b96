"""The tensor cores' matrices, their fragments spread over the lanes as the PTX ISA lays them out.

An element of A or B takes 1, 2 or 4 bytes; with e elements a word, k runs over the words of four lanes, then over
the next register.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic.halves import float_of
from simcore.core.execution.arithmetic.rounding import fma, round_half
from simcore.core.execution.lanes import D
from simcore.core.jit import jit

LAST = 128  # elements of scratch from here on are free to work in


@jit()
def multiply_matrices(m, ins, w):
    """HMMA and IMMA: D = A B + C for 16 rows, 8 columns, and a depth of `value`."""
    base = m.first_own_row + w * m.own_rows
    r = m.registers
    out = m.wide_float
    kind = ins.mode & 15
    per_word = 1 if kind == isa.MATRIX_TF32 else 4 if kind >= isa.MATRIX_S8 else 2
    for row in range(16):
        for column in range(8):
            total = _addend(m, ins, base, row, column)
            for k in range(ins.value):
                block, t = k // (4 * per_word), k % (4 * per_word) // per_word
                a_word = r[(base + ins.a + row // 8 + block * 2) * 32 + (row % 8) * 4 + t]
                b_word = r[(base + ins.b + block) * 32 + column * 4 + t]
                a = _element(m, a_word, k % per_word, kind)
                total += a * _element(m, b_word, k % per_word, ins.width if kind >= isa.MATRIX_S8 else kind)
            out[row * 8 + column] = total
    for row in range(16):
        for column in range(8):
            _store(m, ins, base, row, column, out[row * 8 + column])


@jit()
def _element(m, word, index, kind):
    if kind == isa.MATRIX_TF32:
        m.scratch[LAST] = word & np.uint32(0xFFFF_E000)
        return np.float64(m.scratch_float[LAST])
    if kind >= isa.MATRIX_S8:
        value = np.int64(word >> np.uint32(8 * index) & np.uint32(255))
        return np.float64(value - 256 if kind == isa.MATRIX_S8 and value > 127 else value)
    return float_of(m, LAST, word >> np.uint32(16 * index), kind == isa.MATRIX_BFLOAT)


@jit()
def _addend(m, ins, base, row, column):
    if ins.c < 0:
        return 0.0
    lane = (row % 8) * 4 + column // 2
    if ins.mode & isa.MATRIX_SUM_F16:
        word = m.registers[(base + ins.c + row // 8) * 32 + lane]
        return float_of(m, LAST, word >> np.uint32(16 * (column % 2)), False)
    word = m.registers[(base + ins.c + row // 8 * 2 + column % 2) * 32 + lane]
    if ins.mode & 15 >= isa.MATRIX_S8:
        return np.float64(np.int32(word))
    m.scratch[LAST] = word
    return np.float64(m.scratch_float[LAST])


@jit()
def _store(m, ins, base, row, column, total):
    lane = (row % 8) * 4 + column // 2
    r = m.registers
    if ins.mode & isa.MATRIX_SUM_F16:
        at = (base + ins.destination + row // 8) * 32 + lane
        half = round_half(total, isa.ROUND_NEAREST)
        r[at] = half if column % 2 == 0 else r[at] & np.uint32(0xFFFF) | half << np.uint32(16)
        return
    at = (base + ins.destination + row // 8 * 2 + column % 2) * 32 + lane
    if ins.mode & 15 >= isa.MATRIX_S8:
        if ins.mode & isa.MATRIX_SATURATE:
            total = min(max(total, -(2.0**31)), 2.0**31 - 1.0)
        r[at] = np.uint32(np.int64(total) & isa.FULL_MASK)
        return
    m.scratch_float[LAST] = np.float32(total)
    r[at] = m.scratch[LAST]


@jit()
def multiply_doubles(m, ins, w):
    """DMMA.8x8x4: D = A B + C in double precision."""
    base = m.first_own_row + w * m.own_rows
    out = m.wide_float
    for row in range(8):
        for column in range(8):
            lane, which = row * 4 + column // 2, column % 2 * 2
            total = 0.0 if ins.c < 0 else _double_at(m, base + ins.c + which, lane)
            for k in range(4):
                a = _double_at(m, base + ins.a, row * 4 + k)
                total = fma(a, _double_at(m, base + ins.b, column * 4 + k), total)
            out[row * 8 + column] = total
    for row in range(8):
        for column in range(8):
            at = (base + ins.destination + column % 2 * 2) * 32 + row * 4 + column // 2
            bits = m.wide[row * 8 + column]
            m.registers[at] = np.uint32(bits & np.uint64(isa.FULL_MASK))
            m.registers[at + 32] = np.uint32(bits >> np.uint64(32))


@jit()
def _double_at(m, row, lane):
    high = np.uint64(m.registers[(row + 1) * 32 + lane])
    m.wide[127] = high << np.uint64(32) | np.uint64(m.registers[row * 32 + lane])
    return m.wide_float[127]


@jit()
def transpose_matrix(m):
    """MOVM: an 8 by 8 matrix of halves, a row in four lanes, turned over its diagonal; the result is in scratch."""
    t = m.scratch
    for x in range(32):
        word = np.uint32(0)
        for which in range(2):
            row, column = x % 4 * 2 + which, x // 4
            source = t[row * 4 + column // 2] >> np.uint32(16 * (column % 2)) & np.uint32(0xFFFF)
            word |= source << np.uint32(16 * which)
        t[D + x] = word
