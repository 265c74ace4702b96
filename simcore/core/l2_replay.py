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
OPENS_SHIFT, CLOSES_SHIFT, ACCESS_LINE_SHIFT = (SECTORS_SHIFT + SECTORS + more for more in range(3))
ACCESS_TIME_SHIFT = 31
"""Of an access as an integer, from the lowest bit on: the side where its SM is, the side where it was in the launch
before, whether it writes, the sectors that it touches, a bit each, whether accesses to its line are left out from this
one on, and whether that ends, the number of its line, counted from 0, and when it happens, which does not count
here."""

MOST_LINES = 1 << (ACCESS_TIME_SHIFT - ACCESS_LINE_SHIFT)

FOLLOWING, BEFORE, LINKS = range(3)
"""Of a line on a side: its neighbours in the order in which those of its set were used last, a ring of which the set
itself is the beginning; `NOT_THERE` for a line that is not there."""

NOT_THERE = -1

HOME_SHIFT, STAYS_SHIFT, SET_SHIFT = 2 * SECTORS, 2 * SECTORS + 1, 2 * SECTORS + 2
AWAITED_SHIFT, COUNT_BITS = 32, 16
"""Of a line's state, from the lowest bit on: its sectors that are on each side, a bit each; the side where it lives;
whether it keeps a place there while SMs of the other side use it; its set; and, in so many bits, of how many blocks on
each side accesses to it are being left out."""

MOST_SETS = 1 << (AWAITED_SHIFT - SET_SHIFT)
COUNTED = (1 << COUNT_BITS) - 1

FIRST_SIDE_BIT, FIRST_HOME_BIT, FIRST_SET_BIT = 33, 34, 44
"""Bits of what is drawn for a line (`draws`): on which side it lives, whether it stays there, and its set."""

HOME_CHANCES = 1 << (FIRST_SET_BIT - FIRST_HOME_BIT)


Ints = NDArray[np.int64]


class Places(NamedTuple):
    """The places of an L2, in few bytes a line: a processor's cache holds those of all lines.

    Attributes:
        state: [line] see above.
        links: [side, row, LINKS] see above; the rows of the sets are behind those of the lines.
        in_use: [side, set] how many lines are there.
        missed: [line] bytes that DRAM brought.
        lost: [1] not 0 if a line was lost on a side where accesses to it were being left out.
        brings: [sectors, a bit each] those that DRAM brings where these are missing.
        ways: how many lines a set of a side holds.
    """

    state: Ints
    links: NDArray[np.int32]
    in_use: NDArray[np.int32]
    missed: NDArray[np.float64]
    lost: Ints
    brings: Ints
    ways: int


fix_extents("Places", links=(LINKS,), brings=(ALL_SECTORS + 1,))


def empty_places(lines: int, sides: int, sets: int, ways: int, brings: Ints) -> Places:
    """Places of which no line has one."""
    links = np.full((sides, lines + sets, LINKS), NOT_THERE, np.int32)
    links[:, lines:] = np.arange(lines, lines + sets)[:, None]
    in_use, state = np.zeros((sides, sets), np.int32), np.zeros(lines, np.int64)
    return Places(state, links, in_use, np.zeros(lines), np.zeros(1, np.int64), brings, ways)


@entry()
def settle(lines, sides, sets, staying, l2):
    """Draw where lines live.

    Args:
        lines: [line] their numbers.
        sides: of L2, one or two.
        sets: of a side.
        staying: of `HOME_CHANCES`, how many have a line keep a place at home.
        l2: `Places`, whose lines' state takes that.
    """
    places, count = by_reference(l2), lines.size
    for at in range(count):
        drawn = bits_of(lines[at])
        side = np.int64(drawn >> np.uint64(FIRST_SIDE_BIT)) & (sides - 1)
        stays = (np.int64(drawn >> np.uint64(FIRST_HOME_BIT)) & (HOME_CHANCES - 1)) < staying
        set = np.int64(drawn >> np.uint64(FIRST_SET_BIT)) % sets
        places.state[at] = side << HOME_SHIFT | np.int64(stays) << STAYS_SHIFT | set << SET_SHIFT


@entry()
def replay(accesses, side_shift, l2):
    """Let accesses happen, in order.

    Args:
        accesses: integers (see above).
        side_shift: of the side that counts: of this launch, or of the one before.
        l2: `Places`.
    """
    places = by_reference(l2)
    for i in range(accesses.size):
        access = accesses[i]
        at, own = access >> ACCESS_LINE_SHIFT & (MOST_LINES - 1), access >> side_shift & 1
        sectors = access >> SECTORS_SHIFT & ALL_SECTORS
        state = places.state[at] + (_change(access) << _awaited_shift(own))
        if access >> WRITE_SHIFT & 1:
            places.state[at] = _write(places, at, state, own, sectors)
        else:
            missing = sectors & ~_on_side(state, own)
            _use(places, own, at, state)
            places.state[at] = _bring(places, at, state, own, missing) if missing else state


@jit_inline()
def _change(access):
    """Of how many more blocks accesses to the line are left out from an access on."""
    return (access >> OPENS_SHIFT & 1) - (access >> CLOSES_SHIFT & 1)


@jit_inline()
def _awaited_shift(side):
    """Where it is counted of how many blocks on a side they are."""
    return AWAITED_SHIFT + side * COUNT_BITS


@jit_inline()
def _set_of(state):
    """A line's set."""
    return state >> SET_SHIFT & (MOST_SETS - 1)


@jit_inline()
def _on_side(state, side):
    """The sectors of a line that are on a side, and other bits above them."""
    return state >> side * SECTORS


@jit_inline()
def _write(places, at, state, own, sectors):
    """Sectors are written on a side, and at home if the line stays there; returns its state then."""
    home = state >> HOME_SHIFT & 1
    if state >> STAYS_SHIFT & 1:
        _use(places, home, at, state)
        state |= sectors << home * SECTORS
    _use(places, own, at, state)
    return state | sectors << own * SECTORS


@jit_inline()
def _bring(places, at, state, own, missing):
    """A side gets sectors from the line's home or, what is not there either, from DRAM; returns its state then."""
    home = state >> HOME_SHIFT & 1
    brought = places.brings[missing & ~_on_side(state, home)]
    places.missed[at] += SECTOR_BYTES * count_of(brought)
    if state >> STAYS_SHIFT & 1 or places.links[home, at, FOLLOWING] != NOT_THERE:
        _use(places, home, at, state)
        state |= brought << home * SECTORS
        return state | (_on_side(state, home) & missing) << own * SECTORS
    return state | (brought | missing) << own * SECTORS


@jit()
def _use(places, side, at, state):
    """A line is used on a side; if it was not there, the one of its set whose last use is longest ago makes room."""
    links, set = places.links, _set_of(state)
    row = places.state.size + set
    if links[side, row, FOLLOWING] == at:
        return
    if links[side, at, FOLLOWING] != NOT_THERE:
        _take_out(links, side, at)
    else:
        _make_room(places, side, set, row)
    following = links[side, row, FOLLOWING]
    links[side, at, FOLLOWING] = following
    links[side, at, BEFORE] = row
    links[side, following, BEFORE] = at
    links[side, row, FOLLOWING] = at


@jit_inline()
def _make_room(places, side, set, row):
    """There is one line more in a set, or another one in place of the one whose last use is longest ago."""
    links = places.links
    if places.in_use[side, set] < places.ways:
        places.in_use[side, set] += 1
        return
    last = links[side, row, BEFORE]
    _take_out(links, side, last)
    links[side, last, FOLLOWING] = NOT_THERE
    places.lost[0] |= places.state[last] >> _awaited_shift(side) & COUNTED
    places.state[last] &= ~(ALL_SECTORS << side * SECTORS)


@jit_inline()
def _take_out(links, side, at):
    """Join the neighbours of a line."""
    following, before = links[side, at, FOLLOWING], links[side, at, BEFORE]
    links[side, before, FOLLOWING] = following
    links[side, following, BEFORE] = before
