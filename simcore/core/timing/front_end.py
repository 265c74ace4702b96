"""The front end: when a warp knows its next instruction, and has fetched it and the constant that it names.

Instructions come in lines out of three caches, the L0 of each sub-partition, the SM's L1 and the L1.5, with L2 behind
them. Each asks the one behind it for a line (`prefetch_lines`) more than it was asked for, and so does the fetch stage
of a warp that walks on into the next line: the stream buffers of Huerta et al. (MICRO 2025, section 5.2), which make
straight-line code wait for a share of each latency only. A warp that waits for a line which has just come from the
L1.5, or has not yet, is starved as long as it is in that line (`eligibility.turn`).

Constants come in lines out of two small caches, one for the operands of ordinary instructions (a miss is `imc_miss`)
and one for loads, and behind both in larger chunks out of the L1.5. A launch puts its parameters, bank 0, into the
L1.5 and forgets all other constants.

All these caches are kept alike: lines are numbered, `front_ready` tells when each is there, and in a set the line
that came first leaves first.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import control, memory
from simcore.core.execution.lanes import first_of
from simcore.core.execution.operands import source_at
from simcore.core.execution.trail import mixed
from simcore.core.geometry import CONSTANT_LINE_BYTES, CONSTANT_LINES_PER_BANK
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_CONSTANT
from simcore.core.timing import eligibility, rings

(L0_PORT, L1_PORT) = range(2)
"""The ways into the L0s, which the sub-partitions share, and into the L1."""

CONSTANT_LINES = 32 * CONSTANT_LINES_PER_BANK
"""Of all banks."""

INDEX_TAGS = 2048
"""Numbers for what a uniform register holds and the offset behind it: so many that hardly two lines in a cache share
one."""

(INDEX_STEP, OFFSET_STEP) = (0x9E37_79B1, 0x85EB_CA6B)

# Rows of the caches' arrays, counted from the sub-partitions' L0s on
(L1, L15, IMMEDIATE, INDEXED, CONSTANT_L15, BEHIND_L0) = range(6)


@jit_inline()
def fetched(sm, t, s, w, pc, at):
    """When the warp's next instruction is there, if it could issue at `at`."""
    line = pc >> t.code_line_shift
    return at if line == sm.fetch_line[w] else max(at, _enter_line(sm, t, s, w, line, at))


@jit()
def keeps_constants(m, t):
    """Whether the cache of ordinary instructions' constants has room for all that the kernel names, all by address."""
    last = -1
    for pc in range(m.code_end):
        if _is_indexed(m.code[pc]):
            return False
        last = max(last, m.code[pc].constant)
    cache = t.schedulers + IMMEDIATE
    return last < t.front_sets[cache] * t.front_ways[cache]


@jit_inline()
def is_at_hand(m, sm, t, s, w, pc, at):
    """Whether a warp may go on with an instruction, from `at` on, without asking what sub-partitions share."""
    line = pc >> t.code_line_shift
    if line != sm.fetch_line[w]:
        for ahead in range(2 * t.prefetch_lines + 1):
            if sm.front_ready[s, line + ahead] == isa.NEVER:
                return False
    return _is_there(sm, t, m.code[pc].unit, m.code[pc].constant, at)


@jit()
def _enter_line(sm, t, s, w, line, at):
    """A warp goes on in another line; returns when that is in the L0."""
    walks_on = line == sm.fetch_line[w] + 1
    sm.fetch_line[w] = line
    in_l1 = sm.front_ready[t.schedulers + L1, line]
    ready = _from_l0(sm, t, s, line, at)
    eligibility.mark_starved(sm, t, s, w, ready > at and in_l1 > at - t.l1_fetch_latency)
    if walks_on:
        at = max(at, ready)
        for ahead in range(t.prefetch_lines + 1, 2 * t.prefetch_lines + 1):
            _from_l0(sm, t, s, line + ahead, at)
    for ahead in range(1, t.prefetch_lines + 1):
        _from_l0(sm, t, s, line + ahead, at)
    return ready


@jit_inline()
def _from_l0(sm, t, s, line, at):
    """When a line is in a sub-partition's L0; those that ask for it while it is under way share the transfer."""
    ready = sm.front_ready[s, line]
    if ready == isa.NEVER:
        ready = sm.fetch_sent[line]
        if ready <= at:
            begin = max(_from_l1(sm, t, line, at), sm.fetch_free[L0_PORT])
            sm.fetch_free[L0_PORT] = begin + t.l0_fetch_interval
            ready = begin + t.l0_fetch_latency
            sm.fetch_sent[line] = ready
            for ahead in range(1, t.prefetch_lines + 1):
                _from_l1(sm, t, line + ahead, at)
        _keep(sm, t, s, line, ready)
    return ready


@jit()
def _from_l1(sm, t, line, at):
    """When a line is in the SM's L1, which takes one from the L1.5 in an interval."""
    ready = sm.front_ready[t.schedulers + L1, line]
    if ready == isa.NEVER:
        begin = max(at, sm.fetch_free[L1_PORT])
        sm.fetch_free[L1_PORT] = begin + t.l1_fetch_interval
        ready = max(begin, _from_l15(sm, t, line, begin)) + t.l1_fetch_latency
        for ahead in range(1, t.prefetch_lines + 1):
            _from_l15(sm, t, line + ahead, begin)
        _keep(sm, t, t.schedulers + L1, line, ready)
    return max(ready, at)


@jit_inline()
def _from_l15(sm, t, line, at):
    """When a line is in the L1.5."""
    ready = sm.front_ready[t.schedulers + L15, line]
    if ready == isa.NEVER:
        ready = at + t.l15_fetch_latency
        _keep(sm, t, t.schedulers + L15, line, ready)
    return ready


@jit_inline()
def resolved(sm, t, ins, s, now, at):
    """When a branch that is taken knows its target, issued now, with a stall count that runs out at a cycle.

    Those that read it from a register wait for one another.
    """
    if names_its_target(ins):
        return now + t.branch_taken_cycles
    return indirect_turn(sm, t, s, at) + t.branch_indirect_cycles


@jit_inline()
def indirect_turn(sm, t, s, at):
    """When it is an instruction's turn among those that go where a register says, or yield, of a scheduler."""
    begin = max(at, sm.indirect_free[s])
    sm.indirect_free[s] = begin + t.branch_indirect_interval
    return begin


@jit_inline()
def names_its_target(ins):
    """Whether a branch does not read its target from a register."""
    return ins.operation != control.BRX and ins.operation != control.RET


@jit_inline()
def operand(m, sm, t, w, ins, at):
    """When the constant that an ordinary instruction names is there, if it could issue at `at`."""
    line = place = np.int64(ins.constant)
    if _is_indexed(ins):
        line, place = _at_index(m, t, w, ins)
    if _is_there(sm, t, ins.unit, place, at):
        return at
    asked = max(np.float64(at), sm.constant_free[0])
    sm.constant_free[0] = min(
        asked + t.constant_fetch_interval, at + t.constant_requests * t.constant_fetch_interval
    )
    cache = t.schedulers + IMMEDIATE
    return _constant(sm, t, cache, line, place, np.int64(asked), t.immediate_miss_latency)


@jit_inline()
def _is_there(sm, t, unit, place, at):
    """Whether an instruction of a unit names no line of constants as an operand, or one that is there."""
    return place < 0 or unit >= isa.UNIT_LG or sm.front_ready[t.schedulers + IMMEDIATE, place] <= at


@jit_inline()
def _is_indexed(ins):
    """Whether an instruction names a constant by a uniform register (`ULDC`)."""
    return ins.operation == memory.LOAD_CONSTANT and ins.unit < isa.UNIT_LG and ins.constant < 0


@jit_inline()
def _at_index(m, t, w, ins):
    """The line of the constant that a warp loads by a uniform register, and its number in the cache of operands.

    That cache knows what the register holds and the line of the offset behind it, not their sum: the same line by
    another index misses, and all indices with one offset share a set (benchmarks/silicon/micro/front_end/
    indexed_constants on an H200 and an H100). Such lines have numbers behind those of all banks.
    """
    index = np.int64(np.int32(m.registers[source_at(m, w, ins.a) + first_of(m.active[w])]))
    offset = ins.value // CONSTANT_LINE_BYTES
    sets = t.front_sets[t.schedulers + IMMEDIATE]
    tag = mixed(index * INDEX_STEP + offset * OFFSET_STEP) % INDEX_TAGS
    place = CONSTANT_LINES + tag * sets + offset % sets
    return _line_of(ins, min(max(index + ins.value, 0), m.constant_bytes[ins.mode] - 1)), place


@jit_inline()
def _line_of(ins, address):
    return np.int64(ins.mode) * CONSTANT_LINES_PER_BANK + address // CONSTANT_LINE_BYTES


@jit_inline()
def load(m, sm, t, ins, at):
    """When the constant that a load names is in its cache, from `at` on (fractions of cycles do not count). Of
    constants that lanes index, the first lane's counts."""
    line = np.int64(ins.constant)
    if line < 0:
        line = _line_of(ins, m.report[REPORT_CONSTANT])
    whole = np.int64(np.ceil(at))
    return float(_constant(sm, t, t.schedulers + INDEXED, line, line, whole, t.indexed_miss_latency))


@jit()
def _constant(sm, t, cache, line, place, at, latency):
    """When a line of constants is in its cache, by its number there; a warp that does not find it waits for a request
    of its own."""
    ready = sm.front_ready[cache, place]
    if ready <= at:
        return at
    if ready == isa.NEVER:
        behind = t.schedulers + CONSTANT_L15
        chunk = line >> t.constant_chunk_shift
        if sm.front_ready[behind, chunk] == isa.NEVER:
            _keep(sm, t, behind, chunk, at + t.constant_l2_latency)
        ready = max(at, sm.front_ready[behind, chunk]) + latency
        _keep(sm, t, cache, place, ready)
    return max(ready, at + latency)


@jit()
def _keep(sm, t, cache, line, ready):
    """Put a line into a cache, in the place of the one of its set that came first."""
    at = line % t.front_sets[cache]
    place = sm.front_next[cache, at]
    leaves = sm.front_lines[cache, at, place]
    if leaves >= 0:
        sm.front_ready[cache, leaves] = isa.NEVER
    sm.front_lines[cache, at, place] = line
    sm.front_next[cache, at] = rings.wrapped(place + 1, t.front_ways[cache])
    sm.front_ready[cache, line] = ready
