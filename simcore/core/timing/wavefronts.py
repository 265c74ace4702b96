"""Wavefronts: how often an access passes the data stage, whose 32 banks deliver a word each at a time.

A load of lines that are there and of others that come later passes once for those that are there, and for the others as
they come, some at a time (benchmarks/silicon/micro/l1/mixed_loads on an H200 and an H100).
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import memory
from simcore.core.geometry import WORD_BYTES
from simcore.core.jit import jit, jit_inline
from simcore.core.timing.l1 import gather_lines

MATRIX_ROW_BYTES = 16  # of the 8x8 matrices of halves that LDSM loads and STSM stores


@jit()
def bank_passes(sm, first, end):
    """Most words that one of the 32 banks must deliver for the gathered lines from one to another: a line has one word
    in each.

    The lines' words are added up bank by bank, all banks at once: bit b of `ones`, `twos` ... is a digit of the sum of
    bank b.
    """
    if end - first <= 2:
        return _of_two(sm.line_words[first], sm.line_words[end - 1]) if end - first == 2 else end - first
    ones = twos = fours = eights = sixteens = thirty_twos = np.int64(0)
    for i in range(first, end):
        carry = sm.line_words[i]
        ones, carry = ones ^ carry, ones & carry
        twos, carry = twos ^ carry, twos & carry
        fours, carry = fours ^ carry, fours & carry
        eights, carry = eights ^ carry, eights & carry
        sixteens, carry = sixteens ^ carry, sixteens & carry
        thirty_twos |= carry
    fullest, passes = _with_digit(np.int64(isa.FULL_MASK), np.int64(0), thirty_twos, 32)
    fullest, passes = _with_digit(fullest, passes, sixteens, 16)
    fullest, passes = _with_digit(fullest, passes, eights, 8)
    fullest, passes = _with_digit(fullest, passes, fours, 4)
    fullest, passes = _with_digit(fullest, passes, twos, 2)
    _, passes = _with_digit(fullest, passes, ones, 1)
    return passes


@jit_inline()
def _of_two(words, others):
    """The same of two lines."""
    return np.int64(2 if words & others else 1)


@jit_inline()
def _with_digit(fullest, passes, digit, value):
    """The banks that have most words, and how many these are, by one more digit of the banks' sums."""
    left = fullest & digit
    return (left, passes + value) if left else (fullest, passes)


@jit()
def late_passes(sm, t, first, count):
    """Passes for the gathered lines from one on, which come from L2, some at a time."""
    passes = 0
    together = 0.0
    begin = first
    while begin < count:
        together += t.l1_lines_together
        end = min(first + np.int64(together), count)
        passes += bank_passes(sm, begin, end)
        begin = end
    return passes


@jit()
def global_wavefronts(m, sm, w, lanes, width):
    """Passes through the banks that a load from global memory takes: 64 bits a lane are delivered to one half of the
    warp at a time, 128 bits to a quarter (benchmarks/silicon/micro/l1/load_wavefronts on an H200 and an H100)."""
    return _passes_in_parts(m, sm, w, lanes, width, 128 // max(width, 4))


@jit()
def shared_wavefronts(m, sm, w, ins, lanes):
    """Passes through the banks that an access to shared memory takes.

    They are delivered as from global memory, but two halves, or the quarters of a half, go together if each active
    lane has the address of its neighbour (lane ^ 1), or each that of the lane beyond (lane ^ 2): so Nsight Compute
    counts, within 7 %, in the 18 variants of `families/matmul_register` on an H200. LDSM and STSM take the eight rows
    of a matrix at a time.
    """
    if ins.operation == memory.LOAD_MATRIX or ins.operation == memory.STORE_MATRIX:
        matrices = ins.width >> 2
        return _passes_in_parts(m, sm, w, lanes & ((1 << 8 * matrices) - 1), MATRIX_ROW_BYTES, 8)
    at_once = 128 // max(ins.width, 4)
    if at_once < 32 and (_pairs_agree(m, lanes, 1) or _pairs_agree(m, lanes, 2)):
        at_once *= 2
    return _passes_in_parts(m, sm, w, lanes, ins.width, at_once)


@jit()
def lanes_of_a_bank(m, sm, lanes, parts):
    """Most lanes whose words are in one bank, which is as wide as a word: of the warp, or of its halves added up."""
    most = 0
    for first in range(0, 32, 32 // parts):
        count = 0
        for x in range(first, first + 32 // parts):
            if lanes >> x & 1:
                sm.line_words[count] = np.int64(1) << m.address[x] // (WORD_BYTES * parts) % (32 // parts)
                count += 1
        most += bank_passes(sm, 0, count)
    return most


@jit_inline()
def parts_with_lanes(lanes, parts):
    """How many of a warp's parts, one or two, have any lanes."""
    if parts == 1:
        return 1
    return (lanes & 0xFFFF != 0) + (lanes >> 16 != 0)


@jit_inline()
def _passes_in_parts(m, sm, w, lanes, width, at_once):
    """Passes of an access of which so many lanes are served at a time."""
    passes = 0
    for first in range(0, 32, at_once):
        part = lanes & ((1 << at_once) - 1) << first
        passes += bank_passes(sm, 0, gather_lines(m, sm, w, part, width, False))
    return passes


@jit_inline()
def _pairs_agree(m, lanes, distance):
    """Whether all active lanes have the address of the lane at a distance, unless that is inactive."""
    apart = np.int64(0)
    for first in range(0, 32, 2 * distance):
        for x in range(first, first + distance):
            both = lanes >> x & lanes >> (x + distance) & 1
            apart |= (m.address[x] ^ m.address[x + distance]) & -both
    return apart == 0
