"""A memory instruction: its addresses, whether they may be accessed, and the movement of data."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import ALL, predicate_in, set_predicate
from simcore.core.execution.memory import (
    ARRIVE_AT_PHASE,
    ATOMIC,
    CHECK_PHASE,
    COPY_TO_SHARED,
    LOAD,
    LOAD_CONSTANT,
    LOAD_MATRIX,
    STORE,
    STORE_MATRIX,
    addresses,
    atomics,
    moves,
    phases,
    shared,
)
from simcore.core.execution.outcomes import ARRIVE_WITH_COPIES, GO_ON, STOPPED
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_LANES, REPORT_PHASES, REPORT_SPACE, REPORT_STATUS


@jit_inline()
def execute(m, ins, w, lanes, action):
    """Address, check and, unless only the address matters, move data. Returns whether to go on."""
    operation = ins.operation
    if operation == LOAD_CONSTANT:
        if action == isa.EXECUTE:
            moves.load_constant(m, ins, w, lanes)
        return m.report[REPORT_STATUS] == isa.OK
    addresses.form(m, ins, w, lanes)
    if lanes == 0:
        return True
    if operation == COPY_TO_SHARED or operation == LOAD_MATRIX or operation == STORE_MATRIX:
        return _to_or_from_shared(m, ins, w, lanes, action)
    if ins.space != isa.SPACE_GENERIC:
        return _move(m, ins, ins.space, w, lanes, action)
    for space in range(isa.SPACE_LOCAL, isa.SPACE_GLOBAL - 1, -1):
        found = addresses.lanes_in_space(m, lanes, space)
        if found:
            lanes &= ~found
            m.report[REPORT_SPACE] = space
            m.report[REPORT_LANES] = np.int64(found)
            if not _move(m, ins, space, w, found, action):
                return False
    return True


@jit_inline()
def only_addresses(ins, action):
    """Whether nothing of a load, a store or an atomic operation matters but its addresses, in a known space."""
    return action == isa.ADDRESS_ONLY and ins.operation <= ATOMIC and ins.space != isa.SPACE_GENERIC


@jit_inline()
def address(m, ins, w, lanes):
    """Form and check the addresses. Returns whether to go on."""
    addresses.form(m, ins, w, lanes)
    return lanes == 0 or (addresses.check(m, ins, ins.space, w, lanes) and _nobody_reads(m, ins, ins.space))


@jit_inline()
def _nobody_reads(m, ins, space):
    """Whether nobody reads the buffers that an instruction would write; else one of them is reported."""
    return ins.operation == LOAD or space != isa.SPACE_GLOBAL or addresses.are_unbacked(m, ins)


@jit()
def meet(m, ins, w, lanes, action):
    """An asynchronous barrier: arrive at it, or ask whether a phase is over. Returns what it came to."""
    m.report[REPORT_PHASES] = 0
    addresses.form(m, ins, w, lanes)
    if lanes and not addresses.check(m, ins, isa.SPACE_SHARED, w, lanes):
        return STOPPED
    if lanes and action == isa.EXECUTE:
        if ins.operation == CHECK_PHASE:
            return phases.check(m, ins, w, lanes)
        if ins.operation == ARRIVE_AT_PHASE:
            phases.arrive(m, ins, w, lanes)
        else:
            m.pc[w] += 1
            return ARRIVE_WITH_COPIES
    m.pc[w] += 1
    return GO_ON


@jit()
def _move(m, ins, space, w, lanes, action):
    """Check and move data of the lanes whose addresses lie in one space. Returns whether to go on."""
    if not addresses.check(m, ins, space, w, lanes):
        return False
    if action == isa.ADDRESS_ONLY:
        return _nobody_reads(m, ins, space)
    if ins.operation == LOAD:
        moves.load(m, ins, space, w, lanes)
    elif ins.operation == STORE:
        moves.store(m, ins, space, w, lanes)
    else:
        done = atomics.atomic(m, ins, space, w, lanes)
        set_predicate(m, w, ins.predicate_out_0, done, lanes)
    return m.report[REPORT_STATUS] == isa.OK


@jit()
def _to_or_from_shared(m, ins, w, lanes, action):
    """LDGSTS, which reads only where its predicate holds; LDSM and STSM, which move nothing without all 32 lanes.

    Returns whether to go on.
    """
    reading = lanes
    if ins.operation == COPY_TO_SHARED:
        reading &= predicate_in(m, ins, w, 0)
        m.report[REPORT_LANES] = np.int64(reading)
        shared.take_omitted_bytes(m, ins)
    if reading and not addresses.check(m, ins, ins.space, w, reading):
        return False
    if action == isa.ADDRESS_ONLY:
        return True
    if ins.operation == COPY_TO_SHARED:
        shared.copy(m, ins, w, lanes, reading)
    elif lanes != ALL:
        return True
    elif ins.operation == STORE_MATRIX:
        shared.store_matrices(m, ins, w)
    else:
        shared.load_matrices(m, ins, w)
    return m.report[REPORT_STATUS] == isa.OK
