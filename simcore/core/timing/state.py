"""The numbers that timing needs, and the state of one SM's units, queues, caches and warps in time.

Time is in cycles of the SM's clock. Issue happens at whole cycles; shared resources keep the (fractional) time
at which they are free next, so nothing ticks: an instruction's whole path is reserved when it issues.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Timing(NamedTuple):
    """A GPU's numbers, as the core uses them; see the fields of the same names in `simcore.gpu.Gpu`."""

    schedulers: int
    slots_per_scheduler: int
    unit_interval: Ints  # [isa.UNITS] cycles for which an instruction holds its unit
    latency: Ints  # [isa.LATENCY_CLASSES] issue until the result is there
    read_window: int  # cycles in which an arithmetic instruction reads its sources
    has_lite: int  # whether there is a second FP32 pipe
    lg_queue_depth: int
    mio_queue_depth: int
    memory_buffer_depth: int  # instructions between the queues and the LSU, for each kind of queue
    address_interval: float
    store_word_interval: float  # each word of a store on top of that
    lsu_interval: float
    tag_interval: float  # a global or local access through the L1's tag stage
    l1_hit_latency: float
    shared_latency: float
    shared_atomic_interval: float
    l2_latency: float  # of an atomic
    store_latency: float  # from L2 taking a store until the warp may end
    l2_hit: Floats  # latency of a load from L2 at QUANTILES
    dram: Floats  # the same from DRAM
    l1_bytes_per_cycle: float
    shared_bytes_per_cycle: float
    l2_read_cycles_per_sector: float
    l2_request_cycles: float  # the least that a request for one line takes
    l2_write_cycles_per_sector: float
    l2_write_backlog: float  # cycles of writes that wait between the SMs and L2 before an SM must stop
    egress_cycles_per_sector: float  # of what an SM writes, on its own way out
    write_buffer_lines: int  # lines that wait between an SM and L2
    partial_sector_cost: float  # of a sector that is written in part, in whole sectors
    lone_sector_cost: float  # the least that a write to one line costs, in whole sectors
    l2_miss: Floats  # [buffer + 1] share of first touches that go to DRAM; the last is local memory's
    dram_cycles_per_byte: float
    dram_request_bytes: float  # what the least request costs
    dram_turnaround_bytes: float  # what a change between reads and writes costs
    atomic_interval: float  # one lane's integer atomic on a word of a slice
    atomic_float_interval: float  # one lane's floating-point atomic
    atomic_hot_lane_interval: float  # a lane of atomics on other words of the same line
    atomic_contention: Floats  # [buffer + 1] SMs that wait for each other where atomics aim, 1 for none
    atomic_sector_interval: float  # a sector of atomics when all slices share the work
    atomic_lane_interval: float  # a lane of such atomics
    barrier_latency: int
    barrier_interval: int
    barrier_data_interval: float  # of the data stage, for a barrier that lets a block go on
    special_register_interval: float
    match_interval: float  # one round of a match, through the stages that the schedulers share
    match_round_latency: float  # each further distinct value
    redux_interval: float
    branch_cycles: int
    indirect_cycles: int
    indirect_interval: int
    refetch_cycles: int
    reconverge_cycles: int
    front_sets: Ints  # [schedulers + front_end.BEHIND_L0] sets of each cache of the front end
    front_ways: Ints  # the same of its ways
    l0_fetch_latency: int
    l0_fetch_interval: int
    l1_fetch_latency: int
    l15_fetch_latency: int
    l1_fetch_interval: int
    constant_fetch_interval: float  # of this SM, among all that ask
    immediate_miss_latency: int
    indexed_miss_latency: int
    constant_l2_latency: int
    membar_cycles: int
    block_retire_interval: float
    first_wave_interval: float
    block_start_latency: float
    dram_queueing: float  # cycles that a load waits at half the DRAM's utilisation
    l1_sets: int
    l1_ways: int
    l2_sets: int
    l2_ways: int


class Ledger(NamedTuple):
    """What each cycle of each resident warp was given to: sums, and one by one those of a window of time."""

    warp: Ints  # [warp slot] who is in it: order of the block's launch * WARPS_OF_A_BLOCK + position in the block
    stalls: Ints  # [STALLS] warp-cycles by reason
    instruction_stalls: Ints  # [instruction, STALLS] the same of each instruction that waits
    window: Ints  # [2] first cycle that is recorded, and the first that no longer is; equal when none is
    recorded: Ints  # [1] events so far
    events: Ints  # [event, 6] warp slot, warp, instruction, reason, first cycle, first cycle after it


class Sm(NamedTuple):
    """One SM in time. Warp slot = scheduler * slots_per_scheduler + position."""

    ready: Ints  # [warp] earliest issue by the warp's own state
    accounted: Ints  # [warp] first cycle not yet given to a stall reason
    unit: Ints  # [warp] unit of the next instruction
    launched: Ints  # [1] blocks so far
    retired: Ints  # [block] when each ended, in the order of their ends
    release: Ints  # [warp, 6] when each dependence counter falls to zero
    release_long: Ints  # [warp, 6] whether that is for an L1TEX operation
    pending: Ints  # [warp, 6, 64] release times of what a DEPBAR may wait for
    pending_count: Ints  # [warp, 6]
    fetch_line: Ints  # [warp] line of code that it issues from
    indirect_free: Ints  # [scheduler] when the next branch to a register's address may be resolved
    fetch_free: Ints  # [2] when the L0s and the L1 of instructions may take their next line
    constant_free: Floats  # [1] when the L1.5 takes this SM's next request for constants
    fetch_sent: Ints  # [line] when the L1's last transfer of it to an L0 is done
    front_ready: (
        Ints  # [schedulers + front_end.BEHIND_L0, line] when the line is there, NEVER if it was not asked for
    )
    front_lines: Ints  # [the same, set, way] which line, or -1
    front_next: Ints  # [the same, set] the way that is filled next
    barrier: Ints  # [warp] block barrier waited at, or -1
    barrier_since: Ints  # [warp] first cycle of that wait
    next_pass: Ints  # [scheduler]
    last_pass: Ints  # [scheduler]
    last_warp: Ints  # [scheduler] the greedy choice
    unit_free: Ints  # [scheduler, isa.UNITS]
    bank_free: Ints  # [scheduler, 2] next free read of each register bank
    allocated: Ints  # [scheduler] when the last arithmetic instruction had its reads reserved
    queue: Floats  # [scheduler, 2, 64] when the last entries of the LG and MIO queues left
    queue_head: Ints  # [scheduler, 2]
    buffer: Floats  # [2, memory_buffer_depth] when the last entries of the shared LG and MIO buffers left
    buffer_head: Ints  # [2]
    scheduler_data_free: Floats  # [scheduler] when the data stage takes its next instruction
    address_free: Floats  # [scheduler, 2]
    shared_free: Floats  # [PORTS] stages that the schedulers share
    load: Floats  # [PORTS] utilisation of late, 0 to 1
    load_since: Floats  # [PORTS] when that was last brought up to date
    dram_write_share: Floats  # [1] of the requests to DRAM of late
    copies_done: Floats  # [warp] when its asynchronous copies are there
    stores_left: Floats  # [warp] when the last store has left the SM
    busy: Floats  # [PORTS] cycles for which those stages were held
    counters: Floats  # [COUNTERS]
    block_warps: Ints  # [block slot] warps still running
    block_slots: Ints  # [block slot, warp of block] its warp slots
    arrived: Ints  # [block slot, barrier]
    expected: Ints  # [block slot, barrier]
    l1_tag: Ints  # [set, way] line number, -1 when empty
    l1_used: Ints  # [set, way] time of last use, for LRU
    l1_sector: Floats  # [set, way, 4] when the sector is (or will be) there, NEVER if not asked for
    l2_tag: Ints
    l2_used: Ints
    l2_sector: Ints  # [set, way, 4] what this SM did with it: see l2.UNTOUCHED
    touched: (
        Floats  # [buffer + 1] bytes of the lines that this SM touched, each counted once while L2 keeps it
    )
    line: Ints  # [128] lines of the access at hand
    line_words: Ints  # [128] bit mask of the words of each
    waiting_line: Ints  # [write_buffer_lines] lines on their way to L2
    waiting_words: Ints  # [write_buffer_lines] their words, a bit each
    waiting_until: Floats  # [write_buffer_lines] when L2 takes them
    waiting_head: Ints  # [1] the oldest
    issues: Ints  # [instruction] how often each was issued
    ledger: Ledger


QUANTILES = (0.0, 0.1, 0.5, 0.9, 0.99, 1.0)
"""Shares of loads at which the latency tables give values; between them latencies lie on lines."""

# Shared stages of an SM
(
    PORT_DATA, PORT_TAGS, PORT_L2, PORT_DRAM, PORT_ATOMIC, PORT_L2_WRITE, PORT_RETIRE, PORT_BARRIER, PORT_EGRESS, PORTS,
) = range(10)  # fmt: skip

WARPS_OF_A_BLOCK = 64  # more than a block can have

# Stall reasons, in the order of `simcore.diagnosis.stalls.REASONS`
(
    SELECTED, NOT_SELECTED, WAIT, LONG_SCOREBOARD, SHORT_SCOREBOARD, MATH_PIPE_THROTTLE, MIO_THROTTLE, LG_THROTTLE,
    TEX_THROTTLE, DISPATCH_STALL, NO_INSTRUCTION, IMC_MISS, BRANCH_RESOLVING, BARRIER, MEMBAR, DRAIN, SLEEPING,
    MISC, GMMA, STALLS,
) = range(20)  # fmt: skip

# What is counted
(COUNT_L2_SECTORS, COUNT_DRAM_BYTES, COUNT_L2_WRITE_SECTORS, COUNT_RESIDENT, COUNTERS) = range(5)
