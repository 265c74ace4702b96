"""What one SM may expect of the L2 and the atomic units that all SMs share.

One SM is simulated. What it touches first may lie in L2 already, because the launch before left it there or another SM
brought it; and where its atomics aim, others may aim too. Both follow from how much of each buffer one SM touches:

- Footprint. All SMs together touch what one does times their number, and never more than the buffer: disjoint shares
  of a stream add up to it, and a tile that everyone reads counts once.
- Left behind. Of the launch before, L2 holds everything up to a share of its capacity, and nothing of a scan longer
  than L2: the least recently used line goes first, and in a scan that is the next one needed. Between the two, the
  share of first touches that hit falls in a line. The L2 has two partitions: what SMs of both sides read lies in both.
- Brought by others. Where the SMs' shares add up to more than the buffer, each byte is touched by several, and only the
  first of them goes to DRAM.
- Atomics. A line lies in one slice of L2. Where all SMs aim at the same few, they wait for each other.

Before anything is known, each buffer is taken to be touched whole, by one SM each part; after a first run, what was
touched is known.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from simcore.gpu import Gpu
from simcore.model.launch import Launch, buffer_addresses
from simcore.model.occupancy import Occupancy

Shares = NDArray[np.float64]

MATERIAL = 0.05
"""Shares of misses that differ by less, and contention that differs by less than so much of it, are the same."""


@dataclass(frozen=True)
class Sharing:
    """What one SM meets in L2, buffer by buffer; the last entry is local memory.

    Attributes:
        l2_miss: share of its first touches that go to DRAM, 0 to 1.
        atomic_contention: how many SMs' atomics wait for each other where its own aim, 1 or more.
    """

    l2_miss: Shares
    atomic_contention: Shares

    def differs(self, other: "Sharing") -> bool:
        """Whether another expectation is materially different."""
        contention = self.atomic_contention / other.atomic_contention
        return bool(
            np.abs(self.l2_miss - other.l2_miss).max() > MATERIAL
            or np.abs(np.log(contention)).max() > MATERIAL
        )


def first_guess(gpu: Gpu, launch: Launch, room: Occupancy, sms: int, cold: bool) -> Sharing:
    """Each buffer is touched whole, and each part of it by one SM; so is the local memory of all resident threads."""
    sizes = _sizes(launch)
    footprint = sizes.sum() + _local_bytes(launch, room, sms)
    missing = 1.0 if cold else 1.0 - l2_hit_share(gpu, footprint)
    places = np.maximum(sizes / gpu.l2_slice_bytes, 1.0)
    return Sharing(
        l2_miss=np.full(len(sizes) + 1, missing),
        atomic_contention=np.append([contention(gpu, sms, count) for count in places], 1.0),
    )


def observed(
    gpu: Gpu,
    launch: Launch,
    room: Occupancy,
    guess: Sharing,
    sms: int,
    cold: bool,
    touched: Shares,
    atomic_places: Shares,
    private: bool,
) -> Sharing:
    """What follows from one SM's own touches.

    Args:
        guess: what was expected until now.
        sms: SMs at work.
        touched: bytes of each buffer that the SM touched, local memory last.
        atomic_places: stretches of `l2_slice_bytes` of each that its atomics aimed at.
        private: whether each SM's atomics aim at lines of its own.
    """
    sizes = _sizes(launch)
    everyone = touched[:-1] * sms
    times_touched = np.maximum(everyone / np.maximum(sizes, 1), 1.0)
    copies = copies_in_l2(gpu, times_touched)
    footprint = (np.minimum(everyone, sizes) * copies).sum() + _local_bytes(launch, room, sms)
    missing = 1.0 if cold else 1.0 - l2_hit_share(gpu, footprint)
    places = atomic_places * (sms if private else 1)
    crowded = [
        contention(gpu, sms, count) if count else guessed
        for count, guessed in zip(places, guess.atomic_contention[:-1], strict=True)
    ]
    return Sharing(
        l2_miss=np.append(missing / times_touched, missing),
        atomic_contention=np.append(crowded, 1.0),
    )


def copies_in_l2(gpu: Gpu, readers: Shares) -> Shares:
    """Partitions of the L2 that hold a line which so many SMs read, each SM of a partition by chance."""
    partitions = float(gpu.l2_partitions)
    return partitions - partitions ** (1.0 - readers) * (partitions - 1.0) ** readers


def atomic_places(gpu: Gpu, launch: Launch, lines: NDArray[np.int64]) -> Shares:
    """How many stretches of `l2_slice_bytes` of each buffer hold some of these lines."""
    starts, ends = buffer_addresses(launch)
    stretch = gpu.l2_slice_bytes
    addresses = np.unique(lines * gpu.line_bytes // stretch) * stretch
    inside = (addresses > starts[:, None] - stretch) & (addresses < ends[:, None])
    places: Shares = inside.sum(axis=1).astype(np.float64)
    return places


def l2_hit_share(gpu: Gpu, footprint: float) -> float:
    """The share of first touches that find their line in L2, left there by the launch before; a footprint in bytes."""
    lost, kept = gpu.l2_lost_share, gpu.l2_kept_share
    return float(min(max((lost - footprint / gpu.l2_bytes) / (lost - kept), 0.0), 1.0))


def contention(gpu: Gpu, sms: int, places: float) -> float:
    """How many SMs wait for each other when all aim atomics at as many stretches of `l2_slice_bytes`.

    They fall on slices by a hash; the busiest slice decides. Few have about the mean and a deviation more in it, as
    the fullest of n bins (measured on an H200, benchmarks/silicon/micro/l2/hot_atomics: 2 of 32 lines in one slice);
    many, that lie in a row, are dealt more evenly.
    """
    mean = places / gpu.l2_slices
    busiest = max(mean + min(sqrt(2.0 * mean * log(gpu.l2_slices)), gpu.l2_slice_excess), 1.0)
    return max(sms * busiest / places, 1.0)


def _local_bytes(launch: Launch, room: Occupancy, sms: int) -> float:
    """Local memory of all threads that reside at a time."""
    return launch.kernel.local_bytes * room.warps_per_sm * 32.0 * sms


def _sizes(launch: Launch) -> Shares:
    starts, ends = buffer_addresses(launch)
    return (ends - starts).astype(np.float64)
