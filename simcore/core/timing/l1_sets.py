"""Where L1 keeps lines, and which it gives up: sets by a hash, of four tags each, over a pool of lines.

All of it was measured line by line (benchmarks/silicon/micro/l1/sets.py). A set gives up what it has not seen again
first, in the order in which that came, and protects the two lines that were hit last (segmented LRU). The sets lie in
four banks, each with its own tag stage and a quarter of the data (benchmarks/silicon/micro/l1/bank_places.cu). The
carve-out leaves fewer lines than there are tags. When all of a bank's are in use, a hand that goes round its sets takes
from the next one that has any what that set would give up.
"""

import numpy as np

from simcore.core.geometry import L1_SET_BITS, L1_SETS
from simcore.core.jit import jit, jit_inline
from simcore.core.timing import l2
from simcore.core.timing.l2 import WAY_BITS, WAY_MASK

# What each bit of a line's number from bit 9 on adds (XOR) to its set, besides the lowest nine. Alike on an H200 and an
# H100; bits beyond the 23rd were not measured.
SET_COLUMNS = (
    *(0x71, 0x1B, 0x176, 0x149, 0x39, 0x1E1, 0x1DD, 0xEE),
    *(0x194, 0x8D, 0x1AC, 0xF4, 0x12F, 0x82, 0xF0),
)
_HALF = len(SET_COLUMNS) // 2

# The lower and the upper bit of a set's bank are the parities of these bits of its number. Measured with
# benchmarks/silicon/micro/l1/tag_banks, bank_places.cu and bank_misses.cu, alike on an H200 and an H100.
BANK_MASKS = (0xB5, 0x1DA)
BANKS = 1 << len(BANK_MASKS)
SETS_OF_BANK = L1_SETS // BANKS

PROTECTED = 1 << 60
"""A bit of what is kept of a line's last use, so that lines that were hit are behind all others."""


def _sums(columns):
    """The XOR of the columns of each set bit, for all numbers of as many bits."""
    sums = np.zeros(1 << len(columns), np.int64)
    for bit, column in enumerate(columns):
        sums[1 << bit : 2 << bit] = sums[: 1 << bit] ^ column
    return sums


_LOWER, _UPPER = _sums(SET_COLUMNS[:_HALF]), _sums(SET_COLUMNS[_HALF:])


def bank_of_set(set):
    """The bank of a set."""
    return sum(((set & mask).bit_count() & 1) << bit for bit, mask in enumerate(BANK_MASKS))


def _of_lines(mask):
    """The bits of a line's number whose parity is that of the masked bits of its set."""
    columns = [1 << bit for bit in range(L1_SET_BITS)] + list(SET_COLUMNS)
    return sum(((column & mask).bit_count() & 1) << bit for bit, column in enumerate(columns))


_LOWER_BANK_BITS, _UPPER_BANK_BITS = map(_of_lines, BANK_MASKS)
_ODD_NIBBLES = 0x6996  # a bit for each number below 16: its parity
_SETS = np.argsort([bank_of_set(set) for set in range(L1_SETS)], kind="stable")  # those of bank 0, 1, 2, 3


@jit_inline()
def bank(line):
    """The bank of a line: both parities are folded in the halves of one integer."""
    folded = line & _LOWER_BANK_BITS | (line & _UPPER_BANK_BITS) << 32
    folded ^= folded >> 16
    folded ^= folded >> 8
    folded ^= folded >> 4
    return _ODD_NIBBLES >> (folded & 15) & 1 | (_ODD_NIBBLES >> (folded >> 32 & 15) & 1) << 1


@jit_inline()
def _first(t, line):
    """The first place of the set of a line."""
    above = line >> L1_SET_BITS
    hashed = line ^ _LOWER[above & len(_LOWER) - 1] ^ _UPPER[above >> _HALF & len(_UPPER) - 1]
    return (hashed & L1_SETS - 1) * t.l1_ways


@jit_inline()
def hit(sm, t, place, now):
    """The line at a place is used again, and protected from now on."""
    key = sm.l1_used[place]
    sm.l1_used[place] = PROTECTED | now << WAY_BITS | key & WAY_MASK
    if key < PROTECTED:
        _protect_no_more_than(sm, t, place - (key & WAY_MASK), now)


@jit()
def _protect_no_more_than(sm, t, first, now):
    """If a set has too many protected lines, the one that was hit longest ago is as if it came now."""
    count = 0
    oldest = sm.l1_used[first]
    for place in range(first, first + t.l1_ways):
        key = sm.l1_used[place]
        if key >= PROTECTED:
            count += 1
            oldest = key if oldest < PROTECTED else min(oldest, key)
    if count > t.l1_protected_ways:
        l2.use(sm.l1_used, first + (oldest & WAY_MASK), now)


@jit()
def place_of(sm, t, line, now):
    """The place of a line, from now on if it had none, and whether it had one."""
    first = _first(t, line)
    for place in range(first, first + t.l1_ways):
        if sm.l1_tag[place] == line:
            hit(sm, t, place, now)
            return np.int64(place), True
    victim = l2.oldest(sm.l1_used, first, t.l1_ways)
    if sm.l1_tag[victim] < 0:
        _take_from_pool(sm, t, bank(line))
    sm.l1_tag[victim] = line
    l2.use(sm.l1_used, victim, now)
    return victim, False


@jit_inline()
def _take_from_pool(sm, t, bank):
    """A line's worth of a bank's data, of what is left or of what its hand comes to next."""
    if sm.l1_in_use[bank] < t.l1_lines // BANKS:
        sm.l1_in_use[bank] += 1
        return
    freed = False
    while not freed:
        sm.l1_hand[bank] = (sm.l1_hand[bank] + 1) & SETS_OF_BANK - 1
        freed = _give_up_one(sm, t, _SETS[bank * SETS_OF_BANK + sm.l1_hand[bank]] * t.l1_ways)


@jit()
def _give_up_one(sm, t, first):
    """Empty one place of a set; returns whether there was a line."""
    oldest = np.int64(-1)
    for place in range(first, first + t.l1_ways):
        if sm.l1_tag[place] >= 0 and (oldest < 0 or sm.l1_used[place] < oldest):
            oldest = sm.l1_used[place]
    if oldest < 0:
        return False
    way = oldest & WAY_MASK
    sm.l1_tag[first + way] = -1
    sm.l1_used[first + way] = way
    return True
