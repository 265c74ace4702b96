"""How a block's registers would differ in other blocks: what is known of it, and on which conditions.

Most blocks of a grid do the same in another place: each word of a register is what it is in one of them, plus a slope
for each step along an axis of the grid, modulo 2^32. While one block runs, the slopes of its registers are worked out
beside them, lane by lane, and each comparison, carry or shift adds a condition on how far away a block may be for the
same to hold there: a linear form of the steps lies within bounds. Blocks that meet all of them take the same way, and
their addresses are this block's, each moved by its slopes (`rules` and `follow` say what follows from each
instruction). What is loaded is unknown, unless all blocks load the same; where it says where a warp goes on or what it
accesses, nothing is known of other blocks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import Machine

Ints = NDArray[np.int64]

AXES = 3
MOST_FORMS = 48
"""Different linear forms in the conditions on one block's likes."""

(FAILED, FORMS, LAST, ACCESS) = range(4)
"""In `Slopes.state`: whether nothing is known of other blocks; how many forms there are, which was asked for last, and
which one moves the addresses of the last access."""

WORD_BITS = 32
SOURCES = 3
(ROW, MOVING, SIGN, EVEN, SOURCE_FIELDS) = range(5)
"""Of a source, as in `Slopes.source_rows`."""


class Slopes(NamedTuple):
    """What is known of other blocks; masks have a bit a lane.

    Attributes:
        of: [row, axis, lane] slopes of the warps' own registers, in lanes in which they move.
        even: [row] whether all of them are the same.
        moving: [row] lanes whose words depend on the block in a way that is known.
        unknown: [row] lanes of whose words in other blocks nothing is known.
        doubtful: [warp * isa.PREDICATES + predicate] the same of predicates; others are as in other blocks.
        forms: [form, axis] coefficients of the linear forms.
        least: [form] lower bounds: a condition on blocks that are like this one.
        most: [form] upper bounds.
        whole_lines: [form] whether it moves addresses, so that it must be a multiple of a line.
        source_rows: [source, 4] of an instruction's sources the row, the lanes in which it moves, its sign, and
            whether it is even.
        sources: [source, axis] their slopes in the lanes that a rule is for.
        result: [axis] the slopes of its result there.
        values: [lane] to work in.
        state: what `FAILED` and the others name.
        access: [entry of the trail] the form that moves it.
    """

    of: NDArray[np.int32]
    even: Ints
    moving: Ints
    unknown: Ints
    doubtful: Ints
    forms: Ints
    least: Ints
    most: Ints
    whole_lines: Ints
    source_rows: Ints
    sources: Ints
    result: Ints
    values: Ints
    state: Ints
    access: Ints


_NO_INTEGERS = np.zeros(0, np.int64)
NONE = Slopes(np.zeros(0, np.int32), *(_NO_INTEGERS,) * 14)
"""Where nobody asks."""


def slopes_of(machine: Machine, entries: int) -> Slopes:
    """Room for the slopes of a machine's warps, and for so many entries of a trail."""
    warps, rows = len(machine.pc), len(machine.pc) * machine.own_rows
    return Slopes(
        of=np.empty(rows * AXES * isa.LANES, np.int32),
        even=np.empty(rows, np.int64),
        moving=np.empty(rows, np.int64),
        unknown=np.empty(rows, np.int64),
        doubtful=np.empty(warps * isa.PREDICATES, np.int64),
        forms=np.empty(MOST_FORMS * AXES, np.int64),
        least=np.empty(MOST_FORMS, np.int64),
        most=np.empty(MOST_FORMS, np.int64),
        whole_lines=np.empty(MOST_FORMS, np.int64),
        source_rows=np.zeros(SOURCES * SOURCE_FIELDS, np.int64),
        sources=np.zeros(SOURCES * AXES, np.int64),
        result=np.zeros(AXES, np.int64),
        values=np.zeros(isa.LANES, np.int64),
        state=np.zeros(4, np.int64),
        access=np.empty(entries, np.int64),
    )


def begin(slopes: Slopes) -> None:
    """Begin with a block: its registers hold what other blocks left, its predicates are given, and it is like itself.

    Form 0 is that of what does not move.
    """
    slopes.moving[:] = 0
    slopes.unknown[:] = isa.FULL_MASK
    slopes.doubtful[:] = 0
    slopes.state[:] = 0
    slopes.state[FORMS] = 1
    slopes.forms[:AXES] = 0
    slopes.least[:] = -isa.NEVER
    slopes.most[:] = isa.NEVER
    slopes.whole_lines[:] = 0


@jit()
def form_of(s, x, y, z):
    """The number of a linear form, that of nothing if there is no room for it."""
    last = s.state[LAST]
    if s.forms[last * AXES] == x and s.forms[last * AXES + 1] == y and s.forms[last * AXES + 2] == z:
        return last
    count = s.state[FORMS]
    found = np.int64(0)
    while found < count and not (
        s.forms[found * AXES] == x and s.forms[found * AXES + 1] == y and s.forms[found * AXES + 2] == z
    ):
        found += 1
    if found == MOST_FORMS:
        s.state[FAILED] = 1
        return np.int64(0)
    if found == count:
        s.forms[found * AXES] = x
        s.forms[found * AXES + 1] = y
        s.forms[found * AXES + 2] = z
        s.state[FORMS] = count + 1
    s.state[LAST] = found
    return found


@jit_inline()
def keep_within(s, x, y, z, least, most):
    """A condition: the linear form lies within bounds, of which one is not above 0 and the other not below."""
    if x != 0 or y != 0 or z != 0:
        form = form_of(s, x, y, z)
        s.least[form] = max(s.least[form], least)
        s.most[form] = min(s.most[form], most)


@jit_inline()
def keep_window(s, x, y, z, width, lanes):
    """A condition: the values, which are integers and move so, stay each in its window of 2^width in some lanes."""
    if x != 0 or y != 0 or z != 0:
        last = (np.int64(1) << width) - 1
        low, high = last, np.int64(0)
        for lane in range(isa.LANES):
            behind = s.values[lane] & last
            takes_part = lanes >> lane & 1
            low = min(low, behind if takes_part else last)
            high = max(high, behind if takes_part else 0)
        keep_within(s, x, y, z, -low, last - high)


@jit_inline()
def wrapped(slope):
    """The slope of a word: modulo 2^32, the nearest to 0."""
    return ((slope + (np.int64(1) << 31)) & isa.FULL_MASK) - (np.int64(1) << 31)
