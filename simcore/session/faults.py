"""Turns what stopped a run into an error that states where and why."""

from pathlib import Path

import numpy as np

from simcore.core import isa
from simcore.core.execution import control
from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.core.machine import (
    REPORT_ADDRESS,
    REPORT_CLOCK,
    REPORT_INSTRUCTIONS,
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
    EndlessLoop,
    KernelTrap,
    MemoryFault,
    UnsupportedInstruction,
)
from simcore.lowering.program import Program
from simcore.lowering.refused import feature_of_function, reads_grid_workspace
from simcore.model.launch import Launch


def source_line(cubin: bytes | str | Path, kernel: str, address: int) -> str | None:
    """The source line of an instruction, as in `kernel.cu:41`; None if the cubin has no line information."""
    from simcore.machine_code.source_lines import read_line_table  # takes long to import

    line = read_line_table(cubin, kernel).at(address)
    return str(line) if line else None


def raise_for(machine: Machine, launch: Launch, program: Program, cubin: bytes | str | Path) -> None:
    """Raise the error that the machine reports, if any, with the source line.

    Raises:
        MemoryFault, CycleLimitExceeded, EndlessLoop, UnsupportedInstruction, Deadlock, KernelTrap.
    """
    report = machine.report
    status = report[REPORT_STATUS]
    if status == isa.OK:
        return
    instruction = program.instructions[min(int(report[REPORT_PC]), len(program.instructions) - 1)]
    warp = int(report[REPORT_WARP])
    block = tuple(int(v) for v in machine.block_index[machine.warp_block[warp]])
    line = source_line(cubin, launch.kernel.name, instruction.address)
    place = f"{launch.kernel.called}+{instruction.address:#06x} ({instruction.name}), block {block}"
    if line:
        place = f"{line}, {place}"
    if status == isa.FAULT:
        thread = int(machine.warp_index[warp]) * 32 + int(report[REPORT_LANE])
        raise MemoryFault(f"{place}, thread {thread}: {_describe_fault(machine, launch, program)}")
    if status == isa.LIMIT:
        count = f"{report[REPORT_CLOCK]:,} cycles"
        if report[REPORT_INSTRUCTIONS]:
            count = f"{report[REPORT_INSTRUCTIONS]:,} warp instructions of the block"
        raise CycleLimitExceeded(
            f"{place}: the kernel had not finished after {count}; it may loop forever, or the limit is too low"
        )
    if status == isa.ENDLESS:
        others = (
            f", or waits until a block after its own changes {_polled(machine, launch)}"
            if launch.blocks > 1
            else ""
        )
        raise EndlessLoop(
            f"{place}: warp {int(machine.warp_index[warp])} repeats {report[REPORT_INSTRUCTIONS]:,} instructions, and "
            f"neither its registers nor memory change; it loops forever{others}"
        )
    if status == isa.UNSUPPORTED:
        function = _called_function(machine, launch)
        if function == "__assertfail":
            thread = int(machine.warp_index[warp]) * 32 + int(report[REPORT_LANE])
            raise KernelTrap(f"{place}, thread {thread}: an assertion failed")
        raise UnsupportedInstruction(
            str(instruction),
            instruction.address,
            launch.kernel.name,
            line,
            feature_of_function(function) if function else None,
        )
    if status == isa.DEADLOCK:
        raise Deadlock(f"{place}: threads wait at a barrier that others never reach")
    if reads_grid_workspace(program.instructions, launch.kernel.architecture):
        feature = "grid.sync(), which needs a cooperative launch,"
        raise UnsupportedInstruction(str(instruction), instruction.address, launch.kernel.name, line, feature)
    raise KernelTrap(f"{place}: the kernel stopped itself (__trap or a failed check)")


def _called_function(machine: Machine, launch: Launch) -> str | None:
    """The function of the driver that a kernel called, if the address is that of one."""
    address = int(machine.report[REPORT_ADDRESS])
    number, externals = address & isa.FULL_MASK, launch.kernel.externals
    return (
        externals[number].name if address >> 32 == isa.EXTERNAL_WINDOW and number < len(externals) else None
    )


def _describe_fault(machine: Machine, launch: Launch, program: Program) -> str:
    record = program.code[int(machine.report[REPORT_PC])]
    address, width = int(machine.report[REPORT_ADDRESS]), int(record["width"])
    if record["operation"] in control.INDIRECT:
        return f"jump to {address:#x}; the kernel has {program.end * INSTRUCTION_BYTES:#x} bytes of code"
    space = int(record["space"])
    if space == isa.SPACE_GENERIC:
        space = int(machine.report[REPORT_SPACE])
    match space:
        case isa.SPACE_SHARED:
            place, end = f"shared address {address:#x}", f"; the block has {launch.shared_bytes} bytes"
        case isa.SPACE_LOCAL:
            place, end = f"local address {address:#x}", f"; a thread has {launch.stack_bytes} bytes"
        case isa.SPACE_CONSTANT:
            place, end = f"{address:#x} of constant bank {int(record['mode'])}", ", beyond its end"
        case _ if not len(machine.buffer_start):
            place, end = f"{address:#x}", ", but the launch has no buffer"
        case _:
            place, end = _nearest_buffer(machine, launch, address, width)
    return f"{width}-byte access at {place}{' is not aligned' if address % width else end}"


def _polled(machine: Machine, launch: Launch) -> str:
    """What a warp that repeats itself reads."""
    address = int(machine.report[REPORT_ADDRESS])
    within = np.flatnonzero((machine.buffer_start <= address) & (address < machine.buffer_end))
    if not len(within):
        return "memory"
    name = [*launch.buffer_names(), "the variables"][within[0]]
    return f"byte {address - int(machine.buffer_start[within[0]]):,} of {name}"


def _nearest_buffer(machine: Machine, launch: Launch, address: int, width: int) -> tuple[str, str]:
    """An address relative to the buffer that it is nearest to, and how far beyond it an access goes."""
    past = np.maximum(machine.buffer_start - address, address + width - machine.buffer_end)
    nearest = int(np.argmin(past))
    name = [*launch.buffer_names(), "the variables"][nearest]
    size = int(machine.buffer_end[nearest] - machine.buffer_start[nearest])
    offset = address - int(machine.buffer_start[nearest])
    return (
        f"byte {offset:,} of {name}",
        f", which has {size:,} bytes: {int(past[nearest]):,} bytes out of bounds",
    )
