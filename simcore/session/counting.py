"""How many warp instructions each block executes, and whether its addresses lie inside the buffers."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.analysis.uniformity import blocks_that_differ
from simcore.core import isa
from simcore.core.execution import native, special
from simcore.core.machine import REPORT_OUTSIDE, REPORT_STATUS, Machine
from simcore.lowering.program import Program
from simcore.native import QUICKLY, WELL, Stretch, stretch_of
from simcore.session.likes import Likes
from simcore.session.request import CYCLE_LIMIT
from simcore.session.running import NO_COUNTS, Bounds, Counts, run_some
from simcore.session.session import Session

MAX_CHECKED = 500_000
"""Warp instructions per grid up to which the addresses of all blocks are checked: about 50 ms."""

PATIENCE = 1 << 21
"""Instructions of a warp's turn after which it is watched for a loop without progress: a fraction of a second."""

LATER_PART = 16
"""So many times as many blocks as before are run until it is looked again at what is interpreted."""

WORTH_COMPILING = 3_000
"""Times that each instruction that must be executed is interpreted, on average, in which native code makes up for its
making: that takes 0.2 to 0.4 ms an instruction, and saves 40 to 190 ns each time (a core of an EPYC, 2026-11-30)."""

WORTH_OPTIMISING = 300_000
"""The same for code that is made well instead of quickly: as long again, for 1 ns each time."""


def count_instructions(session: Session, cycle_limit: int = CYCLE_LIMIT, known: Counts = NO_COUNTS) -> Counts:
    """Count each block's warp instructions by executing only what control flow depends on, and check addresses.

    If all blocks, or all rows of blocks, must behave the same, one is counted. Addresses are checked in all blocks of
    small grids whose blocks differ, and otherwise in the blocks at the corners of the grid: these reach the extremes of
    every address that is monotonic in the block index, but not of one that depends on data or on a remainder. (Timing
    checks the blocks of its SM as well.) Where control flow depends on all addresses, counting has checked them.

    Args:
        cycle_limit: as in `TimingRequest`: a scheduler, and a warp, issues an instruction a cycle at most, so that a
            block with more instructions would take longer.
        known: of the first blocks, which need not be counted again.

    Raises:
        MemoryFault, and any other error that ends a kernel early.
    """
    launch, program = session.launch, session.program
    needs_addresses = np.array_equal(slicing.for_counting(program), slicing.for_timing(program))
    counting = slicing.for_timing if needs_addresses else slicing.for_counting
    counted = blocks_that_differ(program, launch.grid)
    counts = Counts.joined([known, _count(session, counting, np.arange(len(known), counted), cycle_limit)])
    if counted < launch.blocks or not needs_addresses:
        all_of_them = counted == launch.blocks and counts.executed.sum() <= MAX_CHECKED
        checked = np.arange(counted) if all_of_them else np.array(_corner_blocks(launch.grid))
        _count(session, slicing.for_timing, checked, cycle_limit)
    return counts.tiled(launch.blocks // counted)


def reads_outside(session: Session) -> int:
    """How many reads of the grid's threads lie outside of all buffers, where the launch lets them: of all blocks."""
    if session.bounds == "error":
        return 0

    def core(machine: Machine) -> int:
        run_one_by_one(session, machine, np.arange(session.launch.blocks))
        return int(machine.report[REPORT_OUTSIDE])

    return session.run(slicing.for_timing, session.launch.warps_per_block, 1, core)


def _count(session: Session, what: slicing.Slice, blocks: NDArray[np.int64], cycle_limit: int) -> Counts:
    warps = session.launch.warps_per_block
    return session.run(what, warps, 1, lambda machine: run_one_by_one(session, machine, blocks, cycle_limit))


def run_one_by_one(
    session: Session, machine: Machine, blocks: NDArray[np.int64], cycle_limit: int = CYCLE_LIMIT
) -> Counts:
    """Run blocks one after another without timing, and count their warp instructions.

    Those that are like one before are not run. Where others are not known to be, the first one is interpreted, then
    more and more of them. Whenever the rest is likely to take long, what was come to so far is made native code.
    """
    context, bounds = np.zeros(native.CONTEXT, np.int64), bounds_of(session, machine, cycle_limit)
    counts = [Likes(session, machine, blocks, bounds).run(blocks)]
    rest, part, made_of = blocks[len(counts[0]) :], 1, 0
    while len(rest):
        some, rest = np.split(rest, [part])
        before = int(context[native.STEPS])
        counts.append(run_some(machine, context, some, bounds))
        interpreted = (int(context[native.STEPS]) - before) * len(rest) / len(some)
        visited = int(np.count_nonzero(machine.visited))
        if visited > made_of and is_worth_compiling(machine, interpreted):
            executed = counts[-1].executed.sum() * len(rest) / len(some)
            context[native.STRETCH], made_of = stretch_for(session, machine, executed).address, visited
        part *= LATER_PART
    return Counts.joined(counts)


def bounds_of(session: Session, machine: Machine, cycle_limit: int) -> Bounds:
    """When a block is not run any further; see `count_instructions`."""
    return Bounds(
        cycle_limit * min(session.gpu.schedulers_per_sm, session.launch.warps_per_block),
        isa.NEVER if reads_clock(session.program, machine.action) else PATIENCE,
    )


def is_worth_compiling(machine: Machine, interpreted: float) -> bool:
    """Whether native code makes up for its making where so many warp instructions would be interpreted."""
    return machine.report[REPORT_STATUS] == isa.OK and interpreted > WORTH_COMPILING * _instructions(machine)


def stretch_for(session: Session, machine: Machine, executed: float, *, logs: bool = False) -> Stretch:
    """What the interpreter came to of a machine's kernel, as native code (see `simcore.native.stretch_of`).

    Args:
        executed: warp instructions that it is made for.
    """
    level = WELL if executed > WORTH_OPTIMISING * _instructions(machine) else QUICKLY
    program, block = session.program, session.launch.block
    made = stretch_of(program, machine.action, machine.visited, block, logs=logs, level=level)
    if logs:
        session.logging[machine.action.tobytes()] = made
    return made


def _instructions(machine: Machine) -> int:
    """How many instructions are executed of those that the interpreter came to."""
    return int(np.count_nonzero(machine.action[machine.visited != 0]))


def reads_clock(program: Program, action: NDArray[np.uint8]) -> bool:
    """Whether what is executed reads a clock, which advances with each reading: a loop that waits for one does end."""
    return _reads_clock(program, action.tobytes())


@lru_cache(maxsize=64)
def _reads_clock(program: Program, action: bytes) -> bool:
    operation, value = program.code["operation"], program.code["value"]
    executed = np.frombuffer(action, np.uint8) == isa.EXECUTE
    pairs = value[executed & (operation == special.CLOCK)]
    words = value[executed & (operation == special.S2R)]
    return bool((pairs != special.CLOCK_ZERO).any()) or not set(words.tolist()).isdisjoint(special.CLOCKS)


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
