"""What an L2 of one or two sides keeps of the lines that all SMs touch, one access after the other.

A line has its home on one side. An SM of the other side gets a copy, which takes a place on its own side; it asks the
home when that copy is gone. Each side loses what was used least recently.
"""

from simcore.core.geometry import SECTOR_BYTES, SECTORS
from simcore.core.jit import entry, jit, jit_inline


@entry()
def replay(line, sectors, is_write, side, home, links, there, places, fetch_bits, missed):
    """Let the accesses happen, in order.

    Args:
        line: [access] number of its line, counted from 0.
        sectors: [access] those that it touches, a bit each.
        is_write: [access] whether they are written.
        side: [access] where its SM is.
        home: [line] where it lives.
        links: [side, 2, lines + 1] the lines of a side in the order of their last use, as a ring in both directions, of
            which the last place is the beginning; -1 for a line that is not there.
        there: [side, lines + 1] sectors that are there, a bit each; of the last place, how many lines are.
        places: how many lines a side holds.
        fetch_bits: log2 of the sectors that DRAM brings at a time.
        missed: [line] takes the bytes that DRAM brings.
    """
    for i in range(line.size):
        at, own, far = line[i], side[i], home[line[i]]
        if is_write[i]:
            _use(links, there, far, at, places)
            there[far, at] |= sectors[i]
            _use(links, there, own, at, places)
            there[own, at] |= sectors[i]
            continue
        missing = sectors[i] & ~there[own, at]
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
