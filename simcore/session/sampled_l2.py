"""The whole L2, of which a sample of lines is kept: what it has of them, and what it had to ask DRAM for."""

import numpy as np
from numpy.typing import NDArray

from simcore.core.draws import draw
from simcore.core.l2_replay import (
    COLUMNS,
    HOME,
    HOME_CHANCES,
    OF_A_SIDE,
    SIDE_BEFORE_SHIFT,
    STAYS_SHIFT,
    THERE,
    Places,
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
        self.missed = np.zeros(count, np.float64)
        of = np.empty((count + sets, COLUMNS), np.int32)
        self.places = Places(of, self.missed, places // sets, fetch_bits(gpu))
        settle(lines, sides, sets, gpu.l2_home_share * HOME_CHANCES, self.places)
        self._lines, self._in_use = of[:count], of[count:, THERE : sides * OF_A_SIDE : OF_A_SIDE]

    @property
    def stays_home(self) -> NDArray[np.bool_]:
        """[line] whether it keeps a place on its own side while SMs of the other one use it."""
        stays: NDArray[np.bool_] = self._lines[:, HOME] >> STAYS_SHIFT != 0
        return stays

    @property
    def is_full(self) -> bool:
        """Whether hardly a place is left on any side."""
        return bool((self._in_use.mean(axis=0) >= FULL * self.places.ways).all())

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


def drawn_bits(numbers: Ints, first: int, count: int) -> Ints:
    """[number] some of 64 bits that look drawn at random, but are the same for the same number."""
    drawn = np.empty(len(numbers), np.uint64)
    draw(numbers, drawn)
    bits: Ints = (drawn >> np.uint64(first)).astype(np.int64) & ((1 << count) - 1)
    return bits
