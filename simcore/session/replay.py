"""What DRAM has to bring of the lines that all SMs touch: their blocks' accesses, replayed through the whole L2.

One SM is timed, with its share of L2. Where several SMs use the same lines and L2 does not hold all of them, what this
SM finds there depends on the others. The blocks of the launch's first waves are executed, one by one and without time;
their accesses to a sample of all lines are put into the order in which they would happen if all resident warps went at
the same pace, and L2 keeps what was used last (`simcore.core.l2_replay`).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.block_starts import deal
from simcore.core.execution import native, trail
from simcore.core.geometry import LINE_SHIFT
from simcore.core.l2_replay import SIDE_BEFORE_SHIFT
from simcore.core.machine import Machine
from simcore.core.trail_order import (
    COLUMNS,
    DIGITS,
    NOBODY,
    move_lines,
    number_lines,
    put_in_order,
)
from simcore.gpu import Gpu
from simcore.model.occupancy import Occupancy
from simcore.model.sharing import lines_of_a_side
from simcore.session.counting import is_worth_compiling, stretch_for
from simcore.session.likes import Likes
from simcore.session.running import run_some
from simcore.session.sampled_l2 import FIRST_SIDE_BIT, SampledL2, drawn_bits
from simcore.session.session import Session

MAX_INSTRUCTIONS = 16_000_000
"""Warp instructions that are executed for it: a tenth of a second to a second."""

MAX_ENTRIES = 4_000_000
"""Accesses that are noted: 160 MB."""

PLACES = 4096
"""Lines of the sample that a side of L2 holds at least, unless it is smaller: their number errs by 1 or 2 %."""

ENOUGH = 3
"""Times that L2 is filled with other lines, after which no further blocks are executed."""

COME_BACK, FEW = 8, 0.02
"""The same if they come back to these lines: accesses to each, and the share that the last wave was first to touch."""

PARTS = 32
"""Parts of the replay after which it is looked whether L2 is full."""

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


class _Lines:
    """The lines that entries name, numbered in the order in which they were touched first.

    Attributes:
        number: [entry] of its line.
    """

    def __init__(self) -> None:
        self.number = np.empty(MAX_ENTRIES, np.int64)
        self._lines = np.empty(MAX_ENTRIES, np.int64)
        self._table = self._empty(1 << 12)
        self._known = np.zeros(1, np.int64)

    def __len__(self) -> int:
        return int(self._known[0])

    def add(self, entries: Ints, first: int) -> None:
        """Number the lines of the entries from one on."""
        number = partial(number_lines, entries)
        while (first := number(first, self._table, self._lines, self._known, self.number)) < len(entries):
            larger = self._empty(2 * len(self._table))
            move_lines(self._table, larger)
            self._table = larger

    def all(self) -> Ints:
        """[number] the lines."""
        return self._lines[: len(self)]

    @staticmethod
    def _empty(slots: int) -> Ints:
        return np.full((slots, COLUMNS), NOBODY, np.int64)


@dataclass(frozen=True, eq=False)
class _Notes:
    """What the first blocks touched.

    Attributes:
        entries: [entry, trail.FIELDS].
        lines: that they name.
        executed: [block] warp instructions.
        whole: whether they are all blocks, from beginning to end.
    """

    entries: Ints
    lines: _Lines
    executed: Ints
    whole: bool


def fetched_by_all(session: Session, room: Occupancy, executed: Ints, cold: bool) -> Fetched | None:
    """What DRAM brings while the launch's first waves run.

    Args:
        executed: warp instructions of each block of the grid.
        cold: whether L2 is empty when the launch begins.

    Returns:
        None if these blocks touch too little to fill L2, or too much to be noted.
    """
    gpu, launch = session.gpu, session.launch
    side_lines = lines_of_a_side(gpu)
    rarity = 1 << max(int(side_lines / PLACES).bit_length() - 1, 0)
    places = max(int(side_lines / rarity), 1)
    notes = _first_blocks(session, room, executed, rarity, places)
    if notes is None or not len(notes.entries):
        return None
    lines = notes.lines.all()
    l2, first_waves = SampledL2(gpu, lines, places), _Launch(gpu, room, notes)
    counted = _take_launch(l2, first_waves, cold) if notes.whole else _take_parts(l2, first_waves)
    if not counted:
        return None
    starts, _ = launch.addresses
    buffer = np.searchsorted(starts, lines << LINE_SHIFT, side="right") - 1
    missed = np.bincount(np.maximum(buffer, 0), weights=l2.missed, minlength=len(starts))
    return Fetched(missed.astype(np.float64) * rarity, float(notes.executed.sum() * counted))


class _Launch:
    """A launch's first blocks: when they begin, and on which side of L2."""

    def __init__(self, gpu: Gpu, room: Occupancy, notes: _Notes) -> None:
        sms = min(gpu.sms, len(notes.executed))
        self._begin, sm = _starts(notes.executed, sms, room.blocks_per_sm)
        self._notes, side = notes, sm % gpu.l2_partitions
        self._sides = side | _sides_before(side, sms * room.blocks_per_sm, gpu) << SIDE_BEFORE_SHIFT

    def accesses(self) -> Ints:
        """In the order in which they happen."""
        entries, number = self._notes.entries, self._notes.lines.number
        times = np.empty((2, len(entries)), np.int64)
        accesses: Ints = np.empty_like(times)
        put_in_order(entries, number, self._begin, self._sides, times, accesses, np.empty(DIGITS, np.int64))
        in_order: Ints = accesses[0]
        return in_order


def _sides_before(side: Ints, resident: int, gpu: Gpu) -> Ints:
    """[block] its side in the launch before: blocks of later waves go where one ends, on either side of L2.

    Args:
        side: in this launch, which is the same if there is no later wave, or no other side.
        resident: blocks of the first wave.
    """
    block = np.arange(len(side))
    if gpu.l2_partitions == 1 or len(block) <= resident:
        return side
    drawn = drawn_bits(block, FIRST_SIDE_BIT, 1) % gpu.l2_partitions
    return np.where(block < resident, side, drawn)


def _take_launch(l2: SampledL2, launch: _Launch, cold: bool) -> float:
    """A whole launch, after others like it or on an empty L2. Returns the share that was counted."""
    accesses = launch.accesses()
    if not cold:
        l2.take(accesses)
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
    return 0.0 if filling > FULL_BY * PARTS else 1.0 - filling / PARTS


def _starts(executed: Ints, sms: int, slots: int) -> tuple[Ints, Ints]:
    """When blocks begin, in instructions of one, and on which SM: each where one has ended first."""
    begin, sm = np.zeros(len(executed), np.int64), np.arange(len(executed)) % sms
    first = min(sms * slots, len(executed))
    deal(executed, sms, np.sort(executed[:first] * sms + sm[:first]), begin, sm)
    return begin, sm


def _first_blocks(
    session: Session, room: Occupancy, executed: Ints, rarity: int, places: int
) -> _Notes | None:
    """Execute the blocks of the first waves until L2 has been filled some times, or the beginnings of those of the
    first wave, and note what they touch.

    Args:
        rarity: one line of so many is noted.
        places: of the sample, in a side of L2.
    """
    launch, warps = session.launch, session.launch.warps_per_block
    resident = min(session.gpu.sms * room.blocks_per_sm, launch.blocks)
    affordable = int(np.searchsorted(np.cumsum(executed), MAX_INSTRUCTIONS))
    count = min(max(affordable, resident), launch.blocks)
    most = isa.NEVER if affordable >= count else max(MAX_INSTRUCTIONS // (count * warps), 1)
    most_executed = np.minimum(executed[:count], min(most * warps, isa.NEVER)).sum()
    notes = trail.trail_of(MAX_ENTRIES, rarity - 1, most)

    def core(machine: Machine) -> tuple[Ints, _Lines]:
        notes.noted[0] = 0
        lines = _Lines()
        context = np.zeros(native.CONTEXT, np.int64)
        done: list[Ints] = []
        expected = most_executed * np.count_nonzero(machine.action) / machine.code_end
        likes = Likes(session, machine, np.arange(count), most=most)
        for first in range(0, count, resident):
            some = np.arange(first, min(first + resident, count))
            begin = notes.noted[0]
            alike = likes.run(some, notes._replace(first=first)).executed
            rest, behind = some[len(alike) :], notes._replace(first=first + len(alike))
            if len(rest) and not context[native.STRETCH] and is_worth_compiling(machine, expected):
                context[native.STRETCH] = stretch_for(session, machine, expected, logs=True).address
            done += [alike, run_some(machine, context, rest, noted=behind).executed]
            before = len(lines)
            lines.add(notes.entries[: notes.noted[0]], begin)
            again = notes.noted[0] > COME_BACK * len(lines) and len(lines) - before < FEW * len(lines)
            if again or len(lines) > ENOUGH * places * session.gpu.l2_partitions:
                break
        return np.concatenate(done), lines

    done, lines = session.run(slicing.for_tracing, warps, 1, core)
    if notes.noted[0] > MAX_ENTRIES:
        return None
    whole = len(done) == launch.blocks and most == isa.NEVER
    return _Notes(notes.entries[: notes.noted[0]], lines, done, whole)
