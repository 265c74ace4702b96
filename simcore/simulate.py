"""The public call: predict the time of one launch, and say what held it up."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simcore import slice as slicing
from simcore.core import l2
from simcore.core.schedule import run_sm
from simcore.core.timing import (
    COUNT_DRAM_BYTES,
    COUNT_L2_SECTORS,
    COUNT_L2_WRITE_SECTORS,
    COUNT_RESIDENT,
    SELECTED,
    STALLS,
    Sm,
)
from simcore.execute import count_instructions, prepare, raise_for, run_backed
from simcore.gpu import Gpu
from simcore.launch import Argument, Launch
from simcore.machine_model import build_sm, build_timing, busy_sms, launch_cycles
from simcore.occupancy import Occupancy, occupancy
from simcore.placement import busiest_blocks
from simcore.program import Program
from simcore.sharing import Sharing, atomic_places, first_guess, observed
from simcore.stalls import REASONS, Regime, diagnose, reasons_on

CYCLE_LIMIT = 100_000_000
"""About 50 ms of the GPU's time, and a minute of ours; a kernel that runs longer is taken to loop for ever."""


@dataclass(frozen=True)
class SimulationResult:
    """What one launch is predicted to do.

    Attributes:
        time_us: one launch among many back to back, in microseconds.
        cycles: SM cycles of that launch.
        warp_instructions: executed by the whole grid; equals Nsight's `smsp__inst_executed.sum`.
        ipc: warp instructions per SM and active cycle.
        issue_active: share of cycles in which a scheduler issues, 0 to 1.
        stalls: warps in each state per issue, as `smsp__average_warps_issue_stalled_<reason>_per_issue_active`.
        achieved_occupancy: resident warps over warp slots while the SM is busy, 0 to 1.
        occupancy: theoretical occupancy, and what limits it.
        registers_per_thread: 32-bit registers.
        local_bytes_per_thread: spills, private arrays and call frames.
        shared_bytes_per_block: static and dynamic, without the system's reserve.
        dram_bytes: moved between L2 and DRAM by the whole grid.
        l2_bytes: moved between L1 and L2 by the whole grid.
        regime: latency | bandwidth | compute | synchronization.
        bottleneck: the stall reason that holds warps up most.
        advice: what to do about it, most important first.
        label: how far to trust the profile: calibrated | derived | extrapolated.
    """

    time_us: float
    cycles: int
    warp_instructions: int
    ipc: float
    issue_active: float
    stalls: dict[str, float]
    achieved_occupancy: float
    occupancy: Occupancy
    registers_per_thread: int
    local_bytes_per_thread: int
    shared_bytes_per_block: int
    dram_bytes: int
    l2_bytes: int
    regime: Regime
    bottleneck: str
    advice: tuple[str, ...]
    label: str


def simulate(
    *,
    cubin: bytes | str | Path,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    arguments: Sequence[Argument],
    gpu: str | Gpu,
    kernel: str | None = None,
    dynamic_shared_bytes: int = 0,
    cold: bool = False,
    cycle_limit: int = CYCLE_LIMIT,
) -> SimulationResult:
    """Predict one launch. The arguments' contents are read where they decide addresses or branches, never written.

    Args:
        cubin: the file's bytes or path.
        grid: blocks, one to three numbers.
        block: threads, one to three numbers.
        arguments: numpy arrays and `Buffer`s for pointers, numpy scalars for values.
        gpu: a profile or its name.
        kernel: its name; may be left out when the cubin holds one only.
        dynamic_shared_bytes: shared memory a block asks for at launch.
        cold: nothing is in the caches; otherwise the same launch has just run with the same buffers.
        cycle_limit: SM cycles after which the kernel is taken to loop for ever.

    Raises:
        SimcoreError: one of its kinds; see `simcore.errors`.
    """
    profile, launch, program = prepare(cubin, kernel, grid, block, arguments, gpu, dynamic_shared_bytes)
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    room = occupancy(profile, threads, launch.kernel.registers, launch.shared_bytes)
    if launch.blocks == 1:
        sm, cycles = _run_shared(profile, launch, program, room, np.zeros(1, np.int64), cold, cycle_limit)
        return _result(profile, launch, room, sm, cycles, int(sm.issues.sum()))
    counts = count_instructions(launch, program)
    blocks = busiest_blocks(profile, launch, room, counts)
    sm, cycles = _run_shared(profile, launch, program, room, blocks, cold, cycle_limit)
    return _result(profile, launch, room, sm, cycles, int(counts.sum()))


def _run_shared(
    gpu: Gpu,
    launch: Launch,
    program: Program,
    room: Occupancy,
    blocks: NDArray[np.int64],
    cold: bool,
    cycle_limit: int,
) -> tuple[Sm, int]:
    """Time one SM's blocks; again, if what it touched shows that it shares L2 otherwise than was guessed."""
    sms = busy_sms(gpu, launch)
    guess = first_guess(gpu, launch, sms, cold)
    sm, cycles = _run(gpu, launch, program, room, blocks, guess, cold, cycle_limit)
    private = False
    if len(_atomic_lines(sm)) and launch.blocks > 1:
        elsewhere = blocks[:1] + 1 if blocks[0] + 1 < launch.blocks else blocks[:1] - 1
        other, _ = _run(gpu, launch, program, room, elsewhere, guess, cold, cycle_limit)
        private = not _aim_alike(sm, other)
    places = atomic_places(launch, _atomic_lines(sm), gpu.line_bytes)
    seen = observed(gpu, launch, sms, cold, sm.touched, places, private)
    if seen.differs(guess):
        sm, cycles = _run(gpu, launch, program, room, blocks, seen, cold, cycle_limit)
    return sm, cycles


def _aim_alike(sm: Sm, other: Sm) -> bool:
    """Whether at least half of the lines that another SM's atomics aim at are this one's too."""
    others = _atomic_lines(other)
    return 2 * np.isin(others, _atomic_lines(sm)).sum() >= len(others)


def _atomic_lines(sm: Sm) -> NDArray[np.int64]:
    """The lines that an SM's atomics aimed at, as far as its share of L2 remembers."""
    lines: NDArray[np.int64] = sm.l2_tag[sm.l2_sector[:, :, 0] >= l2.ATOMIC]
    return lines


def _run(
    gpu: Gpu,
    launch: Launch,
    program: Program,
    room: Occupancy,
    blocks: NDArray[np.int64],
    sharing: Sharing,
    cold: bool,
    cycle_limit: int,
) -> tuple[Sm, int]:
    """Time one SM that gets these blocks."""
    timing = build_timing(gpu, launch, room, sharing)
    slots = min(room.blocks_per_sm, len(blocks))
    warps = timing.schedulers * timing.slots_per_scheduler
    state: list[Sm] = []

    def run(machine):  # type: ignore[no-untyped-def]
        state[:] = [build_sm(timing, program, slots, launch.warps_per_block, cold)]
        return run_sm(
            machine,
            state[0],
            timing,
            blocks,
            launch.warps_per_block,
            slots,
            cycle_limit,
        )

    machine, end = run_backed(launch, program, slicing.for_timing(program), warps, slots, run)
    raise_for(machine, launch, program)
    return state[0], int(max(end, np.ceil(state[0].shared_free.max())))


def _result(
    gpu: Gpu, launch: Launch, room: Occupancy, sm: Sm, cycles: int, warp_instructions: int
) -> SimulationResult:
    issued = int(sm.issues.sum())
    stalls = {reason.name: float(sm.stalls[i]) / issued for i, reason in enumerate(REASONS)}
    for unreported in set(stalls) - set(reasons_on(gpu.architecture)):
        stalls["misc"] += stalls[unreported]
        stalls[unreported] = 0.0
    scale = warp_instructions / issued
    reads, writes = sm.counters[COUNT_L2_SECTORS], sm.counters[COUNT_L2_WRITE_SECTORS]
    dram = sm.counters[COUNT_DRAM_BYTES]
    l2 = (reads + writes) * gpu.sector_bytes
    sms = busy_sms(gpu, launch)
    seconds = cycles / gpu.clock_mhz / 1e6
    issue_active = issued / cycles / gpu.schedulers_per_sm
    achieved = float(sm.counters[COUNT_RESIDENT]) / cycles / gpu.max_warps_per_sm
    diagnosis = diagnose(
        stalls,
        issue_active,
        dram * sms / seconds / (gpu.dram_gb_per_s * 1e9),
        l2 / cycles / gpu.l2_bytes_per_cycle_per_sm,
        achieved,
        room,
        {},
    )
    return SimulationResult(
        time_us=(cycles + launch_cycles(gpu, launch)) / gpu.clock_mhz,
        cycles=cycles,
        warp_instructions=warp_instructions,
        ipc=issued / cycles,
        issue_active=issue_active,
        stalls=stalls,
        achieved_occupancy=achieved,
        occupancy=room,
        registers_per_thread=launch.kernel.registers,
        local_bytes_per_thread=launch.kernel.local_bytes,
        shared_bytes_per_block=launch.shared_bytes,
        dram_bytes=round(dram * scale),
        l2_bytes=round(l2 * scale),
        regime=diagnosis.regime,
        bottleneck=diagnosis.bottleneck,
        advice=tuple(diagnosis.advice),
        label=gpu.label,
    )


assert len(REASONS) == STALLS
assert REASONS[SELECTED].name == "selected"
