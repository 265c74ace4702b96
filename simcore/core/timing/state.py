"""The state of one SM's units, queues, caches and warps in time.

Time is in cycles of the SM's clock. Issue happens at whole cycles; shared resources keep the (fractional) time
at which they are free next, so nothing ticks: an instruction's whole path is reserved when it issues.
"""

from typing import NamedTuple

from simcore.core.machine import Footprint
from simcore.core.timing.parameters import Floats, Ints


class Ledger(NamedTuple):
    """What each cycle of each resident warp was given to: sums, and one by one those of a window of time."""

    warp: Ints  # [warp slot] who is in it: order of the block's launch * MAX_WARPS_PER_BLOCK + position in the block
    instruction_stalls: Ints  # [instruction, STALLS] warp-cycles by reason, of each instruction that waits
    window_begin: int  # first cycle that is recorded
    window_end: int  # the first that no longer is; the same when none is
    recorded: Ints  # [1] events so far
    events: Ints  # [event, 6] warp slot, warp, instruction, reason, first cycle, first cycle after it

    @property
    def stalls(self) -> Ints:
        """[STALLS] warp-cycles by reason."""
        stalls: Ints = self.instruction_stalls.sum(axis=0)
        return stalls


class Sm(NamedTuple):
    """One SM in time. Warp slot = scheduler * slots_per_scheduler + position."""

    # Warps
    ready: Ints  # [warp] earliest issue by the warp's own state; NEVER behind the last one (jit.rows)
    counting: Ints  # [warp] when its stall count has run out
    turn: Ints  # [warp] which goes first of those that are eligible: see eligibility.turn
    accounted: Ints  # [warp] first cycle not yet given to a stall reason
    unit: Ints  # [warp] unit of the next instruction, or EMPTY where no warp is
    barrier: Ints  # [warp] block barrier waited at, or NOT_WAITING
    barrier_since: Ints  # [warp] first cycle of that wait
    barrier_open: Ints  # [warp] when the last barrier that it passed lets it go
    suspended: Ints  # [warp] first cycle that a check of an asynchronous barrier has it wait, or NOT_WAITING
    stores_left: Floats  # [warp] when the last store has left the SM
    updates: Ints  # [warp] NOTHING_WRITTEN, HAS_WRITTEN or READ_AGAIN
    unfenced: Ints  # [warp] 1 if it accessed global memory since its last memory barrier beyond the block
    copies_done: Floats  # [warp] when its asynchronous copies are there

    # Arrivals at asynchronous barriers that come with copies
    arrivals: Ints  # [ARRIVALS, phases.ARRIVAL] those under way
    arrivals_under_way: Ints  # [1] how many
    next_arrival: Ints  # [1] when the first of them is due, NEVER if there is none

    # Dependence counters of each warp
    release: Ints  # [warp, scoreboard.ROW] when each falls to zero, and which do so for an L1TEX operation, a bit each
    pending: (
        Ints  # [warp, 6, scoreboard.REMEMBERED] release times of what a DEPBAR may wait for, if there is one
    )
    pending_count: Ints  # [warp, 6]

    # Schedulers
    next_pass: Ints  # [scheduler] when one of its warps may issue
    last_pass: Ints  # [scheduler] when it was last looked at
    last_warp: Ints  # [scheduler] the warp that issued last, -1 before the first
    last_double_warp: Ints  # [scheduler] the same of FP64
    greedy: Ints  # [scheduler] the same, or -1 once that has yielded
    issue_count: Ints  # [scheduler] instructions that its warps have issued
    next_ready: Ints  # [scheduler] when the next warp that is not ready will be
    stopped_warps: Ints  # [scheduler] how many warps wait for others, nobody knows until when
    has_changed: Ints  # [scheduler] 1 if another warp has decided since when one will be ready
    ready_warps: Ints  # [scheduler] warps that were ready at the last pass and have not issued, a bit for each position
    ready_for: Ints  # [scheduler, isa.UNITS] those of each unit
    wanted: Ints  # [scheduler] units that some are ready for, a bit each
    held: Ints  # [scheduler, isa.UNITS, pipes.HELD] cycles for which those of a unit were held up, by what
    held_before: Ints  # [warp, pipes.HELD] the same when the warp became ready
    held_up: Ints  # [instruction, pipes.HELD] cycles for which warps were, not yet given to stall reasons
    unit_free: Ints  # [scheduler, AT_ONCE] when the next instruction may issue to each unit (jit.rows)
    xu_free: Floats  # [scheduler] when the XU may begin the next one
    banks_at: Ints  # [scheduler] when the last instruction's registers began to be read
    banks_taken: Ints  # [scheduler, 2] cycles from then on in which each register bank is read, a bit each
    register_traffic: (
        Floats  # [scheduler] part of a cycle for which registers that move still hold arithmetic up
    )
    returning: Ints  # [scheduler, register_writes.PLACES, COLUMNS] loads whose registers are on their way
    returning_count: Ints  # [scheduler] how many
    pairs_waiting: Floats  # [scheduler] cycles that the pairs of registers take which wait to be written
    pairs_seen: Ints  # [scheduler] when it was looked last at how many do
    pairs_issue_count: Ints  # [scheduler] `issue_count` then
    idle_share: Floats  # [scheduler] share of the last cycles before that in which nothing issued
    allocated: Ints  # [scheduler, 2] when the pipes.LAST and the pipes.BEFORE arithmetic instruction leave that stage
    stopped: Ints  # [scheduler, 2, 2] first cycle of the same two's wait there, and the first after it

    # Blocks
    launched: Ints  # [1] blocks so far
    ended: Ints  # [1] blocks so far
    retired: Ints  # [block] when each ended, in the order of their ends
    next_scheduler: Ints  # [1] which the next block's first warp goes to
    block_warps: Ints  # [block slot] warps still running
    block_slots: Ints  # [block slot, warp of block] its warp slots
    arrived: Ints  # [block slot, barrier]
    expected: Ints  # [block slot, barrier]

    # The front end
    fetch_line: Ints  # [warp] line of code that it issues from
    starved: Ints  # [scheduler] warps that had to wait for a line from the L1.5, a bit for each position
    indirect_free: Ints  # [scheduler] when the next branch to a register's address may be resolved
    fetch_free: Ints  # [2] when the L0s and the L1 of instructions may take their next line
    fetch_sent: Ints  # [line] when the L1's last transfer of it to an L0 is done
    constant_free: Floats  # [1] when the L1.5 takes this SM's next request for constants
    # Its caches: [schedulers + front_end.BEHIND_L0] of them
    front_ready: Ints  # [cache, line] when the line is there, NEVER if it was not asked for
    front_lines: Ints  # [cache, set, way] which line, or -1
    front_next: Ints  # [cache, set] the way that is filled next

    # The way of a memory instruction
    queue: Floats  # [scheduler, QUEUES, depth] when the last entries of the MIO, ADU and LG queues left
    queue_head: Ints  # [scheduler, QUEUES]
    lg_room_from: Ints  # [scheduler] when there is room for one more in LG's part of the MIO queue
    loads: Floats  # [load_buffer_depth] when loads left the buffer between the tag stage and the data stage of L1
    loads_head: Ints  # [1] the first of them
    pending_loads: Floats  # [place] when the load that waits for lines on their way there is served
    free_places: Ints  # [pending_loads + 1] how many of these are known to be free, and which
    buffer: Floats  # [QUEUES, depth] when those of the buffers that schedulers share left
    buffer_head: Ints  # [QUEUES]
    address_free: Floats  # [scheduler, QUEUES] when the next instruction may leave a queue
    scheduler_data_free: Floats  # [scheduler] when the data stage takes its next instruction
    shared_free: Floats  # [PORTS] stages that the schedulers share
    busy: Floats  # [PORTS] cycles for which those stages were held
    contended_free: Floats  # [buffer + 1] when the slices at which all SMs' atomics aim have served this SM's
    contended_busy: Floats  # [buffer + 1] cycles for which they did
    atomics_sent: Floats  # [1] when those of this SM before have left its way to L2
    atomics_left: Floats  # [place] when the atomic in each place before the tag stage leaves
    atomics_head: Ints  # [1] the place that is free first
    # The data stage's time ahead, place = bin's number % DATA_BINS
    data_bin: Ints  # [place] which bin is counted there, -1 for none
    data_taken: Floats  # [place] cycles that are taken
    data_loads: Floats  # [place] those of them that loads take
    data_full: Ints  # [2] the first of a stretch of bins that are full, and the first that may not be
    repeated_passes: Floats  # [1] share of the data stage's cycles in which a load passes again
    line: Ints  # [geometry.MAX_LINES] lines of the access at hand
    line_words: Ints  # [geometry.MAX_LINES] bit mask of the words of each
    late_lines: Ints  # [1] how many of them, the last, the load at hand does not find in L1

    # L1; place = set * ways + way
    l1_tag: Ints  # [place] line number, -1 when empty
    l1_used: Ints  # [place] time of last use, the way (l2.WAY_BITS), and whether it is protected (l1_sets.PROTECTED)
    l1_in_use: Ints  # [bank] lines
    l1_hand: Ints  # [bank] to which of its sets the hand came last
    holding: Ints  # [3] see held_places
    held_places: Ints  # [held_places.BINS] places of L1 that are held, by when they are free
    l1_place: Ints  # [warp, geometry.MAX_LINES] where the lines of its last access were
    l1_sector: Floats  # [place, 4] when the sector is (or will be) there, NEVER if not asked for
    l1_woken: Floats  # [place, 4] when the last load that waited for a sector there has been woken
    woken: Floats  # [1] the same, the latest of what the load at hand found there

    # L2 and DRAM
    l2_tag: Ints  # as of L1, of this SM's part of L2
    l2_used: Ints
    l2_done: Ints  # [place] what this SM did with the line: see l2.ATOMIC
    l2_partial: Ints  # [place] words written of a line that lacks some: see partial_sectors.LACKING_SHIFT
    partial: Ints  # [partial_sectors.MOST, partial_sectors.PARTIAL] such lines, the oldest overwritten next
    partial_next: Ints  # [1] which that is
    footprint: Footprint  # what this SM touched, whether or not L2 lost it meanwhile
    fetched: Floats  # [buffer + 1] bytes that DRAM would have brought, had this SM found nothing in L2
    waiting_line: Ints  # [scheduler, write_buffer_lines] lines on their way to L2
    waiting_words: Ints  # [scheduler, write_buffer_lines] their words, a bit each
    waiting_since: Floats  # [scheduler, write_buffer_lines] when they came
    waiting_until: Floats  # [scheduler, write_buffer_lines] when L2 takes them at the earliest
    waiting: Ints  # [scheduler] how many they are
    waiting_head: Ints  # [scheduler] the oldest
    store_passed: Floats  # [1] when the last store has passed the tag stage
    store_share: Floats  # [scheduler] of what it has sent to the LSU lately, stores
    storing_until: Floats  # [scheduler] when its last store passes the tag stage
    load: Floats  # [PORTS] utilisation of late, 0 to 1
    load_since: Floats  # [PORTS] when that was last brought up to date
    dram_write_share: Floats  # [1] of the requests to DRAM of late
    dram_requests: Ints  # [1] so far
    dram_evicted: Floats  # [2] of what leaves L2 for DRAM and is no line yet
    dram_left: Floats  # [2] of all that was written and leaves L2 some day
    dram_page: Ints  # [dram.PAGES] pages of DRAM that were read last, by the low bits of their numbers
    dram_page_until: Floats  # [dram.PAGES] until when what is read of each is near

    # What is counted
    counters: Floats  # [COUNTERS]
    ledger: Ledger

    @property
    def issues(self) -> Ints:
        """[instruction] how often each was issued: cycles for which it was selected."""
        return self.ledger.instruction_stalls[:, SELECTED]


# Shared stages of an SM
(
    PORT_DATA, PORT_TAGS, PORT_L2, PORT_DRAM, PORT_ATOMIC, PORT_L2_WRITE, PORT_RETIRE, PORT_BARRIER, PORT_EGRESS,
    PORT_PHASE, PORT_ADU, PORT_TO_LSU, PORT_TO_ADU, PORT_MATCH, PORT_L2_FILL, PORT_YIELD,
    PORT_HOT_SLICE, PORT_FROM_L2, PORTS,
) = range(19)  # fmt: skip

DATA_BINS = 16384  # of the data stage's time; what is due still later finds it free

EMPTY = -1  # of a warp slot
NOT_WAITING = -1  # at a block barrier, or for a phase of an asynchronous one

# How far a warp has come that updates global memory more than once: it has written, and read after that.
(NOTHING_WRITTEN, HAS_WRITTEN, READ_AGAIN) = range(3)

ARRIVALS = 1024  # with copies, more than are under way at a time

# Stall reasons, in the order of `simcore.diagnosis.stalls.REASONS`
(
    SELECTED, NOT_SELECTED, WAIT, LONG_SCOREBOARD, SHORT_SCOREBOARD, MATH_PIPE_THROTTLE, MIO_THROTTLE, LG_THROTTLE,
    TEX_THROTTLE, DISPATCH_STALL, NO_INSTRUCTION, IMC_MISS, BRANCH_RESOLVING, BARRIER, MEMBAR, DRAIN, SLEEPING,
    MISC, GMMA, STALLS,
) = range(20)  # fmt: skip

# What is counted
(
    COUNT_L2_SECTORS, COUNT_DRAM_BYTES, COUNT_L2_WRITE_SECTORS, COUNT_RESIDENT, COUNT_LOADS, COUNT_LOAD_SECTORS,
    COUNT_L1_MISSES, COUNT_SHARED, COUNT_SHARED_WAVEFRONTS, COUNT_BANK_CONFLICTS, COUNTERS,
) = range(11)  # fmt: skip
