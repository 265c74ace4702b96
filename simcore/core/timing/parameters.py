"""The numbers that timing needs, in the core's own terms."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

QUANTILES = (0.0, 0.1, 0.5, 0.9, 0.99, 1.0)
"""Shares of loads at which the latency tables give values; between them latencies lie on lines."""


class Timing(NamedTuple):
    """A GPU's numbers for one launch, as `simcore.model.machine_model.build_timing` makes them.

    A field of a name that `simcore.gpu.Gpu` has means what is said there; those that SMs share are this SM's part. The
    others follow from several.
    """

    # Warps and pipes
    schedulers: int
    slots_per_scheduler: int  # warps
    warps_per_scheduler: int  # of these, as many as there are registers for
    unit_interval: Ints  # [isa.PACES] cycles for which an instruction holds its unit
    latency: Ints  # [isa.LATENCY_CLASSES] cycles from issue until the result is there
    has_lite: int  # whether there is a second FP32 pipe
    operand_read_window: int
    wide_product_hold: float
    wide_product_wait: int
    load_register_interval: float
    register_pair_interval: float
    register_pair_places: int
    global_load_hold: float
    store_register_interval: float
    xu_register_interval: float
    xu_pair_interval: float
    xu_place_interval: int

    # The way of a memory instruction
    lg_queue_depth: int
    mio_queue_depth: int
    adu_queue_depth: int
    memory_buffer_depth: int
    adu_buffer_depth: int
    queue_place_latency: int
    queue_turn_interval: float
    load_buffer_depth: int
    pending_loads: int
    pending_load_lines: int
    wake_up_places: int
    address_interval: float
    global_address_interval: float
    constant_address_interval: float
    store_word_interval: float
    adu_interval: float
    special_data_interval: float
    uniform_special_data_interval: float
    source_read_latency: float
    lsu_interval: float
    data_stage_turns: float
    tag_interval: float
    last_tag_bank: int  # of the tag stage
    l1_bytes_per_cycle: float
    l1_lines_together: float
    shared_bytes_per_cycle: float
    store_bytes_per_cycle: float
    store_line_interval: float
    store_sector_interval: float
    shared_return_bytes_per_cycle: float
    global_return_bytes_per_cycle: float
    l1_hit_latency: float
    shared_latency: float
    atomic_shared_latency: float
    atomic_shared_interval: float
    atomic_shared_turn_latency: float
    atomic_shared_conflict: float
    match_interval: float
    match_round_latency: float
    constant_word_latency: float
    redux_interval: float
    l1_ways: int
    l1_protected_ways: int
    l1_lines: int  # that fit beside the carve-out

    # L2 and DRAM
    l2_sets: int  # of this SM's part
    l2_ways: int
    l2_latency: float
    l2_hit: Floats  # latency of a load from L2 at QUANTILES
    dram: Floats  # the same from DRAM
    l2_miss: Floats  # [buffer + 1] share of first touches that go to DRAM; the last is local memory's
    l2_awaited: Floats  # [buffer + 1] share of those that find the line on its way from DRAM for another SM
    l2_write_back: Floats  # [buffer + 1] share of what is written that leaves L2 for DRAM
    l2_lost: (
        Floats  # [buffer + 1] share of lines that DRAM brings in each launch to some SM, of what SMs write
    )
    l2_far: Floats  # [buffer + 1] share of its first touches that are of what the other partition's SMs wrote
    l2_read_cycles_per_sector: Floats  # [buffer + 1]
    l2_request_cycles: Floats  # [buffer + 1] of a request for a part of a line, however few sectors
    l2_own_cycles_per_sector: float  # of one SM's own way from L2
    l2_own_request_cycles: float
    l2_fill_cost: float
    l2_write_cycles_per_sector: float
    read_evicts: float  # bytes that leave L2 for DRAM for each of a line that is fetched for the first time
    write_evicts: float  # the same for each that is written and leaves some day
    l2_write_backlog: float
    atomic_queue_depth: int
    l2_atomic_window: int
    l2_atomic_backlog: int
    atomic_request_sector: float
    atomic_request_line: float
    egress_cycles_per_sector: float  # of what an SM writes, on its own way out
    write_buffer_lines: int
    write_buffer_wait: float
    atomic_write_cost: float
    mixed_traffic_cost: float
    write_mask_cost: float
    write_request_cost: float
    write_request_sector_cost: float
    read_request_cost: float
    far_read_cost: float
    sector_fill_cost: float
    store_latency: float
    dram_cycles_per_byte: float
    dram_fetch_bits: int  # log2 of the sectors that DRAM brings at a time
    dram_request_bytes: float
    dram_lone_request_bytes: float
    dram_turnaround_bytes: float
    dram_met_write_bytes: float
    dram_queueing: float
    dram_write_wait: float
    atomic_interval: float
    atomic_float_interval: float
    atomic_whole_sector_interval: float
    atomic_line_interval: float
    atomic_sector_interval: float
    atomic_return_interval: float
    atomic_return_word_interval: float
    atomic_double_interval: float
    atomic_return_latency: float
    atomic_contention: Floats  # [buffer + 1] SMs that wait for each other where atomics aim, 1 for none
    atomic_crowd: Floats  # [buffer + 1] SMs for each place at which atomics aim
    is_hot: Ints  # [buffer + 1] whether all SMs write, or aim atomics at, the same few lines
    hot_share: float  # of all lines, in the slices of those
    hot_requests: float  # that such a slice has for one of this SM's
    l2_slice_request_interval: float
    l2_slice_fill_interval: float
    l2_slice_write_interval: float

    # Barriers, branches, blocks
    barrier_latency: int
    barrier_interval: int
    barrier_data_interval: float
    phase_latency: float
    phase_arrive_interval: float
    phase_check_interval: float
    phase_suspension: int
    membar_block_latency: int
    membar_latency: int
    membar_behind_access_latency: int
    membar_system_latency: int
    branch_taken_cycles: int
    branch_resolving_cycles: int
    branch_indirect_cycles: int
    branch_indirect_interval: int
    yield_cycles: int
    yield_interval: float
    branch_refetch_cycles: int
    reconverge_cycles: int
    reconverge_again_cycles: int
    block_retire_interval: float
    first_wave_interval: float
    block_start_latency: float

    # The front end
    front_sets: Ints  # [schedulers + front_end.BEHIND_L0] sets of each cache
    front_ways: Ints  # the same of its ways
    code_line_shift: int  # log2 of the instructions of a line
    constant_chunk_shift: int  # log2 of the lines of constants that L2 brings at a time
    prefetch_lines: int
    l0_fetch_latency: int
    l0_fetch_interval: int
    l1_fetch_latency: int
    l1_fetch_interval: int
    l15_fetch_latency: int
    constant_requests: int
    constant_fetch_interval: float
    immediate_miss_latency: int
    indexed_miss_latency: int
    constant_l2_latency: int
