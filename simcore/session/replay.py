"""What DRAM has to bring of the lines that all SMs touch: their blocks' accesses, replayed through the whole L2.

One SM is timed, with its share of L2. Where several SMs use the same lines and L2 does not hold all of them, what this
SM finds there depends on the others. The blocks of the launch's first waves are executed, one by one and without time;
their accesses to a sample of all lines are put into the order in which they would happen if all resident warps went at
the same pace, and L2 keeps what was used last (`simcore.core.l2_replay`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simcore.core.block_starts import deal
from simcore.core.geometry import LINE_SHIFT
from simcore.core.l2_replay import SIDE_BEFORE_SHIFT
from simcore.core.trail_order import order_of, put_in_order
from simcore.gpu import Gpu
from simcore.model.occupancy import Occupancy
from simcore.model.placement import sides_of_sms
from simcore.session.first_blocks import NOT_TRACED, Notes, Traced, first_blocks, sample_of
from simcore.session.sampled_l2 import SampledL2, drawn_bits
from simcore.session.session import Session

PARTS = 32
"""Parts of the replay after which it is looked whether L2 is full."""

SIDE_BIT, SIDE_BEFORE_BIT = 32, 33
"""Of what is drawn for a block of a later wave: its side, and that in the launch before."""

FULL_BY = 0.75
"""Share of the replay by which L2 has to be full, so that there is something to count."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fetched:
    """What DRAM brings, as a sample of all lines shows.

    Attributes:
        bytes: [buffer].
        instructions: warp instructions that were executed meanwhile.
    """

    bytes: Floats
    instructions: float


def fetched_by_all(
    session: Session, room: Occupancy, executed: Ints, cold: bool, traced: Traced = NOT_TRACED
) -> Fetched | None:
    """What DRAM brings while the launch's first waves run.

    Args:
        executed: warp instructions of each block of the grid.
        cold: whether L2 is empty when the launch begins.
        traced: the first blocks, if they were executed for it before.

    Returns:
        None if these blocks touch too little to fill L2, or too much to be noted.
    """
    for leaves_out in (True, False):
        notes = traced.notes or first_blocks(session, room, executed, leaves_out)
        if notes is None or not len(notes.entries):
            return None
        fetched, is_sure = fetched_of(session, room, notes, cold)
        if is_sure:
            break
    return fetched


def fetched_of(session: Session, room: Occupancy, notes: Notes, cold: bool) -> tuple[Fetched | None, bool]:
    """What DRAM brings while some blocks run, None if they touch too little, and whether that is sure: L2 has lost no
    line meanwhile that accesses which were left out might have kept."""
    gpu, launch = session.gpu, session.launch
    rarity, places = sample_of(gpu)
    lines = notes.lines.all()
    l2, first_waves = SampledL2(gpu, lines, places), _Launch(gpu, room, notes)
    counted = _take_launch(l2, first_waves, cold) if notes.whole else _take_parts(l2, first_waves)
    if not counted:
        return None, not l2.has_lost_more
    starts, _ = launch.addresses
    missed = _by_buffer(l2.missed, lines << LINE_SHIFT, starts)
    return Fetched(missed * rarity, float(notes.executed.sum() * counted)), not l2.has_lost_more


def _by_buffer(missed: Floats, addresses: Ints, starts: Ints) -> Floats:
    """[buffer] the bytes of its lines: whole numbers, whose sums are the same in any order.

    Args:
        missed: [line] bytes.
        addresses: [line] where it begins; before the first buffer, it counts as that one's.
        starts: [buffer] where it begins, ascending.
    """
    behind = [missed.sum(), *((missed * (addresses >= start)).sum() for start in starts[1:]), 0.0]
    bytes_of_each: Floats = np.array(behind[:-1]) - np.array(behind[1:])
    return bytes_of_each


class _Launch:
    """A launch's first blocks: when they begin, and on which side of L2."""

    def __init__(self, gpu: Gpu, room: Occupancy, notes: Notes) -> None:
        sms = min(gpu.sms, len(notes.executed))
        self._begin, sm = _starts(notes.executed, sms, room.blocks_per_sm)
        side, before = _sides(sm, sms * room.blocks_per_sm, gpu)
        self._notes, self._sides = notes, side | before << SIDE_BEFORE_SHIFT

    def accesses(self) -> Ints:
        """In the order in which they happen."""
        order = order_of(self._notes.entries, self._begin, self._sides)
        put_in_order(order)
        return order.accesses


def _sides(sm: Ints, resident: int, gpu: Gpu) -> tuple[Ints, Ints]:
    """[block] its side in this launch and in the one before: blocks of later waves go where one ends, on either side.

    Args:
        sm: of each block, as if all took as long as they have instructions.
        resident: blocks of the first wave.
    """
    block, first = np.arange(len(sm)), sides_of_sms(gpu)[sm]
    if gpu.l2_partitions == 1 or len(block) <= resident:
        return first, first
    drawn = (drawn_bits(block, bit, 1) % gpu.l2_partitions for bit in (SIDE_BIT, SIDE_BEFORE_BIT))
    side, before = (np.where(block < resident, first, each) for each in drawn)
    return side, before


def _take_launch(l2: SampledL2, launch: _Launch, cold: bool) -> float:
    """A whole launch, after others like it or on an empty L2. Returns the share that was counted; nothing counts once
    it is not sure."""
    accesses = launch.accesses()
    if not cold:
        l2.take(accesses)
        if l2.has_lost_more:
            return 0.0
        l2.take(accesses, before=True)
        l2.forget_missed()
    l2.take(accesses)
    return 1.0


def _take_parts(l2: SampledL2, launch: _Launch) -> float:
    """A part of a launch. Returns the share that was counted: what came when both sides were full."""
    filling = 0
    for some in np.array_split(launch.accesses(), PARTS):
        l2.take(some)
        if not l2.is_full:
            filling += 1
            l2.forget_missed()
        if filling > FULL_BY * PARTS:
            return 0.0
    return 1.0 - filling / PARTS


def _starts(executed: Ints, sms: int, slots: int) -> tuple[Ints, Ints]:
    """When blocks begin, in instructions of one, and on which SM: each where one has ended first."""
    begin, sm = np.zeros(len(executed), np.int64), np.arange(len(executed)) % sms
    first = min(sms * slots, len(executed))
    deal(executed, sms, np.sort(executed[:first] * sms + sm[:first]), begin, sm)
    return begin, sm
