"""The whole L2, of which a sample of lines is kept: what it has of them, and what it had to ask DRAM for."""

import numpy as np
from numpy.typing import NDArray

from simcore.core.draws import draw
from simcore.core.geometry import ALL_SECTORS, SECTORS
from simcore.core.l2_replay import (
    HOME_CHANCES,
    SIDE_BEFORE_SHIFT,
    STAYS_SHIFT,
    empty_places,
    replay,
    settle,
)
from simcore.gpu import Gpu
from simcore.model.machine_model import fetch_bits

WAYS = 100
"""Lines of a set. With so many that a hash deals to it, L2 loses what is used again and again as gradually as an H100
and an H200 do (benchmarks.simulator.l2_residency)."""

FULL = 0.97
"""Share of its places that a side has in use when it counts as full: sets do not fill alike."""

Ints = NDArray[np.int64]


class SampledL2:
    """An L2, empty at first, of one or two sides.

    Attributes:
        places: as `simcore.core.l2_replay` has them.
        missed: [line] bytes that DRAM brought.
    """

    def __init__(self, gpu: Gpu, lines: Ints, places: int) -> None:
        """Take note of a sample of lines, of which a side has so many places.

        Args:
            gpu: whose L2 it is.
            lines: [line] numbers, by which it is dealt to its side and set.
            places: of the sample in a side.
        """
        sides, count, sets = gpu.l2_partitions, len(lines), max(places // WAYS, 1)
        self.places = empty_places(count, sides, sets, places // sets, brings(fetch_bits(gpu)))
        self.missed = self.places.missed
        settle(lines, sides, sets, gpu.l2_home_share * HOME_CHANCES, self.places)

    @property
    def stays_home(self) -> NDArray[np.bool_]:
        """[line] whether it keeps a place on its own side while SMs of the other one use it."""
        stays: NDArray[np.bool_] = self.places.state >> STAYS_SHIFT & 1 != 0
        return stays

    @property
    def is_full(self) -> bool:
        """Whether hardly a place is left on any side."""
        return bool((self.places.in_use.mean(axis=1) >= FULL * self.places.ways).all())

    @property
    def has_lost_more(self) -> bool:
        """Whether a line was lost while accesses to it were left out, which might have kept it."""
        return bool(self.places.lost[0])

    def forget_missed(self) -> None:
        """Count from now on."""
        self.missed[:] = 0.0

    def take(self, accesses: Ints, before: bool = False) -> None:
        """Serve accesses, whose lines are numbered as in the sample, in order.

        Args:
            accesses: integers (see `simcore.core.l2_replay`).
            before: whether they are of the launch before, in which SMs may have been on other sides.
        """
        replay(accesses, SIDE_BEFORE_SHIFT if before else 0, self.places)


def brings(fetch_bits: int) -> Ints:
    """[sectors, a bit each] those that DRAM brings where these are missing: so many at a time (log2)."""
    missing, found = np.arange(ALL_SECTORS + 1), np.zeros(ALL_SECTORS + 1, np.int64)
    for first in range(0, SECTORS, 1 << fetch_bits):
        together = ((1 << (1 << fetch_bits)) - 1) << first
        found |= np.where(missing & together, together, 0)
    return found


def drawn_bits(numbers: Ints, first: int, count: int) -> Ints:
    """[number] some of 64 bits that look drawn at random, but are the same for the same number."""
    drawn = np.empty(len(numbers), np.uint64)
    draw(numbers, drawn)
    bits: Ints = (drawn >> np.uint64(first)).astype(np.int64) & ((1 << count) - 1)
    return bits
