"""Run a kernel for its results: every block, every lane, no time."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.analysis.control_flow import calls_back
from simcore.analysis.uniformity import blocks_that_differ
from simcore.core import isa
from simcore.core.execution.blocks import run_blocks
from simcore.core.machine import (
    REPORT_ADDRESS,
    REPORT_BUFFER,
    REPORT_LANE,
    REPORT_PC,
    REPORT_SPACE,
    REPORT_STATUS,
    REPORT_WARP,
    Machine,
)
from simcore.errors import (
    CycleLimitExceeded,
    Deadlock,
    KernelTrap,
    LaunchError,
    MemoryFault,
    UnsupportedInstruction,
)
from simcore.gpu import Gpu
from simcore.gpu_profiles import load_gpu
from simcore.lowering import lower
from simcore.lowering.program import Program
from simcore.machine_code.cubin import read_kernel
from simcore.machine_code.sass import decode
from simcore.model.launch import Argument, Launch, build_machine, check_arguments, dimensions
from simcore.model.occupancy import check_launch

MAX_CHECKED = 500_000
"""Warp instructions of a grid up to which the addresses of all its blocks are checked: about 50 ms."""

MAX_INSTRUCTIONS_PER_BLOCK = 1 << 32
DEFAULT_STACK_BYTES = 1024
"""What a thread gets where the compiler cannot state its stack: cudaLimitStackSize, as the driver sets it."""
_Outcome = TypeVar("_Outcome")


def prepare(
    cubin: bytes | str | Path,
    kernel: str | None,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    arguments: Sequence[Argument],
    gpu: str | Gpu,
    dynamic_shared_bytes: int,
) -> tuple[Gpu, Launch, Program]:
    """Read, check and decode; everything that can be refused is refused here."""
    profile = load_gpu(gpu)
    found = read_kernel(cubin, kernel)
    if found.architecture != profile.architecture.rstrip("af"):
        raise LaunchError(
            f"{found.name} was compiled for {found.architecture}, "
            f"but {profile.name} is {profile.architecture}"
        )
    shape, threads = dimensions(grid, "grid"), dimensions(block, "block")
    check_launch(profile, threads, shape, found.static_shared_bytes, dynamic_shared_bytes, found.registers)
    check_arguments(found, arguments)
    program = _program(found.code, found.architecture, found.registers, found.name)
    shared = found.static_shared_bytes + dynamic_shared_bytes
    stack = max(found.local_bytes, DEFAULT_STACK_BYTES) if calls_back(program) else found.local_bytes
    return profile, Launch(found, shape, threads, tuple(arguments), shared, stack), program


@lru_cache(maxsize=32)
def _program(code: bytes, architecture: str, registers: int, name: str) -> Program:
    """The packed program; the same object for the same code, whose slices are then known too."""
    return lower(decode(code, architecture), registers, name)


def execute(
    *,
    cubin: bytes | str | Path,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    arguments: Sequence[Argument],
    gpu: str | Gpu,
    kernel: str | None = None,
    dynamic_shared_bytes: int = 0,
) -> int:
    """Run the whole grid and write the results into the numpy arrays among the arguments.

    Returns:
        Warp instructions executed, as Nsight Compute's `smsp__inst_executed.sum`.

    Raises:
        LaunchError, UnsupportedInstruction, MemoryFault, CycleLimitExceeded.
    """
    _, launch, program = prepare(cubin, kernel, grid, block, arguments, gpu, dynamic_shared_bytes)
    everything = set(range(launch.memories))
    machine = build_machine(
        launch, program, slicing.everything(program), everything, launch.warps_per_block, 1
    )
    executed = _run_blocks(machine, np.arange(launch.blocks))
    raise_for(machine, launch, program)
    _write_back(machine, launch)
    return int(executed.sum())


def count_instructions(launch: Launch, program: Program) -> NDArray[np.int64]:
    """Warp instructions of each block, by executing only what decides control flow, and addresses checked.

    Where all blocks, or all rows of blocks, are bound to do the same, one is counted. Addresses are checked in all
    blocks of small grids whose blocks differ, and otherwise in those at the corners of the grid: they hold the
    extremes of every address that grows or falls with the block's index, but not of one that depends on data or on a
    remainder. (Timing checks the blocks of its SM as well.)

    Raises:
        MemoryFault, and whatever else ends a kernel early.
    """
    counted = blocks_that_differ(program, launch.grid)
    executed = _run_counting(launch, program, slicing.for_counting(program), np.arange(counted))
    all_of_them = counted == launch.blocks and executed.sum() <= MAX_CHECKED
    checked = np.arange(counted) if all_of_them else np.array(_corner_blocks(launch.grid))
    _run_counting(launch, program, slicing.for_timing(program), checked)
    return np.tile(executed, launch.blocks // counted)


def _run_counting(
    launch: Launch, program: Program, action: NDArray[np.uint8], blocks: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Run some blocks; returns the warp instructions of each."""
    machine, executed = run_backed(
        launch, program, action, launch.warps_per_block, 1, lambda m: _run_blocks(m, blocks)
    )
    raise_for(machine, launch, program)
    return executed


def _run_blocks(machine: Machine, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
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


def run_backed(
    launch: Launch,
    program: Program,
    action: NDArray[np.uint8],
    warps: int,
    block_slots: int,
    run: Callable[[Machine], _Outcome],
) -> tuple[Machine, _Outcome]:
    """Run with no buffer's contents kept, and again with each that turns out to matter."""
    backed: set[int] = set()
    while True:
        machine = build_machine(launch, program, action, backed, warps, block_slots)
        outcome = run(machine)
        if machine.report[REPORT_STATUS] != isa.NEEDS_BUFFER:
            return machine, outcome
        backed.add(int(machine.report[REPORT_BUFFER]))


def raise_for(machine: Machine, launch: Launch, program: Program) -> None:
    """Turn what stopped the run into an error that says where and why."""
    report = machine.report
    status = report[REPORT_STATUS]
    if status == isa.OK:
        return
    instruction = program.instructions[min(int(report[REPORT_PC]), len(program.instructions) - 1)]
    warp = int(report[REPORT_WARP])
    block = tuple(int(v) for v in machine.block_index[machine.warp_block[warp]])
    place = f"{launch.kernel.name}+{instruction.address:#06x} ({instruction.name}), block {block}"
    if status == isa.FAULT:
        thread = int(machine.warp_index[warp]) * 32 + int(report[REPORT_LANE])
        raise MemoryFault(f"{place}, thread {thread}: {_describe_fault(machine, launch, program)}")
    if status == isa.LIMIT:
        raise CycleLimitExceeded(
            f"{place}: the kernel had not ended at the limit; it may loop for ever, or the limit is too low"
        )
    if status == isa.UNSUPPORTED:
        raise UnsupportedInstruction(str(instruction), instruction.address, launch.kernel.name)
    if status == isa.DEADLOCK:
        raise Deadlock(f"{place}: threads wait at a barrier that others never reach")
    raise KernelTrap(f"{place}: the kernel stopped itself (__trap or a failed check)")


def _describe_fault(machine: Machine, launch: Launch, program: Program) -> str:
    record = program.code[int(machine.report[REPORT_PC])]
    address, width = int(machine.report[REPORT_ADDRESS]), int(record["width"])
    space = int(record["space"])
    if space == isa.SPACE_GENERIC:
        space = int(machine.report[REPORT_SPACE])
    access = f"{width}-byte access"
    if address % width:
        return f"{access} at {address:#x} is not aligned"
    if space == isa.SPACE_SHARED:
        return f"{access} at shared address {address:#x}; the block has {launch.shared_bytes} bytes"
    if space == isa.SPACE_LOCAL:
        return f"{access} at local address {address:#x}; a thread has {launch.stack_bytes} bytes"
    if space == isa.SPACE_CONSTANT:
        return f"{access} beyond constant bank {int(record['mode'])}"
    if not len(machine.buffer_start):
        return f"{access} at {address:#x}, but the launch has no buffer"
    past = np.maximum(machine.buffer_start - address, address + width - machine.buffer_end)
    nearest = int(np.argmin(past))
    name = f"argument {launch.buffers()[nearest]}" if nearest < len(launch.buffers()) else "the variables"
    size = int(machine.buffer_end[nearest] - machine.buffer_start[nearest])
    offset = address - int(machine.buffer_start[nearest])
    return (
        f"{access} at byte {offset:,} of {name}, which has {size:,} bytes: "
        f"{int(past[nearest]):,} bytes out of bounds"
    )


def _write_back(machine: Machine, launch: Launch) -> None:
    for order, position in enumerate(launch.buffers()):
        argument = launch.arguments[position]
        if isinstance(argument, np.ndarray):
            first = int(machine.buffer_word[order])
            content: NDArray[np.uint8] = machine.memory[first:].view(np.uint8)[: argument.nbytes]
            argument.reshape(-1).view(np.uint8)[:] = content
