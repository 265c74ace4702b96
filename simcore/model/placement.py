"""Which blocks run on which SM: turn by turn until the SMs are full, then the next block to the first free slot."""

import heapq

import numpy as np
from numpy.typing import NDArray

from simcore.gpu import Gpu
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy

EVEN = 1.25
"""Blocks whose instruction counts differ by less than this factor are assumed to take equally long: shared resources
even out small differences, so an SM with slightly less work does not get an extra block."""

SPREAD = 0.1
"""Blocks of the same work that begin together end over this share of the time that the last one takes
(benchmarks/silicon/micro/launch/block_ends on an H200 and an H100: 0.05 to 0.3), so SMs get unequal numbers of those
that wait."""

TURNS, ROUNDS, OTHERS = (72, 164, 256, 354), 3, 124
"""The SMs apart (`Gpu.sms_apart`) get a block each at first, and again when the others, 124 of them, have got so many
in three rounds (benchmarks/silicon/micro/launch/block_placement.cu, alike on an H100 and an H200)."""


SIDES = (32, 48, 16, 18, 18)
"""Of 132 SMs in the order in which they get their first block, so many lie on one side of L2, the next ones on the
other, and so on: block_placement.cu on an H200, and which partition the SMs of an H100 ask (tests/silicon/h100-sxm/
slice_pressure/partitions.csv). With it L2 has what pairs of blocks share in `tiles_in_step` on an H200. Other GPUs are
taken to be alike."""


def sides_of_sms(gpu: Gpu) -> NDArray[np.int64]:
    """[SM, in the order in which they get their first block] the side of L2 on which it lies."""
    ends = np.cumsum(SIDES) * gpu.sms / sum(SIDES)
    return np.searchsorted(ends, np.arange(gpu.sms), side="right") % gpu.l2_partitions


def last_blocks(
    gpu: Gpu,
    launch: Launch,
    occupancy: Occupancy,
    executed: NDArray[np.int64],
    longest: NDArray[np.int64],
) -> list[NDArray[np.int64]]:
    """The blocks, in launch order, of each SM that may finish last: the one with most work, and the one with the
    longest warp if all warps of the former are shorter, or, in a launch of one wave, the one with the block that has
    least in common with the others.

    Args:
        executed: warp instructions of each block, a proxy for its time.
        longest: the most that one warp of each block executes.
    """
    sms = min(gpu.sms, launch.blocks)
    if executed.max() <= EVEN * executed.min():
        owner = np.arange(launch.blocks) % sms
        busiest = 0
    else:
        owner = _deal(gpu, occupancy.blocks_per_sm, executed)
        busiest = int(np.bincount(owner, weights=executed, minlength=sms).argmax())
    blocks = np.flatnonzero(owner == busiest)
    with_longest = owner[longest.argmax()]
    if longest.max() > EVEN * longest[blocks].max():
        return [blocks, np.flatnonzero(owner == with_longest)]
    with_loneliest = _with_loneliest(gpu, launch, occupancy)
    return [blocks] if with_loneliest is None else [blocks, with_loneliest]


def _with_loneliest(gpu: Gpu, launch: Launch, occupancy: Occupancy) -> NDArray[np.int64] | None:
    """The blocks of the SM with the block that shares an index of the grid with fewest others there; None if all SMs
    are alike, or there are several waves.

    Blocks of one row or column of the grid tend to read the same lines, so they wait for them together, and one that
    has no such company ends last (`matmul_inner` on an H200: the average SM is active for 134,000 of 169,000 cycles).
    """
    if launch.blocks > gpu.sms * occupancy.blocks_per_sm or launch.blocks <= gpu.sms:
        return None
    owner = first_wave(gpu, launch.blocks)
    company = np.zeros(launch.blocks, np.int64)
    stride = 1
    for extent in launch.grid:
        if 1 < extent < launch.blocks:
            along = owner * extent + np.arange(launch.blocks) // stride % extent
            company = np.maximum(company, np.bincount(along)[along])
        stride *= extent
    least = np.full(gpu.sms, launch.blocks, np.int64)
    np.minimum.at(least, owner, company)
    if least.min() == least.max():
        return None
    return np.flatnonzero(owner == least.argmin())


def _deal(gpu: Gpu, slots: int, instructions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The SM of each block. Resident blocks share the SM, so a block takes its work times their number."""
    sms = min(gpu.sms, len(instructions))
    owner = np.empty(len(instructions), np.int64)
    first = min(sms * slots, len(instructions))
    owner[:first] = first_wave(gpu, first) if sms == gpu.sms else np.arange(first)
    busy = np.bincount(owner[:first], minlength=sms)
    takes = _durations(instructions)
    ends = [(int(takes[b]) * int(busy[owner[b]]), b, int(owner[b])) for b in range(first)]
    heapq.heapify(ends)
    for block in range(first, len(instructions)):
        at, _, sm = heapq.heappop(ends)
        owner[block] = sm
        heapq.heappush(ends, (at + int(takes[block]) * int(busy[sm]), block, sm))
    return owner


def _durations(instructions: NDArray[np.int64]) -> NDArray[np.int64]:
    """What blocks take, in instructions: those of the same work end one after the other, as if drawn at random."""
    drawn = np.random.default_rng(0).random(len(instructions))
    return (instructions * (1.0 - SPREAD * drawn)).astype(np.int64)


def first_wave(gpu: Gpu, blocks: int) -> NDArray[np.int64]:
    """The SMs of blocks that start at once: first as many on each SM as can be on all, then one more on some, those
    apart first and of the others every second one (an SM of each TPC). SMs apart are numbered last."""
    apart = min(gpu.sms_apart, gpu.sms - 1)
    others = np.arange(gpu.sms - apart)
    evenly = _turns(len(others), apart, blocks // gpu.sms)
    one_more = np.concatenate([np.arange(len(others), gpu.sms), others[::2], others[1::2]])
    return np.concatenate([evenly, one_more[: blocks - len(evenly)]])


def _turns(others: int, apart: int, each: int) -> NDArray[np.int64]:
    """The SMs in the order in which they get a number of blocks each."""
    round_robin = np.arange(others * each) % others
    turn = np.arange(each) - 1
    before = np.array(TURNS)[turn % len(TURNS)] + turn // len(TURNS) * ROUNDS * OTHERS
    before[:1] = 0
    return np.insert(
        round_robin,
        np.repeat(np.minimum(before * others // OTHERS, others * each), apart),
        np.tile(np.arange(others, others + apart), each),
    )
