"""Registers that loads bring, written to the register file of their sub-partition.

It takes half of one a cycle, in order, and none while a result of arithmetic is written to the same bank
(benchmarks/silicon/micro/l1/load_marks on an H200). When arithmetic issues is not known as a load does, so what loads
have under way moves on, half by half, as results meet it.
"""

import numpy as np

from simcore.core import isa
from simcore.core.jit import fix_extents, jit, jit_inline
from simcore.core.timing import ledger
from simcore.core.timing.scoreboard import LONG, NO_COUNTER
from simcore.core.timing.state import EMPTY, LONG_SCOREBOARD, SHORT_SCOREBOARD

HALVES = 2
"""Of a register, a cycle each."""

RESULT = 3
"""Cycles from the allocate stage of arithmetic until its result is written, in times at which a load's warp may go on,
which is some cycles behind its last register; 3 comes nearer to `load_marks` than 5."""

PLACES = 32
"""Loads of a scheduler that are followed."""

(AT, LEFT, BANK, WARP, COUNTER, COLUMNS) = range(6)
"""Of a load: when its next half is written (the first one's NEVER if there is none), how many are left, the bank of the
next, and who waits for them."""

fix_extents("Sm", returning=(PLACES, COLUMNS))


@jit_inline()
def _done(sm, s, place):
    """When a load's last register is written."""
    return sm.returning[s, place, AT] + sm.returning[s, place, LEFT] - 1


@jit()
def bring(sm, ins, s, w, done, now):
    """The registers of a load from shared memory or L1 will be written until some cycle, or later, behind those of
    others; returns until when."""
    if ins.write_barrier == NO_COUNTER:
        return done
    while sm.returning_count[s] and _done(sm, s, 0) < now + RESULT:
        _leave(sm, s)
    place = sm.returning_count[s]
    if place == PLACES:
        return done
    sm.returning_count[s] += 1
    halves = HALVES * max(np.int64(ins.width >> 2), 1)
    at = np.int64(np.ceil(done)) - (halves - 1)
    while place > 0 and sm.returning[s, place - 1, AT] > at:
        _move(sm, s, place - 1, place)
        place -= 1
    if place > 0:
        at = max(at, _done(sm, s, place - 1) + 1)
    sm.returning[s, place, AT] = at
    sm.returning[s, place, LEFT] = halves
    sm.returning[s, place, BANK] = ins.destination & 1
    sm.returning[s, place, WARP] = w
    sm.returning[s, place, COUNTER] = ins.write_barrier
    return np.float64(_done(sm, s, place))


@jit_inline()
def _move(sm, s, place, other):
    """A load takes another place."""
    for column in range(COLUMNS):
        sm.returning[s, other, column] = sm.returning[s, place, column]


@jit_inline()
def _leave(sm, s):
    """The first load's last register is written."""
    sm.returning_count[s] -= 1
    for place in range(sm.returning_count[s]):
        _move(sm, s, place + 1, place)
    if sm.returning_count[s] == 0:
        sm.returning[s, 0, AT] = isa.NEVER


@jit_inline()
def give_way(m, sm, s, banks, allocated):
    """The result of arithmetic that leaves the allocate stage then will be written to some banks."""
    if sm.returning[s, 0, AT] <= allocated + RESULT:
        _meet(m, sm, s, banks, allocated + RESULT)


@jit()
def _meet(m, sm, s, banks, at):
    """Half a register for one of the banks that a result is written to waits a cycle more."""
    while sm.returning[s, 0, AT] < at:
        sm.returning[s, 0, AT] += 1
        sm.returning[s, 0, LEFT] -= 1
        if sm.returning[s, 0, LEFT] % HALVES == 0:
            sm.returning[s, 0, BANK] ^= 1
        if sm.returning[s, 0, LEFT] == 0:
            _leave(sm, s)
    if sm.returning[s, 0, AT] == at and banks >> sm.returning[s, 0, BANK] & 1:
        _put_off(m, sm, s, at + 1)


@jit()
def _put_off(m, sm, s, at):
    """The first load's next half is not written before some cycle, nor are those behind it."""
    for place in range(sm.returning_count[s]):
        if sm.returning[s, place, AT] >= at:
            break
        before = _done(sm, s, place)
        sm.returning[s, place, AT] = at
        after = _done(sm, s, place)
        _wait_longer(m, sm, s, sm.returning[s, place, WARP], sm.returning[s, place, COUNTER], before, after)
        at = after + 1


@jit_inline()
def _wait_longer(m, sm, s, w, counter, before, after):
    """A counter is released later, and so a warp ready that waits for it."""
    if sm.release[w, counter] != before:
        return
    sm.release[w, counter] = after
    if sm.unit[w] == EMPTY or sm.ready[w] != before:
        return
    pc = m.pc[w]
    if m.code[pc].wait_mask >> counter & 1:
        reason = LONG_SCOREBOARD if sm.release[w, LONG] >> counter & 1 else SHORT_SCOREBOARD
        sm.ready[w] = ledger.wait(sm.ledger, w, pc, reason, before, after)
        sm.has_changed[s] = 1
