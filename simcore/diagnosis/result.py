"""The prediction for a launch, in numbers and in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from simcore.core.timing.state import (
    COUNT_DRAM_BYTES,
    COUNT_L2_SECTORS,
    COUNT_L2_WRITE_SECTORS,
    COUNT_RESIDENT,
)
from simcore.diagnosis.advice import diagnose, local_memory_advice
from simcore.diagnosis.interval import interval, limit_of
from simcore.diagnosis.memory import memory
from simcore.diagnosis.regime import Regime
from simcore.diagnosis.stalls import warp_cycles
from simcore.diagnosis.turnover import Turnover, gap_advice, retirement_advice
from simcore.diagnosis.units import regime_in_words
from simcore.diagnosis.utilisation import utilisation
from simcore.diagnosis.waves import Waves, tail_advice
from simcore.model.machine_model import block_starts, busy_sms, launch_cycles
from simcore.model.occupancy import Occupancy
from simcore.session.timing import Run

Reconvergence = Literal["exact", "approximate"]


@dataclass(frozen=True)
class SimulationResult:
    """The prediction for one launch.

    Attributes:
        time_us: time of one of many back-to-back launches, in microseconds.
        time_low_us, time_high_us: nine of ten launches with the same limit were measured between these, relative to
            their prediction; twice as far from it on GPUs that were not measured.
        cycles: SM cycles of that launch.
        warp_instructions: executed by the whole grid; equals Nsight's `smsp__inst_executed.sum`. Where warps try again
            what others have come before, as in loops of compare-and-swap, it is estimated by the SM that is timed.
        ipc: warp instructions per SM per active cycle.
        issue_active: fraction of cycles in which a scheduler issues, 0 to 1.
        stalls: warps in each state per issue, as `smsp__average_warps_issue_stalled_<reason>_per_issue_active`.
        utilisation: fraction of each unit's peak, 0 to 1, by the names of `simcore.diagnosis.units.UNITS`.
        memory: hits of L1, sectors a load, bank conflicts and local memory, by the names of
            `simcore.diagnosis.memory.memory`.
        achieved_occupancy: resident warps divided by warp slots while the SM is busy, 0 to 1.
        occupancy: theoretical occupancy and its limiters.
        registers_per_thread: 32-bit registers per thread.
        local_bytes_per_thread: spills, private arrays and call frames.
        shared_bytes_per_block: static and dynamic, without the system's reserve.
        dram_bytes: moved between L2 and DRAM by the whole grid.
        l2_bytes: moved between L1 and L2 by the whole grid.
        regime: latency | bandwidth | compute | synchronization.
        bottleneck: the dominant stall reason.
        advice: what to do about it, most important first.
        timed_share: fraction of the SM's warp instructions that was timed; the rest was extrapolated.
        time_error: estimated relative error of the extrapolation; 0 if everything was timed.
        label: how far to trust the profile: calibrated | derived | extrapolated | what if.
        reads_out_of_bounds: of the grid's threads; 0 unless `bounds="warn"` lets them give zero.
        reconvergence: approximate if a warp's lanes part in a way in which the order that a GPU goes on with them is
            known by measurement alone, on an H100, so that `warp_instructions` may be off; else exact.
    """

    time_us: float
    cycles: int
    warp_instructions: int
    ipc: float
    issue_active: float
    stalls: dict[str, float]
    utilisation: dict[str, float]
    memory: dict[str, float]
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
    time_low_us: float
    time_high_us: float
    reads_out_of_bounds: int = 0
    reconvergence: Reconvergence = "exact"

    @property
    def limit(self) -> str:
        """The regime with what it is the limit of, as in `bandwidth (L2)`."""
        return regime_in_words(self.regime, self.bottleneck, self.issue_active, self.utilisation)

    def __repr__(self) -> str:
        return (
            f"SimulationResult({self.time_us:.4g} µs, {self.limit}, {self.bottleneck}; profile {self.label})"
        )


def result_of(run: Run) -> SimulationResult:
    """The prediction that follows from a run."""
    gpu, launch = run.session.gpu, run.session.launch
    sm, cycles = run.sm, run.cycles
    in_all = cycles + run.beyond.cycles
    issued = int(sm.issues.sum())
    by_reason = warp_cycles(sm.ledger.stalls, gpu.architecture)
    stalls = {reason: count / issued for reason, count in by_reason.items()}
    scale = run.warp_instructions / issued
    l2_bytes = (sm.counters[COUNT_L2_SECTORS] + sm.counters[COUNT_L2_WRITE_SECTORS]) * gpu.sector_bytes
    issue_active = issued / cycles / gpu.schedulers_per_sm
    achieved = float(sm.counters[COUNT_RESIDENT]) / cycles / gpu.max_warps_per_sm
    used = utilisation(gpu, run.session.program, sm, cycles, busy_sms(gpu, launch))
    rates = memory(run.session.program, sm)
    waves = Waves(launch.blocks, gpu.sms, run.room.blocks_per_sm)
    starts = block_starts(gpu, launch)
    turnover = Turnover(waves, in_all, starts["block_start_latency"], starts["block_retire_interval"])
    diagnosis = diagnose(stalls, issue_active, used, achieved, run.room, rates)
    writes = bool(sm.footprint.written[:-1].any())
    time_us = (in_all + launch_cycles(gpu, launch, writes)) / gpu.clock_mhz
    limit = limit_of(diagnosis.regime, issue_active, used)
    low, high = interval(time_us, limit, gpu.label, run.beyond.error)
    return SimulationResult(
        time_us=time_us,
        cycles=in_all,
        warp_instructions=run.warp_instructions,
        ipc=issued / cycles,
        issue_active=issue_active,
        stalls=stalls,
        utilisation=used,
        memory=rates,
        achieved_occupancy=achieved,
        occupancy=run.room,
        registers_per_thread=launch.kernel.registers,
        local_bytes_per_thread=launch.kernel.local_bytes,
        shared_bytes_per_block=launch.shared_bytes,
        dram_bytes=round(sm.counters[COUNT_DRAM_BYTES] * scale),
        l2_bytes=round(l2_bytes * scale),
        regime=diagnosis.regime,
        bottleneck=diagnosis.bottleneck,
        advice=(
            *_warnings(run),
            *local_memory_advice(launch.kernel.local_bytes, rates),
            *retirement_advice(turnover),
            *diagnosis.advice,
            *gap_advice(turnover, issue_active, used),
            *tail_advice(waves, run.room, issue_active, used),
        ),
        timed_share=run.beyond.timed_share,
        time_error=run.beyond.error,
        label=gpu.label,
        time_low_us=low,
        time_high_us=high,
        reads_out_of_bounds=run.outside,
        reconvergence="approximate" if run.session.unsure else "exact",
    )


def _warnings(run: Run) -> Iterator[str]:
    if run.outside:
        yield f"{run.outside:,} reads of threads lie outside of all buffers and give zero."
    if run.session.unsure:
        yield (
            "A warp's lanes part in nested loops or in recursion; which of them go on first is modelled as read off an "
            "H100, so the number of warp instructions may be off, more so on other architectures."
        )
