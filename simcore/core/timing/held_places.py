"""Lines on their way hold places of L1 until the load that asked for them is complete: while L1 has no other, a load
that misses holds the tag stage.

When they are free is counted in bins of time (benchmarks/silicon/micro/l1/held_places.cu on an H200 and an H100;
benchmarks/silicon/micro/l1/random_words on an H200 and an H100).
"""

from simcore.core.jit import jit, jit_inline

(HELD, OWN, BIN) = range(3)
"""Of the state: places that are held, those of the load that looks up its lines, and the first bin of time in which
any is free again."""

BIN_SHIFT = 4
BINS = 4096
"""Of 16 cycles each: a load that takes longer than 65,536 cycles holds its places no longer than that."""


@jit()
def place_from(sm, t, at):
    """When there is a place for one more line of the load at hand, which takes it, from some time on."""
    state = sm.holding
    now = _bin_of(at)
    while state[BIN] < now and state[HELD]:
        _free_first(sm)
    state[BIN] = max(state[BIN], now)
    while state[HELD] and state[HELD] + state[OWN] >= t.l1_lines:
        _free_first(sm)
    state[OWN] += 1
    return max(at, float(state[BIN] << BIN_SHIFT))


@jit_inline()
def complete(sm, done):
    """The load at hand is complete at some time."""
    if sm.holding[OWN] == 0:
        return
    first = sm.holding[BIN]
    bin = min(max(_bin_of(done), first), first + BINS - 1)
    sm.held_places[bin & BINS - 1] += sm.holding[OWN]
    sm.holding[HELD] += sm.holding[OWN]
    sm.holding[OWN] = 0


@jit_inline()
def _bin_of(time):
    """The bin of a time."""
    return int(time) >> BIN_SHIFT


@jit_inline()
def _free_first(sm):
    """The places of the first bin are free."""
    bin = sm.holding[BIN] & BINS - 1
    sm.holding[HELD] -= sm.held_places[bin]
    sm.held_places[bin] = 0
    sm.holding[BIN] += 1
