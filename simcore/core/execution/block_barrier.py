"""BAR: the barriers of a block, and the reductions over the block that they carry."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ALL, ONE, A, B, D, first_of, predicate_in, set_predicate
from simcore.core.execution.outcomes import ARRIVE, ARRIVE_AND_GO_ON, GO_ON, STOPPED
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_BARRIER, REPORT_EXPECTED, REPORT_PC, REPORT_STATUS, REPORT_WARP

LANES = isa.LANES
TURNS = 3  # tallies of one barrier
(HELD, ARRIVED) = range(2)  # in a tally: lanes whose predicate held, lanes in all
(REDUCE_COUNT, REDUCE_ALL, REDUCE_ANY) = range(3)

# In `reductions`, after the counts of the 16 barriers: the last reduction, its barrier and from bit 4 on its kind.
LAST_REDUCTION = 16
BARRIER_BITS = 4


@jit_inline()
def announce(m, ins, w):
    """BAR.ARV: count as arrived, and go on."""
    _name_barrier(m, ins, w)
    m.pc[w] += 1
    return ARRIVE_AND_GO_ON


@jit_inline()
def arrive(m, ins, w, reduces):
    """BAR.SYNC and BAR.RED: a warp arrives with whatever lanes run; where it has come apart, each part does."""
    _name_barrier(m, ins, w)
    if reduces:
        _add_to_tally(m, ins, w)
    m.pc[w] += 1
    return ARRIVE


@jit_inline()
def outcome_of_wait(m, w):
    """After a wait some part of the warp runs on, if one can."""
    if m.active[w]:
        return GO_ON
    m.report[REPORT_STATUS] = isa.DEADLOCK
    m.report[REPORT_PC] = m.pc[w]
    m.report[REPORT_WARP] = w
    return STOPPED


@jit_inline()
def _name_barrier(m, ins, w):
    """Report which barrier, and how many threads it waits for."""
    first = first_of(m.active[w])
    m.report[REPORT_BARRIER] = m.scratch[A + first]
    m.report[REPORT_EXPECTED] = m.scratch[B + first] if ins.sources > 1 else 0


@jit()
def _add_to_tally(m, ins, w):
    """Count the lanes that arrive at BAR.RED, and those where its predicate holds.

    Three tallies take turns: while one is read, late arrivals find the next one cleared.
    """
    barrier = m.report[REPORT_BARRIER]
    slot = m.warp_block[w]
    turn = m.reductions[w, barrier] % TURNS
    following = (turn + 1) % TURNS
    held = predicate_in(m, ins, w, 0)
    for x in range(LANES):
        if m.active[w] >> np.uint32(x) & ONE:
            m.tallies[slot, barrier, turn, HELD] += np.int64(held >> np.uint32(x) & ONE)
            m.tallies[slot, barrier, turn, ARRIVED] += 1
    m.tallies[slot, barrier, following, HELD] = 0
    m.tallies[slot, barrier, following, ARRIVED] = 0
    m.reductions[w, LAST_REDUCTION] = barrier | ins.mode << BARRIER_BITS
    m.reductions[w, barrier] += 1


@jit()
def read_result(m, ins, w, lanes):
    """B2R.RESULT: what the warp's last BAR.RED found in the whole block."""
    barrier = m.reductions[w, LAST_REDUCTION] & ((1 << BARRIER_BITS) - 1)
    kind = m.reductions[w, LAST_REDUCTION] >> BARRIER_BITS
    turn = (m.reductions[w, barrier] - 1) % TURNS
    held = m.tallies[m.warp_block[w], barrier, turn, HELD]
    arrived = m.tallies[m.warp_block[w], barrier, turn, ARRIVED]
    for x in range(LANES):
        m.scratch[D + x] = np.uint32(held)
    outcome = held == arrived if kind == REDUCE_ALL else held > 0
    set_predicate(m, w, ins.predicate_out_0, ALL if outcome else np.uint32(0), lanes)
