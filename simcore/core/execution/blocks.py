"""Put thread blocks into slots, and run blocks for their results alone, without time."""

import numpy as np

from simcore.core import isa
from simcore.core.execution import demand, native, outcomes, progress, trail
from simcore.core.execution.memory import phases
from simcore.core.execution.slopes.follow import follow, note_moves
from simcore.core.execution.slopes.state import FAILED
from simcore.core.execution.step import step
from simcore.core.jit import by_reference, entry, jit, jit_inline
from simcore.core.machine import (
    REPORT_ADDRESS,
    REPORT_BARRIER,
    REPORT_EXPECTED,
    REPORT_GIVES_UP,
    REPORT_INSTRUCTIONS,
    REPORT_PC,
    REPORT_STATUS,
    REPORT_WARP,
)

MAX_BARRIERS = 16

TURN = 1 << 14
"""Instructions after which another warp goes on, on which what this one polls may depend; but see `_may_be_watched`."""

MAX_CHECKS_GIVEN_UP = 1000
"""How often time may run out in a block for a check of an asynchronous barrier, until that is a deadlock."""

(RUNNING, AT_BARRIER, FINISHED) = range(3)

(STATE, WAITING_AT, INSTRUCTIONS, STUCK, ARRIVED, EXPECTED, WATCH) = range(7)
"""Rows of the integers that a run of blocks works in: four of warps, two of barriers, and the watch of `progress`."""

TALLY = (7, 64)


@jit()
def set_block(m, slot, block):
    """Put block number `block` of the grid in a block slot."""
    width, height = m.grid_shape[0], m.grid_shape[1]
    m.block_index[slot, 0] = block % width
    m.block_index[slot, 1] = block // width % height
    m.block_index[slot, 2] = block // (width * height)
    for barrier in range(MAX_BARRIERS):
        for turn in range(3):
            m.tallies[slot, barrier, turn, 0] = 0
            m.tallies[slot, barrier, turn, 1] = 0


@jit()
def set_warp(m, w, slot, index):
    """Start warp `index` of the block in a block slot, in a warp slot."""
    threads = m.block_shape[0] * m.block_shape[1] * m.block_shape[2]
    lanes = min(threads - index * 32, 32)
    m.pc[w] = 0
    m.active[w] = np.uint32(isa.FULL_MASK) if lanes == 32 else np.uint32((1 << lanes) - 1)
    m.live[w] = m.active[w]
    for barrier in range(m.reductions.shape[1]):
        m.reductions[w, barrier] = 0
    m.warp_block[w] = slot
    m.warp_index[w] = index
    for p in range(isa.PREDICATES):
        true = p == isa.PREDICATE_TRUE or p == isa.UNIFORM_PREDICATE_TRUE
        m.predicates[w * isa.PREDICATES + p] = np.uint32(isa.FULL_MASK if true else 0)
    for b in range(m.barriers.shape[1]):
        m.barriers[w, b] = np.uint32(0)


@entry()
def run_blocks(machine, tally, context, block_list, executed, longest, limit, noted, demanded, compared):
    """Run some blocks of the grid one after the other.

    Args:
        tally: [TALLY] integers to work in; the watch's patience is given.
        context: [native.CONTEXT] whether there is a stretch, and room for what it needs to know and for counts.
        block_list: the blocks' numbers.
        executed: [block] takes the warp instructions of each; `m.report` tells how it ended.
        longest: [block] takes the most that one of its warps executed.
        limit: bounds one block's instructions.
        noted: `trail.Trail`, which takes what they touch, in order, and has the log of a stretch that logs.
        demanded: `machine.Demand`, which takes all that they demand of L2.
        compared: `slopes.state.Slopes`, which takes what one of them says about other blocks, until nothing is known.
    """
    m, notes, demands, likes = (
        by_reference(machine),
        by_reference(noted),
        by_reference(demanded),
        by_reference(compared),
    )
    native.prepare(m, context, notes.log, notes.mask)
    threads = m.block_shape[0] * m.block_shape[1] * m.block_shape[2]
    warps = (threads + 31) // 32
    for i in range(block_list.size):
        set_block(m, 0, block_list[i])
        for w in range(warps):
            set_warp(m, w, 0, w)
        executed[i] = _run_block(m, tally, warps, limit, context, notes, notes.first + i, demands, likes)
        for w in range(warps):
            longest[i] = max(longest[i], tally[INSTRUCTIONS, w])
        if m.report[REPORT_STATUS] != isa.OK:
            return


@jit_inline()
def _run_block(m, tally, warps, limit, context, notes, block, demands, likes):
    """Warps run in turn, each until it waits at a barrier, gives way, is stuck without the others, or ends."""
    state, waiting_at, instructions = tally[STATE], tally[WAITING_AT], tally[INSTRUCTIONS]
    stuck, arrived, expected, watch = tally[STUCK], tally[ARRIVED], tally[EXPECTED], tally[WATCH]
    for i in range(tally.shape[1]):
        state[i] = RUNNING
        instructions[i] = 0
        stuck[i] = 0
        arrived[i] = 0
        expected[i] = 0
    # A stretch looks at its budget where it jumps back; where the order of accesses is noted, turns end on time.
    in_order = notes.entries.shape[0] or demands.footprint.seen.size
    overrun = m.code.size + 1 if in_order else 0
    executed = 0
    finished = 0
    last_event = 0
    given_up = 0
    while finished < warps:
        moved = False
        suspended = False
        for w in range(warps):
            if state[w] != RUNNING:
                continue
            begun = instructions[w]
            if stuck[w]:
                progress.begin_again(m, w, watch, begun)
            else:
                progress.expect(watch, begun)
            watched = _may_be_watched(watch, executed - last_event, warps)
            turn_ends = isa.NEVER if watched else begun + TURN
            stands = False
            gives_way = False
            while state[w] == RUNNING and not stands and not gives_way:
                count = 0
                unwatched = watch[progress.OPENS] - instructions[w]
                room = min(limit - executed, min(turn_ends, notes.most) - overrun - instructions[w])
                if context[native.STRETCH] != native.NONE and unwatched > 0 and (room > 0 or not overrun):
                    count += native.run(m, context, w, min(room, unwatched))
                    if notes.entries.shape[0]:
                        trail.take(m, notes, context[native.LOGGED], block, instructions[w], warps)
                    if demands.footprint.seen.size:
                        demand.take(m, demands, notes.log, context[native.LOGGED])
                m.visited[m.pc[w]] = 1
                until = min(watch[progress.OPENS], turn_ends, notes.most) - 1
                count += _walk_on(m, w, min(until - instructions[w], limit - executed) - count)
                at = m.pc[w]
                m.visited[at] = 1
                if likes.state.size:
                    follow(m, likes, w)
                    if likes.state[FAILED]:
                        return executed
                outcome = step(m, w)
                context[native.STEPS] += 1
                count += outcome != outcomes.SUSPENDED
                executed += count
                instructions[w] += count
                if demands.footprint.seen.size and outcome != outcomes.STOPPED:
                    demand.note(m, demands, at)
                if notes.entries.shape[0]:
                    begin = notes.noted[trail.ENTRIES]
                    trail.note(m, notes, at, block, instructions[w] * warps)
                    note_moves(likes, begin, notes.noted[trail.ENTRIES])
                    if instructions[w] >= notes.most and outcome != outcomes.STOPPED:
                        outcome = outcomes.ENDED
                if outcome == outcomes.SUSPENDED or outcome == outcomes.GIVE_WAY:
                    gives_way = True
                    suspended |= outcome == outcomes.SUSPENDED
                elif outcome == outcomes.ARRIVE_WITH_COPIES:
                    phases.arrive_with_copies(m, w, m.code[m.pc[w] - 1].mode)
                elif outcome == outcomes.ENDED:
                    state[w] = FINISHED
                    finished += 1
                    last_event = executed
                elif outcome == outcomes.ARRIVE or outcome == outcomes.ARRIVE_AND_GO_ON:
                    barrier = m.report[REPORT_BARRIER]
                    arrived[barrier] += 1
                    expected[barrier] = m.report[REPORT_EXPECTED] // 32
                    if outcome == outcomes.ARRIVE:
                        state[w] = AT_BARRIER
                        waiting_at[w] = barrier
                    progress.expect(watch, instructions[w])
                elif outcome == outcomes.STOPPED:
                    return executed
                elif instructions[w] >= watch[progress.OPENS]:
                    stands = progress.is_stuck(m, w, watch, instructions[w])
                gives_way |= instructions[w] >= turn_ends
                if executed > limit:
                    _report(m, w, isa.LIMIT, executed)
                    return executed
            repeats = stands and stuck[w] and watch[progress.OPENS] == begun
            moved |= instructions[w] > begun and not repeats
            if stuck[w] and not repeats:
                last_event = executed
            stuck[w] = stands
        for barrier in range(MAX_BARRIERS):
            need = expected[barrier] if expected[barrier] else warps - finished
            if arrived[barrier] and arrived[barrier] >= need:
                moved = True
                last_event = executed
                arrived[barrier] = 0
                for w in range(warps):
                    if state[w] == AT_BARRIER and waiting_at[w] == barrier:
                        state[w] = RUNNING
        if not moved and suspended and given_up < MAX_CHECKS_GIVEN_UP:
            m.report[REPORT_GIVES_UP] = 1
            given_up += 1
        elif not moved:
            m.report[REPORT_STATUS] = isa.DEADLOCK
            for w in range(warps):
                if stuck[w] and state[w] == RUNNING:
                    _report(m, w, isa.ENDLESS, watch[progress.PERIOD])
                    _repeat(m, w, watch[progress.PERIOD])
            return executed
    return executed


@jit_inline()
def _walk_on(m, w, most):
    """A warp passes the instructions that need not be executed, until one that does. Returns how many."""
    count = max(min(m.idle[m.pc[w]], most), 0)
    m.pc[w] += count
    return count


@jit_inline()
def _may_be_watched(watch, quiet, warps):
    """Whether a turn may last until the warp is stuck: nothing has come of very many short ones."""
    return watch[progress.PATIENCE] < isa.NEVER and quiet > warps * watch[progress.PATIENCE]


@jit()
def _repeat(m, w, instructions):
    """Have a warp that repeats itself do so once more, to report the last address that it comes to."""
    for x in range(isa.LANES):
        m.address[x] = progress.NOWHERE
    for _ in range(instructions):
        step(m, w)
    m.report[REPORT_ADDRESS] = progress.NOWHERE
    for x in range(isa.LANES):
        m.report[REPORT_ADDRESS] = max(m.report[REPORT_ADDRESS], m.address[x])


@jit()
def _report(m, w, status, instructions):
    """Why a block is not run to its end, and the warp that shows it."""
    m.report[REPORT_STATUS] = status
    m.report[REPORT_PC] = m.pc[w]
    m.report[REPORT_WARP] = w
    m.report[REPORT_INSTRUCTIONS] = instructions
