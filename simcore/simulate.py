"""The public call: predict the time of one launch, and say what held it up."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core.timing import l2
from simcore.core.timing.schedule import run_sm
from simcore.core.timing.state import (
    COUNT_DRAM_BYTES,
    COUNT_L2_SECTORS,
    COUNT_L2_WRITE_SECTORS,
    COUNT_RESIDENT,
    SELECTED,
    STALLS,
    Sm,
)
from simcore.diagnosis.stalls import REASONS, Regime, diagnose, reasons_on
from simcore.diagnosis.utilisation import utilisation
from simcore.execute import count_instructions, prepare, raise_for, run_backed
from simcore.gpu import Gpu
from simcore.lowering.program import Program
from simcore.model.launch import Argument, Launch
from simcore.model.machine_model import build_sm, build_timing, busy_sms, launch_cycles
from simcore.model.occupancy import Occupancy, occupancy
from simcore.model.placement import busiest_blocks
from simcore.model.sharing import Sharing, atomic_places, first_guess, observed
from simcore.model.steady_state import Extrapolation, blocks_to_time, extrapolate

CYCLE_LIMIT = 100_000_000
"""About 50 ms of the GPU's time, and a minute of ours; a kernel that runs longer is taken to loop for ever."""

Window = tuple[int, int]
"""The first cycle in which what each warp does is recorded, and the first in which it no longer is."""
NO_WINDOW: Window = (0, 0)


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
        utilisation: share of each unit's peak, 0 to 1, by the names of `simcore.diagnosis.stalls.UNITS`.
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
        timed_share: share of the SM's warp instructions that was timed; the rest went on at the pace of those.
        time_error: share of the time by which that may err; 0 where all was timed.
        label: how far to trust the profile: calibrated | derived | extrapolated.
    """

    time_us: float
    cycles: int
    warp_instructions: int
    ipc: float
    issue_active: float
    stalls: dict[str, float]
    utilisation: dict[str, float]
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
    timed_share: float
    time_error: float
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
    exact: bool = False,
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
        exact: time every block of the SM; otherwise long kernels of many waves are timed in part and go on at the
            pace of that part (see `simcore.model.steady_state`).
        cycle_limit: SM cycles after which the kernel is taken to loop for ever.

    Raises:
        SimcoreError: one of its kinds; see `simcore.errors`.
    """
    return result_of(
        run_launch(
            cubin=cubin,
            grid=grid,
            block=block,
            arguments=arguments,
            gpu=gpu,
            kernel=kernel,
            dynamic_shared_bytes=dynamic_shared_bytes,
            cold=cold,
            exact=exact,
            cycle_limit=cycle_limit,
        )
    )


class SimulateArguments(TypedDict):
    """The arguments of `simulate`, for what takes the same."""

    cubin: bytes | str | Path
    grid: int | Sequence[int]
    block: int | Sequence[int]
    arguments: Sequence[Argument]
    gpu: str | Gpu
    kernel: NotRequired[str | None]
    dynamic_shared_bytes: NotRequired[int]
    cold: NotRequired[bool]
    exact: NotRequired[bool]
    cycle_limit: NotRequired[int]


@dataclass(frozen=True, eq=False)
class Run:
    """One launch, predicted, with everything that explains it.

    Attributes:
        room: theoretical occupancy.
        blocks: of the SM that was timed, in the order of their launch.
        sm: that SM in the end.
        cycles: until the last of the blocks that were timed was retired.
        warp_instructions: executed by the whole grid.
        beyond: what its other blocks add.
    """

    gpu: Gpu
    launch: Launch
    program: Program
    room: Occupancy
    blocks: NDArray[np.int64]
    sm: Sm
    cycles: int
    warp_instructions: int
    beyond: Extrapolation


def run_launch(
    *,
    cubin: bytes | str | Path,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    arguments: Sequence[Argument],
    gpu: str | Gpu,
    kernel: str | None = None,
    dynamic_shared_bytes: int = 0,
    cold: bool = False,
    exact: bool = False,
    cycle_limit: int = CYCLE_LIMIT,
    window: Window = NO_WINDOW,
) -> Run:
    """Predict one launch and keep what it was told from; as `simulate`, and what warps do in a window is recorded."""
    profile, launch, program = prepare(cubin, kernel, grid, block, arguments, gpu, dynamic_shared_bytes)
    room = occupancy(profile, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)
    counts = None if launch.blocks == 1 else count_instructions(launch, program)
    blocks = np.zeros(1, np.int64) if counts is None else busiest_blocks(profile, launch, room, counts)
    timed = _Timed(profile, launch, program, room, cold, cycle_limit, window)
    if counts is None:
        sm, cycles = _run_shared(timed, blocks, 1.0)
        return Run(profile, launch, program, room, blocks, sm, cycles, int(sm.issues.sum()), Extrapolation())
    slots = min(room.blocks_per_sm, len(blocks))
    instructions = counts[blocks]
    count = len(blocks) if exact else blocks_to_time(instructions, slots)
    sm, cycles = _run_shared(timed, blocks[:count], len(blocks) / count)
    beyond = extrapolate(sm.retired, instructions, slots, cycles)
    return Run(profile, launch, program, room, blocks[:count], sm, cycles, int(counts.sum()), beyond)


@dataclass(frozen=True)
class _Timed:
    """What is timed, and how, whichever blocks and whatever they share."""

    gpu: Gpu
    launch: Launch
    program: Program
    room: Occupancy
    cold: bool
    cycle_limit: int
    window: Window


def _run_shared(timed: _Timed, blocks: NDArray[np.int64], times: float) -> tuple[Sm, int]:
    """Time one SM's blocks; again, if what it touched shows that it shares L2 otherwise than was guessed.

    Args:
        times: how many times as many blocks it has in all.
    """
    gpu, launch, cold = timed.gpu, timed.launch, timed.cold
    sms = busy_sms(gpu, launch)
    guess = first_guess(gpu, launch, timed.room, sms, cold)
    sm, cycles = _run(timed, blocks, guess)
    aimed_at = _atomic_lines(sm)
    private = False
    if len(aimed_at) and launch.blocks > 1:
        elsewhere = blocks[:1] + 1 if blocks[0] + 1 < launch.blocks else blocks[:1] - 1
        other, _ = _run(timed, elsewhere, guess)
        private = not _aim_alike(aimed_at, _atomic_lines(other))
    places = atomic_places(gpu, launch, aimed_at)
    seen = observed(gpu, launch, timed.room, guess, sms, cold, sm.touched * times, places, private)
    if seen.differs(guess):
        sm, cycles = _run(timed, blocks, seen)
    return sm, cycles


def _aim_alike(lines: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
    """Whether at least half of the lines that another SM's atomics aim at are this one's too."""
    return bool(2 * np.isin(others, lines).sum() >= len(others))


def _atomic_lines(sm: Sm) -> NDArray[np.int64]:
    """The lines that an SM's atomics aimed at, as far as its share of L2 remembers."""
    lines: NDArray[np.int64] = sm.l2_tag[sm.l2_sector[:, :, 0] >= l2.ATOMIC]
    return lines


def _run(timed: _Timed, blocks: NDArray[np.int64], sharing: Sharing) -> tuple[Sm, int]:
    """Time one SM that gets these blocks."""
    launch, program = timed.launch, timed.program
    timing = build_timing(timed.gpu, launch, timed.room, sharing)
    slots = min(timed.room.blocks_per_sm, len(blocks))
    warps = timing.schedulers * timing.slots_per_scheduler
    state: list[Sm] = []

    def run(machine):  # type: ignore[no-untyped-def]
        state[:] = [
            build_sm(timing, program, slots, len(blocks), launch.warps_per_block, timed.cold, timed.window)
        ]
        return run_sm(
            machine,
            state[0],
            timing,
            blocks,
            launch.warps_per_block,
            slots,
            timed.cycle_limit,
        )

    machine, end = run_backed(launch, program, slicing.for_timing(program), warps, slots, run)
    raise_for(machine, launch, program)
    return state[0], int(max(end, np.ceil(state[0].shared_free.max())))


def reported(by_reason: NDArray[np.int64], architecture: str) -> dict[str, int]:
    """Warp-cycles by the reasons that a target reports; those that it does not have are `misc` there."""
    cycles = {reason.name: int(by_reason[i]) for i, reason in enumerate(REASONS)}
    for unreported in set(cycles) - set(reasons_on(architecture)):
        cycles["misc"] += cycles[unreported]
        cycles[unreported] = 0
    return cycles


def result_of(run: Run) -> SimulationResult:
    """What a run says, in numbers and in words."""
    gpu, launch, sm, cycles = run.gpu, run.launch, run.sm, run.cycles
    in_all = cycles + run.beyond.cycles
    issued = int(sm.issues.sum())
    stalls = {
        reason: count / issued for reason, count in reported(sm.ledger.stalls, gpu.architecture).items()
    }
    scale = run.warp_instructions / issued
    l2_bytes = (sm.counters[COUNT_L2_SECTORS] + sm.counters[COUNT_L2_WRITE_SECTORS]) * gpu.sector_bytes
    issue_active = issued / cycles / gpu.schedulers_per_sm
    achieved = float(sm.counters[COUNT_RESIDENT]) / cycles / gpu.max_warps_per_sm
    used = utilisation(gpu, run.program, sm, cycles, busy_sms(gpu, launch))
    diagnosis = diagnose(stalls, issue_active, used, achieved, run.room)
    return SimulationResult(
        time_us=(in_all + launch_cycles(gpu, launch)) / gpu.clock_mhz,
        cycles=in_all,
        warp_instructions=run.warp_instructions,
        ipc=issued / cycles,
        issue_active=issue_active,
        stalls=stalls,
        utilisation=used,
        achieved_occupancy=achieved,
        occupancy=run.room,
        registers_per_thread=launch.kernel.registers,
        local_bytes_per_thread=launch.kernel.local_bytes,
        shared_bytes_per_block=launch.shared_bytes,
        dram_bytes=round(sm.counters[COUNT_DRAM_BYTES] * scale),
        l2_bytes=round(l2_bytes * scale),
        regime=diagnosis.regime,
        bottleneck=diagnosis.bottleneck,
        advice=tuple(diagnosis.advice),
        timed_share=run.beyond.timed_share,
        time_error=run.beyond.error,
        label=gpu.label,
    )


assert len(REASONS) == STALLS
assert REASONS[SELECTED].name == "selected"
