"""A GPU as the simulator sees it: a flat list of numbers, each with its unit.

`gpus/<name>.yaml` holds the values of one GPU and says where each comes from (see `simcore.gpu_profiles`).
To add a number: a field of `Gpu`, a line at its place in every file without a base and, where the core takes it as it
is, a field of the same name in `simcore.core.timing.parameters.Timing`.
"""

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from simcore.core.geometry import MAX_WARPS_PER_BLOCK
from simcore.errors import UnknownGpu, did_you_mean

Label = Literal["calibrated", "derived", "extrapolated"]

MAX_CYCLES = 10**9
"""No number of cycles is larger: times stay far below the core's "never"."""
MAX_ENTRIES = 1 << 12
"""Entries of a queue, a buffer or a set: each is an entry of an array."""
MAX_BYTES = 1 << 26
"""No memory of an SM is larger: each line of a cache is an entry of an array."""
MAX_EXTENT = 2**31 - 1
"""Blocks of a grid, threads of a block along an axis: kernels read them as 32-bit integers."""


def _field(unit: str, meaning: str, **limits: Any) -> Any:
    return Field(description=f"{meaning} [{unit}]", json_schema_extra={"unit": unit}, **limits)


def _count(unit: str, meaning: str, **limits: Any) -> Any:
    return _field(unit, meaning, **{"gt": 0, "le": 1 << 40} | limits)


def _bytes_of_an_sm(meaning: str) -> Any:
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


class Gpu(BaseModel):
    """One GPU: limits, rates and latencies. Frozen and flat; every number can be overridden by its name.

    A sub-partition is one of the SM's schedulers with its registers and execution units. An interval is the
    time for which one instruction occupies a unit; a latency counts from issue until a dependent instruction can
    issue. Cycles are the SM's. Where a field is an integer the core counts whole cycles, and a fraction is refused;
    elsewhere it is used as it is. What a machine cannot have, or the model has no form for, is refused with a reason
    (see `simcore.gpu_conditions`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = _field("text", "name of the profile, as in `h200`")
    architecture: str = _field("text", "the compiler's target, as in `sm_90`", pattern=r"^sm_\d{2,3}[af]?$")
    label: Label = _field(
        "text", "calibrated: measured; derived: same architecture as one measured; else extrapolated"
    )

    # The chip
    sms: int = _count("SMs", "streaming multiprocessors in use", le=1 << 16)
    clock_mhz: float = _rate("MHz", "sustained SM clock under load")
    schedulers_per_sm: int = _count(
        "schedulers", "sub-partitions of an SM; each issues one instruction a cycle", le=256
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
    max_warps_per_sm: int = _entries("warps", "resident warps of an SM")
    max_blocks_per_sm: int = _entries("blocks", "resident blocks of an SM")
    registers_per_sm: int = _count("registers", "32-bit registers of an SM", le=MAX_BYTES)
    max_registers_per_thread: int = _count(
        "registers", "registers a thread can name; machine code has eight bits for it", le=255
    )
    register_allocation_unit: int = _count(
        "registers", "registers of a warp are allotted in multiples of this"
    )
    warp_allocation_granularity: int = _count(
        "warps", "for registers, a block's warps are rounded up to this"
    )
    shared_bytes_per_sm: int = _bytes_of_an_sm("most shared memory of an SM")
    shared_bytes_per_block: int = _count("bytes", "most static shared memory of a block")
    shared_bytes_per_block_optin: int = _count("bytes", "most shared memory of a block that opts in to more")
    shared_allocation_unit: int = _count("bytes", "shared memory of a block is allotted in multiples of this")
    shared_reserved_bytes_per_block: int = _field(
        "bytes", "shared memory the system takes in each block", ge=0, le=1 << 40
    )
    shared_carveouts_bytes: tuple[int, ...] = _field(
        "bytes", "sizes shared memory can be set to, ascending", min_length=1
    )
    l1_and_shared_bytes_per_sm: int = _bytes_of_an_sm("L1 and shared memory together, of an SM")

    # Issue intervals, per warp instruction and sub-partition
    fma_heavy_interval: int = _cycles("FMA-heavy pipe: FP32 and IMAD")
    fma_lite_interval: int = _cycles_or_none("FMA-lite pipe: FP32 only; 0 where there is none")
    alu_interval: int = _cycles("ALU pipe: integer add, logic, shift, compare, select, move")
    half_interval: int = _cycles("packed FP16 arithmetic, HFMA2")
    fp64_interval: int = _cycles("FP64 pipe")
    xu_interval: int = _cycles("transcendental and conversion unit, MUFU")
    uniform_interval: int = _cycles("uniform datapath")
    tensor_interval: int = _cycles("HMMA.16816 on the tensor core")
    operand_read_window: int = _cycles("in which an arithmetic instruction reads its registers")

    # Latencies
    fixed_latency: int = _cycles(
        "arithmetic; the compiler's stall counts cover it, so it counts where a dependence counter is released"
    )
    xu_latency: int = _cycles("MUFU")
    fp64_latency: int = _cycles("FP64 result whose latency the compiler leaves to a counter")
    uniform_latency: int = _cycles("vector to uniform register: R2UR, VOTEU")
    shuffle_latency: int = _cycles("SHFL")
    match_latency: int = _cycles("MATCH.ANY of one distinct value, MATCH.ALL")
    match_round_latency: float = _cycles("each further distinct value of MATCH.ANY")
    match_interval: float = _cycles("each distinct value of a match, of an SM")
    redux_latency: int = _cycles("REDUX, into a uniform register")
    redux_interval: float = _cycles("REDUX, of an SM")
    special_register_latency: int = _cycles("S2R")
    special_register_interval: float = _cycles("S2R and LDC out of a sub-partition's queue")
    uniform_special_register_latency: int = _cycles("S2UR")
    constant_latency: int = _cycles("LDC that hits")
    shared_latency: float = _cycles("shared load, 32-bit, no conflict")
    l1_hit_latency: float = _cycles("global load that hits L1, 32-bit, coalesced")
    l2_latency: float = _cycles(
        "global load that hits L2 where this SM has read the line before, mean, unloaded"
    )
    l2_latency_spread: Spread = _field(
        "of the mean", "that latency's 10th, 50th, 90th and 99th percentile, ascending"
    )
    dram_latency: float = _cycles("global load from DRAM, mean, unloaded")
    dram_latency_spread: Spread = _field(
        "of the mean", "that latency's 10th, 50th, 90th and 99th percentile, ascending"
    )
    dram_queueing: float = _cycles("by which a load from DRAM waits at half its utilisation")
    store_latency: float = _cycles("from L2 taking a warp's last store until the warp may end")
    source_read_latency: float = _cycles(
        "from the LSU taking a memory instruction until its registers may be overwritten"
    )
    membar_latency: int = _cycles("memory barrier at GPU scope with nothing outstanding")

    # Block barriers
    barrier_latency: int = _cycles("from taking a barrier's last arrival until the warps may issue")
    barrier_interval: int = _cycles("one warp's arrival at a barrier after another's")
    barrier_data_interval: float = _cycles("of L1's data stage for a barrier that lets a block go on")

    # From a scheduler to the LSU
    lg_queue_depth: int = _entries(
        "instructions", "local/global queue of a sub-partition; full is lg_throttle"
    )
    mio_queue_depth: int = _entries(
        "instructions", "memory-I/O queue of a sub-partition; full is mio_throttle"
    )
    memory_buffer_depth: int = _entries(
        "instructions", "between an SM's queues and its LSU, for each kind of queue"
    )
    address_interval: float = _cycles("instructions out of a sub-partition's MIO queue, each")
    global_address_interval: float = _cycles("instructions out of a sub-partition's LG queue, each")
    store_word_interval: float = _cycles("each 32-bit word a lane of a store, on top of the address interval")

    # L1 and shared memory
    line_bytes: int = _count("bytes", "cache line: what one tag covers")
    sector_bytes: int = _count("bytes", "unit of transfer between L1, L2 and DRAM")
    l1_ways: int = _entries("ways", "of L1")
    lsu_interval: float = _cycles("memory instruction through the stages that an SM's sub-partitions share")
    data_stage_turns: float = _field(
        "turns", "of the data stage, of which one sub-partition gets one at most", ge=1, le=256
    )
    tag_interval: float = _cycles("global or local access through an SM's L1 tag stage")
    tag_banks: int = _count("banks", "of L1's tags; each looks up one line a cycle", le=8)
    tag_lines_together: int = _field(
        "lines", "of one access that the tag stage takes in one interval, whatever their banks", ge=1, le=128
    )
    l1_bytes_per_cycle: float = _rate("bytes/cycle", "L1 data rate of an SM")
    shared_bytes_per_cycle: float = _rate("bytes/cycle", "shared memory's data rate of an SM")
    global_return_bytes_per_cycle: float = _rate(
        "bytes/cycle", "results of global and local loads to an SM's registers"
    )
    shared_return_bytes_per_cycle: float = _rate(
        "bytes/cycle", "results of shared loads to an SM's registers"
    )
    store_bytes_per_cycle: float = _rate("bytes/cycle", "an SM's stores and atomics out of its registers")
    atomic_shared_interval: float = _cycles("each further lane of a shared atomic on one word")

    # L2
    l2_bytes: int = _count("bytes", "L2 capacity of the GPU")
    l2_ways: int = _entries("ways", "of L2")
    l2_slices: int = _count("slices", "of the L2; a line lies in one", le=1 << 16)
    l2_slice_bytes: int = _count("bytes", "neighbouring ones that lie in one slice")
    l2_slice_excess: float = _field(
        "stretches",
        "of `l2_slice_bytes` that the busiest slice has more than the mean, at most",
        ge=0,
        le=1e6,
    )
    l2_partitions: int = _count("partitions", "of L2; what SMs of several read lies in each", le=64)
    l2_kept_share: float = _share(
        "of l2_bytes", "footprint up to which all of it is still in L2 at the next launch"
    )
    l2_lost_share: float = _share("of l2_bytes", "footprint from which on nothing of it is")
    l2_bytes_per_cycle_per_sm: float = _rate("bytes/cycle", "reads from L2 by one SM while all SMs read")
    l2_bytes_per_cycle_one_sm: float = _rate("bytes/cycle", "reads from L2 by one SM while the others rest")
    l2_request_interval: float = _cycles(
        "one SM's requests for a line, however few sectors, while all SMs read"
    )
    l2_write_bytes_per_cycle_per_sm: float = _rate(
        "bytes/cycle", "writes to L2 by one SM while all SMs write"
    )
    l2_write_bytes_per_cycle_one_sm: float = _rate(
        "bytes/cycle", "writes to L2 by one SM while the others rest"
    )
    l2_write_backlog: float = _cycles_or_none("of writes that wait between the SMs and L2 before an SM stops")
    write_buffer_lines: int = _entries("lines", "that wait between an SM and L2")
    partial_sector_cost: float = _share("sectors", "L2 write of a sector in part, in writes of whole ones")
    lone_sector_cost: float = _share(
        "sectors", "L2 write to one line at the least, in writes of whole sectors"
    )
    atomic_interval: float = _cycles("each lane's integer atomic on one word, of the whole GPU")
    atomic_float_interval: float = _cycles("each lane's floating-point atomic on one word, of the whole GPU")
    atomic_hot_lane_interval: float = _cycles("each lane's atomic on words of one line, of the whole GPU")
    atomic_sector_interval: float = _cycles(
        "one SM's atomics to a sector of its own, while all SMs do the same"
    )
    atomic_lane_interval: float = _cycles(
        "one SM's atomics to words side by side, a lane, while all SMs do the same"
    )

    # DRAM
    dram_gb_per_s: float = _rate("GB/s", "DRAM bandwidth that a streaming kernel reaches (1 GB = 1e9 bytes)")
    dram_bytes_per_cycle_one_sm: float = _rate(
        "bytes/cycle", "reads from DRAM by one SM while the others rest"
    )
    dram_fetch_bytes: int = _count("bytes", "that DRAM brings for a lone sector, side by side")
    dram_request_bytes: float = _field("bytes", "what a request to DRAM costs at the least", ge=0, le=1e6)
    dram_turnaround_bytes: float = _field(
        "bytes", "what a change between reads and writes costs DRAM", ge=0, le=1e6
    )

    # Branches
    branch_taken_cycles: int = _cycles_or_none("cost of a taken branch beyond its stall count")
    branch_refetch_cycles: int = _cycles_or_none("until a taken branch's target can issue, after that")
    branch_indirect_cycles: int = _cycles_or_none(
        "cost of a branch to an address in a register beyond its stall count"
    )
    branch_indirect_interval: int = _cycles("such branches of a sub-partition, each")
    reconverge_cycles: int = _cycles_or_none("a split's arrival at a convergence barrier (BSYNC)")

    # Instruction fetch
    code_line_bytes: int = _count("bytes", "line of the caches of instructions")
    prefetch_lines: int = _field(
        "lines", "of code that each cache, and a warp that walks on, asks for ahead", ge=0, le=64
    )
    l0_instruction_bytes: int = _bytes_of_an_sm("L0 instruction cache of a sub-partition")
    l0_instruction_ways: int = _entries("ways", "of that")
    l1_instruction_bytes: int = _bytes_of_an_sm("L1 instruction cache of an SM")
    l1_instruction_ways: int = _entries("ways", "of that")
    l15_instruction_bytes: int = _bytes_of_an_sm("L1.5 cache of instructions, and as much again of constants")
    l15_instruction_ways: int = _entries("ways", "of its instructions")
    l0_fetch_latency: int = _cycles("line of code from the L1 to an L0")
    l0_fetch_interval: int = _cycles("lines of code from an SM's L1 to its L0s, each")
    l1_fetch_latency: int = _cycles("line of code from the L1.5 to the L1, the other SMs at rest")
    l1_fetch_latency_busy: int = _cycles(
        "line of code from the L1.5 to the L1, all SMs fetching; in between, by their share, to a whole cycle"
    )
    l1_fetch_interval: int = _cycles("lines of code from the L1.5 to an SM's L1, each")
    l15_fetch_latency: int = _cycles("line of code from L2 to the L1.5")

    # Constants
    constant_bytes: int = _bytes_of_an_sm("an SM's cache of constants: for operands, and as much for loads")
    constant_line_bytes: int = _count("bytes", "line of that cache")
    constant_ways: int = _entries("ways", "of that cache, and of the L1.5's constants")
    constant_fetch_bytes: int = _count("bytes", "of constants that L2 sends to the L1.5 at a time")
    constant_fetch_interval: float = _cycles(
        "between requests for constants of an SM to the L1.5, all SMs asking"
    )
    constant_requests: int = _count(
        "requests", "for constant operands that an SM has under way", le=MAX_ENTRIES
    )
    immediate_miss_latency: int = _cycles("constant operand that misses its cache and hits the L1.5")
    indexed_miss_latency: int = _cycles(
        "LDC that misses its cache and hits the L1.5, on top of one that hits"
    )
    constant_l2_latency: int = _cycles("`constant_fetch_bytes` of constants from L2 to the L1.5")

    # Launch
    first_wave_interval: float = _cycles("between two blocks of the first wave on one SM")
    warp_launch_interval: float = _cycles("each warp of a block that starts")
    block_start_latency: float = _cycles(
        "from a block's end until its successor's first instruction, less its warps'"
    )
    block_retire_interval: float = _cycles("between the ends of two blocks of the whole GPU")
    launch_overhead_cycles: float = _cycles_or_none("what each of many back-to-back launches adds")
    launch_spread_cycles: float = _cycles_or_none("what such a launch adds when all SMs take part")

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)

    def digest(self) -> str:
        """A hash of all values, the same on every machine; sources do not count."""
        values = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(values.encode()).hexdigest()

    def source(self, field: str) -> str:
        """Where a field's value comes from: a document, a measurement, or `override`."""
        check_field(field)
        return self._sources.get(field, "override")

    @classmethod
    def unit(cls, field: str) -> str:
        """A field's unit, as in `bytes/cycle`."""
        check_field(field)
        return _unit(field)


def _unit(field: str) -> str:
    extra = Gpu.model_fields[field].json_schema_extra
    assert isinstance(extra, dict)
    return str(extra["unit"])


def check_field(field: str) -> None:
    """Refuse a field that a GPU does not have.

    Raises:
        UnknownGpu: no such field; the message suggests the closest.
    """
    if field not in Gpu.model_fields:
        raise UnknownGpu(f"a GPU has no field {field!r}{did_you_mean(field, Gpu.model_fields)}")
