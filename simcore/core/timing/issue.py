"""One instruction: execute it, reserve what it needs, and work out when its warp is ready for the next.

When a warp issues, everything that will hold it up until it is ready again is known, and is given to stall reasons
at once.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import control, memory, outcomes
from simcore.core.execution.step import step
from simcore.core.jit import jit_inline, jit_out_of_line
from simcore.core.machine import REPORT_CLOCK, REPORT_CONSTANTS, REPORT_LANES, REPORT_SLEEP
from simcore.core.timing import (
    barriers,
    eligibility,
    front_end,
    ledger,
    memory_pipe,
    phases,
    pipes,
    register_writes,
    residency,
    scoreboard,
)
from simcore.core.timing.ports import take
from simcore.core.timing.state import (
    BRANCH_RESOLVING,
    DISPATCH_STALL,
    EMPTY,
    IMC_MISS,
    MEMBAR,
    NO_INSTRUCTION,
    NOT_WAITING,
    PORT_YIELD,
    SELECTED,
    SLEEPING,
    WAIT,
)

_STAYING = (outcomes.ENDED, outcomes.SUSPENDED, outcomes.ARRIVE, outcomes.ARRIVE_AND_GO_ON)
"""Outcomes after which it is not only the next instruction that says when its warp is ready."""


@jit_inline()
def issue(m, sm, t, s, w, now):
    """Issue a warp's next instruction. Returns whether its block ends with it."""
    pc = m.pc[w]
    ins = m.code[pc]
    ledger.stall(sm.ledger, w, pc, SELECTED, now, now + 1)
    m.report[REPORT_CLOCK] = now
    m.report[REPORT_LANES] = m.report[REPORT_CONSTANTS] = 0
    if sm.suspended[w] != NOT_WAITING:
        phases.give_up(m, sm, w, now)
    outcome = step(m, w)
    if outcome == outcomes.STOPPED:
        return False
    _reserve(m, sm, t, ins, s, w, now)
    sm.turn[w] = eligibility.turn(sm, w, now)
    sm.issue_count[s] += 1
    sm.last_warp[s] = w
    sm.greedy[s] = -1 if ins.yields else w
    if outcome != outcomes.GO_ON:
        if outcome in _STAYING:
            return _stay(m, sm, t, ins, w, now, outcome)
        if outcome == outcomes.ARRIVE_WITH_COPIES:
            phases.arrive_with_copies(m, sm, t, w, ins.mode, now)
    _next_instruction(m, sm, t, ins, s, w, pc, now, outcome)
    eligibility.renew_turn_if_starved(sm, t, s, w)
    if ins.operation == memory.ARRIVE_AT_PHASE:
        phases.wake_after(m, sm, t, w, now)
    return False


@jit_out_of_line()
def _stay(m, sm, t, ins, w, now, outcome):
    """A warp has ended, or goes on as others let it. Returns whether its block ends with it."""
    if outcome == outcomes.ENDED:
        return residency.end_warp(m, sm, t, w, now)
    if outcome == outcomes.SUSPENDED:
        phases.suspend(sm, t, w, now)
    else:
        barriers.arrive(m, sm, t, w, now + max(ins.stall, 1), now, outcome == outcomes.ARRIVE)
    return False


@jit_inline()
def _reserve(m, sm, t, ins, s, w, now):
    """Reserve the instruction's path; it holds its dependence counters until it is done, or has read its sources."""
    done = np.float64(now)
    read = done
    if ins.unit >= isa.UNIT_LG:
        done, read = memory_pipe.issue(m, sm, t, ins, w, s, now)
        if m.report[REPORT_LANES]:
            pipes.move_registers(sm, t, ins, s, now)
    else:
        begins = pipes.hold(sm, t, ins, s, w, now)
        if ins.result_banks:
            register_writes.give_way(m, sm, s, ins.result_banks, sm.allocated[s, pipes.LAST])
        if pipes.stops_others(sm, ins, s):
            _stop_stall_counts(m, sm, t, s, w)
        done = np.float64(begins + t.latency[ins.latency])
        read = np.float64(now + pipes.ISSUE_TO_ALLOCATE)
    is_long = (
        ins.unit == isa.UNIT_LG or ins.operation == control.COPY_GROUP or memory.is_of_phase(ins.operation)
    )
    if ins.write_barrier != scoreboard.NO_COUNTER:
        scoreboard.hold(sm, w, ins.write_barrier, np.int64(np.ceil(done)), is_long)
    if ins.read_barrier != scoreboard.NO_COUNTER:
        scoreboard.hold(sm, w, ins.read_barrier, np.int64(np.ceil(read)), is_long)


@jit_inline()
def _next_instruction(m, sm, t, ins, s, w, before, now, outcome):
    """When the warp is ready for the instruction behind that at `before`, and what holds it up until then."""
    pc = m.pc[w]
    counted, sm.counting[w] = pipes.stall_count_over(sm, s, now, _stall_count(ins))
    at = now + 1
    if outcome == outcomes.TAKEN and front_end.names_its_target(ins):
        at = _resolved(sm, t, w, pc, now, counted)
    at = ledger.wait(sm.ledger, w, pc, WAIT, at, counted)
    at = ledger.wait(sm.ledger, w, pc, DISPATCH_STALL, at, sm.counting[w])
    if ins.operation >> isa.FAMILY_BITS == isa.CONTROL:
        at = _steered(m, sm, t, ins, s, w, before, now, at, outcome)
    at = ledger.wait(sm.ledger, w, pc, NO_INSTRUCTION, at, front_end.fetched(sm, t, s, w, pc, at))
    at = scoreboard.wait_for_counters(m, sm, w, at)
    operand = front_end.operand(m, sm, t, w, m.code[pc], at)
    sm.ready[w] = ledger.wait(sm.ledger, w, pc, IMC_MISS, at, operand)
    barriers.wait_if_closed(m, sm, t, w)


@jit_inline()
def _resolved(sm, t, w, pc, now, counted):
    """When a branch that names its target knows it: behind the first cycles of its stall count, however long that is
    (`sources.csv.gz` of an H200)."""
    resolved = now + t.branch_taken_cycles
    at = ledger.wait(sm.ledger, w, pc, WAIT, now + 1, min(counted, resolved - t.branch_resolving_cycles))
    return ledger.wait(sm.ledger, w, pc, BRANCH_RESOLVING, at, resolved)


@jit_out_of_line()
def _steered(m, sm, t, ins, s, w, before, now, at, outcome):
    """When the instruction at `before`, which steers its warp, lets go of it; its stall count does at `at`."""
    pc = m.pc[w]
    if outcome == outcomes.TAKEN:
        resolved = front_end.resolved(sm, t, ins, s, now, at)
        at = ledger.wait(sm.ledger, w, pc, BRANCH_RESOLVING, at, max(at, resolved))
        refetched = max(at, resolved + t.branch_refetch_cycles)
        at = ledger.wait(sm.ledger, w, pc, NO_INSTRUCTION, at, refetched)
    if ins.operation == control.YIELD:
        at = ledger.wait(sm.ledger, w, pc, BRANCH_RESOLVING, at, _yielded(sm, t, s, at))
    if ins.operation == control.BSYNC:
        at = _reconverged(sm, t, w, before, pc, at, outcome == outcomes.AGAIN)
    if ins.operation == control.SLEEP:
        at = ledger.wait(sm.ledger, w, pc, SLEEPING, at, at + m.report[REPORT_SLEEP])
        m.report[REPORT_SLEEP] = 0
    if ins.operation == control.MEMBAR:
        at = ledger.wait(sm.ledger, w, pc, MEMBAR, at, _fence_over(sm, t, ins, w, at))
    return at


@jit_inline()
def _reconverged(sm, t, w, before, pc, at, again):
    """When a warp is done with a `BSYNC`: a jump behind it if lanes go on elsewhere (benchmarks/silicon/micro/l1/
    compare_and_store on an H200), longer if lanes that waited at it execute it again (random_sums there)."""
    resolved = at + t.reconverge_cycles
    if pc == before + 1:
        return ledger.wait(sm.ledger, w, pc, BRANCH_RESOLVING, at, resolved)
    resolved += t.branch_resolving_cycles + (t.reconverge_again_cycles if again else 0)
    at = ledger.wait(sm.ledger, w, pc, BRANCH_RESOLVING, at, resolved)
    return ledger.wait(sm.ledger, w, pc, NO_INSTRUCTION, at, at + t.branch_refetch_cycles)


@jit_inline()
def _yielded(sm, t, s, at):
    """When a `YIELD` lets its warp go on; all schedulers' take turns, and so do those of one."""
    begin = np.int64(np.ceil(take(sm, PORT_YIELD, float(at), t.yield_interval)))
    return front_end.indirect_turn(sm, t, s, begin) + t.yield_cycles


@jit_inline()
def _fence_over(sm, t, ins, w, at):
    """When a memory barrier is over; one beyond the block goes behind the warp's stores, and takes longer behind any
    access since the last one (benchmarks/silicon/micro/core/fence_behind_stores)."""
    if ins.mode == control.SCOPE_BLOCK:
        return at + t.membar_block_latency
    latency = t.membar_behind_access_latency if sm.unfenced[w] else t.membar_latency
    if ins.mode == control.SCOPE_SYSTEM:
        latency = t.membar_system_latency
    sm.unfenced[w] = 0
    return max(at, np.int64(np.ceil(sm.stores_left[w]))) + latency


@jit_out_of_line()
def _stop_stall_counts(m, sm, t, s, w):
    """No stall count of the other warps of a scheduler runs while an instruction waits in the allocate stage.

    That keeps warps apart that meet at the register banks: they meet there again and again
    (`micro/core/issue_trace` on an H200; without it `fma_chain`'s single chains are 18 % too fast, with it 8 %).
    """
    first = sm.stopped[s, pipes.LAST, 0]
    wait = sm.stopped[s, pipes.LAST, 1] - first
    slots = s * t.slots_per_scheduler
    for other in range(slots, slots + t.slots_per_scheduler):
        if other != w and sm.unit[other] != EMPTY and sm.counting[other] >= first:
            reason = WAIT if sm.counting[other] > first else DISPATCH_STALL
            sm.counting[other] += wait
            at = sm.ready[other]
            if sm.counting[other] > at:
                sm.ready[other] = ledger.wait(sm.ledger, other, m.pc[other], reason, at, sm.counting[other])
                sm.has_changed[s] = 1


@jit_inline()
def _stall_count(ins):
    """The instruction's stall count; one that yields lets others go first."""
    return 2 if ins.yields and ins.stall <= 1 else max(ins.stall, 1)
