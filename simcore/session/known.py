"""Blocks of a launch that were run, and what that says about others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simcore.core.execution import trail
from simcore.core.execution.slopes.state import AXES, FORMS, MOST_FORMS, Slopes
from simcore.core.geometry import SECTORS
from simcore.core.likes import Runs
from simcore.session.running import Counts

Ints = NDArray[np.int64]


@dataclass
class Known:
    """Blocks that were run.

    Attributes:
        runs: what they touched, and which blocks are like them.
        counts: of their instructions.
        unsure: [run] how often parted lanes went on in an order that is not modelled exactly.
    """

    runs: Runs
    counts: Counts
    unsure: Ints

    def __len__(self) -> int:
        return len(self.runs.used)

    def add(self, place: Ints, slopes: Slopes, noted: trail.Trail, counts: Counts, unsure: int) -> None:
        """One more.

        Args:
            place: where it is in the grid.
            slopes: what it says about others.
            noted: its trail.
            counts: its own.
            unsure: its own.
        """
        self.runs = _with(self.runs, _one(place, slopes, noted))
        self.counts = Counts.joined([self.counts, counts])
        self.unsure = np.append(self.unsure, unsure)


def nothing_known() -> Known:
    """Of a launch of which no block was run."""
    return Known(_NO_RUNS, Counts(_NONE, _NONE), _NONE)


def _one(place: Ints, slopes: Slopes, noted: trail.Trail) -> Runs:
    """What a run says about others."""
    count = min(int(noted.noted[0]), len(noted.entries))
    entries, access = noted.entries[:count].copy(), slopes.access[:count].copy()
    touch = entries[:, trail.TOUCH]
    keys = (touch >> trail.TOUCHED_LINE_SHIFT) * MOST_FORMS + access
    touches = np.argsort(keys, kind="stable")
    keys, touch = keys[touches], touch[touches]
    is_write, sectors = touch & 1, touch >> trail.SECTORS_SHIFT & ((1 << SECTORS) - 1)
    first_touch = np.flatnonzero(np.diff(keys, prepend=-1))
    keys = keys[first_touch]
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
        sectors_read=np.bitwise_or.reduceat(sectors & (is_write - 1), first_touch),
        is_written=np.bitwise_or.reduceat(is_write, first_touch),
        first_line=np.array([0, len(keys)]),
        first_touch=np.append(first_touch, count),
        touches=touches,
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
    sectors_read=_NONE,
    is_written=_NONE,
    first_line=np.zeros(1, np.int64),
    first_touch=np.zeros(1, np.int64),
    touches=_NONE,
)
