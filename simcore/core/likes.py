"""Blocks that are like one that was run: which they are, and their accesses, which are those of that one, moved."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import demand, footprint, trail
from simcore.core.execution.slopes.state import MOST_FORMS
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT
from simcore.core.jit import by_reference, entry, fix_extents, jit_inline, lowest_bit
from simcore.core.known import RUNS

SET_SHIFT, WORD_SHIFT = 5, 6
SET_SIZE, WORD_BITS = 1 << SET_SHIFT, 1 << WORD_SHIFT
"""Of a run's lines, and of its entries, for which an integer has a bit each."""

AT_ONCE = 512
"""Blocks whose accesses are moved together."""

ROW = 16
"""Slots that are looked at in one vector."""

SLOTS = AT_ONCE + ROW
"""The last row may reach beyond the last block."""

NOWHERE = -1

Ints = NDArray[np.int64]


@entry()
def find_likes(blocks, grid, runs, like):
    """Find the run that each of some blocks is like, until one is like none of them.

    Args:
        blocks: their numbers.
        grid: [axis] its shape.
        runs: `known.Runs`.
        like: [block] takes the number of the run.

    Returns how many of the blocks are like one.
    """
    known = by_reference(runs)
    last, count = np.int64(0), known.in_use[RUNS]
    for i in range(blocks.size):
        x, y, z = _place(blocks[i], grid)
        tried = np.int64(0)
        while tried < count and not _is_like(known, last, x, y, z):
            tried += 1
            last = last + 1 if last + 1 < count else 0
        if tried == count:
            return np.int64(i)
        like[i] = last
    return np.int64(blocks.size)


@entry()
def count_likes(blocks, grid, runs, run):
    """How many of some blocks are like one of the runs; the arguments are as for `find_likes`."""
    known = by_reference(runs)
    count = np.int64(0)
    for i in range(blocks.size):
        x, y, z = _place(blocks[i], grid)
        count += _is_like(known, run, x, y, z)
    return count


@jit_inline()
def _place(block, grid):
    """Where a block is in the grid, which seldom has more than one layer."""
    row = block // grid[0]
    layer = row // grid[1] if row >= grid[1] else np.int64(0)
    return block - row * grid[0], row - layer * grid[1], layer


@jit_inline()
def _steps(known, run, x, y, z):
    """How far a place is from that of a block that was run."""
    return x - known.place[run, 0], y - known.place[run, 1], z - known.place[run, 2]


@jit_inline()
def _moved(known, run, form, x, y, z):
    """A linear form of the steps."""
    forms = known.forms
    return forms[run, form, 0] * x + forms[run, form, 1] * y + forms[run, form, 2] * z


@jit_inline()
def _is_like(known, run, x, y, z):
    """Whether a block at a place meets all conditions."""
    x, y, z = _steps(known, run, x, y, z)
    for form in range(known.used[run]):
        moved = _moved(known, run, form, x, y, z)
        if moved < known.bounds[run, form, 0] or moved > known.bounds[run, form, 1]:
            return False
        if known.bounds[run, form, 2] and moved & (LINE_BYTES - 1):
            return False
    return True


class Moving(NamedTuple):
    """What it takes to move trails to other blocks: some at a time, those that are like the same run side by side.

    Attributes:
        slot: [block] where it stands among them; `NOWHERE` until that is known.
        lines_moved: [form, slot] by how many lines the form moves a run's accesses.
        lower_words: the same, of which 32 bits are left.
        sampled: [set of a run's lines, slot] which of them are of the sample where they are moved, a bit each.
        chosen: zeros, a bit for each entry of a run.
    """

    slot: Ints
    lines_moved: Ints
    lower_words: NDArray[np.uint32]
    sampled: NDArray[np.uint32]
    chosen: Ints


fix_extents("Moving", lines_moved=(SLOTS,), lower_words=(SLOTS,), sampled=(SLOTS,))


def moving_of(most_entries: int) -> Moving:
    """Of runs with so many entries at most."""
    return Moving(
        slot=np.empty(AT_ONCE, np.int64),
        lines_moved=np.empty((MOST_FORMS, SLOTS), np.int64),
        lower_words=np.empty((MOST_FORMS, SLOTS), np.uint32),
        sampled=np.empty(((most_entries >> SET_SHIFT) + 1, SLOTS), np.uint32),
        chosen=np.zeros((most_entries >> WORD_SHIFT) + 1, np.int64),
    )


@entry()
def move_trails(blocks, grid, like, runs, noted, moving):
    """Note what blocks touch that are like one that was run.

    Args:
        blocks: their numbers.
        grid: [axis] its shape.
        like: [block] the number of the run.
        runs: `known.Runs`.
        noted: `trail.Trail`, which takes the accesses.
        moving: `Moving`, to work in.
    """
    known, notes, work = by_reference(runs), by_reference(noted), by_reference(moving)
    for first in range(0, blocks.size, AT_ONCE):
        count = min(blocks.size - first, AT_ONCE)
        _sample_lines(known, notes, work, blocks, grid, like, first, count)
        for i in range(count):
            _note_sampled(known, notes, work, like[first + i], work.slot[i], notes.first + first + i)


@jit_inline()
def _sample_lines(known, notes, work, blocks, grid, like, first, count):
    """Find the lines of the sample that blocks touch, from the first one on: those that are like the same run at
    once."""
    for i in range(count):
        work.slot[i] = NOWHERE
    slots = np.int64(0)
    for i in range(count):
        if work.slot[i] == NOWHERE:
            run, begin = like[first + i], slots
            for k in range(i, count):
                if like[first + k] == run:
                    work.slot[k] = slots
                    _move_lines(known, run, blocks[first + k], grid, work.lines_moved, slots)
                    slots += 1
            _sample_lines_of(known, notes, work, run, begin, slots)


@jit_inline()
def _sample_lines_of(known, notes, work, run, begin, end):
    """Find the lines of the sample that the blocks in some slots touch, which are like the same run. What is found in
    the slots behind them, up to a whole row, does not count: their turn is later."""
    for form in range(known.used[run]):
        for slot in range(begin, end):
            work.lower_words[form, slot] = np.uint32(work.lines_moved[form, slot] & isa.FULL_MASK)
    first, last = known.first_line[run], known.first_line[run + 1]
    for set in range(_sets(last - first, SET_SHIFT)):
        for slot in range(begin, end):
            work.sampled[set, slot] = 0
        for line in range(first + (set << SET_SHIFT), min(first + (set + 1 << SET_SHIFT), last)):
            _sample_line(notes, work, known.lines[line], known.moved_by[line], set, line - first, begin, end)


@jit_inline()
def _sample_line(notes, work, line, form, set, number, begin, end):
    """Find the slots where a line is of the sample."""
    bit = np.uint32(1 << (number & SET_SIZE - 1))
    for row in range(begin, end, ROW):
        for slot in range(row, row + ROW):
            is_sampled = trail.is_of_sample(notes, line + np.int64(work.lower_words[form, slot]))
            work.sampled[set, slot] |= bit if is_sampled else np.uint32(0)


@jit_inline()
def _note_sampled(known, notes, work, run, slot, block):
    """Note what a block touches of the sample, in order."""
    first = known.first_line[run]
    for set in range(_sets(known.first_line[run + 1] - first, SET_SHIFT)):
        sampled = np.int64(work.sampled[set, slot])
        while sampled:
            _choose(known, notes, first + (set << SET_SHIFT) + lowest_bit(sampled), work.chosen)
            sampled &= sampled - 1
    _note_chosen(known, notes, run, work.chosen, work.lines_moved, slot, block)


@jit_inline()
def _sets(members, shift):
    """How many sets there are of so many."""
    return members + (1 << shift) - 1 >> shift


@entry()
def move_demands(blocks, machine, like, runs, demanded, lines_moved):
    """Add what blocks demand that are like one that was run.

    Args:
        blocks: their numbers.
        machine: the machine.
        like: [block] the number of the run.
        runs: `known.Runs`.
        demanded: `machine.Demand`.
        lines_moved: [MOST_FORMS, 1] to work in.
    """
    m, known, demands = by_reference(machine), by_reference(runs), by_reference(demanded)
    for i in range(blocks.size):
        run = like[i]
        _move_lines(known, run, blocks[i], machine.grid_shape, lines_moved, 0)
        for at in range(known.first_line[run], known.first_line[run + 1]):
            line = known.lines[at] + lines_moved[known.moved_by[at], 0]
            buffer = footprint.buffer_of(m, line)
            if known.sectors_read[at]:
                demand.add_read(m, demands, line, buffer, known.sectors_read[at])
            if known.is_written[at]:
                demand.add_written(m, demands, line, buffer)


@jit_inline()
def _move_lines(known, run, block, grid, lines_moved, slot):
    """By how many lines each form moves a run's accesses to a block."""
    x, y, z = _place(block, grid)
    x, y, z = _steps(known, run, x, y, z)
    for form in range(known.used[run]):
        lines_moved[form, slot] = _moved(known, run, form, x, y, z) >> LINE_SHIFT


@jit_inline()
def _choose(known, notes, line, chosen):
    """Choose the entries of a line, but for those that are left out."""
    end = known.first_touch[line + 1]
    chosen_until = known.first_left_out[line] if notes.leaves_out else end
    notes.noted[trail.LEFT_OUT] += end - chosen_until
    for touch in range(known.first_touch[line], chosen_until):
        number = known.touches[touch]
        chosen[number >> WORD_SHIFT] |= np.int64(1) << (number & WORD_BITS - 1)


@jit_inline()
def _note_chosen(known, notes, run, chosen, lines_moved, slot, block):
    """Note the chosen entries of a run, and empty their set."""
    first, said = known.first_entry[run], np.int64(-1) if notes.leaves_out else ~np.int64(trail.IN_BETWEEN)
    for word in range(_sets(known.first_entry[run + 1] - first, WORD_SHIFT)):
        left = chosen[word]
        chosen[word] = 0
        while left:
            at = first + (word << WORD_SHIFT) + lowest_bit(left)
            left &= left - 1
            moved = lines_moved[known.access[at], slot] << trail.TOUCHED_LINE_SHIFT
            by = trail.when(block, known.entries[at, trail.WHEN])
            trail.add(notes, (known.entries[at, trail.TOUCH] & said) + moved, by)
