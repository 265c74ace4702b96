"""What is known of blocks that were run: what they touched, and which other blocks are like them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core.execution import trail
from simcore.core.execution.slopes.state import AXES, FORMS, MOST_FORMS
from simcore.core.geometry import ALL_SECTORS
from simcore.core.jit import by_reference, entry, fix_extents, jit_inline
from simcore.core.radix import sort

Ints = NDArray[np.int64]

RUNS, ENTRIES, LINES, COUNTS = range(4)
"""Of what there is room for, how much is in use."""

ENTRY_BITS = 17
"""Of the number of an entry among its run's."""


class Runs(NamedTuple):
    """Blocks that were run, and what that says about others (`slopes.state.Slopes`).

    Attributes:
        in_use: [COUNTS] how many runs, entries and lines there are: the other arrays have room for more.
        place: [run, axis] where they are in the grid.
        forms: [run, form, axis] coefficients of the linear forms.
        bounds: [run, form, 3] between which they must lie, and whether they must be whole lines.
        used: [run] how many forms there are.
        executed: [run] warp instructions.
        longest: [run] the most that one of its warps executed.
        unsure: [run] how often parted lanes went on in an order that is not modelled exactly.
        entries: [entry, trail.FIELDS] all accesses of all of them, of which the block is 0.
        access: [entry] the form that moves it.
        first_entry: [run + 1] the first of its entries.
        lines: [line] those that they touch, each once for each form that moves it.
        moved_by: [line] that form.
        sectors_read: [line] a bit each.
        is_written: [line] whether there are writes to it.
        first_line: [run + 1] the first of its lines.
        first_touch: [line + 1] where its accesses begin in `touches`.
        touches: entries, counted from the run's first; of a line, those that may be left out come last.
        first_left_out: [line] where these begin.
        others: [entry] to work in.
        digits: [radix.DIGITS] to work in.
    """

    in_use: Ints
    place: Ints
    forms: Ints
    bounds: Ints
    used: Ints
    executed: Ints
    longest: Ints
    unsure: Ints
    entries: Ints
    access: Ints
    first_entry: Ints
    lines: Ints
    moved_by: Ints
    sectors_read: Ints
    is_written: NDArray[np.bool_]
    first_line: Ints
    first_touch: Ints
    touches: Ints
    first_left_out: Ints
    others: Ints
    digits: Ints


fix_extents("Runs", place=(AXES,), forms=(MOST_FORMS, AXES), bounds=(MOST_FORMS, 3), entries=(trail.FIELDS,))


@entry()
def add_run(runs, place, slopes, noted):
    """Add a run; how much it executed is not set.

    Args:
        runs: `Runs`, with room for it.
        place: [axis] where it is in the grid.
        slopes: what it says about others.
        noted: `trail.Trail` of it.
    """
    known, s, notes = by_reference(runs), by_reference(slopes), by_reference(noted)
    run, first = known.in_use[RUNS], known.in_use[ENTRIES]
    end = first + min(notes.noted[trail.ENTRIES], notes.entries.shape[0])
    known.used[run] = s.state[FORMS]
    for axis in range(AXES):
        known.place[run, axis] = place[axis]
    for form in range(s.state[FORMS]):
        for axis in range(AXES):
            known.forms[run, form, axis] = s.forms[form * AXES + axis]
        known.bounds[run, form, 0] = s.least[form]
        known.bounds[run, form, 1] = s.most[form]
        known.bounds[run, form, 2] = s.whole_lines[form]
    for at in range(first, end):
        known.entries[at, trail.TOUCH] = notes.entries[at - first, trail.TOUCH]
        known.entries[at, trail.WHEN] = notes.entries[at - first, trail.WHEN]
        known.access[at] = s.access[at - first]
    _sort_touches(known, first, end)
    lines, known.in_use[LINES] = known.in_use[LINES], _add_lines(known, first, end)
    for line in range(lines, known.in_use[LINES]):
        known.first_left_out[line] = _leave_out(
            known, first, known.first_touch[line], known.first_touch[line + 1]
        )
    known.in_use[ENTRIES] = known.first_entry[run + 1] = end
    known.first_line[run + 1] = known.in_use[LINES]
    known.in_use[RUNS] = run + 1


@jit_inline()
def _key(known, at):
    """Of an entry, its line and the form that moves it, as an integer."""
    return (known.entries[at, trail.TOUCH] >> trail.TOUCHED_LINE_SHIFT) * MOST_FORMS + known.access[at]


@jit_inline()
def _sort_touches(known, first, end):
    """Sort a run's entries by line and form; those of the same stay in order."""
    if first == end:
        return
    least = most = _key(known, first)
    for at in range(first, end):
        least, most = min(least, _key(known, at)), max(most, _key(known, at))
    for at in range(first, end):
        known.touches[at] = _key(known, at) - least << ENTRY_BITS | at - first
    sort(known.touches, known.others, known.digits, first, end, np.int64(ENTRY_BITS), most - least)
    for at in range(first, end):
        known.touches[at] &= (np.int64(1) << ENTRY_BITS) - 1


@jit_inline()
def _add_lines(known, first, end):
    """Add the lines of a run's sorted entries; returns how many there are then."""
    lines, last = known.in_use[LINES], np.int64(-1)
    for at in range(first, end):
        entry = first + known.touches[at]
        touch, key = known.entries[entry, trail.TOUCH], _key(known, entry)
        if key != last:
            known.lines[lines] = touch >> trail.TOUCHED_LINE_SHIFT
            known.moved_by[lines] = known.access[entry]
            known.sectors_read[lines] = 0
            known.is_written[lines] = False
            known.first_touch[lines] = at
            lines, last = lines + 1, key
        if touch & 1:
            known.is_written[lines - 1] = True
        else:
            known.sectors_read[lines - 1] |= touch >> trail.SECTORS_SHIFT & ALL_SECTORS
    known.first_touch[lines] = end
    return lines


@jit_inline()
def _leave_out(known, first, begin, end):
    """Put those of a line's accesses last that may be left out, and mark the ones before and behind them: reads between
    the first that touches all sectors of the line that any does, and the last of all.

    Until the line is lost, they find what they ask for, and another access is the last one all the same.

    Returns where those begin that may be left out.
    """
    sectors = np.int64(0)
    for at in range(begin, end):
        sectors |= _sectors(known, first + known.touches[at])
    opening = closing = np.int64(-1)
    for at in range(begin, end):
        entry = first + known.touches[at]
        if _sectors(known, entry) == sectors and (opening < 0 or _is_before(known, entry, opening)):
            opening = entry
        if closing < 0 or _is_before(known, closing, entry):
            closing = entry
    left_out = begin
    for at in range(begin, end):
        number = known.touches[at]
        if not _is_read_between(known, opening, first + number, closing):
            known.touches[at] = known.touches[left_out]
            known.touches[left_out] = number
            left_out += 1
    if left_out < end:
        known.entries[opening, trail.TOUCH] |= 1 << trail.OPENS_SHIFT
        known.entries[closing, trail.TOUCH] |= 1 << trail.CLOSES_SHIFT
    return left_out


@jit_inline()
def _sectors(known, entry):
    """The sectors that an access touches, a bit each."""
    return known.entries[entry, trail.TOUCH] >> trail.SECTORS_SHIFT & ALL_SECTORS


@jit_inline()
def _is_before(known, entry, other):
    """Whether an access happens before another one; those of the same time stay in their order."""
    when, others = known.entries[entry, trail.WHEN], known.entries[other, trail.WHEN]
    return when < others or (when == others and entry < other)


@jit_inline()
def _is_read_between(known, opening, entry, closing):
    """Whether an access reads, behind one, if there is any, and before another."""
    if opening < 0 or known.entries[entry, trail.TOUCH] & 1:
        return False
    return _is_before(known, opening, entry) and _is_before(known, entry, closing)
