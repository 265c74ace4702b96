"""Blocks that need not be run, because they do what one did that was run, in another place of the grid.

What a block's run says about others is in `simcore.core.execution.slopes`. Blocks are taken in order; one that is like
none before is run by the interpreter. That is given up where a block says nothing about others, as where data say where
it goes or what it accesses, or where too many blocks are like none before.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import native, trail
from simcore.core.execution.slopes.state import FAILED, MOST_FORMS, NONE, begin, slopes_of
from simcore.core.known import ENTRY_BITS
from simcore.core.likes import Moving, count_likes, find_likes, move_demands, move_trails, moving_of
from simcore.core.machine import NO_DEMAND, REPORT_STATUS, REPORT_UNSURE, Demand, Machine
from simcore.session.known import Known
from simcore.session.machine import changes_buffers
from simcore.session.running import NO_BOUNDS, Bounds, Counts, run_some
from simcore.session.session import Session

FEW_BLOCKS = 16
"""So few are run at once."""

MOST_ENTRIES = 1 << ENTRY_BITS
"""Accesses of a block that are noted, to be moved: 6 MB."""

FREE_RUNS = 4
"""Blocks that are run before it counts how many others are like them."""

PAYS, PAYS_INTERPRETED = 40, 8
"""How many others must be, on average: in the time in which the interpreter executes an instruction and follows what it
says about other blocks, native code executes as many, or the interpreter alone."""

TRIED = 0.25
"""Of the time that it would take to run all blocks: so long it may take to find those that have many likes."""

SAMPLED = 1 << 10
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
        most: int | None = None,
        pays: int = PAYS,
    ) -> None:
        """Of a machine of one block slot.

        Args:
            blocks: those that may be run.
            bounds: when a block is not run any further.
            most: instructions after which a warp is not run any further; None if nobody asks what blocks touch.
            pays: how many likes a block must have on average.
        """
        self._machine, self._bounds, self._needed = machine, bounds, pays
        self._context = np.zeros(native.CONTEXT, np.int64)
        self._trail = trail.NONE if most is None else trail.trail_of(MOST_ENTRIES, 0, most)
        self._lines_moved = np.empty((MOST_FORMS, 1), np.int64)
        self._ended = len(blocks) < FEW_BLOCKS or changes_buffers(session.program, machine.action)
        self._slopes = NONE if self._ended else slopes_of(machine, len(self._trail.entries))
        what = machine.action.tobytes(), bounds, most
        self._known = session.known.setdefault(what, Known())
        self._blocks = len(blocks)
        self._sample = np.ascontiguousarray(blocks[:: max(-(-len(blocks) // SAMPLED), 1)])
        self._likes, self._counted = 0.0, 0

    @cached_property
    def _moving(self) -> Moving:
        return moving_of(len(self._trail.entries))

    @property
    def has_ended(self) -> bool:
        """Whether it is given up."""
        return self._ended

    @property
    def runs(self) -> int:
        """How many blocks were run."""
        return len(self._known)

    def run(self, blocks: Ints, noted: trail.Trail = trail.NONE, demanded: Demand = NO_DEMAND) -> Counts:
        """Run blocks, or find out what they would do, until that is given up; counts those before that."""
        like, done, known = np.empty(len(blocks), np.int64), 0, self._known
        while done < len(blocks) and not self._ended:
            found = find_likes(blocks[done:], self._machine.grid_shape, known.runs, like[done:])
            if found:
                some, behind = slice(done, done + found), noted._replace(first=noted.first + done)
                self._take(blocks[some], like[some], behind, demanded)
                done += found
            if done < len(blocks):
                self._run_one(blocks[done])
        return Counts(known.runs.executed[like[:done]], known.runs.longest[like[:done]])

    def _take(self, blocks: Ints, like: Ints, noted: trail.Trail, demanded: Demand) -> None:
        """Note what blocks do that are like some that were run."""
        machine, runs = self._machine, self._known.runs
        if self._known.is_unsure:
            machine.report[REPORT_UNSURE] += runs.unsure[like].sum()
        if len(noted.entries):
            move_trails(blocks, machine.grid_shape, like, runs, noted, self._moving)
        if len(demanded.footprint.seen):
            move_demands(blocks, machine, like, runs, demanded, self._lines_moved)

    def _run_one(self, block: np.int64) -> None:
        """Run a block for itself and for those that are like it; look whether that pays."""
        machine, slopes = self._machine, self._slopes
        begin(slopes)
        self._trail.noted[:] = 0
        unsure = machine.report[REPORT_UNSURE]
        counts = run_some(
            machine, self._context, np.array([block]), self._bounds, self._trail, compared=slopes
        )
        is_known = not slopes.state[FAILED] and machine.report[REPORT_STATUS] == isa.OK
        self._ended = not is_known or bool(self._trail.noted[trail.ENTRIES] > len(self._trail.entries))
        if not self._ended:
            place, more = machine.block_index[0], int(machine.report[REPORT_UNSURE] - unsure)
            self._known.add(place, slopes, self._trail, counts, more)
            self._ended = not self._pays()
        machine.report[REPORT_UNSURE] = unsure

    def _pays(self) -> bool:
        """Whether there are enough blocks, or may be, that are like those that were run."""
        share = len(self._sample) / self._blocks
        for run in range(self._counted, self.runs):
            self._likes += count_likes(self._sample, self._machine.grid_shape, self._known.runs, run) / share
        self._counted = self.runs
        tried = self.runs * self._needed > TRIED * self._blocks
        return (self.runs < FREE_RUNS and not tried) or self._likes >= (
            self._needed if tried else 2
        ) * self.runs
