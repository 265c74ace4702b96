"""The whole L2, of which a sample of lines is kept: what it has of them, and what it had to ask DRAM for."""

import numpy as np
from numpy.typing import NDArray

from simcore.core.l2_replay import (
    BEFORE,
    COLUMNS,
    FOLLOWING,
    HOME,
    NOT_THERE,
    OF_A_SIDE,
    SET,
    SIDE_BEFORE_SHIFT,
    STAYS_SHIFT,
    THERE,
    Places,
    replay,
)
from simcore.core.trail_order import SPREAD
from simcore.gpu import Gpu
from simcore.model.machine_model import fetch_bits

WAYS = 100
"""Lines of a set. With so many that a hash deals to it, L2 loses what is used again and again as gradually as an H100
and an H200 do (benchmarks.simulator.l2_residency)."""

FULL = 0.97
"""Share of its places that a side has in use when it counts as full: sets do not fill alike."""

FIRST_SIDE_BIT, FIRST_HOME_BIT, FIRST_SET_BIT = 33, 34, 44
"""Bits of what is drawn for a line: on which side it lives, whether it stays there, and its set."""

MIXED, LAST_SHIFT = ((30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)), 31
"""Steps of SplitMix64 after its product with the golden ratio's bits."""

Ints = NDArray[np.int64]


class SampledL2:
    """An L2, empty at first, of one or two sides.

    Attributes:
        places: as `simcore.core.l2_replay` has them.
        missed: [line] bytes that DRAM brought.
        stays_home: [line] whether it keeps a place on its own side while SMs of the other one use it.
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
        drawn = _drawn(lines)
        chances = FIRST_SET_BIT - FIRST_HOME_BIT
        self.stays_home = _bits(drawn, FIRST_HOME_BIT, chances) < gpu.l2_home_share * (1 << chances)
        of = empty_places(
            _bits(drawn, FIRST_SIDE_BIT, 1) * (sides - 1),
            self.stays_home,
            _bits(drawn, FIRST_SET_BIT, 64 - FIRST_SET_BIT) % sets,
            sets,
        )
        self.places = Places(of, self.missed, places // sets, fetch_bits(gpu))
        self._in_use = of[count:, THERE : sides * OF_A_SIDE : OF_A_SIDE]

    @property
    def is_full(self) -> bool:
        """Whether hardly a place is left on any side."""
        return bool((self._in_use.mean(axis=0) >= FULL * self.places.ways).all())

    def forget_missed(self) -> None:
        """Count from now on."""
        self.missed[:] = 0.0

    def take(self, accesses: Ints, before: bool = False) -> None:
        """Serve accesses (`simcore.core.l2_replay.access_of`), whose lines are numbered as in the sample, in order.

        Args:
            before: whether they are of the launch before, in which SMs may have been on other sides.
        """
        replay(accesses, SIDE_BEFORE_SHIFT if before else 0, self.places)


def empty_places(home: Ints, stays_home: NDArray[np.bool_], set_of: Ints, sets: int) -> NDArray[np.int32]:
    """[line, COLUMNS] and, behind the lines, of the sets: those of an empty L2 (`simcore.core.l2_replay.Places`).

    Args:
        home: [line] the side where it lives.
        stays_home: [line] whether it keeps a place there while SMs of the other side use it.
        set_of: [line] its set, counted from 0.
        sets: how many there are.
    """
    count = len(home)
    of = np.zeros((count + sets, COLUMNS), np.int32)
    for side in (0, OF_A_SIDE):
        of[:count, side + FOLLOWING] = NOT_THERE
        for neighbour in (FOLLOWING, BEFORE):
            of[count:, side + neighbour] = np.arange(count, count + sets)
    of[:count, HOME] = home | stays_home.astype(np.int64) << STAYS_SHIFT
    of[:count, SET] = count + set_of
    return of


def drawn_bits(numbers: Ints, first: int, count: int) -> Ints:
    """[number] some of 64 bits that look drawn at random, but are the same for the same number (SplitMix64)."""
    return _bits(_drawn(numbers), first, count)


def _drawn(numbers: Ints) -> NDArray[np.uint64]:
    """[number] all of the bits."""
    drawn = numbers.astype(np.uint64)
    drawn *= np.uint64(SPREAD)
    for shift, factor in MIXED:
        drawn ^= drawn >> np.uint64(shift)
        drawn *= np.uint64(factor)
    drawn ^= drawn >> np.uint64(LAST_SHIFT)
    return drawn


def _bits(drawn: NDArray[np.uint64], first: int, count: int) -> Ints:
    return (drawn >> np.uint64(first)).astype(np.int64) & ((1 << count) - 1)
