"""From a GPU profile and a launch to the timing parameters and the SM state of the jitted core.

One SM is simulated while all SMs run the same kernel. It gets its share of L2 and DRAM bandwidth, which is divided
among the busy SMs; with fewer blocks than SMs each gets more, up to the limit of one SM. While the kernel runs, this
SM's own lines occupy its share of the part of the L2 that can be used; `simcore.model.sharing` models the rest.
"""

from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import control
from simcore.core.execution.blocks import MAX_BARRIERS
from simcore.core.geometry import L1_SETS, LINE_BYTES, LINE_SHIFT, MAX_LINES, SECTORS, WORD_BYTES
from simcore.core.jit import AT_ONCE
from simcore.core.layout import CACHE_LINE_BYTES
from simcore.core.machine import Demand, Footprint
from simcore.core.timing import (
    held_places,
    l1_sets,
    partial_sectors,
    pending_loads,
    phases,
    register_writes,
    scoreboard,
)
from simcore.core.timing.dram import PAGES
from simcore.core.timing.memory_pipe import QUEUES
from simcore.core.timing.parameters import Timing
from simcore.core.timing.pipes import HELD
from simcore.core.timing.state import (
    ARRIVALS,
    COUNTERS,
    DATA_BINS,
    EMPTY,
    NOT_WAITING,
    PORTS,
    STALLS,
    Ledger,
    Sm,
)
from simcore.gpu import Gpu
from simcore.lowering.program import Program
from simcore.model import front_end
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy, shared_bytes_of_block, warps_of_scheduler
from simcore.model.sharing import Sharing

Numbers = dict[str, Any]
"""Some of the fields of `Timing`."""

MAX_L2_SHARE = 8 << 20
"""Largest share of the L2 that is simulated for one SM, in bytes: limits the size of the tag arrays."""

MOST_ASKED = 1 << 24
"""Lines of buffers up to which it is noted what is read of each: 2 GiB, for which 64 MiB are set aside."""

LINE_ITEMS = CACHE_LINE_BYTES // 8
ROOM_ITEMS = 1 << 16
"""For which memory is taken at once: what an SM needs, as a rule."""

TO_SPARE = 2
"""Blocks for whose shared memory the driver makes room, for each that the other resources allow."""

WITHOUT_SHARED = 4
"""The same where a kernel has no shared memory but what the system reserves, for each that the warps allow."""

_AS_IN_THE_PROFILE = tuple(name for name in Timing._fields if name in Gpu.model_fields)
"""Fields of `Timing` that are fields of the profile."""

BELOW_P10 = 0.25
"""How far the fastest load lies below the 10th percentile of a latency, relative to the distance from there to the
median: the shape of the assumed distribution, not a measurement."""


def busy_sms(gpu: Gpu, launch: Launch) -> int:
    """SMs that get at least one block."""
    return min(gpu.sms, launch.blocks)


def launch_cycles(gpu: Gpu, launch: Launch, writes: bool) -> float:
    """Overhead of one of many back-to-back launches; grows with the number of SMs that start and end together, and is
    larger if anything was written, whenever (benchmarks/silicon/micro/launch/last_stores)."""
    spread = (busy_sms(gpu, launch) - 1) / max(gpu.sms - 1, 1)
    return gpu.launch_overhead_cycles + spread * gpu.launch_spread_cycles + writes * gpu.launch_write_cycles


def shared_carveout(gpu: Gpu, occupancy: Occupancy, launch: Launch) -> int:
    """The shared-memory carve-out in bytes that the driver sets for a launch; L1 gets the rest.

    It is the smallest one that holds all blocks that the other resources allow, and more to spare: twice as many
    blocks, up to half of L1 and shared memory together. Blocks of the largest size are not doubled; for kernels
    without shared memory the warps alone count, four times. So Nsight Compute reports it of 2,806 of 2,888 launches of
    families and catalog on an H200 and an H100 (`launch__shared_mem_config_size` in `tests/silicon/`); in the others,
    blocks of 128 threads with 16 or 64 bytes, it is the next smaller one.
    """
    limits = {
        resource: blocks for resource, blocks in occupancy.limits.items() if resource != "shared_memory"
    }
    fitting = max(min(limits.values()), 1)
    if launch.shared_bytes == 0:
        desired = WITHOUT_SHARED * limits["warps"]
    else:
        desired = fitting if launch.threads_per_block == gpu.max_threads_per_block else TO_SPARE * fitting
    per_block = shared_bytes_of_block(gpu, launch.shared_bytes)
    spare = min(min(desired, gpu.max_blocks_per_sm) * per_block, gpu.l1_and_shared_bytes_per_sm // 2)
    needed = max(fitting * per_block, spare)
    return next((c for c in gpu.shared_carveouts_bytes if c >= needed), gpu.shared_bytes_per_sm)


def block_slots(gpu: Gpu, launch: Launch, occupancy: Occupancy) -> int:
    """How many blocks may be on an SM at a time if most of their warps have ended: their shared memory stays theirs."""
    shared = shared_carveout(gpu, occupancy, launch) // shared_bytes_of_block(gpu, launch.shared_bytes)
    return max(occupancy.blocks_per_sm, min(gpu.max_blocks_per_sm, shared))


def build_timing(gpu: Gpu, launch: Launch, occupancy: Occupancy, sharing: Sharing) -> Timing:
    """The core's parameters for this launch on this GPU: fields of the profile, and values derived from them."""
    sms = busy_sms(gpu, launch)
    return Timing(
        **{name: getattr(gpu, name) for name in _AS_IN_THE_PROFILE}
        | _pipes(gpu, launch)
        | _caches(gpu, launch, occupancy)
        | _shared_memory_system(gpu, sms, sharing)
        | _drifting(gpu, launch, occupancy, sms)
        | block_starts(gpu, launch)
        | front_end.timing(gpu, sms)
    )


def _pipes(gpu: Gpu, launch: Launch) -> Numbers:
    slots = gpu.max_warps_per_sm // gpu.schedulers_per_sm
    return {
        "schedulers": gpu.schedulers_per_sm,
        "slots_per_scheduler": slots,
        "warps_per_scheduler": min(slots, warps_of_scheduler(gpu, launch.kernel.registers)),
        "unit_interval": _unit_intervals(gpu),
        "latency": _latencies(gpu),
        "has_lite": int(gpu.fma_lite_interval > 0),
        "last_tag_bank": gpu.tag_banks - 1,
    }


def _caches(gpu: Gpu, launch: Launch, occupancy: Occupancy) -> Numbers:
    """L1 is what the carve-out leaves; of the L2, this SM gets its share."""
    l1_bytes = gpu.l1_and_shared_bytes_per_sm - shared_carveout(gpu, occupancy, launch)
    return {"l1_lines": l1_bytes // gpu.line_bytes, "l2_sets": _l2_sets(gpu, launch)}


def _l2_sets(gpu: Gpu, launch: Launch) -> int:
    """Sets of this SM's share of L2."""
    l2_bytes = int(gpu.l2_bytes * gpu.l2_usable_share) // busy_sms(gpu, launch)
    return max(min(l2_bytes, MAX_L2_SHARE) // (gpu.line_bytes * gpu.l2_ways), 1)


def fetch_bits(gpu: Gpu) -> int:
    """log2 of the sectors that DRAM brings at a time."""
    return (gpu.dram_fetch_bytes // gpu.sector_bytes).bit_length() - 1


def _drifting(gpu: Gpu, launch: Launch, occupancy: Occupancy, sms: int) -> Numbers:
    """What DRAM takes for a byte, and for a change between reads and writes: the more, the further the SMs drift apart
    until blocks end and others begin (benchmarks/silicon/micro/dram/copy_order, mixed_streams)."""
    staying = min(sms * occupancy.blocks_per_sm / launch.blocks, 1.0)
    dram = min(gpu.dram_gb_per_s * 1e3 / gpu.clock_mhz / sms, gpu.dram_bytes_per_cycle_one_sm)
    return {
        "dram_cycles_per_byte": (1.0 + gpu.dram_drift_time * staying) / dram,
        "dram_turnaround_bytes": gpu.dram_turnaround_bytes + gpu.dram_drift_bytes * staying,
    }


def _shared_memory_system(gpu: Gpu, sms: int, sharing: Sharing) -> Numbers:
    """One SM's share of L2 and DRAM: the fewer busy SMs, the more for each, up to the limit of one SM."""
    contention = gpu.sms / sms
    hot = int(sharing.is_hot.sum())
    read = min(gpu.l2_bytes_per_cycle_per_sm * contention, gpu.l2_bytes_per_cycle_one_sm)
    near = min(gpu.l2_bytes_per_cycle_per_sm * gpu.l2_near_rate * contention, gpu.l2_bytes_per_cycle_one_sm)
    write = min(gpu.l2_write_bytes_per_cycle_per_sm * contention, gpu.l2_write_bytes_per_cycle_one_sm)
    return {
        "l2_hit": _latency_table(gpu.l2_latency, gpu.l2_latency_spread),
        "dram": _latency_table(gpu.dram_latency, gpu.dram_latency_spread),
        "l2_miss": sharing.l2_miss,
        "l2_awaited": sharing.l2_awaited,
        "l2_write_back": sharing.l2_write_back,
        "l2_lost": sharing.l2_lost,
        "read_evicts": sharing.read_evicts,
        "write_evicts": sharing.dirty_share,
        "l2_far": sharing.l2_far,
        "l2_read_cycles_per_sector": gpu.sector_bytes
        * (sharing.l2_near / near + (1.0 - sharing.l2_near) / read)
        * sharing.l2_coalesced_cost,
        "l2_request_cycles": gpu.l2_request_interval
        * gpu.l2_bytes_per_cycle_per_sm
        / read
        * sharing.l2_table_cost,
        "l2_own_cycles_per_sector": gpu.sector_bytes / gpu.l2_port_bytes_per_cycle,
        "l2_own_request_cycles": gpu.l2_request_interval_one_sm,
        "l2_write_cycles_per_sector": gpu.sector_bytes / write,
        "egress_cycles_per_sector": gpu.sector_bytes / gpu.l2_write_bytes_per_cycle_one_sm,
        "dram_fetch_bits": fetch_bits(gpu),
        "atomic_contention": sharing.atomic_contention,
        "atomic_crowd": sharing.atomic_crowd,
        "is_hot": sharing.is_hot.astype(np.int64),
        "hot_share": hot / gpu.l2_slices,
        "hot_requests": sms / max(hot, 1),
        "atomic_line_interval": gpu.atomic_line_interval / contention,
        "atomic_sector_interval": gpu.atomic_sector_interval / contention,
        "atomic_return_interval": gpu.atomic_return_interval / contention,
        "atomic_return_word_interval": gpu.atomic_return_word_interval / contention,
        "atomic_double_interval": gpu.atomic_double_interval / contention,
    }


def block_starts(gpu: Gpu, launch: Launch) -> Numbers:
    """Blocks with more warps take longer to start; block retirement is serialised GPU-wide."""
    warps = gpu.warp_launch_interval * launch.warps_per_block
    return {
        "block_retire_interval": gpu.block_retire_interval * busy_sms(gpu, launch),
        "first_wave_interval": max(gpu.first_wave_interval, warps),
        "block_start_latency": gpu.block_start_latency + warps,
    }


def _latency_table(mean: float, spread: tuple[float, ...]) -> np.ndarray:
    """Latencies at `parameters.QUANTILES` from the mean and the 10th, 50th, 90th and 99th percentiles over the mean."""
    p10, p50, p90, p99 = (mean * share for share in spread)
    return np.array([p10 - (p50 - p10) * BELOW_P10, p10, p50, p90, p99, p99])


def unit_cycles(gpu: Gpu, code: np.ndarray) -> np.ndarray:
    """[instruction] cycles for which it occupies its execution unit."""
    pairs = (code["unit"] == isa.UNIT_XU) * ((code["pairs"] & 1) + (code["destination_words"] >> 1))
    cycles: np.ndarray = _unit_intervals(gpu)[code["pace"]] + gpu.xu_pair_interval * pairs
    return cycles


@cache
def _unit_intervals(gpu: Gpu) -> np.ndarray:
    """Cycles for which an instruction occupies its execution unit, by its pace, `isa.UNIT_*` or `isa.PACE_*`."""
    intervals = np.ones(isa.PACES, np.int64)
    for unit, cycles in {
        isa.UNIT_FMA: gpu.fma_heavy_interval,
        isa.UNIT_FMA_HEAVY: gpu.fma_heavy_interval,
        isa.UNIT_FMA_LITE: gpu.fma_lite_interval,
        isa.UNIT_FMA_PAIR: gpu.fma_heavy_interval,
        isa.UNIT_ALU: gpu.alu_interval,
        isa.UNIT_HALF: gpu.half_interval,
        isa.UNIT_FP64: gpu.fp64_interval,
        isa.UNIT_XU: gpu.xu_interval,
        isa.UNIT_UNIFORM: gpu.uniform_interval,
        isa.UNIT_TENSOR: gpu.tensor_interval,
        isa.PACE_TENSOR_SHORT: gpu.tensor_short_interval,
        isa.PACE_TENSOR_HALF: gpu.tensor_half_interval,
        isa.PACE_TENSOR_HALF_SHORT: gpu.tensor_half_short_interval,
        isa.PACE_TENSOR_INTEGER: gpu.tensor_integer_interval,
        isa.PACE_TENSOR_INTEGER_SHORT: gpu.tensor_integer_short_interval,
        isa.PACE_DMMA_884: gpu.dmma_884_interval,
        isa.PACE_WIDE_PRODUCT: gpu.wide_product_interval,
        isa.PACE_DMMA_1684: gpu.dmma_1684_interval,
        isa.PACE_DMMA_1688: 2 * gpu.dmma_1684_interval,
        isa.PACE_DMMA_16816: 4 * gpu.dmma_1684_interval,
    }.items():
        intervals[unit] = cycles
    return intervals


@cache
def _latencies(gpu: Gpu) -> np.ndarray:
    """Cycles until a result is available, by `isa.LATENCY_*`; memory latency comes from the memory pipeline."""
    latencies = np.zeros(isa.LATENCY_CLASSES, np.int64)
    for kind, cycles in {
        isa.LATENCY_FIXED: gpu.fixed_latency,
        isa.LATENCY_XU: gpu.xu_latency,
        isa.LATENCY_SHUFFLE: gpu.shuffle_latency,
        isa.LATENCY_SHUFFLE_BY_REGISTER: gpu.shuffle_by_register_latency,
        isa.LATENCY_UNIFORM_SPECIAL: gpu.uniform_special_register_latency,
        isa.LATENCY_MATCH: gpu.match_latency,
        isa.LATENCY_REDUX: gpu.redux_latency,
        isa.LATENCY_SPECIAL_REGISTER: gpu.special_register_latency,
        isa.LATENCY_CONSTANT: gpu.constant_latency,
        isa.LATENCY_FP64: gpu.fp64_latency,
        isa.LATENCY_UNIFORM: gpu.uniform_latency,
        isa.LATENCY_DMMA_884: gpu.dmma_884_latency,
        isa.LATENCY_DMMA_1684: gpu.dmma_1684_latency,
        isa.LATENCY_DMMA_1688: gpu.dmma_1684_latency + gpu.dmma_1684_interval,
        isa.LATENCY_DMMA_16816: gpu.dmma_1684_latency + 3 * gpu.dmma_1684_interval,
    }.items():
        latencies[kind] = cycles
    return latencies


class Room:
    """Arrays of items of eight bytes, one behind the other, each of which begins with a line of the processor's cache
    that no other has a part of."""

    def __init__(self, kind: type[np.int64 | np.float64]) -> None:
        """Of one kind of items."""
        self._kind, self._items, self._used = kind, np.zeros(0, kind), 0

    def __call__(self, shape: int | tuple[int, ...], value: float = 0) -> NDArray[Any]:
        """An array, full of a value."""
        count = shape if isinstance(shape, int) else prod(shape)
        lines = count // LINE_ITEMS + 2
        if self._used + lines * LINE_ITEMS > len(self._items):
            self._begin(max(lines * LINE_ITEMS, ROOM_ITEMS))
        items = self._items[self._used : self._used + count]
        self._used += lines * LINE_ITEMS
        if value:
            items[:] = value
        return items if isinstance(shape, int) else items.reshape(shape)

    def _begin(self, count: int) -> None:
        """Take memory for so many items more."""
        items = np.zeros(count + LINE_ITEMS, self._kind)
        first = -items.ctypes.data % CACHE_LINE_BYTES // items.itemsize
        self._items, self._used = items[first : first + count], 0


def build_sm(
    timing: Timing,
    program: Program,
    launch: Launch,
    block_slots: int,
    blocks: int,
    cold: bool,
    window: tuple[int, int] = (0, 0),
) -> Sm:
    """An empty SM that records what its warps do during a window of cycles."""
    schedulers, instructions = timing.schedulers, len(program.code)
    warps = schedulers * timing.slots_per_scheduler
    l1, l2 = L1_SETS * timing.l1_ways, timing.l2_sets * timing.l2_ways
    never = isa.NEVER
    depths = (timing.lg_queue_depth, timing.mio_queue_depth, timing.adu_queue_depth)
    looks_back = (program.code["operation"] == control.DEPBAR).any()
    remembered = scoreboard.REMEMBERED if looks_back else 0
    ints, floats = Room(np.int64), Room(np.float64)
    return Sm(
        ready=ints(warps + AT_ONCE - 1, never),
        counting=ints(warps),
        turn=ints(warps),
        accounted=ints(warps),
        unit=ints(warps, EMPTY),
        launched=ints(1),
        ended=ints(1),
        retired=ints(blocks),
        release=ints((warps, scoreboard.ROW)),
        pending=ints((warps, scoreboard.COUNTERS, remembered)),
        pending_count=ints((warps, scoreboard.COUNTERS)),
        **front_end.state(timing, program, cold),
        barrier=ints(warps, NOT_WAITING),
        barrier_since=ints(warps),
        barrier_open=ints(warps),
        suspended=ints(warps, NOT_WAITING),
        next_pass=ints(schedulers, never),
        last_pass=ints(schedulers, -1),
        last_warp=ints(schedulers, -1),
        last_double_warp=ints(schedulers, -1),
        issue_count=ints(schedulers),
        greedy=ints(schedulers, -1),
        next_ready=ints(schedulers, never),
        stopped_warps=ints(schedulers),
        has_changed=ints(schedulers, 1),
        ready_warps=ints(schedulers),
        ready_for=ints((schedulers, isa.UNITS)),
        wanted=ints(schedulers),
        held=ints((schedulers, isa.UNITS, HELD)),
        held_before=ints((warps, HELD)),
        held_up=ints((instructions, HELD)),
        unit_free=ints((schedulers, AT_ONCE)),
        xu_free=floats(schedulers),
        banks_at=ints(schedulers),
        banks_taken=ints((schedulers, 2)),
        register_traffic=floats(schedulers),
        returning=ints((schedulers, register_writes.PLACES, register_writes.COLUMNS), isa.NEVER),
        returning_count=ints(schedulers),
        pairs_waiting=floats(schedulers),
        pairs_seen=ints(schedulers),
        pairs_issue_count=ints(schedulers),
        idle_share=floats(schedulers, 1.0),
        allocated=ints((schedulers, 2)),
        stopped=ints((schedulers, 2, 2)),
        queue=floats((schedulers, QUEUES, max(depths))),
        queue_head=ints((schedulers, QUEUES)),
        lg_room_from=ints(schedulers),
        loads=floats(timing.load_buffer_depth),
        loads_head=ints(1),
        pending_loads=pending_loads.places_for(timing.pending_loads),
        free_places=pending_loads.free_places_for(timing.pending_loads),
        buffer=floats((QUEUES, max(timing.memory_buffer_depth, timing.adu_buffer_depth))),
        buffer_head=ints(QUEUES),
        scheduler_data_free=floats(schedulers),
        address_free=floats((schedulers, QUEUES)),
        shared_free=floats(PORTS),
        load=floats(PORTS),
        load_since=floats(PORTS),
        dram_write_share=floats(1),
        dram_requests=ints(1),
        dram_evicted=floats(2),
        dram_left=floats(2, float(LINE_BYTES)),
        dram_page=ints(PAGES, -1),
        dram_page_until=floats(PAGES),
        copies_done=floats(warps),
        arrivals=ints((ARRIVALS, phases.ARRIVAL)),
        arrivals_under_way=ints(1),
        next_arrival=ints(1, isa.NEVER),
        stores_left=floats(warps),
        updates=ints(warps),
        unfenced=ints(warps),
        busy=floats(PORTS),
        contended_free=floats(len(timing.atomic_contention)),
        contended_busy=floats(len(timing.atomic_contention)),
        atomics_sent=floats(1),
        atomics_left=floats(timing.atomic_queue_depth),
        atomics_head=ints(1),
        data_bin=ints(DATA_BINS, -1),
        data_taken=floats(DATA_BINS),
        data_loads=floats(DATA_BINS),
        data_full=ints(2),
        repeated_passes=floats(1),
        counters=floats(COUNTERS),
        next_scheduler=ints(1),
        block_warps=ints(block_slots),
        block_slots=ints((block_slots, launch.warps_per_block), -1),
        arrived=ints((block_slots, MAX_BARRIERS)),
        expected=ints((block_slots, MAX_BARRIERS)),
        l1_tag=ints(l1, -1),
        l1_used=np.arange(l1) % timing.l1_ways,
        l1_in_use=ints(l1_sets.BANKS),
        l1_hand=ints(l1_sets.BANKS),
        holding=ints(3),
        held_places=ints(held_places.BINS),
        l1_place=ints((warps, MAX_LINES)),
        l1_sector=floats((l1, SECTORS), float(never)),
        l1_woken=floats((l1, SECTORS)),
        woken=floats(1),
        l2_tag=ints(l2, -1),
        l2_used=np.arange(l2) % timing.l2_ways,
        l2_done=ints(l2),
        l2_partial=ints(l2),
        partial=ints((partial_sectors.MOST, partial_sectors.PARTIAL), -1),
        partial_next=ints(1),
        fetched=floats(len(timing.l2_miss)),
        footprint=nothing_touched(launch, warps),
        line=ints(MAX_LINES),
        line_words=ints(MAX_LINES),
        late_lines=ints(1),
        waiting_line=ints((schedulers, timing.write_buffer_lines), -1),
        waiting_words=ints((schedulers, timing.write_buffer_lines)),
        waiting_since=floats((schedulers, timing.write_buffer_lines)),
        waiting_until=floats((schedulers, timing.write_buffer_lines)),
        waiting=ints(schedulers),
        waiting_head=ints(schedulers),
        store_passed=floats(1),
        store_share=floats(schedulers, 1.0),
        storing_until=floats(schedulers),
        ledger=_build_ledger(warps, instructions, window),
    )


def nothing_touched(launch: Launch, warps: int) -> Footprint:
    """An empty footprint, with room for the lines of all buffers and of the local memory of some warp slots."""
    starts, ends = launch.addresses
    buffer_lines = (ends - 1 >> LINE_SHIFT) - (starts >> LINE_SHIFT) + 1
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(buffer_lines)])
    local_lines = warps * -(-launch.stack_bytes // WORD_BYTES)
    seen = np.zeros((first[-1] + local_lines) // 64 + 1, np.int64)
    touched = np.zeros(len(first), np.float64)
    written, read = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    return Footprint(touched, written, read, seen, first, np.zeros(isa.LANES + 1, np.int64))


def nothing_demanded(gpu: Gpu, launch: Launch, warps: int) -> Demand:
    """No demand, with room for what is read of each line, unless these are too many."""
    footprint = nothing_touched(launch, warps)
    lines = int(footprint.first[-1])
    return Demand(
        footprint=footprint,
        asked=np.empty(lines if lines <= MOST_ASKED else 0, np.int32),
        claimed=np.zeros(2, np.int64),
        fetched=np.zeros(len(footprint.first)),
        l2_lines=_l2_sets(gpu, launch) * gpu.l2_ways,
        fetch_bits=fetch_bits(gpu),
    )


def _build_ledger(warps: int, instructions: int, window: tuple[int, int]) -> Ledger:
    """An empty ledger with space for one state per warp and cycle of the window."""
    return Ledger(
        warp=np.zeros(warps, np.int64),
        instruction_stalls=np.zeros((instructions, STALLS), np.int64),
        window_begin=window[0],
        window_end=window[1],
        recorded=np.zeros(1, np.int64),
        events=np.zeros((warps * (window[1] - window[0]), 6), np.int64),
    )
