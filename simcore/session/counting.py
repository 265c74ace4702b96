"""How many warp instructions each block executes, and whether its addresses lie inside the buffers."""

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.analysis.uniformity import blocks_that_differ
from simcore.core import isa
from simcore.core.execution import native
from simcore.core.execution.blocks import run_blocks
from simcore.core.machine import REPORT_STATUS, Machine
from simcore.native import Stretch, stretch_of
from simcore.session.session import Session

MAX_CHECKED = 500_000
"""Warp instructions per grid up to which the addresses of all blocks are checked: about 50 ms."""

MAX_INSTRUCTIONS_PER_BLOCK = 1 << 32

WORTH_COMPILING = 1_000_000
"""Warp instructions that are interpreted in the time that it takes to translate a kernel: some 50 ms."""

WORTH_COMPILING_MASKED = 20_000
"""Instructions interpreted for want of a stretch for warps with inactive lanes, until that is made too."""

PARTS = 32
"""Parts of a grid between which that is decided."""


def count_instructions(session: Session) -> NDArray[np.int64]:
    """Count each block's warp instructions by executing only what control flow depends on, and check addresses.

    If all blocks, or all rows of blocks, must behave the same, one is counted. Addresses are checked in all blocks of
    small grids whose blocks differ, and otherwise in the blocks at the corners of the grid: these reach the extremes of
    every address that is monotonic in the block index, but not of one that depends on data or on a remainder. (Timing
    checks the blocks of its SM as well.)

    Raises:
        MemoryFault, and any other error that ends a kernel early.
    """
    launch, program = session.launch, session.program
    counted = blocks_that_differ(program, launch.grid)
    executed = _count(session, slicing.for_counting(program), np.arange(counted))
    all_of_them = counted == launch.blocks and executed.sum() <= MAX_CHECKED
    checked = np.arange(counted) if all_of_them else np.array(_corner_blocks(launch.grid))
    _count(session, slicing.for_timing(program), checked)
    return np.tile(executed, launch.blocks // counted)


def _count(session: Session, action: NDArray[np.uint8], blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    warps = session.launch.warps_per_block
    return session.run(action, warps, 1, lambda machine: run_one_by_one(session, machine, blocks))


def run_one_by_one(session: Session, machine: Machine, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Run blocks one after another without timing; returns the warp instructions of each.

    The first one is interpreted; if the others are likely to take long, they are executed natively.
    """
    context = np.zeros(native.CONTEXT, np.int64)
    executed = [run_some(machine, context, blocks[:1])]
    rest = blocks[1:]
    if executed[0].sum() * len(rest) <= WORTH_COMPILING:
        return np.concatenate([*executed, run_some(machine, context, rest)])
    context[native.FULL] = _stretch(session, machine, full=True).address
    for some in np.array_split(rest, PARTS):
        if context[native.MISSED] > WORTH_COMPILING_MASKED and not context[native.MASKED]:
            context[native.MASKED] = _stretch(session, machine, full=False).address
        executed.append(run_some(machine, context, some))
    return np.concatenate(executed)


def _stretch(session: Session, machine: Machine, *, full: bool) -> Stretch:
    buffers = len(machine.buffer_start)
    return stretch_of(session.program, machine.action, session.launch.block, buffers, full=full)


def run_some(machine: Machine, context: NDArray[np.int64], blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Run blocks, in the stretches that the context names; returns the warp instructions of each."""
    executed = np.zeros(len(blocks), np.int64)
    if machine.report[REPORT_STATUS] == isa.OK:
        tally = np.zeros((4, 64), np.int64)
        run_blocks(machine, tally, context, blocks, executed, MAX_INSTRUCTIONS_PER_BLOCK)
    return executed


def _corner_blocks(grid: tuple[int, int, int]) -> list[int]:
    """The blocks whose index is first or last along each axis."""
    width, height, depth = grid
    return sorted(
        {
            x + width * (y + height * z)
            for x in (0, width - 1)
            for y in (0, height - 1)
            for z in (0, depth - 1)
        }
    )
