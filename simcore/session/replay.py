"""What DRAM has to bring of the lines that all SMs touch: their blocks' accesses, replayed through the whole L2.

One SM is timed, with its share of L2. Where several SMs use the same lines and L2 does not hold all of them, what this
SM finds there depends on the others. The blocks of the launch's first waves are executed, one by one and without time;
their accesses to a sample of all lines are put into the order in which they would happen if all resident warps went at
the same pace, and L2 keeps what was used last (`simcore.core.l2_replay`).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.block_starts import deal
from simcore.core.execution import native, trail
from simcore.core.geometry import LINE_SHIFT
from simcore.core.l2_replay import replay
from simcore.core.machine import Machine
from simcore.gpu import Gpu
from simcore.model.launch import buffer_addresses
from simcore.model.occupancy import Occupancy
from simcore.model.sharing import lines_of_a_side
from simcore.session.counting import is_worth_compiling, run_some, stretch_for
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

_SPREAD = np.uint64(0x9E37_79B9_7F4A_7C15)
"""Of the hash that deals lines to the sides of L2: the golden ratio's bits."""

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


@dataclass(frozen=True, eq=False)
class _Notes:
    """What the first blocks touched.

    Attributes:
        entries: [entry, trail.FIELDS].
        executed: [block] warp instructions.
        whole: whether they are all blocks, from beginning to end.
    """

    entries: Ints
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
    accesses, lines = _in_order(gpu, room, notes)
    l2 = _L2(gpu, lines, places)
    counted = l2.take_launch(accesses, cold) if notes.whole else l2.take_parts(accesses)
    if not counted:
        return None
    starts, _ = buffer_addresses(launch)
    buffer = np.searchsorted(starts, lines << LINE_SHIFT, side="right") - 1
    missed = np.bincount(np.maximum(buffer, 0), weights=l2.missed, minlength=len(starts))
    return Fetched(missed.astype(np.float64) * rarity, float(notes.executed.sum() * counted))


class _Accesses(NamedTuple):
    """In the order in which they happen: [access] each."""

    line: Ints  # its number
    sectors: Ints
    is_write: Ints
    side: Ints


class _L2:
    """An L2, empty at first, and what it had to ask DRAM for.

    Attributes:
        missed: [line] bytes.
    """

    def __init__(self, gpu: Gpu, lines: Ints, places: int) -> None:
        sides, count = gpu.l2_partitions, len(lines)
        self.missed = np.zeros(count, np.float64)
        self._home = (lines.astype(np.uint64) * _SPREAD >> np.uint64(33)).astype(np.int64) % sides
        self._links = np.full((sides, 2, count + 1), -1, np.int64)
        self._links[:, :, count] = count
        self._there = np.zeros((sides, count + 1), np.int64)
        self._places = places
        self._fetch_bits = (gpu.dram_fetch_bytes // gpu.sector_bytes).bit_length() - 1

    def take_launch(self, accesses: _Accesses, cold: bool) -> float:
        """A whole launch, after one like it or on an empty L2. Returns the share that was counted."""
        if not cold:
            self._take(accesses)
            self.missed[:] = 0.0
        self._take(accesses)
        return 1.0

    def take_parts(self, accesses: _Accesses) -> float:
        """A part of a launch. Returns the share that was counted: what came when both sides were full."""
        filling = 0
        for some in np.array_split(np.arange(len(accesses.line)), PARTS):
            self._take(_Accesses(*(column[some] for column in accesses)))
            if (self._there[:, -1] < self._places).any():
                filling += 1
                self.missed[:] = 0.0
        return 0.0 if filling > FULL_BY * PARTS else 1.0 - filling / PARTS

    def _take(self, accesses: _Accesses) -> None:
        replay(*accesses, self._home, self._links, self._there, self._places, self._fetch_bits, self.missed)


def _in_order(gpu: Gpu, room: Occupancy, notes: _Notes) -> tuple[_Accesses, Ints]:
    """The accesses in the order in which they happen, and the numbers of the lines that they name."""
    sms = min(gpu.sms, len(notes.executed))
    begin, sm = _starts(notes.executed, sms, room.blocks_per_sm)
    block = notes.entries[:, trail.BLOCK]
    order = np.argsort(begin[block] + notes.entries[:, trail.POSITION], kind="stable")
    entries, side = notes.entries[order], sm[block[order]] % gpu.l2_partitions
    lines, line = np.unique(entries[:, trail.LINE], return_inverse=True)
    sectors, is_write = (
        np.ascontiguousarray(entries[:, field]) for field in (trail.SECTORS_TOUCHED, trail.IS_WRITE)
    )
    return _Accesses(line, sectors, is_write, side), lines


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

    def core(machine: Machine) -> Ints:
        notes.noted[0] = 0
        context = np.zeros(native.CONTEXT, np.int64)
        done: list[Ints] = []
        lines = np.empty(0, np.int64)
        share = np.count_nonzero(machine.action) / machine.code_end  # of the instructions, which are executed
        if is_worth_compiling(machine, share * most_executed):
            context[native.STRETCH] = stretch_for(session, machine, logs=True).address
        for first in range(0, count, resident):
            some = np.arange(first, min(first + resident, count))
            begin = notes.noted[0]
            done.append(run_some(machine, context, some, noted=notes._replace(first=first)).executed)
            new = notes.entries[begin : notes.noted[0], trail.LINE]
            before, lines = len(lines), np.union1d(lines, new)
            again = notes.noted[0] > COME_BACK * len(lines) and len(lines) - before < FEW * len(lines)
            if again or len(lines) > ENOUGH * places * session.gpu.l2_partitions:
                break
        return np.concatenate(done)

    done = session.run(slicing.for_timing, warps, 1, core)
    if notes.noted[0] > MAX_ENTRIES:
        return None
    return _Notes(notes.entries[: notes.noted[0]], done, len(done) == launch.blocks and most == isa.NEVER)
