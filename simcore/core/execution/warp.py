"""What looks across the lanes of a warp: shuffles, votes, matches, reductions; and the result of a block's."""

import numpy as np

from simcore.core import isa
from simcore.core.execution import block_barrier
from simcore.core.execution.lanes import (
    A_HIGH,
    ALL,
    ONE,
    SIGN,
    A,
    B,
    C,
    D,
    first_of,
    predicate_in,
    set_predicate,
)
from simcore.core.execution.operands import own_at
from simcore.core.jit import jit, jit_inline

LANES = isa.LANES
(
    SHFL, VOTE, MATCH, REDUX, R2UR, ELECT, MOVM, IN_SHARED, BARRIER_RESULT,
) = isa.operations(isa.WARP, 9)  # fmt: skip

# Modes
(SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY) = range(4)
(VOTE_ALL, VOTE_ANY, VOTE_EQ) = range(3)
(MATCH_ANY, MATCH_ALL) = range(2)
(OF_BLOCK, OF_OTHER_BLOCK, OF_GRID) = range(3)
(REDUX_SUM, REDUX_MIN, REDUX_MAX, REDUX_UMIN, REDUX_UMAX, REDUX_AND, REDUX_OR, REDUX_XOR) = range(8)


@jit()
def execute(m, ins, w, lanes):
    """Shuffles, votes and what else looks across lanes; the result is in scratch."""
    operation = ins.operation
    if operation == SHFL:
        _shuffle(m, ins, w, lanes)
    elif operation == VOTE:
        _vote(m, ins, w, lanes)
    elif operation == R2UR:
        _broadcast(m, ins, w, lanes)
    elif operation == ELECT:
        first = np.uint32(first_of(lanes))
        _to_all_lanes(m, first)
        set_predicate(m, w, ins.predicate_out_0, ONE << first, _sharing(ins, lanes))
    elif operation == REDUX:
        _to_all_lanes(m, np.uint32(_reduce(m, ins.mode, lanes)))
    elif operation == MATCH:
        _match(m, ins, w, lanes)
    elif operation == MOVM:
        _transpose(m, ins, w, lanes)
    elif operation == IN_SHARED:
        _in_shared(m, ins, w, lanes)
    else:
        block_barrier.read_result(m, ins, w, lanes)


@jit()
def _to_all_lanes(m, word):
    for x in range(LANES):
        m.scratch[D + x] = word


@jit()
def _broadcast(m, ins, w, lanes):
    """R2UR: the first active lane's word; the predicate says in which lanes it is another, or was set already."""
    word = m.scratch[A + first_of(lanes)]
    differs = predicate_in(m, ins, w, 0)
    for x in range(LANES):
        differs |= np.uint32(m.scratch[A + x] != word) << np.uint32(x)
    _to_all_lanes(m, word)
    set_predicate(m, w, ins.predicate_out_0, differs, lanes)


@jit()
def _vote(m, ins, w, lanes):
    """VOTE: one predicate for the whole warp, and the ballot."""
    ballot = predicate_in(m, ins, w, 0) & lanes
    if ins.mode == VOTE_ALL:
        outcome = ballot == lanes
    elif ins.mode == VOTE_ANY:
        outcome = ballot != 0
    else:
        outcome = ballot == lanes or ballot == 0
    _to_all_lanes(m, ballot)
    set_predicate(m, w, ins.predicate_out_0, ALL if outcome else np.uint32(0), _sharing(ins, lanes))


@jit_inline()
def _sharing(ins, lanes):
    """The lanes whose predicate is written: all of the warp have a uniform one together."""
    return ALL if ins.predicate_out_0 >= isa.UNIFORM_PREDICATES else lanes


@jit()
def _in_shared(m, ins, w, lanes):
    """QSPC: whether a generic address is global (G), or shared: the block's (S), another's of the cluster (D)."""
    bits = np.uint32(0)
    for x in range(LANES):
        carry = (np.int64(m.scratch[A + x]) + ins.value) >> 32
        window = (np.int64(m.scratch[A_HIGH + x]) + carry) & 0xFFFF_FFFF
        lies = ins.mode == OF_BLOCK and window == isa.SHARED_WINDOW
        lies |= ins.mode == OF_GRID and window != isa.SHARED_WINDOW and window != isa.LOCAL_WINDOW
        bits |= np.uint32(lies) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, bits, lanes)


@jit()
def _shuffle(m, ins, w, lanes):
    """SHFL: b names the lane, c the clamp and from bit 8 on the mask of the segments (PTX ISA, shfl.sync).

    A lane that does not take part gives zero, as on an H100 and an H200.
    """
    u = m.scratch
    valid = np.uint32(0)
    for x in range(LANES):
        b = np.int64(u[B + x]) & 31
        clamp = np.int64(u[C + x]) & 31
        segment = np.int64(u[C + x]) >> 8 & 31
        low = x & segment
        limit = low | (clamp & ~segment & 31)
        if ins.mode == SHFL_UP:
            source = x - b
            inside = source >= limit
        elif ins.mode == SHFL_DOWN:
            source = x + b
            inside = source <= limit
        elif ins.mode == SHFL_BFLY:
            source = x ^ b
            inside = source <= limit
        else:
            source = low | (b & ~segment & 31)
            inside = source <= limit
        source = source if inside else x
        u[D + x] = u[A + source] if lanes >> np.uint32(source) & ONE else np.uint32(0)
        valid |= np.uint32(inside) << np.uint32(x)
    set_predicate(m, w, ins.predicate_out_0, valid, lanes)


@jit()
def _reduce(m, kind, lanes):
    """REDUX: one word of all active lanes."""
    u = m.scratch
    total = u[A + first_of(lanes)]
    if kind == REDUX_SUM:
        total = np.uint32(0)
    start = 0 if kind == REDUX_SUM else first_of(lanes) + 1
    for x in range(start, LANES):
        if not lanes >> np.uint32(x) & ONE:
            continue
        v = u[A + x]
        if kind == REDUX_SUM:
            total += v
        elif kind == REDUX_MIN:
            total = v if v ^ SIGN < total ^ SIGN else total
        elif kind == REDUX_MAX:
            total = v if v ^ SIGN > total ^ SIGN else total
        elif kind == REDUX_UMIN:
            total = min(v, total)
        elif kind == REDUX_UMAX:
            total = max(v, total)
        elif kind == REDUX_AND:
            total &= v
        elif kind == REDUX_OR:
            total |= v
        else:
            total ^= v
    return total


@jit()
def _match(m, ins, w, lanes):
    """MATCH: for each lane those with the same value, or all lanes if all have the same."""
    u = m.scratch
    all_same = True
    for x in range(LANES):
        group = np.uint32(0)
        for y in range(LANES):
            same = u[A + x] == u[A + y]
            if ins.width == 8:
                same = same and u[A_HIGH + x] == u[A_HIGH + y]
            group |= np.uint32(same) << np.uint32(y)
        group &= lanes
        if lanes >> np.uint32(x) & ONE and group != lanes:
            all_same = False
        u[D + x] = group
    if ins.mode == MATCH_ALL:
        _to_all_lanes(m, lanes if all_same else np.uint32(0))
        set_predicate(m, w, ins.predicate_out_0, ALL if all_same else np.uint32(0), lanes)


@jit()
def _transpose(m, ins, w, lanes):
    """MOVM: an 8 by 8 matrix of halves, a row in four lanes, turned over its diagonal; nothing without all lanes."""
    u = m.scratch
    kept = own_at(m, w, ins.destination)
    for x in range(LANES):
        if lanes != ALL:
            u[D + x] = m.registers[kept + x]
            continue
        word = np.uint32(0)
        for which in range(2):
            row, column = x % 4 * 2 + which, x // 4
            source = u[A + row * 4 + column // 2] >> np.uint32(16 * (column % 2)) & np.uint32(0xFFFF)
            word |= source << np.uint32(16 * which)
        u[D + x] = word
