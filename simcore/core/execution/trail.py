"""Which lines of global memory a block's warps touch, in which order: of a sample of all lines."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution.memory import COPY_TO_SHARED, STORE
from simcore.core.geometry import LINE_SHIFT, SECTOR_SHIFT, SECTORS
from simcore.core.jit import fix_extents, jit, jit_inline, lowest_bit
from simcore.core.machine import REPORT_LANES, REPORT_SPACE

TOUCH, WHEN, FIELDS = range(3)
"""Of an entry: what was touched, and by whom and when."""

SECTORS_SHIFT, OPENS_SHIFT, CLOSES_SHIFT, TOUCHED_LINE_SHIFT = 1, 1 + SECTORS, 2 + SECTORS, 3 + SECTORS
"""Of a touch, from the lowest bit on: whether it writes; the sectors, a bit each; whether accesses of its block to the
line are left out between this one and a later one, and whether it is that later one (`known`); and the line."""

IN_BETWEEN = 1 << OPENS_SHIFT | 1 << CLOSES_SHIFT
"""What says that accesses are left out."""

ENTRIES, LEFT_OUT, NOTED = range(3)
"""Of what is counted: the entries, and the accesses that are left out."""

BLOCK_SHIFT = 36
"""Of when: how many instructions this warp had executed, times the warps, and the block, counted from the first."""


class Trail(NamedTuple):
    """What is noted.

    Attributes:
        entries: [entry, FIELDS] in the order of execution; none are noted where there is no room for any.
        log: [LOGGED_AT_ONCE * LOG_FIELDS] a stretch's accesses to the sample, until they are noted: the address of each
            lane, then `LOG_PC` to `LOG_POSITION`.
        noted: [NOTED] entries so far, of which those beyond the room are lost, and what is left out.
        mask: a line is of the sample if its hash has none of these bits.
        most: instructions after which a warp is not run any further.
        first: number of the first block that is run.
        leaves_out: whether accesses are left out that find what they ask for unless L2 has lost it meanwhile.
    """

    entries: NDArray[np.int64]
    log: NDArray[np.int64]
    noted: NDArray[np.int64]
    mask: int
    most: int
    first: int
    leaves_out: int


fix_extents("Trail", entries=(FIELDS,))

#: Multipliers of the hash that chooses the sample: of a line's number, then of its bits.
SPREAD, FIRST, SECOND = 0x9E37_79B1, 0x2C1B_3C6D, 0x297A_2D39
HALF, LESS = 15, 12
"""Bits by which they are shifted between."""

LOG_PC, LOG_LANES, LOG_SAMPLED, LOG_POSITION, LOG_FIELDS = range(isa.LANES, isa.LANES + 5)
"""Of a logged access: the instruction, its lanes, those whose lines are of the sample, and how many instructions the
warp had executed since it entered the stretch."""

LOGGED_AT_ONCE = 512
"""Accesses of the log after which a stretch returns."""

_NO_INTEGERS = np.zeros(0, np.int64)
NONE = Trail(np.empty((0, FIELDS), np.int64), _NO_INTEGERS, np.zeros(NOTED, np.int64), 0, isa.NEVER, 0, 0)


def trail_of(most_entries: int, mask: int, most: int) -> Trail:
    """A trail with room for entries, of the blocks from the first on; see `Trail` for the rest."""
    entries = np.empty((most_entries, FIELDS), np.int64)
    log = np.empty(LOGGED_AT_ONCE * LOG_FIELDS, np.int64)
    return Trail(entries, log, np.zeros(NOTED, np.int64), mask, most, 0, 0)


@jit_inline()
def mixed(number):
    """32 bits that look random but are the same for the same number."""
    bits = np.uint32(number & isa.FULL_MASK)
    bits = _product(bits ^ (bits >> HALF), FIRST)
    bits = _product(bits ^ (bits >> LESS), SECOND)
    return np.int64(bits ^ (bits >> HALF))


@jit_inline()
def _product(bits, factor):
    """The lower 32 bits of a product, as a word, of which a vector holds many."""
    return np.uint32(np.int64(bits) * factor & isa.FULL_MASK)


@jit()
def note(m, trail, pc, block, position):
    """Note what the instruction just executed touched of global memory: neighbouring lanes on one line together."""
    ins = m.code[pc]
    if ins.operation >> isa.FAMILY_BITS != isa.MEMORY or ins.operation > COPY_TO_SHARED:
        return
    if m.action[pc] == isa.SKIP or m.report[REPORT_SPACE] != isa.SPACE_GLOBAL:
        return
    if _is_one_line(m) and not is_of_sample(trail, m.address[0] >> LINE_SHIFT):
        return
    lanes = m.report[REPORT_LANES]
    _note_lanes(trail, ins, m.address, 0, lanes, lanes & _lanes_of_sample(m, trail), block, position)


@jit()
def take(m, trail, logged, block, executed, warps):
    """Note what a stretch has logged.

    Args:
        logged: accesses.
        executed: instructions that the warp had executed before.
        warps: of the block.
    """
    for access in range(logged):
        at = access * LOG_FIELDS
        ins = m.code[trail.log[at + LOG_PC]]
        position = (executed + trail.log[at + LOG_POSITION]) * warps
        lanes, sampled = trail.log[at + LOG_LANES], trail.log[at + LOG_SAMPLED]
        _note_lanes(trail, ins, trail.log, at, lanes, sampled, block, position)


@jit_inline()
def _note_lanes(trail, ins, addresses, at, lanes, sampled, block, position):
    """Note an access: `addresses` has each lane's from `at` on, and `sampled` are those of the lanes to be noted.

    Neighbours on one line are noted together, as far as no other lane takes part between them.
    """
    is_write = np.int64(ins.operation == STORE)  # atomics fetch their lines, too
    while sampled:
        first = lowest_bit(sampled)
        line = addresses[at + first] >> LINE_SHIFT
        together = sampled & lanes_at(addresses, at, line)
        others = lanes & ~together & (np.int64(-1) << first)
        if others:
            together &= (np.int64(1) << lowest_bit(others)) - 1
        touch = line << TOUCHED_LINE_SHIFT | sectors_at(addresses, at, together) << SECTORS_SHIFT | is_write
        add(trail, touch, when(block, position))
        sampled &= ~together


@jit_inline()
def lanes_at(addresses, at, line):
    """The lanes whose addresses are in a line."""
    lanes = np.int64(0)
    for x in range(isa.LANES):
        lanes |= np.int64(addresses[at + x] >> LINE_SHIFT == line) << x
    return lanes


@jit_inline()
def sectors_at(addresses, at, lanes):
    """The sectors of their line that lanes touch, a bit each: an access is in one."""
    sectors = np.int64(0)
    for x in range(isa.LANES):
        sectors |= (lanes >> x & 1) << (addresses[at + x] >> SECTOR_SHIFT & (SECTORS - 1))
    return sectors


@jit_inline()
def _is_one_line(m):
    """Whether the addresses of all lanes, also of inactive ones, are in one line, as those of most accesses are."""
    bits = np.int64(0)
    for x in range(isa.LANES):
        bits |= m.address[x] ^ m.address[0]
    return bits >> LINE_SHIFT == 0


@jit_inline()
def _lanes_of_sample(m, trail):
    """The lanes whose addresses are in lines of the sample."""
    if trail.mask == 0:
        return np.int64(isa.FULL_MASK)
    lanes = np.int64(0)
    for x in range(isa.LANES):
        lanes |= np.int64(is_of_sample(trail, m.address[x] >> LINE_SHIFT)) << x
    return lanes


@jit_inline()
def is_of_sample(trail, line):
    """Whether a line is of the sample, which the lower 32 bits of its number say."""
    return mixed(_product(line, SPREAD)) & trail.mask == 0


@jit_inline()
def when(block, position):
    """A block and a position as an integer."""
    return np.int64(block) << BLOCK_SHIFT | position


@jit_inline()
def add(trail, touch, by):
    """Add an entry: what was touched, and by whom and `when`."""
    at = trail.noted[ENTRIES]
    trail.noted[ENTRIES] = at + 1
    if at < trail.entries.shape[0]:
        trail.entries[at, TOUCH] = touch
        trail.entries[at, WHEN] = by
