"""Blocks that need not be run, because they do what one did that was run, in another place of the grid.

What a block's run says about others is in `simcore.core.execution.slopes`. Blocks are taken in order; one that is like
none before is run by the interpreter. That is given up where a block says nothing about others, as where data say where
it goes or what it accesses, or where too many blocks are like none before.
"""

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import native, trail
from simcore.core.execution.slopes.state import (
    AXES,
    FAILED,
    FORMS,
    MOST_FORMS,
    NONE,
    Slopes,
    begin,
    slopes_of,
)
from simcore.core.likes import SET_SHIFT, Runs, count_likes, find_likes, move_trails
from simcore.core.machine import REPORT_STATUS, REPORT_UNSURE, Machine
from simcore.session.machine import changes_buffers
from simcore.session.running import NO_BOUNDS, Bounds, Counts, run_some
from simcore.session.session import Session

FEW_BLOCKS = 16
"""So few are run at once."""

MOST_ENTRIES = 1 << 17
"""Accesses of a block that are noted, to be moved: 6 MB."""

FREE_RUNS = 8
"""Blocks that are run before it counts how many others are like them."""

PAYS = 40
"""How many others must be, on average: in the time in which the interpreter executes an instruction and follows what it
says about other blocks, native code executes as many."""

TRIED = 0.25
"""Of the time that native code would take for all blocks: so long it may take to find those that have many likes."""

SAMPLED = 1 << 12
"""Of a grid's blocks, in which likes are counted."""

Ints = NDArray[np.int64]


class Likes:
    """The blocks of a launch that were run, for those that are like them."""

    def __init__(
        self,
        session: Session,
        machine: Machine,
        blocks: Ints,
        bounds: Bounds = NO_BOUNDS,
        noted: trail.Trail = trail.NONE,
    ) -> None:
        """Of a machine of one block slot.

        Args:
            blocks: those that may be run.
            bounds: when a block is not run any further.
            noted: what takes the trails of all blocks, if any does.
        """
        self._machine, self._bounds = machine, bounds
        self._context = np.zeros(native.CONTEXT, np.int64)
        self._trail = trail.trail_of(MOST_ENTRIES, 0, noted.most) if len(noted.entries) else trail.NONE
        self._ended = len(blocks) < FEW_BLOCKS or changes_buffers(session.program, machine.action)
        self._slopes = NONE if self._ended else slopes_of(machine, len(self._trail.entries))
        self._runs = _NO_RUNS
        self._counts = Counts(_NONE, _NONE)
        self._unsure = _NONE
        self._sample = blocks[:: max(-(-len(blocks) // SAMPLED), 1)]
        self._sampled = len(self._sample) / max(len(blocks), 1)
        self._likes = 0.0

    @property
    def runs(self) -> int:
        """How many blocks were run."""
        return len(self._runs.used)

    def run(self, blocks: Ints, noted: trail.Trail = trail.NONE) -> Counts:
        """Run blocks, or find out what they would do, until that is given up; counts those before that."""
        like, done = np.empty(len(blocks), np.int64), 0
        while done < len(blocks) and not self._ended:
            found = find_likes(blocks[done:], self._machine.grid_shape, self._runs, like[done:])
            if found:
                some = slice(done, done + found)
                self._take(blocks[some], like[some], noted._replace(first=noted.first + done))
                done += found
            else:
                self._run_one(blocks[done])
        return Counts(self._counts.executed[like[:done]], self._counts.longest[like[:done]])

    def _take(self, blocks: Ints, like: Ints, noted: trail.Trail) -> None:
        """Note what blocks do that are like some that were run."""
        self._machine.report[REPORT_UNSURE] += self._unsure[like].sum()
        if len(noted.entries):
            chosen = np.zeros((len(self._trail.entries) >> SET_SHIFT) + 1, np.int64)
            moved = np.empty(MOST_FORMS, np.int64)
            move_trails(blocks, self._machine.grid_shape, like, self._runs, noted, moved, chosen)

    def _run_one(self, block: np.int64) -> None:
        """Run a block for itself and for those that are like it; look whether that pays."""
        machine, slopes = self._machine, self._slopes
        begin(slopes)
        self._trail.noted[0] = 0
        unsure = machine.report[REPORT_UNSURE]
        counts = run_some(
            machine, self._context, np.array([block]), self._bounds, self._trail, compared=slopes
        )
        is_known = not slopes.state[FAILED] and machine.report[REPORT_STATUS] == isa.OK
        self._ended = not is_known or bool(self._trail.noted[0] > len(self._trail.entries))
        if not self._ended:
            self._counts = Counts.joined([self._counts, counts])
            self._unsure = np.append(self._unsure, machine.report[REPORT_UNSURE] - unsure)
            self._runs = _with(self._runs, _one(machine.block_index[0], slopes, self._trail))
            self._likes += count_likes(self._sample, machine.grid_shape, self._runs) / self._sampled
            self._ended = not self._pays()
        machine.report[REPORT_UNSURE] = unsure

    def _pays(self) -> bool:
        """Whether there are enough blocks, or may be, that are like those that were run."""
        tried = self.runs * PAYS * self._sampled > TRIED * len(self._sample)
        needed = PAYS if tried else 2
        return (self.runs < FREE_RUNS and not tried) or self._likes >= needed * self.runs


def _one(place: Ints, slopes: Slopes, noted: trail.Trail) -> Runs:
    """What a run says about others."""
    count = min(int(noted.noted[0]), len(noted.entries))
    entries, access = noted.entries[:count].copy(), slopes.access[:count].copy()
    keys, line = np.unique(entries[:, trail.LINE] * MOST_FORMS + access, return_inverse=True)
    return Runs(
        place=place[None, :].copy(),
        forms=slopes.forms.reshape(1, MOST_FORMS, AXES).copy(),
        bounds=np.stack([slopes.least, slopes.most, slopes.whole_lines], axis=1)[None],
        used=slopes.state[FORMS : FORMS + 1].copy(),
        entries=entries,
        access=access,
        first_entry=np.array([0, count]),
        lines=keys // MOST_FORMS,
        moved_by=keys % MOST_FORMS,
        first_line=np.array([0, len(keys)]),
        first_touch=np.append(0, np.cumsum(np.bincount(line, minlength=len(keys)))),
        touches=np.argsort(line, kind="stable"),
    )


_BEGINNINGS = ("first_entry", "first_line", "first_touch")
"""Fields of `Runs` that say where something begins, and one more."""


def _with(runs: Runs, one: Runs) -> Runs:
    """One more run."""
    joined = {
        name: np.concatenate([former, latter])
        for name, former, latter in zip(Runs._fields, runs, one, strict=True)
    }
    for name in _BEGINNINGS:
        former, latter = getattr(runs, name), getattr(one, name)
        joined[name] = np.append(former[:-1], former[-1] + latter)
    return Runs(**joined)


_NONE = np.zeros(0, np.int64)
_NO_RUNS = Runs(
    place=np.zeros((0, AXES), np.int64),
    forms=np.zeros((0, MOST_FORMS, AXES), np.int64),
    bounds=np.zeros((0, MOST_FORMS, 3), np.int64),
    used=_NONE,
    entries=trail.NONE.entries,
    access=_NONE,
    first_entry=np.zeros(1, np.int64),
    lines=_NONE,
    moved_by=_NONE,
    first_line=np.zeros(1, np.int64),
    first_touch=np.zeros(1, np.int64),
    touches=_NONE,
)
