"""Jumps, calls, convergence barriers and what else steers a warp."""

import numpy as np

from simcore.core import isa
from simcore.core.execution import block_barrier, flow
from simcore.core.execution.lanes import A_HIGH, A, D, first_of, guard, predicate_in
from simcore.core.execution.memory.addresses import fault
from simcore.core.execution.operands import load_sources, store_result
from simcore.core.execution.outcomes import AGAIN, ENDED, GO_ON, STOPPED, TAKEN
from simcore.core.jit import jit_inline
from simcore.core.machine import (
    REPORT_ADDRESS,
    REPORT_LANE,
    REPORT_LANES,
    REPORT_PC,
    REPORT_SLEEP,
    REPORT_STATUS,
    REPORT_UNSURE,
    REPORT_WARP,
)

LANES = isa.LANES
(
    NOP, EXIT, BRA, BRA_DIV, BRX, CALL, RET, BSSY, BSYNC, BREAK, BMOV_TO_REGISTER, BMOV_FROM_REGISTER,
    WARPSYNC, BAR_SYNC, BAR_ARRIVE, BAR_REDUCE, DEPBAR, COPY_GROUP, MEMBAR, TRAP, YIELD,
    WARPSYNC_APART, COLLECTIVE, END_COLLECTIVE, SLEEP,
) = isa.operations(isa.CONTROL, 25)  # fmt: skip

INDIRECT = (BRX, CALL, RET)  # those that may jump to where a register says
(SCOPE_BLOCK, SCOPE_GPU, SCOPE_SYSTEM) = range(3)  # MEMBAR's `mode`
IF_CONVERGED = 1  # BRA_DIV: jump if no other lanes wait, instead of if some do
IF_ANY = 1  # BRA: jump with all active lanes if the guard lets any through
CLEAR = 1  # BMOV_TO_REGISTER: no lane takes part in the barrier any more
LOG2_INSTRUCTION_BYTES = 4


@jit_inline()
def taking(m, ins, w):
    """The lanes that take a branch."""
    taken = m.active[w] & guard(m, ins, w) & predicate_in(m, ins, w, 0)
    return m.active[w] if ins.mode == IF_ANY and taken else taken


@jit_inline()
def go_together(m, w, target):
    """All lanes go on at the same instruction. Returns what a branch there came to."""
    m.report[REPORT_LANES] = 0
    following = m.pc[w] + 1
    m.pc[w] = target
    return GO_ON if target == following else TAKEN


@jit_inline()
def execute(m, ins, w):
    """Steer the warp. Returns what it came to, as `outcomes` names it.

    NOP, DEPBAR, COPY_GROUP and MEMBAR are waits alone, which timing knows of.
    """
    operation = ins.operation
    m.report[REPORT_LANES] = 0
    active = m.active[w] & guard(m, ins, w)
    before = m.pc[w]
    if operation == BRA:
        flow.branch(m, w, taking(m, ins, w), ins.target)
        return GO_ON if m.pc[w] == before + 1 else TAKEN
    if operation == EXIT:
        leaving = active & predicate_in(m, ins, w, 0)
        if leaving == 0:
            m.pc[w] = before + 1
        elif flow.leave(m, w, leaving):
            return ENDED
        return block_barrier.outcome_of_wait(m, w)
    if operation == BSYNC:
        if active == m.active[w]:
            flow.synchronize(m, w, ins.value)
            if m.pc[w] == before and m.active[w] & active:
                return AGAIN
            return block_barrier.outcome_of_wait(m, w)
    elif operation == BSSY:
        flow.take_part(m, w, ins.value, active)
    elif operation == BAR_SYNC or operation == BAR_ARRIVE or operation == BAR_REDUCE:
        if active:
            load_sources(m, ins, w)
            if operation == BAR_ARRIVE:
                return block_barrier.announce(m, ins, w)
            return block_barrier.arrive(m, ins, w, operation == BAR_REDUCE)
    elif operation == YIELD:
        flow.give_way(m, w)
        return GO_ON
    elif operation == BREAK:
        flow.take_out(m, w, ins.value, active & predicate_in(m, ins, w, 0))
        return GO_ON
    elif operation == WARPSYNC:
        load_sources(m, ins, w)
        flow.meet(m, w)
        return block_barrier.outcome_of_wait(m, w)
    elif operation == WARPSYNC_APART or operation == COLLECTIVE:
        load_sources(m, ins, w)
        if operation == COLLECTIVE:
            flow.enter_collective(m, w, ins.target)
        else:
            flow.meet_apart(m, w)
        return block_barrier.outcome_of_wait(m, w)
    elif operation == END_COLLECTIVE:
        flow.return_from_collective(m, w)
        return TAKEN
    elif operation == BRA_DIV:
        load_sources(m, ins, w)
        diverged = m.scratch[A + first_of(m.active[w])] & m.live[w] & ~active != 0
        flow.branch(m, w, m.active[w] if diverged != bool(ins.mode) else np.uint32(0), ins.target)
        return GO_ON if m.pc[w] == before + 1 else TAKEN
    elif operation == CALL and ins.target >= 0:
        flow.branch(m, w, active, ins.target)
        return TAKEN
    elif operation == BRX or operation == RET or operation == CALL:
        load_sources(m, ins, w)
        return TAKEN if _jump_to_registers(m, ins, w, active) else STOPPED
    elif operation == BMOV_TO_REGISTER:
        _read_barrier(m, ins, w, active)
    elif operation == BMOV_FROM_REGISTER:
        load_sources(m, ins, w)
        # Where lanes differ, the first one's word counts (`benchmarks.simulator.restored_barrier`).
        participants = m.scratch[A + first_of(active)]
        m.report[REPORT_UNSURE] += m.active[w] != m.live[w]
        flow.restore(m, w, ins.value, participants)
    elif operation == SLEEP and active:
        load_sources(m, ins, w)
        longest = np.int64(0)
        for x in range(LANES):
            if active >> np.uint32(x) & np.uint32(1):
                longest = max(longest, np.int64(m.scratch[A + x]))
        m.report[REPORT_SLEEP] = longest * m.cycles_per_microsecond // 1000
    elif operation == TRAP and active:
        m.report[REPORT_STATUS] = ins.value
        m.report[REPORT_PC] = before
        m.report[REPORT_WARP] = w
        m.report[REPORT_LANE] = first_of(active)
        if ins.sources:
            load_sources(m, ins, w)
            x = first_of(active)
            m.report[REPORT_ADDRESS] = np.int64(m.scratch[A_HIGH + x]) << 32 | np.int64(m.scratch[A + x])
        return STOPPED
    m.pc[w] = before + 1
    return GO_ON


@jit_inline()
def _jump_to_registers(m, ins, w, lanes):
    """Send each lane to the address in its register plus the displacement. Returns whether all are the code's."""
    for x in range(LANES):
        address = np.int64(np.int32(m.scratch[A + x])) + ins.value
        target = address >> LOG2_INSTRUCTION_BYTES
        leads_astray = address != target << LOG2_INSTRUCTION_BYTES or not 0 <= target < m.code_end
        if leads_astray and lanes >> np.uint32(x) & np.uint32(1):
            fault(m, w, x, address)
            return False
        m.address[x] = target
    flow.branch_indirect(m, w, lanes, m.address)
    return True


@jit_inline()
def _read_barrier(m, ins, w, lanes):
    """BMOV: the lanes that take part in a convergence barrier, as a word."""
    for x in range(LANES):
        m.scratch[D + x] = m.barriers[w, ins.value]
    store_result(m, ins, w, lanes)
    if ins.mode == CLEAR:
        m.barriers[w, ins.value] = np.uint32(0)
