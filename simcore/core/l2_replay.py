"""What an L2 of one or two sides keeps of the lines that all SMs touch, one access after the other.

A line has its home on one side. What an SM of the other side reads or writes takes a place on its own side; some
lines keep one at home, too, which is asked when the other is gone. Each side is divided into sets, of which each loses
what was used least recently.
"""

from simcore.core.geometry import SECTOR_BYTES, SECTORS
from simcore.core.jit import entry, jit, jit_inline
from simcore.core.timing.sectors import count_of

SIDE_BEFORE_SHIFT = 1
WRITE_SHIFT = 2
SECTORS_SHIFT = 3
ACCESS_LINE_SHIFT = SECTORS_SHIFT + SECTORS
"""Of an access as an integer, from the lowest bit on: the side where its SM is, the side where it was in the launch
before, whether it writes, the sectors that it touches, a bit each, and the number of its line, counted from 0."""


@jit_inline()
def access_of(line, sectors, is_write, sides):
    """An access as an integer."""
    return line << ACCESS_LINE_SHIFT | sectors << SECTORS_SHIFT | is_write << WRITE_SHIFT | sides


@entry()
def replay(accesses, side_shift, home, stays_home, sets, links, there, ways, fetch_bits, missed):
    """Let accesses happen, in order.

    Args:
        accesses: integers (see `access_of`).
        side_shift: of the side that counts: of this launch, or of the one before.
        home: [line] where it lives.
        stays_home: [line] whether it keeps a place there while SMs of the other side use it.
        sets: [line] its set, counted from behind the last line.
        links: [side, 2, lines + sets] the lines of a set in the order of their last use, as a ring in both directions,
            of which the set's own place is the beginning; -1 for a line that is not there.
        there: [side, lines + sets] sectors that are there, a bit each; of a set, how many lines are.
        ways: how many lines a set holds.
        fetch_bits: log2 of the sectors that DRAM brings at a time.
        missed: [line] takes the bytes that DRAM brings.
    """
    for i in range(accesses.size):
        access = accesses[i]
        at, own = access >> ACCESS_LINE_SHIFT, access >> side_shift & 1
        far, to = home[at], sets[at]
        sectors = access >> SECTORS_SHIFT & ((1 << SECTORS) - 1)
        if access >> WRITE_SHIFT & 1:
            if stays_home[at]:
                _use(links, there, far, at, to, ways)
                there[far, at] |= sectors
            _use(links, there, own, at, to, ways)
            there[own, at] |= sectors
            continue
        missing = sectors & ~there[own, at]
        _use(links, there, own, at, to, ways)
        if missing:
            known = there[own, at] if own == far else there[far, at]
            brought = _bring(known, missing, fetch_bits)
            missed[at] += SECTOR_BYTES * count_of(brought)
            if stays_home[at] or links[far, 0, at] >= 0:
                _use(links, there, far, at, to, ways)
                there[far, at] |= brought
                there[own, at] |= there[far, at] & missing
            else:
                there[own, at] |= brought | missing


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
def _use(links, there, side, at, to, ways):
    """A line is used on a side; if it was not there, the one of its set whose last use is longest ago makes room."""
    if links[side, 0, at] >= 0:
        _take_out(links, side, at)
    elif there[side, to] == ways:
        last = links[side, 1, to]
        _take_out(links, side, last)
        links[side, 0, last] = -1
        there[side, last] = 0
    else:
        there[side, to] += 1
    following = links[side, 0, to]
    links[side, 0, at] = following
    links[side, 1, at] = to
    links[side, 1, following] = at
    links[side, 0, to] = at


@jit_inline()
def _take_out(links, side, at):
    """Join the neighbours of a line."""
    following, before = links[side, 0, at], links[side, 1, at]
    links[side, 0, before] = following
    links[side, 1, following] = before
