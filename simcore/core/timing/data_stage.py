"""The data stage that L1 and shared memory have in common: who holds its banks when.

Accesses to shared memory, stores, shuffles and special registers come straight from the queues and pass one behind the
other. Loads of global and local memory come from the tag stage: a hit at once, another one when its lines are there,
hundreds of cycles later (benchmarks/silicon/micro/l1/row_window); the lines that come are written, too. All that is
known when a load issues, so its cycles are set aside in advance, in bins of time. What comes straight from the queues
takes turns with them: it waits for as long as it holds the stage itself, and what no longer fits into the bins is put
off. What comes from the ADU waits behind neither: in families/async_matmul uses of S2UR wait for 0.6 % of a warp's time
on an H200 (stalls by instruction), and would for 7 % behind the shared loads in the queues.
"""

import numpy as np

from simcore.core.jit import jit, jit_inline
from simcore.core.timing.state import DATA_BINS, PORT_DATA

BIN_SHIFT = 1
BIN = 1 << BIN_SHIFT
"""Cycles of a bin."""


WINDOW = 128.0
"""Cycles of the stage over which it is averaged in how many a load passes again."""

HIDDEN = 1.25
"""Times that share: how much less lines cost that come. Beside loads of two passes they cost 0.4 of what they do beside
loads of one, of four passes nothing (benchmarks/silicon/micro/l1/fills_beside)."""


@jit()
def serve(sm, earliest, hold):
    """Hold the data stage for what comes straight from the queues; returns from when."""
    sm.busy[PORT_DATA] += hold
    _note_passes(sm, hold, 0.0)
    start = max(sm.shared_free[PORT_DATA], earliest)
    place = _place(sm, np.int64(start) >> BIN_SHIFT)
    start += min(hold, sm.data_loads[place])
    sm.shared_free[PORT_DATA] = start + hold
    _put_off_loads(sm, start, start + hold)
    return start


@jit()
def pass_by(sm, at, hold):
    """Hold the data stage for what comes from the ADU, and passes at once; what is in the queues passes after it."""
    sm.busy[PORT_DATA] += hold
    sm.shared_free[PORT_DATA] = max(sm.shared_free[PORT_DATA], at) + hold
    _put_off_loads(sm, at, at + hold)
    return at


@jit()
def serve_load(sm, earliest, hold, now):
    """Hold the data stage for a load; returns from when."""
    _note_passes(sm, hold, max(hold - 1.0, 0.0))
    return _hold(sm, earliest, hold, now)


@jit()
def fill(sm, earliest, hold, now):
    """Hold the data stage for lines that come; they go in at no cost while a load passes again."""
    _hold(sm, earliest, hold * max(1.0 - HIDDEN * sm.repeated_passes[0], 0.0), now)


@jit_inline()
def _note_passes(sm, passes, repeated):
    """Average the share of the stage's cycles in which a load passes again. What comes straight from the queues is
    taken to hide nothing, which was not measured."""
    sm.repeated_passes[0] += (repeated - sm.repeated_passes[0] * passes) / (passes + WINDOW)


@jit()
def _hold(sm, earliest, hold, now):
    """Set cycles of the stage aside in advance; returns from when."""
    sm.busy[PORT_DATA] += hold
    number = np.int64(earliest) >> BIN_SHIFT
    if number - (now >> BIN_SHIFT) >= DATA_BINS:
        return earliest
    return max(earliest, _set_aside(sm, number, hold) - hold)


@jit_inline()
def _put_off_loads(sm, start, end):
    """Take the bins of some time; loads for which no room is left there pass after it."""
    put_off = 0.0
    number = np.int64(start) >> BIN_SHIFT
    at = start
    while at < end:
        until = min(end, float((number + 1) << BIN_SHIFT))
        place = _place(sm, number)
        taken = sm.data_taken[place] + (until - at)
        over = min(max(taken - BIN, 0.0), sm.data_loads[place])
        sm.data_taken[place] = min(taken, float(BIN))
        sm.data_loads[place] -= over
        put_off += over
        at = until
        number += 1
    if put_off > 0.0:
        _set_aside(sm, number, put_off)


@jit_inline()
def _place(sm, number):
    """Where a bin is counted."""
    place = number & (DATA_BINS - 1)
    if sm.data_bin[place] != number:
        sm.data_bin[place] = number
        sm.data_taken[place] = 0.0
        sm.data_loads[place] = 0.0
    return place


@jit_inline()
def _set_aside(sm, number, cycles):
    """Set cycles of a bin aside for loads, and what it lacks of those behind it; returns when the last is over.

    The last stretch of bins that were found full is passed over.
    """
    left = cycles
    if sm.data_full[0] <= number < sm.data_full[1]:
        number = sm.data_full[1]
    first = number
    while True:
        place = _place(sm, number)
        taken = min(BIN - sm.data_taken[place], left)
        left -= taken
        sm.data_taken[place] += taken
        sm.data_loads[place] += taken
        if left <= 0.0:
            break
        number += 1
    if first != sm.data_full[1]:
        sm.data_full[0] = first
    sm.data_full[1] = number
    return float(number << BIN_SHIFT) + sm.data_taken[place]
