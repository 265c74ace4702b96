"""How many warp instructions each block executes, and whether its addresses lie inside the buffers."""

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.analysis.uniformity import blocks_that_differ
from simcore.core.execution.blocks import run_blocks
from simcore.core.machine import Machine
from simcore.session.session import Session

MAX_CHECKED = 500_000
"""Warp instructions per grid up to which the addresses of all blocks are checked: about 50 ms."""

MAX_INSTRUCTIONS_PER_BLOCK = 1 << 32


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
    return session.run(action, warps, 1, lambda machine: run_one_by_one(machine, blocks))


def run_one_by_one(machine: Machine, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Run blocks one after another without timing; returns the warp instructions of each."""
    executed = np.zeros(len(blocks), np.int64)
    run_blocks(machine, np.zeros((4, 64), np.int64), blocks, executed, MAX_INSTRUCTIONS_PER_BLOCK)
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
