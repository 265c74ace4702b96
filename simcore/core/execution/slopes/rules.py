"""What follows for the slope of a result from those of the sources, and on which conditions.

A rule is for lanes whose sources have the same slopes each; it may do some of them, of which the slope of the result is
one. The sources' words are in scratch, with their signs. Where there is no rule, what moves must stay as it is: then
the result is the same in other blocks, too.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution.arithmetic import bits, integers, packed
from simcore.core.execution.lanes import SIGN, A, B, C, D, predicate_in
from simcore.core.execution.slopes.state import AXES, SOURCES, WORD_BITS, keep_window, keep_within, wrapped
from simcore.core.jit import jit, jit_inline, lowest_bit

LANES = isa.LANES
MOST_WIDE = np.float64(1 << 40)
"""Of the slope of a pair, beyond which its sources must stay: sums of such slopes do not wrap."""

NO_FLIP = np.uint32(0)


@jit()
def apply(m, s, ins, w, lanes):
    """Fill in the slopes of the result. Returns the lanes of which they are."""
    operation = ins.operation
    sets_predicate = ins.predicate_out_0 != isa.PREDICATE_TRASH or ins.predicate_out_1 != isa.PREDICATE_TRASH
    if operation == integers.MOV or operation == integers.MOV64:
        _take(s, np.int64(0))
    elif operation == integers.IADD3:
        _add(m, s, ins, w, lanes, sets_predicate)
    elif operation == integers.IMAD:
        lanes = _multiply(m, s, lanes)
    elif operation == integers.ISETP and not ins.mode & integers.COMPARE_EXTENDED:
        _compare(m, s, ins, lanes)
    elif operation == integers.SEL or operation == integers.SEL64:
        lanes = _select(s, lanes, np.int64(predicate_in(m, ins, w, 0)))
    elif operation == integers.LEA:
        _shift_and_add(m, s, ins, w, lanes, sets_predicate)
    elif operation == integers.LEA_HI and not sets_predicate:
        _shift_and_add_high(m, s, ins, lanes)
    elif operation == integers.IMAD_WIDE and not sets_predicate:
        lanes = _multiply_wide(m, s, ins, w, lanes)
    elif operation == integers.IADD64 and not sets_predicate:
        _add(m, s, ins, w, lanes, True)  # of pairs, whose upper words stay: the lower ones do not wrap
    elif operation == bits.LOP3:
        lanes = _combine(m, s, ins, lanes, sets_predicate)
    elif operation == bits.SHF:
        lanes = _shift(m, s, ins, lanes)
    elif operation == packed.IMNMX and ins.mode & ~packed.UNSIGNED == 0:
        lanes = _take_extreme(m, s, ins, w, lanes, A, B)
    elif operation == packed.IADD_MNMX and ins.mode & ~packed.UNSIGNED == 0:
        lanes = _take_extreme_of_sum(m, s, ins, w, lanes)
    else:
        _stay_all(s)
    return lanes


# --- What the rules are made of ---------------------------------------------------------------------------


@jit_inline()
def _slope(s, source, axis):
    return s.sources[source * AXES + axis]


@jit_inline()
def _moves(s, source):
    """Whether a source moves."""
    return _slope(s, source, 0) != 0 or _slope(s, source, 1) != 0 or _slope(s, source, 2) != 0


@jit_inline()
def _stay(s, source):
    """A condition: a source stays as it is."""
    keep_within(s, _slope(s, source, 0), _slope(s, source, 1), _slope(s, source, 2), 0, 0)
    for axis in range(AXES):
        s.sources[source * AXES + axis] = 0


@jit_inline()
def _stay_all(s):
    """All sources stay as they are, and so does the result."""
    for source in range(SOURCES):
        _stay(s, source)
    for axis in range(AXES):
        s.result[axis] = 0


@jit_inline()
def _take(s, source):
    """The result is a source."""
    for axis in range(AXES):
        s.result[axis] = _slope(s, source, axis)


@jit_inline()
def _stay_in_window(m, s, source, row, flip, width, lanes):
    """A condition: a source's words, or what orders like them, stay each in its window of 2^width."""
    if _moves(s, source):
        for x in range(LANES):
            s.values[x] = np.int64(m.scratch[row + x] ^ flip)
        keep_window(s, _slope(s, source, 0), _slope(s, source, 1), _slope(s, source, 2), width, lanes)


@jit_inline()
def _do_not_wrap(m, s, lanes, flip):
    """A condition: none of the sources wraps, as an integer that orders like it with some bits inverted."""
    _stay_in_window(m, s, np.int64(0), A, flip, WORD_BITS, lanes)
    _stay_in_window(m, s, np.int64(1), B, flip, WORD_BITS, lanes)


@jit_inline()
def _keep_result(s, width, lanes):
    """A condition: what the values are integers of, which move like the result, stays in its windows."""
    keep_window(s, s.result[0], s.result[1], s.result[2], width, lanes)


@jit_inline()
def _wrap(s):
    for axis in range(AXES):
        s.result[axis] = wrapped(s.result[axis])


@jit_inline()
def _ordered(word, unsigned):
    """A word as an integer."""
    return np.int64(word) if unsigned else np.int64(np.int32(word))


@jit_inline()
def _add_carries(m, s, ins, w):
    """Add the carries that come in to the values."""
    if ins.mode & integers.CARRY_IN:
        first, second = np.int64(predicate_in(m, ins, w, 0)), np.int64(predicate_in(m, ins, w, 1))
        for x in range(LANES):
            s.values[x] += (first >> x & 1) + (second >> x & 1)


@jit_inline()
def _alike(m, row, lanes):
    """The lanes that have the same word in a row of scratch as the first."""
    word = m.scratch[row + lowest_bit(lanes)]
    found = np.int64(0)
    for x in range(LANES):
        found |= np.int64(m.scratch[row + x] == word) << x
    return found & lanes


# --- Sums and products ------------------------------------------------------------------------------------


@jit_inline()
def _add(m, s, ins, w, lanes, sets_carry):
    """A sum of words: where its carries matter, no word wraps, nor does the sum."""
    u = m.scratch
    for axis in range(AXES):
        s.result[axis] = _slope(s, 0, axis) + _slope(s, 1, axis) + _slope(s, 2, axis)
    if sets_carry:
        _do_not_wrap(m, s, lanes, NO_FLIP)
        _stay_in_window(m, s, np.int64(2), C, NO_FLIP, WORD_BITS, lanes)
        for x in range(LANES):
            s.values[x] = np.int64(u[A + x]) + np.int64(u[B + x]) + np.int64(u[C + x]) + np.int64(ins.value)
        _add_carries(m, s, ins, w)
        _keep_result(s, WORD_BITS, lanes)
    _wrap(s)


@jit_inline()
def _one_factor(m, s, lanes):
    """Of two factors that move, one must stay. Returns the lanes in which the other one is the same number."""
    if _moves(s, 0) and _moves(s, 1):
        _stay(s, 1)
    if _moves(s, 0):
        return _alike(m, B, lanes)
    if _moves(s, 1):
        return _alike(m, A, lanes)
    return lanes


@jit_inline()
def _multiply(m, s, lanes):
    """The lower word of a product and a sum."""
    lanes = _one_factor(m, s, lanes)
    x = lowest_bit(lanes)
    a, b = np.int64(np.int32(m.scratch[A + x])), np.int64(np.int32(m.scratch[B + x]))
    for axis in range(AXES):
        s.result[axis] = wrapped(_slope(s, 0, axis) * b + _slope(s, 1, axis) * a + _slope(s, 2, axis))
    return lanes


@jit_inline()
def _multiply_wide(m, s, ins, w, lanes):
    """A product of words and a sum of 64 bits: the upper word stays, and neither factors nor lower words wrap."""
    u = m.scratch
    unsigned = ins.mode & integers.UNSIGNED != 0
    lanes = _one_factor(m, s, lanes)
    first = lowest_bit(lanes)
    a, b = _ordered(u[A + first], unsigned), _ordered(u[B + first], unsigned)
    far = False
    for axis in range(AXES):
        far |= (
            abs(np.float64(_slope(s, 0, axis)) * b) > MOST_WIDE
            or abs(np.float64(_slope(s, 1, axis)) * a) > MOST_WIDE
        )
        s.result[axis] = _slope(s, 0, axis) * b + _slope(s, 1, axis) * a + _slope(s, 2, axis)
    if far:
        _stay_all(s)
        return lanes
    _do_not_wrap(m, s, lanes, NO_FLIP if unsigned else SIGN)
    _stay_in_window(m, s, np.int64(2), C, NO_FLIP, WORD_BITS, lanes)
    for x in range(LANES):
        product = np.int64(u[A + x] * u[B + x] & np.uint64(isa.FULL_MASK))
        s.values[x] = product + np.int64(u[C + x]) + np.int64(ins.value)
    _add_carries(m, s, ins, w)
    _keep_result(s, WORD_BITS, lanes)
    _wrap(s)
    return lanes


@jit_inline()
def _shift_and_add(m, s, ins, w, lanes, sets_carry):
    """LEA: where its carry matters, neither what is shifted nor b wraps, nor does the sum."""
    u = m.scratch
    shift = np.int64(ins.value)
    is_negated = ins.mode & integers.LEA_NEGATED != 0
    for axis in range(AXES):
        slope = _slope(s, 0, axis) << shift
        s.sources[axis] = wrapped(-slope if is_negated else slope)
        s.result[axis] = s.sources[axis] + _slope(s, 1, axis)
    if sets_carry:
        flip = np.int64(isa.FULL_MASK if is_negated else 0)
        _stay_in_window(m, s, np.int64(1), B, NO_FLIP, WORD_BITS, lanes)
        for x in range(LANES):
            s.values[x] = (np.int64(u[A + x]) << shift & isa.FULL_MASK) ^ flip
        keep_window(s, s.sources[0], s.sources[1], s.sources[2], WORD_BITS, lanes)
        ones = np.int64(ins.mode >> integers.LEA_ONES_SHIFT)
        for x in range(LANES):
            s.values[x] += np.int64(u[B + x]) + ones
        _add_carries(m, s, ins, w)
        _keep_result(s, WORD_BITS, lanes)
    _wrap(s)


@jit_inline()
def _shift_and_add_high(m, s, ins, lanes):
    """LEA.HI: those bits of the lower word that are shifted into the upper one stay."""
    shift = np.int64(ins.value)
    is_extended = ins.mode & integers.LEA_SIGN_EXTENDED != 0
    kept = max(shift, np.int64(1 if is_extended else 0))
    if kept:
        _stay_in_window(m, s, np.int64(0), A, NO_FLIP, WORD_BITS - kept, lanes)
    for axis in range(AXES):
        high = np.int64(0) if is_extended else _slope(s, 2, axis) << shift
        s.result[axis] = wrapped(high + _slope(s, 1, axis))


# --- Comparisons ------------------------------------------------------------------------------------------


@jit_inline()
def _compare(m, s, ins, lanes):
    """ISETP: neither word wraps, and their difference stays where the comparison comes out alike."""
    u, mode = m.scratch, ins.mode
    unsigned = mode & integers.COMPARE_UNSIGNED != 0
    less, equal = mode & isa.COMPARE_LESS != 0, mode & isa.COMPARE_EQUAL != 0
    greater = mode & isa.COMPARE_GREATER != 0
    _do_not_wrap(m, s, lanes, NO_FLIP if unsigned else SIGN)
    below, above, is_equal = np.int64(-isa.NEVER), np.int64(isa.NEVER), np.int64(0)
    for x in range(LANES):
        takes_part = lanes >> x & 1 != 0
        difference = _ordered(u[A + x], unsigned) - _ordered(u[B + x], unsigned)
        below = max(below, difference if takes_part and difference < 0 else -isa.NEVER)
        above = min(above, difference if takes_part and difference > 0 else isa.NEVER)
        is_equal |= np.int64(takes_part and difference == 0)
    least, most = np.int64(-isa.NEVER), np.int64(isa.NEVER)
    if below > -isa.NEVER and (less != equal or less != greater):
        most = -below - np.int64(less != equal)
    if above < isa.NEVER and (greater != equal or less != greater):
        least = np.int64(greater != equal) - above
    if is_equal and less != equal:
        least = np.int64(0)
    if is_equal and greater != equal:
        most = np.int64(0)
    _keep_difference(s, least, most)
    for axis in range(AXES):
        s.result[axis] = 0


@jit_inline()
def _keep_difference(s, least, most):
    """A condition: how the first source moves relative to the second."""
    i, j = _slope(s, 0, 0) - _slope(s, 1, 0), _slope(s, 0, 1) - _slope(s, 1, 1)
    keep_within(s, i, j, _slope(s, 0, 2) - _slope(s, 1, 2), least, most)


@jit_inline()
def _select(s, lanes, chosen):
    """SEL: the first source where a predicate holds, else the second."""
    is_first = chosen >> lowest_bit(lanes) & 1
    _take(s, 1 - is_first)
    return lanes & (chosen if is_first else ~chosen)


@jit_inline()
def _take_extreme(m, s, ins, w, lanes, first, second):
    """IMNMX of the first two sources, whose words are in two rows: neither wraps, and the same one is the smaller."""
    u = m.scratch
    unsigned = ins.mode & packed.UNSIGNED != 0
    flip = NO_FLIP if unsigned else SIGN
    smaller = np.int64(0)
    for x in range(LANES):
        smaller |= np.int64(_ordered(u[first + x], unsigned) <= _ordered(u[second + x], unsigned)) << x
    taken = ~(smaller ^ np.int64(predicate_in(m, ins, w, 0)))
    lane = lowest_bit(lanes)
    lanes &= smaller if smaller >> lane & 1 else ~smaller
    lanes &= taken if taken >> lane & 1 else ~taken
    _stay_in_window(m, s, np.int64(0), first, flip, WORD_BITS, lanes)
    _stay_in_window(m, s, np.int64(1), second, flip, WORD_BITS, lanes)
    least, most = np.int64(-isa.NEVER), np.int64(isa.NEVER)
    for x in range(LANES):
        if lanes >> x & 1:
            difference = _ordered(u[first + x], unsigned) - _ordered(u[second + x], unsigned)
            if difference <= 0:
                most = min(most, -difference)
            else:
                least = max(least, 1 - difference)
    _keep_difference(s, least, most)
    _take(s, np.int64(0 if taken >> lane & 1 else 1))
    return lanes


@jit_inline()
def _take_extreme_of_sum(m, s, ins, w, lanes):
    """IADD_MNMX: that of a + b and c."""
    u = m.scratch
    for x in range(LANES):
        u[D + x] = u[A + x] + u[B + x]
    for axis in range(AXES):
        s.sources[axis] = wrapped(_slope(s, 0, axis) + _slope(s, 1, axis))
        s.sources[AXES + axis] = _slope(s, 2, axis)
    return _take_extreme(m, s, ins, w, lanes, D, C)


# --- Bits -------------------------------------------------------------------------------------------------


@jit_inline()
def _shift(m, s, ins, lanes):
    """SHF by a distance that stays."""
    mode = ins.mode
    _stay(s, 1)
    lanes = _alike(m, B, lanes)
    distance = np.int64(m.scratch[B + lowest_bit(lanes)])
    limit = np.int64(64 if mode & bits.SHIFT_64 else 32)
    distance = distance & (limit - 1) if mode & bits.SHIFT_WRAP else min(distance, limit)
    if distance >= WORD_BITS:
        _stay_all(s)
    elif mode & bits.SHIFT_RIGHT:
        _shift_right(m, s, ins, lanes, distance)
    else:
        high = mode & bits.SHIFT_HIGH != 0
        if high and distance:
            _stay_in_window(m, s, np.int64(0), A, NO_FLIP, WORD_BITS - distance, lanes)
        for axis in range(AXES):
            s.result[axis] = wrapped(_slope(s, np.int64(2 if high else 0), axis) << distance)
    return lanes


@jit_inline()
def _shift_right(m, s, ins, lanes, distance):
    """The upper word shifted, or the lower one and what comes into it from above."""
    if ins.mode & bits.SHIFT_HIGH:
        flip = SIGN if ins.mode & bits.SHIFT_SIGNED else NO_FLIP
        _stay_in_window(m, s, np.int64(2), C, flip, WORD_BITS, lanes)
        _divide(m, s, np.int64(2), C, distance, lanes)
        return
    _stay_in_window(m, s, np.int64(0), A, NO_FLIP, WORD_BITS, lanes)
    _divide(m, s, np.int64(0), A, distance, lanes)
    if distance:
        for axis in range(AXES):
            s.result[axis] = wrapped(s.result[axis] + (_slope(s, 2, axis) << (WORD_BITS - distance)))


@jit_inline()
def _divide(m, s, source, row, distance, lanes):
    """Words without their lowest bits, which must not overflow by what of the slopes is no multiple of them."""
    half = (np.int64(1) << distance) >> 1
    for axis in range(AXES):
        slope = _slope(s, source, axis)
        s.result[axis] = (slope + half) >> distance
        s.sources[source * AXES + axis] = slope - (s.result[axis] << distance)
    _stay_in_window(m, s, source, row, NO_FLIP, distance, lanes)


@jit_inline()
def _combine(m, s, ins, lanes, sets_predicate):
    """LOP3 of one source that moves: of its bits that do, those that pass are neighbours, or all are inverted."""
    first, second, third = _moves(s, 0), _moves(s, 1), _moves(s, 2)
    if np.int64(first) + np.int64(second) + np.int64(third) != 1:
        _stay_all(s)
        return lanes
    source, row = np.int64(0), A
    if second:
        source, row = np.int64(1), B
    elif third:
        source, row = np.int64(2), C
    fixed = _fixed_bits(s, source)
    alike, passing, inverted = np.int64(0), np.int64(0), np.int64(0)
    for x in range(LANES - 1, -1, -1):
        if lanes >> x & 1:
            of_zeros = _looked_up(m, ins.value, x, first, second, third, np.int64(0))
            of_ones = _looked_up(m, ins.value, x, first, second, third, np.int64(isa.FULL_MASK))
            passes, inverts = of_ones & ~of_zeros & ~fixed, of_zeros & ~of_ones & ~fixed
            if passes != passing or inverts != inverted:
                alike, passing, inverted = np.int64(0), passes, inverts
            alike |= np.int64(1) << x
    lanes = alike
    passing |= fixed if _are_neighbours(passing | fixed) else np.int64(0)
    if inverted == isa.FULL_MASK & ~fixed:
        for axis in range(AXES):
            s.result[axis] = -_slope(s, source, axis)
    elif inverted or not _are_neighbours(passing):
        _stay_all(s)
    else:
        _let_pass(m, s, source, row, passing, lanes)
    _wrap(s)
    if sets_predicate:
        keep_within(s, s.result[0], s.result[1], s.result[2], 0, 0)
    return lanes


@jit_inline()
def _fixed_bits(s, source):
    """The lowest bits of a source, which stay because all slopes are multiples of the next one."""
    slopes = _slope(s, source, 0) | _slope(s, source, 1) | _slope(s, source, 2)
    return (slopes & -slopes) - 1


@jit_inline()
def _looked_up(m, table, x, first, second, third, moved):
    """LOP3's result in a lane, if those sources that move have some bits."""
    a = moved if first else np.int64(m.scratch[A + x])
    b = moved if second else np.int64(m.scratch[B + x])
    c = moved if third else np.int64(m.scratch[C + x])
    found = np.int64(0)
    for row in range(8):
        if table >> row & 1:
            found |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return found & isa.FULL_MASK


@jit_inline()
def _are_neighbours(mask):
    """Whether the bits that are set follow each other."""
    filled = mask | (mask - 1) if mask else np.int64(0)
    return filled & (filled + 1) == 0


@jit_inline()
def _let_pass(m, s, source, row, passing, lanes):
    """Some neighbouring bits: what is below them does not overflow, nor, unless they end the word, do they."""
    begin, end = np.int64(0), np.int64(0)
    while passing and not passing >> begin & 1:
        begin += 1
    while passing >> end:
        end += 1
    if not passing:
        for axis in range(AXES):
            s.result[axis] = 0
        return
    _divide(m, s, source, row, begin, lanes)
    if end < WORD_BITS:
        half = (np.int64(1) << (end - begin)) >> 1
        for axis in range(AXES):
            s.result[axis] -= (s.result[axis] + half) >> (end - begin) << (end - begin)
        for x in range(LANES):
            s.values[x] = (np.int64(m.scratch[row + x]) & passing) >> begin
        _keep_result(s, end - begin, lanes)
    for axis in range(AXES):
        s.result[axis] <<= begin
