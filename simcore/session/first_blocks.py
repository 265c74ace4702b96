"""A launch's first blocks, executed without time for a replay (`simcore.session.replay`): what they touch, in order.

The blocks of the first waves are executed one by one; their accesses to a sample of all lines are noted. Where they are
likely to be asked for and have to be counted one by one, they are executed before the others are counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.analysis.uniformity import blocks_that_differ
from simcore.core import isa
from simcore.core.execution import native, trail
from simcore.core.machine import REPORT_STATUS, Machine
from simcore.core.trail_order import NOBODY, Numbers, number_lines, put_lines
from simcore.gpu import Gpu
from simcore.model.machine_model import busy_sms
from simcore.model.occupancy import Occupancy
from simcore.model.sharing import lines_of_a_side, may_leave_l2
from simcore.session.counting import LATER_PART, bounds_of, is_worth_compiling, stretch_for
from simcore.session.likes import Likes
from simcore.session.running import NO_BOUNDS, NO_COUNTS, Bounds, Counts, run_some
from simcore.session.session import Session

MAX_INSTRUCTIONS = 16_000_000
"""Warp instructions that are executed for it: a tenth of a second to a second."""

MAX_ENTRIES = 4_000_000
"""Accesses that are noted: 64 MB."""

PLACES = 4096
"""Lines of the sample that a side of L2 holds at least, unless it is smaller: their number errs by 1 or 2 %."""

ENOUGH = 3
"""Times that L2 is filled with other lines, after which no further blocks are executed."""

COME_BACK, FEW = 8, 0.02
"""The same if they come back to these lines: accesses to each, and the share that the last wave was first to touch."""

Ints = NDArray[np.int64]


class Lines:
    """The lines that entries name, numbered in the order in which they were touched first."""

    def __init__(self, entries: Ints) -> None:
        """Of entries of a trail, none of which has a number yet."""
        self.numbers = Numbers(entries, *self._room(1 << 12), np.zeros(1, np.int64))

    def __len__(self) -> int:
        return int(self.numbers.known[0])

    def add(self, first: int, end: int) -> None:
        """Number the lines of some entries, which name the numbers from now on."""
        while (first := number_lines(self.numbers, first, end)) < end:
            table, lines = self._room(4 * len(self.numbers.table))
            lines[: len(self)] = self.all()
            self.numbers = self.numbers._replace(table=table, lines=lines)
            put_lines(self.numbers)

    def all(self) -> Ints:
        """[number] the lines."""
        return self.numbers.lines[: len(self)]

    @staticmethod
    def _room(slots: int) -> tuple[NDArray[np.int32], Ints]:
        """An empty table of so many slots, and room for the lines that it takes."""
        return np.full(slots, NOBODY, np.int32), np.empty(slots // 2, np.int64)


@dataclass(frozen=True, eq=False)
class Notes:
    """What the first blocks touched.

    Attributes:
        entries: [entry, trail.FIELDS], which name lines by number.
        lines: these.
        executed: [block] warp instructions.
        whole: whether they are all blocks, from beginning to end.
    """

    entries: Ints
    lines: Lines
    executed: Ints
    whole: bool


@dataclass(frozen=True, eq=False)
class Traced:
    """The first blocks, executed before the others are counted.

    Attributes:
        counts: of all that were executed.
        notes: what those of them touched that a replay is for; None if it is for others.
    """

    counts: Counts
    notes: Notes | None


NOT_TRACED = Traced(NO_COUNTS, None)


def sample_of(gpu: Gpu) -> tuple[int, int]:
    """How many lines there are for each one of the sample, and how many places of the sample are in a side of L2."""
    side_lines = lines_of_a_side(gpu)
    rarity = 1 << max(int(side_lines / PLACES).bit_length() - 1, 0)
    return rarity, max(int(side_lines / rarity), 1)


def first_blocks(session: Session, room: Occupancy, executed: Ints, leaves_out: bool) -> Notes | None:
    """Execute the blocks of the first waves until L2 has been filled some times, or the beginnings of those of the
    first wave, and note what they touch; `leaves_out` is as in `trail.Trail`."""
    launch, warps = session.launch, session.launch.warps_per_block
    resident = min(session.gpu.sms * room.blocks_per_sm, launch.blocks)
    affordable = _affordable(executed, MAX_INSTRUCTIONS)
    count = min(max(affordable, resident), launch.blocks)
    most = isa.NEVER if affordable >= count else max(MAX_INSTRUCTIONS // (count * warps), 1)
    notes = _no_notes(session.gpu, most, leaves_out)

    def core(machine: Machine) -> _Tracing:
        tracing = _Tracing(session, machine, notes, count, isa.NEVER, NO_BOUNDS)
        for wave in _waves(count, resident):
            tracing.run(wave)
            if tracing.is_enough:
                break
        return tracing

    tracing = session.run(slicing.for_tracing, warps, 1, core)
    if notes.noted.sum() > MAX_ENTRIES:
        return None
    done = tracing.counts.executed
    whole = len(done) == launch.blocks and most == isa.NEVER
    return _notes_of(notes, tracing, done, whole)


_ROOMS: list[trail.Trail] = []
"""Room for entries that no notes are in: new memory costs as much time as what is written there."""


def _no_notes(gpu: Gpu, most: int, leaves_out: bool = False) -> trail.Trail:
    """Room for what blocks touch; the arguments are as in `trail.Trail`."""
    rarity, _ = sample_of(gpu)
    try:
        room = _ROOMS.pop()
    except IndexError:
        room = trail.trail_of(MAX_ENTRIES, 0, isa.NEVER)
    return room._replace(mask=rarity - 1, most=most, leaves_out=int(leaves_out))


def _notes_of(noted: trail.Trail, tracing: "_Tracing", executed: Ints, whole: bool) -> Notes:
    """What was noted; its room is for others when nobody has these notes any more."""
    notes = Notes(noted.entries[: tracing.noted], tracing.lines, executed, whole)
    finalize(notes, _ROOMS.append, noted)
    return notes


def _waves(blocks: int, resident: int) -> Iterator[Ints]:
    """The first blocks, as many at a time as are resident."""
    return (np.arange(first, min(first + resident, blocks)) for first in range(0, blocks, resident))


def _affordable(executed: Ints, instructions: int) -> int:
    """How many of the first blocks have less than so many instructions."""
    return int(np.searchsorted(np.cumsum(executed), instructions))


def _is_enough(gpu: Gpu, lines: Lines, before: int, accesses: int) -> bool:
    """Whether L2 has been filled some times, or blocks come back to the same lines.

    Args:
        before: how many lines there were before the last wave.
        accesses: so far, with those that are left out.
    """
    _, places = sample_of(gpu)
    again = accesses > COME_BACK * len(lines) and len(lines) - before < FEW * len(lines)
    return again or len(lines) > ENOUGH * places * gpu.l2_partitions


def trace_first_blocks(session: Session, room: Occupancy, cycle_limit: int) -> Traced:
    """Execute the first blocks before the others are counted, if they are not alike and a replay is likely: where data
    say what is touched, of more than L2 holds. This counts them, too.

    Args:
        cycle_limit: as for `count_instructions`.
    """
    launch, warps = session.launch, session.launch.warps_per_block
    if not _is_likely_replayed(session, room):
        return NOT_TRACED
    resident = min(session.gpu.sms * room.blocks_per_sm, launch.blocks)
    notes = _no_notes(session.gpu, isa.NEVER)

    def core(machine: Machine) -> _Tracing | None:
        bounds = bounds_of(session, machine, cycle_limit)
        tracing = _Tracing(session, machine, notes, launch.blocks, MAX_INSTRUCTIONS, bounds)
        for wave in _waves(launch.blocks, resident):
            tracing.run(wave)
            if tracing.are_alike or machine.report[REPORT_STATUS] != isa.OK:
                return None
            if tracing.has_ended or tracing.is_enough:
                break
        return tracing

    tracing = session.run(slicing.for_tracing, warps, 1, core)
    if tracing is None:
        return NOT_TRACED
    counts = tracing.counts
    affordable = _affordable(counts.executed, MAX_INSTRUCTIONS)
    if affordable < resident or notes.noted[trail.ENTRIES] > MAX_ENTRIES:
        return Traced(counts, None)
    executed, whole = counts.executed[:affordable], affordable == launch.blocks
    return Traced(counts, _notes_of(notes, tracing, executed, whole))


def _is_likely_replayed(session: Session, room: Occupancy) -> bool:
    gpu, launch, program = session.gpu, session.launch, session.program
    return (
        slicing.follows_data(program)
        and blocks_that_differ(program, launch.grid) == launch.blocks
        and may_leave_l2(gpu, launch, room, busy_sms(gpu, launch))
    )


class _Tracing:
    """The first blocks, executed one after the other, until they have as many instructions as a replay takes.

    Attributes:
        lines: those of the sample that they touched.
        noted: entries of accesses to them, of the blocks that a replay takes.
        executed: warp instructions so far.
        is_enough: whether L2 has been filled some times, or the last wave has come back to the same lines.
    """

    def __init__(
        self,
        session: Session,
        machine: Machine,
        notes: trail.Trail,
        blocks: int,
        instructions: int,
        bounds: Bounds,
    ) -> None:
        """Of a machine of one block slot.

        Args:
            notes: takes what they touch.
            blocks: how many there are.
            instructions: as many as a replay takes.
            bounds: when a block is not run any further.
        """
        notes.noted[:] = 0
        self._session, self._machine, self._notes, self._bounds = session, machine, notes, bounds
        self._context = np.zeros(native.CONTEXT, np.int64)
        self._blocks, self._instructions = blocks, instructions
        self._likes = Likes(session, machine, np.arange(blocks), bounds, most=notes.most)
        self._parts = [NO_COUNTS]
        self._done, self.executed = 0, 0
        self._visited, self._steps, self._made_at = 0, 0, 0
        self.lines, self.noted, self.is_enough = Lines(notes.entries), 0, False

    @property
    def are_alike(self) -> bool:
        """Whether blocks that are like others need not be executed."""
        return not self._likes.has_ended

    @property
    def has_ended(self) -> bool:
        """Whether there is no need for other blocks."""
        return self.executed >= self._instructions

    @property
    def counts(self) -> Counts:
        """Of all blocks so far."""
        return Counts.joined(self._parts)

    def run(self, wave: Ints) -> None:
        """Execute the blocks of a wave, no more than are likely to be needed, and number their lines."""
        self._take(self._likes.run(wave, self._notes._replace(first=wave[0])))
        end = int(wave[-1]) + 1
        while self._done < end and not self.has_ended and self._machine.report[REPORT_STATUS] == isa.OK:
            room = self._instructions - self.executed
            left = room * self._done // self.executed if self.executed else 0
            more = min(left, LATER_PART * self._done) + 1
            some = np.arange(self._done, min(self._done + more, end))
            self._make_native()
            noted = self._notes._replace(first=self._done)
            self._take(run_some(self._machine, self._context, some, self._bounds, noted))
        self._number_lines()

    def _number_lines(self) -> None:
        """Number the lines that the last wave was first to touch."""
        begin, before = self.noted, len(self.lines)
        self.noted = min(int(self._notes.noted[trail.ENTRIES]), MAX_ENTRIES)
        if self.has_ended:
            behind = _affordable(self.counts.executed, self._instructions) << trail.BLOCK_SHIFT
            self.noted = int(np.searchsorted(self._notes.entries[: self.noted, trail.WHEN], behind))
        self.lines.add(begin, self.noted)
        accesses = min(int(self._notes.noted.sum()), MAX_ENTRIES)
        self.is_enough = _is_enough(self._session.gpu, self.lines, before, accesses)

    def _take(self, counts: Counts) -> None:
        self._parts.append(counts)
        self._done += len(counts)
        self.executed += int(counts.executed.sum())

    def _make_native(self) -> None:
        """Make native code of what was interpreted, if that pays for as many others as there may be."""
        visited = int(np.count_nonzero(self._machine.visited))
        if not self.executed or visited == self._visited:
            return
        blocks = min(self._blocks, self._instructions * self._done // self.executed) - self._done
        interpreted = int(self._context[native.STEPS] - self._steps) * blocks / (self._done - self._made_at)
        if is_worth_compiling(self._machine, interpreted):
            made = stretch_for(self._session, self._machine, interpreted, logs=True)
            self._context[native.STRETCH], self._visited = made.address, visited
            self._steps, self._made_at = int(self._context[native.STEPS]), self._done
