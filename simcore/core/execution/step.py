"""Execute one instruction of one warp."""

import numpy as np

from simcore.core import isa
from simcore.core.execution import access, atomics, flow, lanes, predicates, warp
from simcore.core.execution.arithmetic import conversions, doubles, halves, integers, matrices, singles
from simcore.core.jit import jit, jit_inline, jit_splice
from simcore.core.machine import (
    REPORT_BARRIER,
    REPORT_CLOCK,
    REPORT_EXPECTED,
    REPORT_LANES,
    REPORT_PC,
    REPORT_SPACE,
    REPORT_STATUS,
    REPORT_WARP,
)

(GO_ON, ARRIVE, ARRIVE_AND_GO_ON, ENDED, STOPPED, TAKEN) = range(6)
"""What a step came to: next instruction; wait at the block's barrier; announce at it; warp ended; see the
report; next instruction after a jump."""

ALL = np.uint32(isa.FULL_MASK)
ONE = np.uint32(1)


@jit_splice()
def step(m, w):
    """Execute the warp's current instruction and move on."""
    pc = m.pc[w]
    ins = m.code[pc]
    operation = ins.operation
    if operation < isa.LAST_CONTROL:
        return _control(m, ins, w)
    action = m.action[pc]
    if action != isa.SKIP:
        active_mask = m.active[w] & (m.predicates[w * isa.PREDICATES + ins.guard] ^ ins.guard_flip)
        if operation < isa.LAST_MEMORY:
            if not _memory(m, ins, w, active_mask, action):
                return STOPPED
        else:
            _compute(m, ins, w, active_mask)
    m.pc[w] = pc + 1
    return GO_ON


@jit_splice()
def _compute(m, ins, w, active_mask):
    operation = ins.operation
    if operation == isa.S2R or operation == isa.CLOCK:
        _special_register(m, ins, w, active_mask)
        return
    if operation == isa.PLOP3:
        predicates.combine_predicates(m, ins, w, active_mask)
        return
    if operation == isa.HMMA or operation == isa.DMMA:
        if active_mask:
            if operation == isa.HMMA:
                matrices.multiply_matrices(m, ins, w)
            else:
                matrices.multiply_doubles(m, ins, w)
        return
    if ins.sources:
        _load_sources(m, ins, w)
    if operation < isa.S2R:
        if operation == isa.ISETP:
            integers.compare_integers(m, ins, w, active_mask)
            return
        if operation == isa.R2P:
            predicates.registers_to_predicates(m, ins, w, active_mask)
            return
        integers.integers(operation, m, ins, w)
    elif operation < isa.FADD:
        warp.warp_wide(m, ins, w, active_mask)
    elif operation == isa.FSETP:
        singles.compare_singles(m, ins, w, active_mask)
        return
    elif operation == isa.FCHK:
        singles.check_division(m, ins, w, active_mask)
        return
    elif operation == isa.DSETP:
        doubles.compare_doubles(m, ins, w, active_mask)
        return
    elif operation == isa.MOVM:
        matrices.transpose_matrix(m)
    elif operation == isa.HSETP2 or operation == isa.HSET2:
        halves.compare_halves(operation, m, ins, w, active_mask)
        if operation == isa.HSETP2:
            return
    elif operation >= isa.HADD2:
        halves.halves(operation, m, ins, w)
    elif operation >= isa.DADD:
        doubles.doubles(operation, m, ins)
    elif operation == isa.FFMA2:
        singles.packed_singles(m, ins)
    elif isa.FRND <= operation <= isa.F2FP:
        conversions.conversions(operation, m, ins)
    else:
        singles.singles(operation, m, ins, w)
    store_result(m, ins, w, active_mask)


@jit_inline()
def _load_sources(m, ins, w):
    t = m.scratch
    r = m.registers
    sources = ins.sources
    row = access.row_of(m, w, ins.a) * 32
    keep, flip, add = ins.a_keep, ins.a_flip, ins.a_add
    for x in range(32):
        t[x] = ((r[row + x] & keep) ^ flip) + add
    if sources > 1:
        row_b = access.row_of(m, w, ins.b) * 32
        keep, flip, add = ins.b_keep, ins.b_flip, ins.b_add
        for x in range(32):
            t[32 + x] = ((r[row_b + x] & keep) ^ flip) + add
        if sources > 2:
            row_c = access.row_of(m, w, ins.c) * 32
            keep, flip, add = ins.c_keep, ins.c_flip, ins.c_add
            for x in range(32):
                t[64 + x] = ((r[row_c + x] & keep) ^ flip) + add
    if ins.pairs:
        if ins.pairs & 1:
            _load_pair(m, access.row_of(m, w, ins.a), 0, ins.a_keep, ins.a_flip)
        if ins.pairs & 2 and sources > 1:
            _load_pair(m, access.row_of(m, w, ins.b), 1, ins.b_keep, ins.b_flip)
        if ins.pairs & 4 and sources > 2:
            _load_pair(m, access.row_of(m, w, ins.c), 2, ins.c_keep, ins.c_flip)


@jit_inline()
def _load_pair(m, row, slot, keep, flip):
    """Signs of a pair are on its high word; a complement is on both."""
    t = m.scratch
    low_flip = flip if flip == ALL else np.uint32(0)
    for x in range(32):
        t[slot * 32 + x] = m.registers[row * 32 + x] ^ low_flip
        t[96 + slot * 32 + x] = (m.registers[(row + 1) * 32 + x] & keep) ^ flip


@jit_inline()
def store_result(m, ins, w, active_mask):
    """Copy the result from scratch to the destination in the lanes that take part."""
    r = m.registers
    t = m.scratch
    row = (m.first_own_row + w * m.own_rows + ins.destination) * 32
    if active_mask == ALL:
        for x in range(32):
            r[row + x] = t[lanes.D + x]
    else:
        for x in range(32):
            keep = np.uint32(0) - (active_mask >> np.uint32(x) & ONE)
            r[row + x] = (t[lanes.D + x] & keep) | (r[row + x] & ~keep)
    if ins.destination_words == 2:
        for x in range(32):
            keep = np.uint32(0) - (active_mask >> np.uint32(x) & ONE)
            r[row + 32 + x] = (t[lanes.D_HIGH + x] & keep) | (r[row + 32 + x] & ~keep)


@jit_splice()
def _memory(m, ins, w, active_mask, action):
    """Address, check and, unless only the address matters, move data. Returns whether to go on."""
    operation = ins.operation
    if operation == isa.LOAD_CONSTANT:
        if action == isa.EXECUTE:
            access.load_constant(m, ins, w, active_mask)
        return m.report[REPORT_STATUS] == isa.OK
    access.addresses(m, ins, w, active_mask)
    if active_mask == 0:
        return True
    if operation == isa.COPY_TO_SHARED or operation == isa.LOAD_MATRIX:
        return _to_or_from_shared(m, ins, w, active_mask, action)
    if ins.space != isa.SPACE_GENERIC:
        return _move(m, ins, ins.space, w, active_mask, action)
    for space in range(isa.SPACE_LOCAL, isa.SPACE_GLOBAL - 1, -1):
        found = access.lanes_in_space(m, active_mask, space)
        if found:
            active_mask &= ~found
            m.report[REPORT_SPACE] = space
            m.report[REPORT_LANES] = np.int64(found)
            if not _move(m, ins, space, w, found, action):
                return False
    return True


@jit()
def _move(m, ins, space, w, active_mask, action):
    """Check and move data of the lanes whose addresses lie in one space. Returns whether to go on."""
    if not access.check(m, ins, space, w, active_mask):
        return False
    if action == isa.ADDRESS_ONLY:
        return True
    if ins.operation == isa.LOAD:
        access.load(m, ins, space, w, active_mask)
    elif ins.operation == isa.STORE:
        access.store(m, ins, space, w, active_mask)
    else:
        done = atomics.atomic(m, ins, space, w, active_mask)
        lanes.set_predicate(m, w, ins.predicate_out_0, done, active_mask)
    return m.report[REPORT_STATUS] == isa.OK


@jit()
def _to_or_from_shared(m, ins, w, active_mask, action):
    """LDGSTS, which reads only where its predicate holds, and LDSM. Returns whether to go on."""
    reading = active_mask
    if ins.operation == isa.COPY_TO_SHARED:
        reading &= lanes.predicate_in(m, ins, w, 0)
        m.report[REPORT_LANES] = np.int64(reading)
        access.take_omitted_bytes(m, ins)
    if reading and not access.check(m, ins, ins.space, w, reading):
        return False
    if action == isa.ADDRESS_ONLY:
        return True
    if ins.operation == isa.COPY_TO_SHARED:
        access.copy_to_shared(m, ins, w, active_mask, reading)
    else:
        access.load_matrices(m, ins, w)
    return m.report[REPORT_STATUS] == isa.OK


@jit_inline()
def _special_register(m, ins, w, active_mask):
    t = m.scratch
    kind = ins.value
    if ins.operation == isa.CLOCK:
        clock = m.report[REPORT_CLOCK] if kind else 0
        for x in range(32):
            t[lanes.D + x] = np.uint32(clock & isa.FULL_MASK)
            t[lanes.D_HIGH + x] = np.uint32(clock >> 32)
        store_result(m, ins, w, active_mask)
        return
    first = m.warp_index[w] * 32
    width, height = m.block_shape[0], m.block_shape[1]
    block = m.warp_block[w]
    for x in range(32):
        thread = first + x
        value = np.int64(0)
        if kind == isa.SPECIAL_TID_X:
            value = thread % width
        elif kind == isa.SPECIAL_TID_Y:
            value = thread // width % height
        elif kind == isa.SPECIAL_TID_Z:
            value = thread // (width * height)
        elif kind == isa.SPECIAL_CTAID_X:
            value = m.block_index[block, 0]
        elif kind == isa.SPECIAL_CTAID_Y:
            value = m.block_index[block, 1]
        elif kind == isa.SPECIAL_CTAID_Z:
            value = m.block_index[block, 2]
        elif kind == isa.SPECIAL_LANEID:
            value = x
        elif kind == isa.SPECIAL_WARPID:
            value = m.warp_index[w]
        elif kind == isa.SPECIAL_LANEMASK_EQ:
            value = 1 << x
        elif kind == isa.SPECIAL_LANEMASK_LT:
            value = (1 << x) - 1
        elif kind == isa.SPECIAL_LANEMASK_LE:
            value = (2 << x) - 1
        elif kind == isa.SPECIAL_LANEMASK_GT:
            value = isa.FULL_MASK ^ ((2 << x) - 1)
        elif kind == isa.SPECIAL_LANEMASK_GE:
            value = isa.FULL_MASK ^ ((1 << x) - 1)
        elif kind == isa.SPECIAL_CLOCK:
            value = m.report[REPORT_CLOCK]
        t[lanes.D + x] = np.uint32(value & isa.FULL_MASK)
    store_result(m, ins, w, active_mask)


@jit_splice()
def _control(m, ins, w):
    operation = ins.operation
    m.report[REPORT_LANES] = 0
    active_mask = m.active[w] & lanes.guard(m, ins, w)
    before = m.pc[w]
    if operation == isa.BRA:
        taken = active_mask & lanes.predicate_in(m, ins, w, 0)
        flow.branch(m, w, taken, ins.target)
        return GO_ON if m.pc[w] == before + 1 else TAKEN
    if operation == isa.EXIT:
        leaving = active_mask & lanes.predicate_in(m, ins, w, 0)
        if leaving == 0:
            m.pc[w] = before + 1
        elif flow.leave(m, w, leaving):
            return ENDED
        return _after_wait(m, w)
    if operation == isa.BSYNC:
        if active_mask == m.active[w]:
            flow.wait(m, w, ins.value, m.barriers[w, ins.value])
            return _after_wait(m, w)
    elif operation == isa.BSSY:
        m.barriers[w, ins.value] |= active_mask
    elif operation == isa.BAR_SYNC or operation == isa.BAR_ARRIVE or operation == isa.BAR_REDUCE:
        if active_mask:
            return _block_barrier(m, ins, w)
    elif operation == isa.YIELD:
        m.pc[w] = before + 1
        flow.give_way(m, w)
        return GO_ON
    elif operation == isa.BREAK:
        m.barriers[w, ins.value] &= ~(active_mask & lanes.predicate_in(m, ins, w, 0))
        if m.split_count[w]:
            flow.release_completed(m, w)
    elif operation == isa.WARPSYNC:
        _load_sources(m, ins, w)
        flow.wait(m, w, flow.WARPSYNC_BARRIER, m.scratch[lanes.first_of(m.active[w])] | m.active[w])
        return _after_wait(m, w)
    elif operation == isa.BRA_DIV:
        _load_sources(m, ins, w)
        diverged = m.scratch[0] & m.live[w] & ~m.active[w] != 0
        flow.branch(m, w, active_mask if diverged != bool(ins.mode) else np.uint32(0), ins.target)
        return GO_ON if m.pc[w] == before + 1 else TAKEN
    elif operation == isa.CALL and ins.target >= 0:
        flow.branch(m, w, active_mask, ins.target)
        return TAKEN
    elif operation == isa.BRX or operation == isa.RET or operation == isa.CALL:
        _load_sources(m, ins, w)
        for x in range(32):
            m.address[x] = (np.int64(np.int32(m.scratch[x])) + ins.value) >> 4
        flow.branch_indirect(m, w, active_mask, m.address)
        return TAKEN
    elif operation == isa.BMOV_TO_REGISTER:
        for x in range(32):
            m.scratch[lanes.D + x] = m.barriers[w, ins.value]
        store_result(m, ins, w, active_mask)
        if ins.mode:
            m.barriers[w, ins.value] = np.uint32(0)
    elif operation == isa.BMOV_FROM_REGISTER:
        _load_sources(m, ins, w)
        m.barriers[w, ins.value] = m.scratch[lanes.first_of(active_mask)]
    elif operation == isa.TRAP and active_mask:
        m.report[REPORT_STATUS] = ins.value
        m.report[REPORT_PC] = before
        m.report[REPORT_WARP] = w
        return STOPPED
    m.pc[w] = before + 1
    return GO_ON


@jit_inline()
def _after_wait(m, w):
    """After a wait some split runs on, unless all wait for one that never comes."""
    if m.active[w]:
        return GO_ON
    m.report[REPORT_STATUS] = isa.DEADLOCK
    m.report[REPORT_PC] = m.pc[w]
    m.report[REPORT_WARP] = w
    return STOPPED


@jit_inline()
def _block_barrier(m, ins, w):
    """BAR: a warp arrives when all its live lanes have; the lanes that came first wait for the others."""
    _load_sources(m, ins, w)
    first = lanes.first_of(m.active[w])
    m.report[REPORT_BARRIER] = m.scratch[first]
    m.report[REPORT_EXPECTED] = m.scratch[32 + first] if ins.sources > 1 else 0
    if ins.operation == isa.BAR_ARRIVE:
        m.pc[w] += 1
        return ARRIVE_AND_GO_ON
    if ins.operation == isa.BAR_REDUCE:
        _add_to_tally(m, ins, w)
    if m.active[w] == m.live[w]:
        m.pc[w] += 1
        return ARRIVE
    return ARRIVE if flow.wait(m, w, flow.BLOCK_BARRIER, m.live[w]) else _after_wait(m, w)


@jit()
def _add_to_tally(m, ins, w):
    """Count the lanes that arrive at BAR.RED, and those where its predicate holds.

    Three tallies take turns: while one is read, late arrivals find the next one cleared.
    """
    barrier = m.report[REPORT_BARRIER]
    slot = m.warp_block[w]
    turn = m.reductions[w, barrier] % 3
    held = lanes.predicate_in(m, ins, w, 0)
    for x in range(32):
        if m.active[w] >> np.uint32(x) & ONE:
            m.tallies[slot, barrier, turn, 0] += np.int64(held >> np.uint32(x) & ONE)
            m.tallies[slot, barrier, turn, 1] += 1
    m.tallies[slot, barrier, (turn + 1) % 3, 0] = 0
    m.tallies[slot, barrier, (turn + 1) % 3, 1] = 0
    m.reductions[w, warp.LAST_REDUCTION] = barrier | ins.mode << 4
    arrived = m.active[w]
    for s in range(m.split_count[w]):
        if m.split_wait[w, s] == flow.BLOCK_BARRIER:
            arrived |= m.split_mask[w, s]
    if arrived == m.live[w]:
        m.reductions[w, barrier] += 1
