"""The simulator's view of a GPU: a flat list of numbers, each with its unit.

`gpus/<name>.yaml` contains the values of one GPU and the source of each (see `simcore.gpu_profiles`).
To add a number, add a field to `Gpu`, a line at the same position in every file without a base and, if the core uses it
unchanged, a field of the same name in `simcore.core.timing.parameters.Timing`.
"""

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from simcore.core.geometry import MAX_WARPS_PER_BLOCK
from simcore.errors import UnknownGpu, did_you_mean

Label = Literal["calibrated", "derived", "extrapolated", "what if"]

MAX_CYCLES = 10**9
"""The largest number of cycles: keeps times far below the core's "never"."""
MAX_ENTRIES = 1 << 12
"""Largest number of entries in a queue, a buffer or a set: each is an entry of an array."""
MAX_BYTES = 1 << 26
"""Largest memory per SM: each line of a cache is an entry of an array."""
MAX_EXTENT = 2**31 - 1
"""Largest grid or block along one axis: kernels read both as 32-bit integers."""


def _field(unit: str, meaning: str, **limits: Any) -> Any:
    return Field(description=f"{meaning} [{unit}]", json_schema_extra={"unit": unit}, **limits)


def _count(unit: str, meaning: str, **limits: Any) -> Any:
    return _field(unit, meaning, **{"gt": 0, "le": 1 << 40} | limits)


def _bytes_per_sm(meaning: str) -> Any:
    return _count("bytes", meaning, le=MAX_BYTES)


def _entries(unit: str, meaning: str) -> Any:
    return _count(unit, meaning, le=MAX_ENTRIES)


def _rate(unit: str, meaning: str) -> Any:
    return _field(unit, meaning, ge=1e-6, le=1e9)


def _cycles(meaning: str) -> Any:
    return _field("cycles", meaning, gt=0, le=MAX_CYCLES)


def _cycles_or_none(meaning: str) -> Any:
    return _field("cycles", meaning, ge=0, le=MAX_CYCLES)


def _share(unit: str, meaning: str) -> Any:
    return _field(unit, meaning, gt=0, le=1000)


Spread = tuple[float, float, float, float]
TableCosts = tuple[float, float, float, float, float, float, float, float, float]
CoalescedCosts = tuple[float, float, float, float, float, float, float]


class Gpu(BaseModel):
    """One GPU: limits, rates and latencies. Frozen and flat; every number can be overridden by name.

    A sub-partition is one of the SM's schedulers with its registers and execution units. An interval is the
    time for which one instruction occupies a unit; a latency is the time from issue until a dependent instruction can
    issue. Cycles are SM cycles. Integer fields count whole cycles, and a fraction is refused; other fields are used
    unrounded. Values that no machine can have, or that the model cannot represent, are refused with a reason (see
    `simcore.gpu_conditions`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    name: str = _field("text", "name of the profile, e.g. `h200`")
    architecture: str = _field("text", "compiler target, e.g. `sm_90`", pattern=r"^sm_\d{2,3}[af]?$")
    label: Label = _field(
        "text",
        "calibrated: measured; derived: same architecture as a measured GPU; what if: no such GPU exists; "
        "otherwise extrapolated",
    )

    # The chip
    sms: int = _count("SMs", "streaming multiprocessors in use", le=1 << 16)
    clock_mhz: float = _rate("MHz", "sustained SM clock under load")
    tensor_clock_share: float = _share(
        "of clock_mhz",
        "SM clock of kernels with products of halves, TF32, integers or FP8 on the tensor core",
    )
    schedulers_per_sm: int = _count(
        "schedulers", "sub-partitions per SM; each issues one instruction per cycle", le=256
    )

    # Launch limits
    max_threads_per_block: int = _count("threads", "largest block", le=MAX_WARPS_PER_BLOCK * 32)
    max_block_x: int = _count("threads", "largest block in x", le=MAX_EXTENT)
    max_block_y: int = _count("threads", "largest block in y", le=MAX_EXTENT)
    max_block_z: int = _count("threads", "largest block in z", le=MAX_EXTENT)
    max_grid_x: int = _count("blocks", "largest grid in x", le=MAX_EXTENT)
    max_grid_y: int = _count("blocks", "largest grid in y", le=MAX_EXTENT)
    max_grid_z: int = _count("blocks", "largest grid in z", le=MAX_EXTENT)

    # Occupancy
    max_warps_per_sm: int = _entries("warps", "resident warps per SM")
    max_blocks_per_sm: int = _entries("blocks", "resident blocks per SM")
    registers_per_sm: int = _count("registers", "32-bit registers per SM", le=MAX_BYTES)
    max_registers_per_thread: int = _count(
        "registers", "registers that a thread can address; machine code has eight bits for the number", le=255
    )
    register_allocation_unit: int = _count("registers", "allocation unit of a warp's registers")
    warp_allocation_granularity: int = _count(
        "warps", "a block's warps are rounded up to this for register allocation"
    )
    shared_bytes_per_sm: int = _bytes_per_sm("shared memory per SM, at most")
    shared_bytes_per_block: int = _count("bytes", "static shared memory per block, at most")
    shared_bytes_per_block_optin: int = _count("bytes", "shared memory per block with opt-in, at most")
    shared_allocation_unit: int = _count("bytes", "allocation unit of a block's shared memory")
    shared_reserved_bytes_per_block: int = _field(
        "bytes", "shared memory reserved by the system in each block", ge=0, le=1 << 40
    )
    shared_carveouts_bytes: tuple[int, ...] = _field(
        "bytes", "shared-memory carve-outs that can be configured, ascending", min_length=1
    )
    l1_and_shared_bytes_per_sm: int = _bytes_per_sm("L1 and shared memory together, per SM")

    # Issue intervals, per warp instruction and sub-partition
    fma_heavy_interval: int = _cycles("FMA-heavy pipe: FP32 and IMAD")
    fma_lite_interval: int = _cycles_or_none("FMA-lite pipe: FP32 only; 0 where there is none")
    alu_interval: int = _cycles("ALU pipe: integer add, logic, shift, compare, select, move")
    half_interval: int = _cycles(
        "packed FP16 arithmetic of the tensor pipe, HFMA2.MMA; HFMA2 takes both FMA pipes"
    )
    fp64_interval: int = _cycles("FP64 pipe")
    xu_interval: int = _cycles("transcendental and conversion unit, MUFU")
    uniform_interval: int = _cycles("uniform datapath")
    tensor_interval: int = _cycles(
        "tensor core, FP32 sums: HMMA.16816.F32, HMMA.1688.F32.TF32, QMMA.16832.F32"
    )
    tensor_short_interval: int = _cycles(
        "tensor core, FP32 sums, half as deep: HMMA.1688.F32, HMMA.1684.F32.TF32, QMMA.16816.F32"
    )
    tensor_half_interval: int = _cycles("tensor core, FP16 sums: HMMA.16816.F16, QMMA.16832.F16")
    tensor_half_short_interval: int = _cycles("tensor core, FP16 sums, half as deep: HMMA.1688.F16")
    tensor_integer_interval: int = _cycles(
        "tensor core, integers: IMMA.16832 of bytes, IMMA.16864 of nibbles"
    )
    tensor_integer_short_interval: int = _cycles("tensor core, integers, half as deep: IMMA.16816, IMMA.8816")
    dmma_884_interval: int = _cycles("tensor core, FP64: DMMA.8x8x4")
    dmma_1684_interval: int = _cycles("tensor core, FP64: DMMA.16x8x4, and each further depth of 4")
    operand_read_window: int = _field(
        "cycles",
        "during which an arithmetic instruction reads its registers, at most three of a bank",
        ge=3,
        le=16,
    )
    wide_product_interval: int = _cycles("FMA-heavy pipe: IMAD.WIDE and IMAD.HI")
    wide_product_hold: float = _cycles_or_none(
        "for which IMAD.WIDE and IMAD.HI keep other instructions out of the allocate stage"
    )
    wide_product_wait: int = _cycles_or_none(
        "for which the stall count of IMAD.WIDE and IMAD.HI stands still"
    )
    load_register_interval: float = _cycles_or_none(
        "for which a 32-bit register that a load writes holds arithmetic up"
    )
    register_pair_interval: float = _cycles_or_none(
        "in which nothing issues, and two registers are written that a shared load brings at once"
    )
    register_pair_places: int = _count(
        "pairs", "that wait for that, per sub-partition, before they hold arithmetic up"
    )
    global_load_hold: float = _cycles_or_none(
        "for which a global or local load holds arithmetic up, beside the registers that it moves"
    )
    store_register_interval: float = _cycles_or_none(
        "for which each that a store or an atomic reads holds arithmetic up"
    )
    xu_register_interval: float = _cycles_or_none("the same of a MUFU or a conversion")
    xu_pair_interval: float = _cycles_or_none(
        "XU: for a conversion's operand of 64 bits, source or result, beyond what others take"
    )
    xu_place_interval: int = _cycles(
        "from the XU beginning an instruction that waited for it until the next one may issue, to wait there"
    )

    # Latencies
    fixed_latency: int = _cycles(
        "arithmetic; covered by the compiler's stall counts, so it matters only for releasing a scoreboard"
    )
    xu_latency: int = _cycles("MUFU")
    fp64_latency: int = _cycles("FP64 result that the compiler tracks with a scoreboard")
    dmma_884_latency: int = _cycles("DMMA.8x8x4")
    dmma_1684_latency: int = _cycles("DMMA.16x8x4; each further depth of 4 adds its interval")
    uniform_latency: int = _cycles("vector to uniform register: R2UR, VOTEU")
    shuffle_latency: int = _cycles("SHFL to a lane that the instruction names")
    shuffle_by_register_latency: int = _cycles("SHFL to a lane in a register; MOVM")
    match_latency: int = _cycles("MATCH.ANY with one distinct value, MATCH.ALL")
    match_round_latency: float = _cycles("each additional distinct value of MATCH.ANY")
    match_interval: float = _cycles("each distinct value of a match, per SM")
    redux_latency: int = _cycles("REDUX, result in a uniform register")
    redux_interval: float = _cycles("REDUX, per SM")
    special_register_latency: int = _cycles("S2R, beside its time in the ADU")
    adu_interval: float = _cycles("LDC, S2UR, and S2R of what a warp's lanes share, in the ADU, per SM")
    special_data_interval: float = _cycles("S2R of a lane's register in L1's data stage")
    uniform_special_data_interval: float = _cycles("S2UR, or S2R of what lanes share, in L1's data stage")
    uniform_special_register_latency: int = _cycles("S2UR, beside its time in the ADU")
    constant_latency: int = _cycles("LDC that hits")
    constant_word_latency: float = _cycles("each further word of constants that lanes of an LDC ask for")
    shared_latency: float = _cycles("shared load, 32-bit, no conflict")
    atomic_shared_latency: float = _cycles("shared atomic, no conflict, beyond a shared load")
    l1_hit_latency: float = _cycles("global load that hits L1, 32-bit, coalesced")
    l2_latency: float = _cycles(
        "global load that hits L2 in a line that this SM has read before, mean, unloaded"
    )
    l2_latency_spread: Spread = _field(
        "of the mean", "that latency's 10th, 50th, 90th and 99th percentile, ascending"
    )
    dram_latency: float = _cycles("global load from DRAM, mean, unloaded")
    dram_latency_spread: Spread = _field(
        "of the mean", "that latency's 10th, 50th, 90th and 99th percentile, ascending"
    )
    dram_queueing: float = _cycles("queueing delay of a DRAM load at 50 % DRAM utilisation")
    dram_write_wait: float = _cycles_or_none(
        "wait of a DRAM load for bursts of writes, times the utilisation of DRAM by writes"
    )
    store_latency: float = _cycles("from L2 accepting a warp's last store until the warp may exit")
    source_read_latency: float = _cycles(
        "from the LSU accepting a memory instruction until its registers may be overwritten"
    )
    membar_block_latency: int = _cycles("memory barrier at block scope")
    membar_latency: int = _cycles("memory barrier at GPU scope, no access since the last one")
    membar_behind_access_latency: int = _cycles("memory barrier at GPU scope behind accesses")
    membar_system_latency: int = _cycles("memory barrier at system scope")

    # Block barriers
    barrier_latency: int = _cycles("from the last arrival at a barrier until the warps may issue")
    barrier_interval: int = _cycles("between two warps' arrivals at a barrier")
    barrier_data_interval: float = _cycles(
        "for which a barrier that releases a block occupies L1's data stage"
    )

    # Asynchronous barriers
    phase_latency: float = _cycles("arrival at an asynchronous barrier, and a check whether a phase is over")
    phase_arrive_interval: float = _cycles("arrivals of warps at asynchronous barriers, per SM")
    phase_check_interval: float = _cycles("checks of asynchronous barriers, per SM")
    phase_suspension: int = _cycles("for which a check suspends its warp at most")

    # From a scheduler to the LSU
    lg_queue_depth: int = _entries(
        "instructions",
        "part of a sub-partition's MIO queue for local and global memory; lg_throttle when full",
    )
    mio_queue_depth: int = _entries(
        "instructions", "memory I/O (MIO) queue of a sub-partition; mio_throttle when full"
    )
    adu_queue_depth: int = _entries(
        "instructions",
        "of a sub-partition that wait for the address divergence unit (ADU); mio_throttle when full",
    )
    memory_buffer_depth: int = _entries("instructions", "buffered between an SM's queues and its LSU")
    adu_buffer_depth: int = _entries("instructions", "the same before its ADU")
    queue_place_latency: int = _cycles("until a sub-partition knows that a place in a queue of its is free")
    queue_turn_interval: float = _cycles(
        "each instruction that leaves the queues to the LSU, or those to the ADU, per SM"
    )
    load_buffer_depth: int = _entries(
        "loads",
        "that have passed the tag stage of L1 and wait for its data stage, in the order in which they came",
    )
    pending_loads: int = _entries("loads", "of an SM that wait for lines on their way to L1")
    pending_load_lines: int = _entries("lines", "of a load that waits for them, for each place that it takes")
    wake_up_places: int = _entries(
        "loads", "that wait behind the tag stage while others are woken that waited for the same sectors"
    )
    address_interval: float = _cycles(
        "each instruction that leaves a sub-partition's MIO queue, but for local and global memory"
    )
    global_address_interval: float = _cycles("each instruction for local and global memory that leaves it")
    constant_address_interval: float = _cycles(
        "each LDC at an address in a register that leaves a sub-partition's queue to the ADU"
    )
    store_word_interval: float = _cycles(
        "each 32-bit word per lane of a store, in addition to the address interval"
    )

    # L1 and shared memory
    line_bytes: int = _count("bytes", "cache line: what one tag covers")
    sector_bytes: int = _count("bytes", "unit of transfer between L1, L2 and DRAM")
    l1_ways: int = _entries("ways", "of each set of L1's tags")
    l1_protected_ways: int = _entries("ways", "of a set of L1 that are kept for lines that were hit")
    lsu_interval: float = _cycles("memory instruction in the stages shared by the SM's sub-partitions")
    data_stage_turns: float = _field(
        "turns", "of the data stage, of which one sub-partition gets at most one", ge=1, le=256
    )
    tag_interval: float = _cycles("global or local access in the L1 tag stage")
    tag_banks: int = _count("banks", "of L1's tags; each looks up one line per cycle", le=4)
    l1_bytes_per_cycle: float = _rate("bytes/cycle", "L1 data rate per SM")
    l1_lines_together: float = _field(
        "lines", "of those that a load waits for that pass L1's data stage together", ge=1, le=32
    )
    shared_bytes_per_cycle: float = _rate("bytes/cycle", "shared-memory data rate per SM")
    global_return_bytes_per_cycle: float = _rate(
        "bytes/cycle", "results of global and local loads to the register file, per SM"
    )
    shared_return_bytes_per_cycle: float = _rate(
        "bytes/cycle", "results of shared loads to the register file, per SM"
    )
    store_bytes_per_cycle: float = _rate("bytes/cycle", "stores and atomics from the register file, per SM")
    store_line_interval: float = _cycles("each line of a store to global or local memory in the tag stage")
    store_sector_interval: float = _cycles("each sector of one, in addition")
    atomic_shared_interval: float = _cycles(
        "each turn of a bank at a shared atomic: a lane's, two if it compares"
    )
    atomic_shared_turn_latency: float = _cycles("the same of its latency, beyond the first turn")
    atomic_shared_conflict: float = _cycles("a shared atomic of several turns, beyond these")

    # L2
    l2_bytes: int = _count("bytes", "L2 capacity of the GPU")
    l2_ways: int = _entries("ways", "of L2")
    l2_slices: int = _count("slices", "of the L2; each line lies in one", le=1 << 16)
    l2_slice_bytes: int = _count("bytes", "consecutive bytes that lie in one slice")
    l2_slice_request_interval: float = _cycles("of a slice of L2 for a request for a line that it has")
    l2_slice_fill_interval: float = _cycles(
        "of a slice of L2 for a line that DRAM brings, beside its request"
    )
    l2_slice_write_interval: float = _cycles("of a slice of L2 for a store to a part of a sector")
    l2_slice_excess: float = _field(
        "stretches",
        "of `l2_slice_bytes` by which the busiest slice exceeds the mean, at most",
        ge=0,
        le=1e6,
    )
    l2_partitions: int = _count(
        "partitions", "of L2; a line read from several partitions has a copy in each", le=64
    )
    l2_usable_share: float = _share(
        "of l2_bytes", "capacity of L2 as a cache of `l2_ways` ways and the least recently used line evicted"
    )
    l2_replay_share: float = _share(
        "of l2_bytes", "capacity of L2 as the lines used last of all that SMs touch"
    )
    l2_home_share: float = _share(
        "of lines", "lines that keep a place in their own partition of L2 while SMs of the other one use them"
    )
    l2_kept_share: float = _share(
        "of l2_bytes",
        "largest footprint that is still entirely in L2 at the next launch, if the same SMs read it",
    )
    l2_kept_twice_share: float = _share(
        "of l2_bytes", "the same if it is written, or if SMs of the other partition may use it"
    )
    l2_lost_share: float = _share("of l2_bytes", "smallest footprint of which nothing is")
    l2_moved_share: float = _field(
        "of their bytes",
        "what lines take of L2 if SMs of either partition use them from launch to launch, next to lines of one",
        ge=1,
        le=16,
    )
    l2_write_kept_share: float = _share(
        "of l2_bytes", "largest footprint of which nothing that is written goes to DRAM for want of room"
    )
    l2_write_lost_share: float = _share("of l2_bytes", "smallest footprint of which all that is written does")
    l2_dirty_kept_share: float = _share(
        "of l2_bytes",
        "largest footprint of what is written of which nothing goes to DRAM because of that alone",
    )
    l2_dirty_lost_share: float = _share("of l2_bytes", "smallest such footprint of which all does")
    l2_bytes_per_cycle_per_sm: float = _rate("bytes/cycle", "L2 reads per SM while all SMs read")
    l2_near_rate: float = _field(
        "of l2_bytes_per_cycle_per_sm", "L2 reads of lines of which each partition has a copy", ge=1, le=16
    )
    l2_coalesced_cost: float = _field(
        "requests",
        "time of L2 for one if SMs with blocks in a row read the same lines at the same time: the request coalescer "
        "sends requests of several on as one",
        ge=0.001,
        le=1,
    )
    l2_coalesced_costs_apart: CoalescedCosts = _field(
        "requests", "the same if 2, 4, 8 ... 128 SMs do whose blocks are far apart"
    )
    l2_bytes_per_cycle_one_sm: float = _rate("bytes/cycle", "L2 reads by one SM while the others are idle")
    l2_request_interval: float = _cycles(
        "one SM's request for a line, however few sectors it needs, while all SMs read"
    )
    l2_port_bytes_per_cycle: float = _rate("bytes/cycle", "an SM's own way from L2: bursts are no faster")
    l2_request_interval_one_sm: float = _cycles("the same, while the others are idle")
    l2_table_costs: TableCosts = _field(
        "requests",
        "time of one for a part of a line of a table of 2, 4, 8 ... 512 KiB: slices do not hold few lines evenly; of "
        "1 MiB and more it is 1",
    )
    l2_fill_cost: float = _field(
        "requests", "time of L2 that a read takes if DRAM has to serve it, beside a read's own", ge=0, le=1e6
    )
    l2_write_bytes_per_cycle_per_sm: float = _rate("bytes/cycle", "L2 writes per SM while all SMs write")
    l2_write_bytes_per_cycle_one_sm: float = _rate(
        "bytes/cycle", "L2 writes by one SM while the others are idle"
    )
    l2_write_backlog: float = _cycles_or_none("of writes queued between the SMs and L2 before an SM stalls")
    atomic_queue_depth: int = _entries("atomics", "before the tag stage; what is behind them there waits")
    l2_atomic_window: int = _entries("requests", "of atomics that L2 takes from an SM before its loads wait")
    l2_atomic_backlog: int = _entries("requests", "of atomics queued between an SM and L2 before it stalls")
    atomic_request_sector: float = _share(
        "requests", "for a sector of which an atomic needs several words, relative to one lane's"
    )
    atomic_request_line: float = _share("requests", "likewise, for each line with such sectors")
    write_buffer_lines: int = _entries("lines", "written and waiting between an SM and L2")
    write_buffer_wait: float = _cycles(
        "that such a line waits for its other words, unless its place is needed"
    )
    atomic_write_cost: float = _share(
        "sectors",
        "what an atomic's operands for a sector take on their way to L2, in writes of whole sectors",
    )
    mixed_traffic_cost: float = _field(
        "sectors",
        "what L2 takes, in writes of whole sectors, for a sector of DRAM's traffic while that is of reads and writes",
        ge=0,
        le=1000,
    )
    write_mask_cost: float = _share(
        "sectors",
        "what an L2 write to a line costs more if it is of parts of sectors, in writes of whole sectors",
    )
    write_request_cost: float = _share(
        "sectors", "L2 write of whole sectors of a line: a request, in such writes, if it is of few"
    )
    write_request_sector_cost: float = _share("sectors", "likewise, for each of its sectors")
    read_request_cost: float = _share("sectors", "L2 read request on its way, in writes of whole sectors")
    far_read_cost: float = _share(
        "sectors", "L2 read of a sector that the other partition's SMs wrote, in writes of whole sectors"
    )
    sector_fill_cost: float = _share(
        "sectors", "what DRAM brings, a sector of it, in reads of sectors from L2"
    )
    atomic_interval: float = _cycles(
        "each lane's integer atomic on the same word, or those on one sector, GPU-wide"
    )
    atomic_float_interval: float = _cycles("each lane's floating-point atomic on the same word, GPU-wide")
    atomic_whole_sector_interval: float = _cycles("atomics on all words of a sector, GPU-wide")
    atomic_line_interval: float = _cycles("one SM's atomics on a line of its own, while all SMs do the same")
    atomic_sector_interval: float = _cycles("each sector of such a line")
    atomic_return_interval: float = _cycles(
        "each sector of such a line whose old values are returned, beyond that"
    )
    atomic_return_word_interval: float = _cycles("each of these values, in words of 4 bytes")
    atomic_double_interval: float = _cycles(
        "each addition of doubles, in place of the line's and the sectors' intervals if that is longer"
    )
    atomic_return_latency: float = _cycles(
        "until an atomic in L2 returns its value, beyond the latency of a load"
    )

    # DRAM
    dram_gb_per_s: float = _rate("GB/s", "DRAM bandwidth achieved by a streaming kernel (1 GB = 1e9 bytes)")
    dram_bytes_per_cycle_one_sm: float = _rate(
        "bytes/cycle", "DRAM reads by one SM while the others are idle"
    )
    dram_fetch_bytes: int = _count("bytes", "consecutive bytes that DRAM fetches for a lone sector")
    dram_request_bytes: float = _field("bytes", "minimum cost of a DRAM request", ge=0, le=1e6)
    dram_lone_request_bytes: float = _field(
        "bytes", "minimum cost of a DRAM read that is not near the last ones", ge=0, le=1e6
    )
    dram_turnaround_bytes: float = _field(
        "bytes",
        "cost of a turnaround between DRAM reads and writes, for each write among reads",
        ge=0,
        le=1e6,
    )
    dram_drift_time: float = _field(
        "of the time", "what DRAM takes longer for a byte where blocks stay until the launch ends", ge=0, le=1
    )
    dram_drift_bytes: float = _field(
        "bytes", "what that costs more where blocks stay until the launch ends", ge=0, le=1e6
    )
    dram_met_write_bytes: float = _field(
        "bytes",
        "cost for DRAM of a write to a part of a line of which others are on their way from there for another warp",
        ge=0,
        le=1e6,
    )

    # Branches
    branch_taken_cycles: int = _cycles_or_none("from the issue of a taken branch until its target is known")
    branch_resolving_cycles: int = _cycles_or_none("of those, the last, in which it is being resolved")
    branch_refetch_cycles: int = _cycles_or_none("after that, until the target of a taken branch can issue")
    branch_indirect_cycles: int = _cycles_or_none("cost of an indirect branch on top of its stall count")
    branch_indirect_interval: int = _cycles("each indirect branch of a sub-partition")
    yield_cycles: int = _cycles_or_none("cost of a YIELD on top of its stall count")
    yield_interval: float = _cycles("each YIELD of an SM")
    reconverge_cycles: int = _cycles_or_none(
        "an arrival at a convergence barrier (BSYNC), without a jump then"
    )
    reconverge_again_cycles: int = _cycles_or_none(
        "the same in addition, where lanes that waited at it execute it again"
    )

    # Instruction fetch
    code_line_bytes: int = _count("bytes", "line of the instruction caches")
    prefetch_lines: int = _field(
        "lines", "of code that each cache, and a warp running sequentially, prefetches", ge=0, le=64
    )
    l0_instruction_bytes: int = _bytes_per_sm("L0 instruction cache of a sub-partition")
    l0_instruction_ways: int = _entries("ways", "of that")
    l1_instruction_bytes: int = _bytes_per_sm("L1 instruction cache of an SM")
    l1_instruction_ways: int = _entries("ways", "of that")
    l15_instruction_bytes: int = _bytes_per_sm("L1.5 instruction cache, and as much again for constants")
    l15_instruction_ways: int = _entries("ways", "of the L1.5 for instructions")
    l0_fetch_latency: int = _cycles("line of code from the L1 to an L0")
    l0_fetch_interval: int = _cycles("each line of code from an SM's L1 to its L0s")
    l1_fetch_latency: int = _cycles("line of code from the L1.5 to the L1, other SMs idle")
    l1_fetch_latency_busy: int = _cycles(
        "line of code from the L1.5 to the L1, all SMs fetching; interpolated in between, rounded to a cycle"
    )
    l1_fetch_interval: int = _cycles("each line of code from the L1.5 to an SM's L1, other SMs idle")
    l1_fetch_interval_busy: int = _cycles(
        "each line of code from the L1.5 to an SM's L1, all SMs fetching; interpolated in between, rounded to a cycle"
    )
    l15_fetch_latency: int = _cycles("line of code from L2 to the L1.5")

    # Constants
    constant_bytes: int = _bytes_per_sm("constant cache per SM: for operands, and as much again for loads")
    constant_line_bytes: int = _count("bytes", "line of that cache")
    constant_ways: int = _entries("ways", "of that cache, and of the L1.5 for constants")
    constant_fetch_bytes: int = _count("bytes", "of constants that L2 sends to the L1.5 per request")
    constant_fetch_interval: float = _cycles(
        "between one SM's constant requests to the L1.5, all SMs requesting"
    )
    constant_requests: int = _count("requests", "for constant operands in flight per SM", le=MAX_ENTRIES)
    immediate_miss_latency: int = _cycles("constant operand that misses its cache and hits the L1.5")
    indexed_miss_latency: int = _cycles(
        "LDC that misses its cache and hits the L1.5, in addition to one that hits"
    )
    constant_l2_latency: int = _cycles("`constant_fetch_bytes` of constants from L2 to the L1.5")

    # Launch
    sms_apart: int = _field("SMs", "that get the blocks of a first wave in turns of their own", ge=0, le=1024)
    first_wave_interval: float = _cycles("between the starts of two blocks of the first wave on one SM")
    warp_launch_interval: float = _cycles("each warp of a starting block")
    block_start_latency: float = _cycles(
        "from a block's end to its successor's first instruction, without the launch of its warps"
    )
    block_retire_interval: float = _cycles("between the ends of two blocks, GPU-wide")
    launch_overhead_cycles: float = _cycles_or_none("overhead of each of many back-to-back launches")
    launch_spread_cycles: float = _cycles_or_none("additional overhead of such a launch that uses all SMs")
    launch_write_cycles: float = _cycles_or_none("additional overhead of such a launch that writes to memory")

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)

    def digest(self) -> str:
        """A hash of all values, the same on every machine; sources are not included."""
        values = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(values.encode()).hexdigest()

    def source(self, field: str) -> str:
        """The source of a field's value: a document, a measurement, or `override`."""
        check_field(field)
        return self._sources.get(field, "override")

    @classmethod
    def unit(cls, field: str) -> str:
        """A field's unit, e.g. `bytes/cycle`."""
        check_field(field)
        return _unit(field)

    @classmethod
    def meaning(cls, field: str) -> str:
        """What a field says, without its unit."""
        check_field(field)
        return str(cls.model_fields[field].description).removesuffix(f" [{_unit(field)}]")


def _unit(field: str) -> str:
    extra = Gpu.model_fields[field].json_schema_extra
    assert isinstance(extra, dict)
    return str(extra["unit"])


def check_field(field: str) -> None:
    """Refuse an unknown field.

    Raises:
        UnknownGpu: no such field; the message suggests the closest one, or says where all of them are.
    """
    if field not in Gpu.model_fields:
        raise UnknownGpu(f"a GPU has no field {field!r}{meant_field(field)}")


def meant_field(field: str) -> str:
    """The end of a message about an unknown field: the one that may be meant, or where all of them are."""
    meanings = {name: Gpu.meaning(name) for name in Gpu.model_fields}
    return did_you_mean(field, meanings, meanings) or "; simcore/gpus/h200.yaml lists every field"
