"""A GPU as the simulator sees it: a flat list of numbers, each with its unit.

`gpus/<name>.yaml` holds the values of one GPU and says where each comes from (see `simcore.gpu_profiles`).
To add a number: one line in `Gpu` and one in every file without a base.
"""

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from simcore.errors import UnknownGpu, did_you_mean

Label = Literal["calibrated", "derived", "extrapolated"]


def _field(unit: str, meaning: str, **limits: Any) -> Any:
    return Field(description=f"{meaning} [{unit}]", json_schema_extra={"unit": unit}, **limits)


def _count(unit: str, meaning: str) -> Any:
    return _field(unit, meaning, gt=0)


def _cycles(meaning: str) -> Any:
    return _field("cycles", meaning, gt=0)


def _cycles_or_absent(meaning: str) -> Any:
    return _field("cycles", f"{meaning}; 0 where there is none", ge=0)


class Gpu(BaseModel):
    """One GPU: limits, rates and latencies. Frozen and flat; every number can be overridden by its name.

    A sub-partition is one of the SM's schedulers with its registers and execution units. An interval is the
    time for which one warp instruction occupies a unit; a latency counts from issue until a dependent
    instruction can issue.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = _field("text", "name of the profile, as in `h200`")
    architecture: str = _field("text", "the compiler's target, as in `sm_90`", pattern=r"^sm_\d{2,3}[af]?$")
    label: Label = _field(
        "text", "calibrated: measured; derived: same architecture as one measured; else extrapolated"
    )

    # The chip
    sms: int = _count("SMs", "streaming multiprocessors in use")
    clock_mhz: float = _count("MHz", "sustained SM clock under load")
    schedulers_per_sm: int = _count(
        "schedulers", "sub-partitions of an SM; each issues one instruction a cycle"
    )

    # Launch limits
    max_threads_per_block: int = _count("threads", "largest block")
    max_block_x: int = _count("threads", "largest block in x")
    max_block_y: int = _count("threads", "largest block in y")
    max_block_z: int = _count("threads", "largest block in z")
    max_grid_x: int = _count("blocks", "largest grid in x")
    max_grid_y: int = _count("blocks", "largest grid in y")
    max_grid_z: int = _count("blocks", "largest grid in z")

    # Occupancy
    max_warps_per_sm: int = _count("warps", "resident warps of an SM")
    max_blocks_per_sm: int = _count("blocks", "resident blocks of an SM")
    registers_per_sm: int = _count("registers", "32-bit registers of an SM")
    max_registers_per_thread: int = _count("registers", "registers a thread can name")
    register_allocation_unit: int = _count(
        "registers", "registers of a warp are allotted in multiples of this"
    )
    warp_allocation_granularity: int = _count(
        "warps", "for registers, a block's warps are rounded up to this"
    )
    shared_bytes_per_sm: int = _count("bytes", "most shared memory of an SM")
    shared_bytes_per_block: int = _count("bytes", "most static shared memory of a block")
    shared_bytes_per_block_optin: int = _count("bytes", "most shared memory of a block that opts in to more")
    shared_allocation_unit: int = _count("bytes", "shared memory of a block is allotted in multiples of this")
    shared_reserved_bytes_per_block: int = _field(
        "bytes", "shared memory the system takes in each block", ge=0
    )
    shared_carveouts_bytes: tuple[int, ...] = _field("bytes", "sizes shared memory can be set to, ascending")
    l1_and_shared_bytes_per_sm: int = _count("bytes", "L1 and shared memory together, of an SM")

    # Issue intervals, per warp instruction and sub-partition
    fma_heavy_interval: float = _cycles("FMA-heavy pipe: FP32 and IMAD")
    fma_lite_interval: float = _cycles_or_absent("FMA-lite pipe: FP32 only")
    alu_interval: float = _cycles("ALU pipe: integer add, logic, shift, compare, select, move")
    half_interval: float = _cycles("packed FP16 arithmetic, HFMA2")
    fp64_interval: float = _cycles("FP64 pipe")
    xu_interval: float = _cycles("transcendental and conversion unit, MUFU")
    uniform_interval: float = _cycles("uniform datapath")
    operand_read_window: float = _cycles("in which an arithmetic instruction reads its registers")
    tensor_interval: float = _cycles("HMMA.16816 on the tensor core")

    # Latencies
    l1_hit_latency: float = _cycles("global load that hits L1, 32-bit, coalesced")
    shared_latency: float = _cycles("shared load, 32-bit, no conflict")
    uniform_special_register_latency: float = _cycles("S2UR")
    match_latency: float = _cycles("MATCH.ANY of one distinct value, MATCH.ALL")
    match_round_latency: float = _cycles("each further distinct value of MATCH.ANY")
    match_interval: float = _cycles("each distinct value of a match, of an SM")
    redux_latency: float = _cycles("REDUX, into a uniform register")
    redux_interval: float = _cycles("REDUX, of an SM")
    shuffle_latency: float = _cycles("SHFL")
    xu_latency: float = _cycles("MUFU")
    special_register_latency: float = _cycles("S2R")
    constant_latency: float = _cycles("LDC that hits")
    barrier_latency: float = _cycles("barrier, from taking the last arrival until the warps may issue")
    barrier_interval: float = _cycles("one warp's arrival at a barrier after another's")
    barrier_data_interval: float = _cycles("of L1's data stage for a barrier that lets a block go on")
    special_register_interval: float = _cycles("S2R, per sub-partition")
    uniform_latency: float = _cycles("vector to uniform register: R2UR, VOTEU")
    fp64_latency: float = _cycles("FP64 result whose latency the compiler leaves to a counter")
    membar_latency: float = _cycles("memory barrier at GPU scope with nothing outstanding")
    l2_latency: float = _cycles(
        "global load that hits L2 where this SM has read the line before, mean, unloaded"
    )
    l2_latency_spread: tuple[float, float, float, float] = _field(
        "of the mean", "that latency's 10th, 50th, 90th and 99th percentile"
    )
    dram_latency: float = _cycles("global load from DRAM, mean, unloaded")
    dram_queueing: float = _cycles("by which a load from DRAM waits at half its utilisation")
    dram_latency_spread: tuple[float, float, float, float] = _field(
        "of the mean", "that latency's 10th, 50th, 90th and 99th percentile"
    )

    # Memory
    sector_bytes: int = _count("bytes", "unit of transfer between L1, L2 and DRAM")
    line_bytes: int = _count("bytes", "cache line: what one tag covers")
    l1_bytes_per_cycle: float = _count("bytes/cycle", "L1 data rate of an SM")
    shared_bytes_per_cycle: float = _count("bytes/cycle", "shared memory's data rate of an SM")
    tag_interval: float = _cycles("global or local access through an SM's L1 tag stage")
    atomic_shared_interval: float = _cycles("each further lane of a shared atomic on one word")
    lsu_interval: float = _cycles("memory instruction through the stages that an SM's sub-partitions share")
    address_interval: float = _cycles("out of a sub-partition's queue: shared memory; twice that for global")
    store_word_interval: float = _cycles("each 32-bit word a lane of a store, on top of the address interval")
    memory_buffer_depth: int = _count(
        "instructions", "between an SM's queues and its LSU, for each kind of queue"
    )
    lg_queue_depth: int = _count("instructions", "local/global queue of a sub-partition; full is lg_throttle")
    mio_queue_depth: int = _count("instructions", "memory-I/O queue of a sub-partition; full is mio_throttle")
    l2_bytes: int = _count("bytes", "L2 capacity of the GPU")
    l2_bytes_per_cycle_per_sm: float = _count("bytes/cycle", "reads from L2 by one SM while all SMs read")
    l2_write_bytes_per_cycle_per_sm: float = _count(
        "bytes/cycle", "writes to L2 by one SM while all SMs write"
    )
    l2_request_interval: float = _cycles(
        "one SM's requests for a line, however few sectors, while all SMs read"
    )
    l2_bytes_per_cycle_one_sm: float = _count("bytes/cycle", "reads from L2 by one SM while the others rest")
    l2_write_bytes_per_cycle_one_sm: float = _count(
        "bytes/cycle", "writes to L2 by one SM while the others rest"
    )
    dram_bytes_per_cycle_one_sm: float = _count(
        "bytes/cycle", "reads from DRAM by one SM while the others rest"
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
    l2_slices: int = _count("slices", "of the L2; a line lies in one")
    l2_write_backlog: float = _field(
        "cycles", "of writes that wait between the SMs and L2 before an SM stops", ge=0
    )
    write_buffer_lines: int = _count("lines", "that wait between an SM and L2")
    partial_sector_cost: float = _count("sectors", "L2 write of a sector in part, in writes of whole ones")
    lone_sector_cost: float = _count(
        "sectors", "L2 write to one line at the least, in writes of whole sectors"
    )
    store_latency: float = _cycles("from L2 taking a warp's last store until the warp may end")
    dram_request_bytes: float = _count("bytes", "what a request to DRAM costs at the least")
    dram_turnaround_bytes: float = _count("bytes", "what a change between reads and writes costs DRAM")
    dram_gb_per_s: float = _count("GB/s", "DRAM bandwidth that a streaming kernel reaches (1 GB = 1e9 bytes)")

    # Front end
    branch_taken_cycles: float = _field("cycles", "cost of a taken branch beyond its stall count", ge=0)
    reconverge_cycles: float = _field("cycles", "a split's arrival at a convergence barrier (BSYNC)", ge=0)
    branch_indirect_cycles: float = _field(
        "cycles", "cost of a branch to an address in a register beyond its stall count", ge=0
    )
    branch_indirect_interval: float = _cycles("such branches of a sub-partition, each")
    branch_refetch_cycles: float = _field(
        "cycles", "until a taken branch's target can issue, after that", ge=0
    )
    l0_instruction_bytes: int = _count("bytes", "L0 instruction cache of a sub-partition")
    l1_instruction_bytes: int = _count("bytes", "L1 instruction cache of an SM")
    l15_instruction_bytes: int = _count("bytes", "L1.5 cache of instructions, and as much again of constants")
    l0_fetch_latency: float = _cycles("line of code from the L1 to an L0")
    l1_fetch_latency: float = _cycles("line of code from the L1.5 to the L1, the other SMs at rest")
    l1_fetch_latency_busy: float = _cycles("line of code from the L1.5 to the L1, all SMs fetching")
    l15_fetch_latency: float = _cycles("line of code from L2 to the L1.5")
    l0_fetch_interval: float = _cycles("lines of code from an SM's L1 to its L0s, each")
    l1_fetch_interval: float = _cycles("lines of code from the L1.5 to an SM's L1, each")
    constant_bytes: int = _count("bytes", "an SM's cache of constants: for operands, and as much for loads")
    constant_fetch_interval: float = _cycles(
        "between requests for constants of an SM to the L1.5, all SMs asking"
    )
    immediate_miss_latency: float = _cycles("constant operand that misses its cache and hits the L1.5")
    indexed_miss_latency: float = _cycles(
        "LDC that misses its cache and hits the L1.5, on top of one that hits"
    )
    constant_l2_latency: float = _cycles("256 bytes of constants from L2 to the L1.5")

    # Launch
    block_retire_interval: float = _cycles("between the ends of two blocks of the whole GPU")
    first_wave_interval: float = _cycles("between two blocks of the first wave on one SM")
    warp_launch_interval: float = _cycles("each warp of a block that starts")
    block_start_latency: float = _cycles(
        "from a block's end until its successor's first instruction, less its warps'"
    )
    launch_spread_cycles: float = _field("cycles", "what such a launch adds when all SMs take part", ge=0)
    launch_overhead_cycles: float = _field("cycles", "what each of many back-to-back launches adds", ge=0)

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
