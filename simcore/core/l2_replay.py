"""What an L2 of one or two sides keeps of the lines that all SMs touch, one access after the other.

A line has its home on one side. What an SM of the other side reads or writes takes a place on its own side; some
lines keep one at home, too, which is asked when the other is gone. Each side is divided into sets, of which each loses
what was used least recently.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core.draws import bits_of
from simcore.core.geometry import ALL_SECTORS, SECTOR_BYTES, SECTORS
from simcore.core.jit import by_reference, entry, fix_extents, jit, jit_inline
from simcore.core.timing.sectors import count_of

SIDE_BEFORE_SHIFT = 1
WRITE_SHIFT = 2
SECTORS_SHIFT = 3
ACCESS_LINE_SHIFT = SECTORS_SHIFT + SECTORS
ACCESS_TIME_SHIFT = 29
"""Of an access as an integer, from the lowest bit on: the side where its SM is, the side where it was in the launch
before, whether it writes, the sectors that it touches, a bit each, the number of its line, counted from 0, and when it
happens, which does not count here."""

MOST_LINES = 1 << (ACCESS_TIME_SHIFT - ACCESS_LINE_SHIFT)

FOLLOWING, BEFORE, THERE, OF_A_SIDE = range(4)
"""Of a line on a side: its neighbours in the order in which those of its set were used last, a ring of which the set
itself is the beginning, `NOT_THERE` for a line that is not there; and the sectors that are, a bit each. Of a set, how
many lines are there."""

HOME, SET, COLUMNS = range(2 * OF_A_SIDE, 2 * OF_A_SIDE + 3)
"""Behind both sides: of a line, the side where it lives, with a bit for whether it keeps a place there while SMs of the
other side use it, and its set."""

STAYS_SHIFT = 1
NOT_THERE = -1

FIRST_SIDE_BIT, FIRST_HOME_BIT, FIRST_SET_BIT = 33, 34, 44
"""Bits of what is drawn for a line (`draws`): on which side it lives, whether it stays there, and its set."""

HOME_CHANCES = 1 << (FIRST_SET_BIT - FIRST_HOME_BIT)


class Places(NamedTuple):
    """The places of an L2.

    Attributes:
        of: [line, COLUMNS] and, behind the lines, of the sets.
        missed: [line] bytes that DRAM brought.
        ways: how many lines a set of a side holds.
        fetch_bits: log2 of the sectors that DRAM brings at a time.
    """

    of: NDArray[np.int32]
    missed: NDArray[np.float64]
    ways: int
    fetch_bits: int


fix_extents("Places", of=(COLUMNS,))


@entry()
def settle(lines, sides, sets, staying, l2):
    """Draw where lines live. None is there.

    Args:
        lines: [line] their numbers.
        sides: of L2, one or two.
        sets: of a side.
        staying: of `HOME_CHANCES`, how many have a line keep a place at home.
        l2: `Places`, to which that is written.
    """
    of, count = by_reference(l2).of, lines.size
    for at in range(count):
        drawn = bits_of(lines[at])
        side = np.int64(drawn >> np.uint64(FIRST_SIDE_BIT)) & (sides - 1)
        stays = (np.int64(drawn >> np.uint64(FIRST_HOME_BIT)) & (HOME_CHANCES - 1)) < staying
        of[at, FOLLOWING] = of[at, OF_A_SIDE + FOLLOWING] = NOT_THERE
        of[at, THERE] = of[at, OF_A_SIDE + THERE] = 0
        of[at, HOME] = side | np.int64(stays) << STAYS_SHIFT
        of[at, SET] = count + np.int64(drawn >> np.uint64(FIRST_SET_BIT)) % sets
    for at in range(count, count + sets):
        for side in (0, OF_A_SIDE):
            of[at, side + FOLLOWING] = of[at, side + BEFORE] = at
            of[at, side + THERE] = 0


@entry()
def replay(accesses, side_shift, l2):
    """Let accesses happen, in order.

    Args:
        accesses: integers (see above).
        side_shift: of the side that counts: of this launch, or of the one before.
        l2: `Places`.
    """
    places = by_reference(l2)
    of = places.of
    for i in range(accesses.size):
        access = accesses[i]
        at, own = access >> ACCESS_LINE_SHIFT & (MOST_LINES - 1), access >> side_shift & 1
        far, stays_home = of[at, HOME] & 1, of[at, HOME] >> STAYS_SHIFT
        here, there = own * OF_A_SIDE, far * OF_A_SIDE
        sectors = access >> SECTORS_SHIFT & ALL_SECTORS
        if access >> WRITE_SHIFT & 1:
            if stays_home:
                _use(places, there, at)
                of[at, there + THERE] |= sectors
            _use(places, here, at)
            of[at, here + THERE] |= sectors
            continue
        missing = sectors & ~of[at, here + THERE]
        _use(places, here, at)
        if missing:
            brought = _bring(np.int64(of[at, there + THERE]), missing, places.fetch_bits)
            places.missed[at] += SECTOR_BYTES * count_of(brought)
            if stays_home or of[at, there + FOLLOWING] != NOT_THERE:
                _use(places, there, at)
                of[at, there + THERE] |= brought
                of[at, here + THERE] |= of[at, there + THERE] & missing
            else:
                of[at, here + THERE] |= brought | missing


@jit_inline()
def _bring(known, missing, fetch_bits):
    """The sectors that DRAM brings for those that are missing, so many at a time."""
    brought = 0
    for first in range(0, SECTORS, 1 << fetch_bits):
        together = ((1 << (1 << fetch_bits)) - 1) << first
        if missing & together & ~known:
            brought |= together
    return brought


@jit()
def _use(places, side, at):
    """A line is used on a side; if it was not there, the one of its set whose last use is longest ago makes room.

    Args:
        side: the first of its columns.
    """
    of = places.of
    to = of[at, SET]
    following = of[to, side + FOLLOWING]
    if following == at:
        return
    if of[at, side + FOLLOWING] != NOT_THERE:
        _take_out(of, side, at)
    elif of[to, side + THERE] == places.ways:
        last = of[to, side + BEFORE]
        _take_out(of, side, last)
        of[last, side + FOLLOWING] = NOT_THERE
        of[last, side + THERE] = 0
    else:
        of[to, side + THERE] += 1
    following = of[to, side + FOLLOWING]
    of[at, side + FOLLOWING] = following
    of[at, side + BEFORE] = to
    of[following, side + BEFORE] = at
    of[to, side + FOLLOWING] = at


@jit_inline()
def _take_out(of, side, at):
    """Join the neighbours of a line."""
    following, before = of[at, side + FOLLOWING], of[at, side + BEFORE]
    of[before, side + FOLLOWING] = following
    of[following, side + BEFORE] = before
