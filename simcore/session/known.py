"""Blocks of a launch that were run, and what that says about others."""

import numpy as np
from numpy.typing import NDArray

from simcore.core.execution import trail
from simcore.core.execution.slopes.state import AXES, MOST_FORMS, Slopes
from simcore.core.known import COUNTS, ENTRIES, RUNS, Runs, add_run
from simcore.core.radix import DIGITS
from simcore.session.running import Counts

Ints = NDArray[np.int64]

FEW_RUNS = 16
"""For so many there is room at first."""

MORE_ROOM = 8
"""Times the entries for which there is no room any more."""


class Known:
    """Blocks that were run.

    Attributes:
        runs: what they touched, and which blocks are like them.
        is_unsure: whether parted lanes of any of them went on in an order that is not modelled exactly.
    """

    def __init__(self) -> None:
        """Of a launch of which no block was run."""
        self.runs, self.is_unsure = _room(FEW_RUNS, 0), False
        self.runs.in_use[:] = 0
        for first in (self.runs.first_entry, self.runs.first_line, self.runs.first_touch):
            first[0] = 0

    def __len__(self) -> int:
        return int(self.runs.in_use[RUNS])

    def add(self, place: Ints, slopes: Slopes, noted: trail.Trail, counts: Counts, unsure: int) -> None:
        """One more.

        Args:
            place: where it is in the grid.
            slopes: what it says about others.
            noted: its trail.
            counts: its own.
            unsure: how often parted lanes went on in an order that is not modelled exactly.
        """
        run = len(self)
        self._make_room(min(int(noted.noted[trail.ENTRIES]), len(noted.entries)))
        runs = self.runs
        runs.executed[run], runs.longest[run] = counts.executed[0], counts.longest[0]
        runs.unsure[run] = unsure
        self.is_unsure |= unsure > 0
        add_run(runs, place, slopes, noted)

    def _make_room(self, entries: int) -> None:
        """Make room for a run of so many entries."""
        runs, needed = self.runs, int(self.runs.in_use[ENTRIES]) + entries
        few = len(runs.used) == len(self)
        if not few and needed <= len(runs.access):
            return
        room = MORE_ROOM * needed if needed > len(runs.access) else len(runs.access)
        self.runs = _room(2 * len(runs.used) if few else len(runs.used), room)
        for former, latter in zip(runs, self.runs, strict=True):
            latter[: len(former)] = former


def _room(runs: int, entries: int) -> Runs:
    """Room for runs, and for so many entries of all of them."""
    return Runs(
        in_use=np.empty(COUNTS, np.int64),
        place=np.empty((runs, AXES), np.int64),
        forms=np.empty((runs, MOST_FORMS, AXES), np.int64),
        bounds=np.empty((runs, MOST_FORMS, 3), np.int64),
        used=np.empty(runs, np.int64),
        executed=np.empty(runs, np.int64),
        longest=np.empty(runs, np.int64),
        unsure=np.empty(runs, np.int64),
        entries=np.empty((entries, trail.FIELDS), np.int64),
        access=np.empty(entries, np.int64),
        first_entry=np.empty(runs + 1, np.int64),
        lines=np.empty(entries, np.int64),
        moved_by=np.empty(entries, np.int64),
        sectors_read=np.empty(entries, np.int64),
        is_written=np.empty(entries, np.bool_),
        first_line=np.empty(runs + 1, np.int64),
        first_touch=np.empty(entries + 1, np.int64),
        touches=np.empty(entries, np.int64),
        first_left_out=np.empty(entries, np.int64),
        others=np.empty(entries, np.int64),
        digits=np.empty(DIGITS, np.int64),
    )
