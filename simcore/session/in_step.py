"""Which lines a block reads at the same time as others: its first instructions and theirs are executed without time."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core.execution import native, trail
from simcore.core.geometry import LINE_BYTES, LINE_SHIFT
from simcore.core.machine import Machine
from simcore.errors import SimcoreError
from simcore.model.launch import Launch
from simcore.session.running import run_some
from simcore.session.session import Session

FIRST_INSTRUCTIONS = 500
"""Of each warp, which show what blocks read together while they begin."""

MORE_INSTRUCTIONS = 4000
"""The same for nearly all that a block reads: vectors by which rows are scaled come after these are summed up."""

MOST_ENTRIES = 1 << 16
"""Accesses that are noted, for each block."""

UNDER_WAY = 32 << 10
"""Bytes that an SM reads from L2 while it waits for the first of them."""

FAR_APART = (48, 64)
"""Distances of blocks that may share a row of tiles where the grid does not say how tiles are dealt: multiples of 2, 3,
4, 6, 8, 12, 16, 24 and 32, one or the other."""

Ints = NDArray[np.int64]
Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class InStep:
    """What the block in the middle of the grid reads at the same time as others, if blocks begin together and go on at
    the same pace.

    Attributes:
        in_a_row: [buffer] the share of the lines that it reads which a neighbour in the order of launch reads then.
        distances: [other] how many blocks others are away.
        far_apart: [other, buffer] the share that these read then.
    """

    in_a_row: Shares
    distances: Ints
    far_apart: Shares


def read_in_step(session: Session, resident: int, instructions: int = FIRST_INSTRUCTIONS) -> InStep:
    """What blocks read together.

    Args:
        resident: blocks of an SM, whose reads are under way together.
        instructions: of each warp, that are executed.
    """
    launch = session.launch
    middle = launch.blocks // 2
    distances = [at for at in _far_apart(launch) if at <= middle]
    neighbours = [block for block in (middle + 1, middle - 1) if 0 <= block < launch.blocks]
    lag = UNDER_WAY // LINE_BYTES // resident

    def core(machine: Machine) -> InStep:
        far = [middle - distance for distance in distances]
        own, *others = _lines_in_order(machine, [middle, *neighbours, *far], instructions)
        shares = [_share_in_step(launch, own, lines, lag) for lines in others]
        shared = np.array(shares).reshape(len(others), len(launch.addresses[0]))
        near, far_apart = shared[: len(neighbours)], shared[len(neighbours) :]
        return InStep(near.max(axis=0, initial=0.0), np.array(distances, np.int64), far_apart)

    with suppress(SimcoreError):
        return session.run(slicing.for_timing, launch.warps_per_block, 1, core)
    return nothing_in_step(launch)


def nothing_in_step(launch: Launch) -> InStep:
    """No blocks read at the same time."""
    buffers = len(launch.addresses[0])
    return InStep(np.zeros(buffers), np.zeros(0, np.int64), np.zeros((0, buffers)))


def _far_apart(launch: Launch) -> Sequence[int]:
    """How many blocks lie between neighbours along the grid's other axes, if it has any."""
    across, up, _ = launch.grid
    along = [stride for stride in (across, across * up) if 1 < stride < launch.blocks]
    return along or FAR_APART


def _lines_in_order(machine: Machine, blocks: Sequence[int], instructions: int) -> list[Ints]:
    """The lines that each block reads, in the order in which its warps first do if all are as fast."""
    noted = trail.trail_of(MOST_ENTRIES * len(blocks), 0, instructions)
    run_some(machine, np.zeros(native.CONTEXT, np.int64), np.array(blocks), noted=noted)
    entries = noted.entries[: min(int(noted.noted[trail.ENTRIES]), len(noted.entries))]
    entries = entries[np.argsort(entries[:, trail.WHEN], kind="stable")]
    begins = np.searchsorted(entries[:, trail.WHEN], np.arange(1, len(blocks)) << trail.BLOCK_SHIFT)
    return [_read_in_order(touches) for touches in np.split(entries[:, trail.TOUCH], begins)]


def _read_in_order(touches: Ints) -> Ints:
    """The lines that touches read, each once."""
    lines = touches[touches & 1 == 0] >> trail.TOUCHED_LINE_SHIFT
    in_order: Ints = lines[np.sort(np.unique(lines, return_index=True)[1])]
    return in_order


def _share_in_step(launch: Launch, own: Ints, others: Ints, lag: int) -> Shares:
    """[buffer] the share of a block's lines that another one reads at most so many lines sooner or later."""
    starts, _ = launch.addresses
    _, mine, theirs = np.intersect1d(own, others, assume_unique=True, return_indices=True)
    together = mine[np.abs(mine - theirs) <= lag]
    buffer = np.searchsorted(starts >> LINE_SHIFT, own, side="right") - 1
    counts = np.bincount(np.maximum(buffer, 0), minlength=len(starts))
    shared = np.bincount(np.maximum(buffer[together], 0), minlength=len(starts))
    found: Shares = shared / np.maximum(counts, 1)
    return found
