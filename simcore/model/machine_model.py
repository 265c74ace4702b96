"""From a GPU profile and a launch to the numbers and the state that the jitted core times with.

One SM is simulated while all SMs run the same kernel. It gets its share of what they have in common: L2 and DRAM
serve all SMs that have work; with fewer blocks than SMs the others' bandwidth is free, up to what one SM can draw.
While the kernel runs, this SM's own lines stay in a share of the L2's capacity; what else lies there is the business
of `simcore.model.sharing`.
"""

from functools import cache

import numpy as np

from simcore.core import isa
from simcore.core.execution.blocks import MAX_BARRIERS
from simcore.core.timing.state import COUNTERS, PORTS, STALLS, Ledger, Sm, Timing
from simcore.gpu import Gpu
from simcore.lowering.program import Program
from simcore.model import front_end
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy
from simcore.model.sharing import Sharing

L1_WAYS = 16
L2_WAYS = 16
# Beyond this, what one SM has touched is not remembered (the arrays would be larger than what they tell).
MAX_L2_SHARE = 8 << 20
# Queue rings and what a DEPBAR looks back on are arrays of fixed size.
RING = 64
MAX_LINES = 32 * 4  # of one access: every lane's four words of local memory


def busy_sms(gpu: Gpu, launch: Launch) -> int:
    """SMs that get at least one block."""
    return min(gpu.sms, launch.blocks)


def launch_cycles(gpu: Gpu, launch: Launch) -> float:
    """What one of many back-to-back launches takes beside its blocks; more, the more SMs begin and end together."""
    spread = (busy_sms(gpu, launch) - 1) / max(gpu.sms - 1, 1)
    return gpu.launch_overhead_cycles + spread * gpu.launch_spread_cycles


def shared_carveout(gpu: Gpu, occupancy: Occupancy, launch: Launch) -> int:
    """Bytes of the SM's memory that the driver sets aside as shared memory: the smallest setting that fits."""
    per_block = launch.shared_bytes + gpu.shared_reserved_bytes_per_block
    needed = max(occupancy.blocks_per_sm, 1) * per_block
    return next((c for c in gpu.shared_carveouts_bytes if c >= needed), gpu.shared_bytes_per_sm)


def build_timing(gpu: Gpu, launch: Launch, occupancy: Occupancy, sharing: Sharing) -> Timing:
    """The core's numbers for this launch on this GPU."""
    sms = busy_sms(gpu, launch)
    contention = gpu.sms / sms
    read = min(gpu.l2_bytes_per_cycle_per_sm * contention, gpu.l2_bytes_per_cycle_one_sm)
    write = min(gpu.l2_write_bytes_per_cycle_per_sm * contention, gpu.l2_write_bytes_per_cycle_one_sm)
    dram = min(gpu.dram_gb_per_s * 1e3 / gpu.clock_mhz / sms, gpu.dram_bytes_per_cycle_one_sm)
    l1_bytes = gpu.l1_and_shared_bytes_per_sm - shared_carveout(gpu, occupancy, launch)
    return Timing(
        schedulers=gpu.schedulers_per_sm,
        slots_per_scheduler=gpu.max_warps_per_sm // gpu.schedulers_per_sm,
        unit_interval=unit_intervals(gpu),
        latency=_latencies(gpu),
        read_window=int(gpu.operand_read_window),
        has_lite=int(gpu.fma_lite_interval > 0),
        lg_queue_depth=gpu.lg_queue_depth,
        mio_queue_depth=gpu.mio_queue_depth,
        memory_buffer_depth=gpu.memory_buffer_depth,
        address_interval=gpu.address_interval,
        store_word_interval=gpu.store_word_interval,
        lsu_interval=gpu.lsu_interval,
        tag_interval=gpu.tag_interval,
        l1_hit_latency=gpu.l1_hit_latency,
        shared_latency=gpu.shared_latency,
        shared_atomic_interval=gpu.atomic_shared_interval,
        l2_latency=gpu.l2_latency,
        store_latency=gpu.store_latency,
        l2_hit=_latency_table(gpu.l2_latency, gpu.l2_latency_spread),
        dram=_latency_table(gpu.dram_latency, gpu.dram_latency_spread),
        l1_bytes_per_cycle=gpu.l1_bytes_per_cycle,
        shared_bytes_per_cycle=gpu.shared_bytes_per_cycle,
        l2_read_cycles_per_sector=gpu.sector_bytes / read,
        l2_request_cycles=gpu.l2_request_interval * gpu.l2_bytes_per_cycle_per_sm / read,
        l2_write_cycles_per_sector=gpu.sector_bytes / write,
        write_buffer_lines=gpu.write_buffer_lines,
        partial_sector_cost=gpu.partial_sector_cost,
        lone_sector_cost=gpu.lone_sector_cost,
        l2_miss=sharing.l2_miss,
        l2_write_backlog=gpu.l2_write_backlog,
        egress_cycles_per_sector=gpu.sector_bytes / gpu.l2_write_bytes_per_cycle_one_sm,
        dram_cycles_per_byte=1.0 / dram,
        dram_request_bytes=gpu.dram_request_bytes,
        dram_turnaround_bytes=gpu.dram_turnaround_bytes,
        atomic_interval=gpu.atomic_interval,
        atomic_float_interval=gpu.atomic_float_interval,
        atomic_hot_lane_interval=gpu.atomic_hot_lane_interval,
        atomic_contention=sharing.atomic_contention,
        atomic_sector_interval=gpu.atomic_sector_interval / contention,
        atomic_lane_interval=gpu.atomic_lane_interval / contention,
        barrier_latency=int(gpu.barrier_latency),
        barrier_interval=int(gpu.barrier_interval),
        barrier_data_interval=gpu.barrier_data_interval,
        special_register_interval=gpu.special_register_interval,
        match_interval=gpu.match_interval,
        match_round_latency=gpu.match_round_latency,
        redux_interval=gpu.redux_interval,
        reconverge_cycles=int(gpu.reconverge_cycles),
        branch_cycles=int(gpu.branch_taken_cycles),
        indirect_cycles=int(gpu.branch_indirect_cycles),
        indirect_interval=int(gpu.branch_indirect_interval),
        refetch_cycles=int(gpu.branch_refetch_cycles),
        **front_end.timing(gpu, sms),
        membar_cycles=int(gpu.membar_latency),
        block_retire_interval=gpu.block_retire_interval * sms,
        first_wave_interval=max(gpu.first_wave_interval, gpu.warp_launch_interval * launch.warps_per_block),
        block_start_latency=gpu.block_start_latency + gpu.warp_launch_interval * launch.warps_per_block,
        dram_queueing=gpu.dram_queueing,
        l1_sets=max(l1_bytes // (gpu.line_bytes * L1_WAYS), 1),
        l1_ways=L1_WAYS,
        l2_sets=max(min(gpu.l2_bytes // sms, MAX_L2_SHARE) // (gpu.line_bytes * L2_WAYS), 1),
        l2_ways=L2_WAYS,
    )


def _latency_table(mean: float, spread: tuple[float, ...]) -> np.ndarray:
    """Latencies at `timing.QUANTILES` from the mean and the shares of it at the 10th, 50th, 90th and 99th percentile.

    The fastest lies below the 10th percentile by a quarter of the way from there to the median.
    """
    p10, p50, p90, p99 = (mean * share for share in spread)
    return np.array([p10 - (p50 - p10) / 4, p10, p50, p90, p99, p99])


@cache
def unit_intervals(gpu: Gpu) -> np.ndarray:
    """Cycles for which an instruction holds each execution unit, by `isa.UNIT_*`."""
    intervals = np.ones(isa.UNITS, np.int64)
    for unit, cycles in {
        isa.UNIT_FMA: gpu.fma_heavy_interval,
        isa.UNIT_FMA_HEAVY: gpu.fma_heavy_interval,
        isa.UNIT_FMA_LITE: gpu.fma_lite_interval,
        isa.UNIT_ALU: gpu.alu_interval,
        isa.UNIT_HALF: gpu.half_interval,
        isa.UNIT_FP64: gpu.fp64_interval,
        isa.UNIT_XU: gpu.xu_interval,
        isa.UNIT_UNIFORM: gpu.uniform_interval,
        isa.UNIT_TENSOR: gpu.tensor_interval,
    }.items():
        intervals[unit] = max(round(cycles), 1)
    return intervals


@cache
def _latencies(gpu: Gpu) -> np.ndarray:
    latencies = np.zeros(isa.LATENCY_CLASSES, np.int64)
    for kind, cycles in {
        isa.LATENCY_FIXED: 4,
        isa.LATENCY_XU: gpu.xu_latency,
        isa.LATENCY_SHUFFLE: gpu.shuffle_latency,
        isa.LATENCY_UNIFORM_SPECIAL: gpu.uniform_special_register_latency,
        isa.LATENCY_MATCH: gpu.match_latency,
        isa.LATENCY_REDUX: gpu.redux_latency,
        isa.LATENCY_SPECIAL_REGISTER: gpu.special_register_latency,
        isa.LATENCY_CONSTANT: gpu.constant_latency,
        isa.LATENCY_FP64: gpu.fp64_latency,
        isa.LATENCY_UNIFORM: gpu.uniform_latency,
        isa.LATENCY_MEMORY: gpu.l1_hit_latency,
    }.items():
        latencies[kind] = round(cycles)
    return latencies


def build_sm(
    timing: Timing,
    program: Program,
    block_slots: int,
    blocks: int,
    warps_per_block: int,
    cold: bool,
    window: tuple[int, int] = (0, 0),
) -> Sm:
    """An SM with nothing on it, which records what its warps do in the cycles of a window."""
    schedulers, instructions = timing.schedulers, len(program.code)
    warps = schedulers * timing.slots_per_scheduler
    l1, l2 = (timing.l1_sets, timing.l1_ways), (timing.l2_sets, timing.l2_ways)
    never = isa.NEVER
    return Sm(
        ready=np.full(warps, never, np.int64),
        accounted=np.zeros(warps, np.int64),
        unit=np.full(warps, -1, np.int64),
        launched=np.zeros(1, np.int64),
        retired=np.zeros(blocks, np.int64),
        release=np.zeros((warps, 6), np.int64),
        release_long=np.zeros((warps, 6), np.int64),
        pending=np.zeros((warps, 6, RING), np.int64),
        pending_count=np.zeros((warps, 6), np.int64),
        **front_end.state(timing, program, cold),
        barrier=np.full(warps, -1, np.int64),
        barrier_since=np.zeros(warps, np.int64),
        next_pass=np.full(schedulers, never, np.int64),
        last_pass=np.full(schedulers, -1, np.int64),
        last_warp=np.full(schedulers, -1, np.int64),
        unit_free=np.zeros((schedulers, isa.UNITS), np.int64),
        bank_free=np.zeros((schedulers, 2), np.int64),
        allocated=np.zeros(schedulers, np.int64),
        queue=np.zeros((schedulers, 2, RING), np.float64),
        queue_head=np.zeros((schedulers, 2), np.int64),
        buffer=np.zeros((2, timing.memory_buffer_depth), np.float64),
        buffer_head=np.zeros(2, np.int64),
        scheduler_data_free=np.zeros(schedulers, np.float64),
        address_free=np.zeros((schedulers, 2), np.float64),
        shared_free=np.zeros(PORTS, np.float64),
        load=np.zeros(PORTS, np.float64),
        load_since=np.zeros(PORTS, np.float64),
        dram_write_share=np.zeros(1, np.float64),
        copies_done=np.zeros(warps, np.float64),
        stores_left=np.zeros(warps, np.float64),
        busy=np.zeros(PORTS, np.float64),
        counters=np.zeros(COUNTERS, np.float64),
        block_warps=np.zeros(block_slots, np.int64),
        block_slots=np.full((block_slots, warps_per_block), -1, np.int64),
        arrived=np.zeros((block_slots, MAX_BARRIERS), np.int64),
        expected=np.zeros((block_slots, MAX_BARRIERS), np.int64),
        l1_tag=np.full(l1, -1, np.int64),
        l1_used=np.zeros(l1, np.int64),
        l1_sector=np.full((*l1, 4), float(never)),
        l2_tag=np.full(l2, -1, np.int64),
        l2_used=np.zeros(l2, np.int64),
        l2_sector=np.zeros((*l2, 4), np.int64),
        touched=np.zeros(len(timing.l2_miss), np.float64),
        line=np.zeros(MAX_LINES, np.int64),
        line_words=np.zeros(MAX_LINES, np.int64),
        waiting_line=np.full(timing.write_buffer_lines, -1, np.int64),
        waiting_words=np.zeros(timing.write_buffer_lines, np.int64),
        waiting_until=np.zeros(timing.write_buffer_lines, np.float64),
        waiting_head=np.zeros(1, np.int64),
        issues=np.zeros(instructions, np.int64),
        ledger=_build_ledger(warps, instructions, window),
    )


def _build_ledger(warps: int, instructions: int, window: tuple[int, int]) -> Ledger:
    """Nothing accounted yet, and room for a state a cycle of each warp in the window."""
    return Ledger(
        warp=np.zeros(warps, np.int64),
        stalls=np.zeros(STALLS, np.int64),
        instruction_stalls=np.zeros((instructions, STALLS), np.int64),
        window=np.array(window, np.int64),
        recorded=np.zeros(1, np.int64),
        events=np.zeros((warps * (window[1] - window[0]), 6), np.int64),
    )
