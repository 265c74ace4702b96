"""Blocks that are like one that was run: which they are, and their accesses, which are those of that one, moved."""

import numpy as np

from simcore.core.execution import demand, footprint, trail
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT
from simcore.core.jit import by_reference, entry, jit_inline, lowest_bit
from simcore.core.known import RUNS

SET_SHIFT = 6
"""log2 of the members of a set for which a word has a bit each."""


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
    """Where a block is in the grid."""
    row = block // grid[0]
    layer = row // grid[1]
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


@entry()
def move_trails(blocks, grid, like, runs, noted, lines_moved, chosen):
    """Note what blocks touch that are like one that was run.

    Args:
        blocks: their numbers.
        grid: [axis] its shape.
        like: [block] the number of the run.
        runs: `known.Runs`.
        noted: `trail.Trail`, which takes the accesses.
        lines_moved: [MOST_FORMS] to work in.
        chosen: to work in: zeros, a bit for each entry of a run.
    """
    known, notes = by_reference(runs), by_reference(noted)
    for i in range(blocks.size):
        run = like[i]
        _move_lines(known, run, blocks[i], grid, lines_moved)
        for first in range(known.first_line[run], known.first_line[run + 1], 1 << SET_SHIFT):
            sampled = _sampled(known, notes, run, first, lines_moved)
            while sampled:
                _choose(known, first + lowest_bit(sampled), chosen)
                sampled &= sampled - 1
        _note_chosen(known, notes, run, chosen, lines_moved, notes.first + i)


@entry()
def move_demands(blocks, machine, like, runs, demanded, lines_moved):
    """Add what blocks demand that are like one that was run.

    Args:
        blocks: their numbers.
        machine: the machine.
        like: [block] the number of the run.
        runs: `known.Runs`.
        demanded: `machine.Demand`.
        lines_moved: [MOST_FORMS] to work in.
    """
    m, known, demands = by_reference(machine), by_reference(runs), by_reference(demanded)
    for i in range(blocks.size):
        run = like[i]
        _move_lines(known, run, blocks[i], machine.grid_shape, lines_moved)
        for at in range(known.first_line[run], known.first_line[run + 1]):
            line = known.lines[at] + lines_moved[known.moved_by[at]]
            buffer = footprint.buffer_of(m, line)
            if known.sectors_read[at]:
                demand.add_read(m, demands, line, buffer, known.sectors_read[at])
            if known.is_written[at]:
                demand.add_written(m, demands, line, buffer)


@jit_inline()
def _move_lines(known, run, block, grid, lines_moved):
    """By how many lines each form moves a run's accesses to a block."""
    x, y, z = _place(block, grid)
    x, y, z = _steps(known, run, x, y, z)
    for form in range(known.used[run]):
        lines_moved[form] = _moved(known, run, form, x, y, z) >> LINE_SHIFT


@jit_inline()
def _sampled(known, notes, run, first, lines_moved):
    """Which of a set of a run's lines are of the sample where they are moved, a bit each."""
    sampled = np.int64(0)
    for k in range(min(known.first_line[run + 1] - first, 1 << SET_SHIFT)):
        line = known.lines[first + k] + lines_moved[known.moved_by[first + k]]
        sampled |= np.int64(trail.is_of_sample(notes, line)) << k
    return sampled


@jit_inline()
def _choose(known, line, chosen):
    """Choose the entries of a line."""
    for touch in range(known.first_touch[line], known.first_touch[line + 1]):
        number = known.touches[touch]
        chosen[number >> SET_SHIFT] |= np.int64(1) << (number & ((1 << SET_SHIFT) - 1))


@jit_inline()
def _note_chosen(known, notes, run, chosen, lines_moved, block):
    """Note the chosen entries of a run, and empty their set."""
    first = known.first_entry[run]
    for word in range((known.first_entry[run + 1] - first + (1 << SET_SHIFT) - 1) >> SET_SHIFT):
        left = chosen[word]
        chosen[word] = 0
        while left:
            at = first + (word << SET_SHIFT) + lowest_bit(left)
            left &= left - 1
            moved = lines_moved[known.access[at]] << trail.TOUCHED_LINE_SHIFT
            by = trail.when(block, known.entries[at, trail.WHEN])
            trail.add(notes, known.entries[at, trail.TOUCH] + moved, by)
