"""What looks across the lanes of a warp: shuffles, votes, matches, reductions; and the result of a block's."""

import numpy as np

from simcore.core import isa
from simcore.core.execution import lanes
from simcore.core.jit import jit

LAST_REDUCTION = 16  # in `reductions`: the barrier and, from bit 4 on, the kind of the last one
ALL = np.uint32(isa.FULL_MASK)
ONE = np.uint32(1)


@jit()
def warp_wide(m, ins, w, active_mask):
    """Shuffles, votes and what else looks across lanes; the result is in scratch."""
    t = m.scratch
    operation = ins.operation
    if operation == isa.SHFL:
        _shuffle(m, ins, w, active_mask)
    elif operation == isa.VOTE:
        voted = lanes.predicate_in(m, ins, w, 0)
        ballot = voted & active_mask
        if ins.mode == isa.VOTE_ALL:
            outcome = ballot == active_mask
        elif ins.mode == isa.VOTE_ANY:
            outcome = ballot != 0
        else:
            outcome = ballot == active_mask or ballot == 0
        for x in range(32):
            t[lanes.D + x] = ballot
        lanes.set_predicate(m, w, ins.predicate_out_0, ALL if outcome else np.uint32(0), ALL)
    elif operation == isa.R2UR:
        first = lanes.first_of(active_mask)
        for x in range(32):
            t[lanes.D + x] = t[first]
    elif operation == isa.ELECT:
        lanes.set_predicate(m, w, ins.predicate_out_0, ONE << np.uint32(lanes.first_of(active_mask)), ALL)
    elif operation == isa.REDUX:
        total = _reduce(t, ins.mode, active_mask)
        for x in range(32):
            t[lanes.D + x] = total
    elif operation == isa.MATCH:
        _match(m, ins, w, active_mask)
    elif operation == isa.IN_SHARED:
        bits = np.uint32(0)
        for x in range(32):
            bits |= np.uint32(t[lanes.A_HIGH + x] == isa.SHARED_WINDOW) << np.uint32(x)
        lanes.set_predicate(m, w, ins.predicate_out_0, bits, active_mask)
    elif operation == isa.BARRIER_RESULT:
        _barrier_result(m, ins, w, active_mask)


@jit()
def _barrier_result(m, ins, w, active_mask):
    """B2R.RESULT: what the warp's last BAR.RED found in the whole block."""
    barrier = m.reductions[w, LAST_REDUCTION] & 15
    kind = m.reductions[w, LAST_REDUCTION] >> 4
    turn = (m.reductions[w, barrier] - 1) % 3
    held = m.tallies[m.warp_block[w], barrier, turn, 0]
    every = m.tallies[m.warp_block[w], barrier, turn, 1]
    for x in range(32):
        m.scratch[lanes.D + x] = np.uint32(held)
    outcome = held == every if kind == isa.REDUCE_ALL else held > 0
    lanes.set_predicate(m, w, ins.predicate_out_0, ALL if outcome else np.uint32(0), active_mask)


@jit()
def _shuffle(m, ins, w, active_mask):
    t = m.scratch
    valid = np.uint32(0)
    for x in range(32):
        b = np.int64(t[lanes.B + x]) & 31
        clamp = np.int64(t[lanes.C + x]) & 31
        segment = np.int64(t[lanes.C + x]) >> 8 & 31
        low = x & segment
        high = low | (clamp & ~segment & 31)
        if ins.mode == isa.SHFL_UP:
            source = x - b
            inside = source >= (low | (clamp & ~segment & 31))
        elif ins.mode == isa.SHFL_DOWN:
            source = x + b
            inside = source <= high
        elif ins.mode == isa.SHFL_BFLY:
            source = x ^ b
            inside = source <= high
        else:
            source = low | (b & ~segment & 31)
            inside = source <= high
        source = source if inside else x
        t[lanes.D + x] = t[lanes.A + source]
        valid |= np.uint32(inside) << np.uint32(x)
    lanes.set_predicate(m, w, ins.predicate_out_0, valid, active_mask)


@jit()
def _reduce(t, kind, active_mask):
    total = t[lanes.first_of(active_mask)]
    if kind == isa.REDUX_SUM:
        total = np.uint32(0)
    start = 0 if kind == isa.REDUX_SUM else lanes.first_of(active_mask) + 1
    sign = np.uint32(0x8000_0000)
    for x in range(start, 32):
        if not active_mask >> np.uint32(x) & ONE:
            continue
        v = t[x]
        if kind == isa.REDUX_SUM:
            total += v
        elif kind == isa.REDUX_MIN:
            total = v if v ^ sign < total ^ sign else total
        elif kind == isa.REDUX_MAX:
            total = v if v ^ sign > total ^ sign else total
        elif kind == isa.REDUX_UMIN:
            total = min(v, total)
        elif kind == isa.REDUX_UMAX:
            total = max(v, total)
        elif kind == isa.REDUX_AND:
            total &= v
        elif kind == isa.REDUX_OR:
            total |= v
        else:
            total ^= v
    return total


@jit()
def _match(m, ins, w, active_mask):
    t = m.scratch
    all_same = True
    for x in range(32):
        group = np.uint32(0)
        for y in range(32):
            same = t[lanes.A + x] == t[lanes.A + y]
            if ins.width == 8:
                same = same and t[lanes.A_HIGH + x] == t[lanes.A_HIGH + y]
            group |= np.uint32(same) << np.uint32(y)
        group &= active_mask
        if active_mask >> np.uint32(x) & ONE and group != active_mask:
            all_same = False
        t[lanes.D + x] = group
    if ins.mode:
        for x in range(32):
            t[lanes.D + x] = active_mask if all_same else np.uint32(0)
        lanes.set_predicate(m, w, ins.predicate_out_0, ALL if all_same else np.uint32(0), active_mask)
