"""The machine that the core works on: named tuples of arrays, so that the jitted functions take one argument.

Memory is one array of 32-bit words: the backed global buffers, then the shared memory of each block slot, then
the local memory of each warp slot, then the constant banks. `buffer_word` is the first word of a buffer in it,
or -1 where no contents are kept because nothing that was asked for depends on them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint32]


class Machine(NamedTuple):
    """Everything that executing instructions reads and writes.

    Warps are numbered by slot; a warp's lanes that run now are `active`, the others stand where
    `lane_*` says (divergence). All masks have a bit a lane.
    """

    code: NDArray[np.void]  # layout.INSTRUCTION
    code_end: int  # where the instructions begin that fill it up
    action: NDArray[np.uint8]  # isa.SKIP, ADDRESS_ONLY or EXECUTE for each instruction
    idle: Ints  # how many from each on change nothing but the place where the warp stands
    visited: NDArray[np.uint8]  # whether the interpreter came to each instruction, of those that change more
    registers: Words  # rows of 32
    first_own_row: int
    own_rows: int
    predicates: NDArray[np.uint32]  # [warp * isa.PREDICATES + predicate]
    pc: Ints  # [warp]
    active: NDArray[np.uint32]  # [warp] lanes that run now
    live: NDArray[np.uint32]  # [warp] lanes that have not exited
    barriers: NDArray[
        np.uint32
    ]  # [warp, 23]: convergence barriers B0..15, and what else `execution.flow` names
    returns: Ints  # [warp, 32]: where each lane goes on after a collective, times 2, plus 1 if it waited
    lane_pc: Ints  # [warp, 32]: where each lane that does not run stands
    lane_wait: Ints  # [warp, 32]: the barrier that it waits at, or -1 and below, as `execution.flow` names it
    lane_mates: NDArray[np.uint32]  # [warp, 32]: the lanes that took part in it when this one came to it
    warp_block: Ints  # [warp] block slot
    warp_index: Ints  # [warp] position in its block
    block_index: Ints  # [block slot, 3] blockIdx
    block_shape: Ints  # blockDim x, y, z
    grid_shape: Ints  # gridDim x, y, z
    memory: Words
    buffer_start: Ints  # [buffer] device address
    buffer_end: Ints
    buffer_word: Ints
    shared_word: int  # first word of shared memory in `memory`
    shared_words: int  # words a block slot
    shared_limit: int  # bytes a block may address, the system's reserve included
    local_word: int
    local_words: int  # words a thread
    constant_word: Ints  # [bank] first word in `memory`
    constant_bytes: Ints  # [bank]
    tallies: (
        Ints  # [block slot, block barrier, 3 in turn, 2]: lanes where BAR.RED's predicate held, lanes in all
    )
    reductions: Ints  # [warp, 20]: BAR.RED's at each block barrier, the last one, and who waits for the warp
    cycles_per_microsecond: int  # of the SM's clock
    scratch: NDArray[np.uint32]  # [8 * 32]: sources and results, lane by lane
    scratch_float: NDArray[np.float32]  # the same memory
    wide: NDArray[np.uint64]  # [5 * 32]
    wide_float: NDArray[np.float64]  # the same memory
    address: Ints  # [32] what the last memory instruction addressed
    report: Ints  # what stopped the run: see REPORT_*
    units: Ints  # [family] its number, then the address of what executes it (`execution.families`)


class Footprint(NamedTuple):
    """Which lines blocks touch, by buffer; local memory comes after the last one.

    Attributes:
        touched: [buffer + 1] bytes of the lines, each counted once.
        written: [buffer + 1] whether any of them was written.
        read: [buffer + 1] whether any of them was read, or is what atomics aim at.
        seen: which lines those are: a bit for each line of the buffers and then of local memory, 64 to a word; none
            are noted where there are no words.
        first: [buffer + 1] the first bit of each.
        last: [lane] which sectors of each DRAM brings together for the last access that was noted, and which lanes took
            part in it, none if it was a store.
    """

    touched: NDArray[np.float64]
    written: Ints
    read: Ints
    seen: Ints
    first: Ints
    last: Ints


class Demand(NamedTuple):
    """What blocks demand of L2 if they are executed without time.

    Attributes:
        footprint: the lines.
        asked: [line] its sectors that were read, a bit each, and above them how many lines had been claimed when it
            was the last time, of those in the footprint; none are noted where there are no lines.
        claimed: [2] how many lines were claimed, as each is at first, and when so many others were since as L2 holds;
            and how many of those were claimed before.
        fetched: [buffer + 1] bytes that DRAM brings if it brings each sector once.
        l2_lines: of the SM's part of L2.
        fetch_bits: log2 of the sectors that DRAM brings at a time.
    """

    footprint: Footprint
    asked: NDArray[np.int32]
    claimed: Ints
    fetched: NDArray[np.float64]
    l2_lines: int
    fetch_bits: int


_NONE = np.zeros(0, np.int64)
_NO_FOOTPRINT = Footprint(np.zeros(0), _NONE, _NONE, _NONE, _NONE, _NONE)
NO_DEMAND = Demand(_NO_FOOTPRINT, _NONE.astype(np.int32), _NONE, np.zeros(0), 0, 0)
"""Where nobody asks for it."""


REPORT_STATUS = 0
REPORT_PC = 1
REPORT_WARP = 2
REPORT_LANE = 3
REPORT_ADDRESS = 4
REPORT_LANES = 5  # lanes that the last memory instruction served
REPORT_CLOCK = 6  # what CLOCK reads, cycles
REPORT_BUFFER = 7
REPORT_BARRIER = 8  # the block barrier just arrived at
REPORT_EXPECTED = 9  # threads it waits for; 0 is the whole block
REPORT_SPACE = 10  # the memory space that the last memory instruction came to
REPORT_SLEEP = 11  # cycles that a NANOSLEEP takes
REPORT_INSTRUCTIONS = 12  # that a warp repeats, or that its block has executed
REPORT_PHASES = 13  # phases of asynchronous barriers that the last instruction ended
REPORT_GIVES_UP = 14  # whether the next check of an asynchronous barrier does not suspend its warp
REPORT_BOUNDS = 15  # whether reads outside of all buffers give zero; else they are faults
REPORT_OUTSIDE = 16  # how many did
REPORT_UNSURE = 17  # how often parted lanes went on in an order that is not modelled exactly
REPORT_CONSTANTS = 18  # different addresses that the lanes of a load from constant memory ask for
REPORT_CONSTANT = 19  # the first lane's, in bytes of its bank
REPORT_IN_A_ROW = 20  # whether the last memory instruction's lanes access one place after the other
REPORTS = 21
