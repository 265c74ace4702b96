"""What an L2 of one or two sides keeps of the lines that all SMs touch, one access after the other.

A line has its home on one side. An SM of the other side gets a copy, which takes a place on its own side; it asks the
home when that copy is gone. Each side loses what was used least recently.
"""

from simcore.core.geometry import SECTOR_BYTES, SECTORS
from simcore.core.jit import entry, jit, jit_inline

WRITE_SHIFT = 1
SECTORS_SHIFT = 2
ACCESS_LINE_SHIFT = SECTORS_SHIFT + SECTORS
"""Of an access as an integer, from the lowest bit on: the side where its SM is, whether it writes, the sectors that it
touches, a bit each, and the number of its line, counted from 0."""


@jit_inline()
def access_of(line, sectors, is_write, side):
    """An access as an integer."""
    return line << ACCESS_LINE_SHIFT | sectors << SECTORS_SHIFT | is_write << WRITE_SHIFT | side


@entry()
def replay(accesses, home, links, there, places, fetch_bits, missed):
    """Let accesses happen, in order.

    Args:
        accesses: integers (see `access_of`).
        home: [line] where it lives.
        links: [side, 2, lines + 1] the lines of a side in the order of their last use, as a ring in both directions, of
            which the last place is the beginning; -1 for a line that is not there.
        there: [side, lines + 1] sectors that are there, a bit each; of the last place, how many lines are.
        places: how many lines a side holds.
        fetch_bits: log2 of the sectors that DRAM brings at a time.
        missed: [line] takes the bytes that DRAM brings.
    """
    for i in range(accesses.size):
        access = accesses[i]
        at, own = access >> ACCESS_LINE_SHIFT, access & 1
        far = home[at]
        sectors = access >> SECTORS_SHIFT & ((1 << SECTORS) - 1)
        if access >> WRITE_SHIFT & 1:
            _use(links, there, far, at, places)
            there[far, at] |= sectors
            _use(links, there, own, at, places)
            there[own, at] |= sectors
            continue
        missing = sectors & ~there[own, at]
        _use(links, there, own, at, places)
        if missing:
            _use(links, there, far, at, places)
            for first in range(0, SECTORS, 1 << fetch_bits):
                together = ((1 << (1 << fetch_bits)) - 1) << first
                if missing & together & ~there[far, at]:
                    there[far, at] |= together
                    missed[at] += SECTOR_BYTES << fetch_bits
            there[own, at] |= there[far, at] & missing


@jit()
def _use(links, there, side, at, places):
    """A line is used on a side; if it was not there, the one whose last use is longest ago makes room."""
    ring = links.shape[2] - 1
    if links[side, 0, at] >= 0:
        _take_out(links, side, at)
    elif there[side, ring] == places:
        last = links[side, 1, ring]
        _take_out(links, side, last)
        links[side, 0, last] = -1
        there[side, last] = 0
    else:
        there[side, ring] += 1
    following = links[side, 0, ring]
    links[side, 0, at] = following
    links[side, 1, at] = ring
    links[side, 1, following] = at
    links[side, 0, ring] = at


@jit_inline()
def _take_out(links, side, at):
    """Join the neighbours of a line."""
    following, before = links[side, 0, at], links[side, 1, at]
    links[side, 0, before] = following
    links[side, 1, following] = before
