"""Loops without progress: a warp that comes back, alone, to the state and memory that it was in will do so forever.

A warp is watched once its turn has been long, for a thousandth of what it executed, and again when that has doubled: so
a loop of any length is found, and watching costs nothing that can be measured. Where a pass counts, or loads what
somebody changed, the state differs. States and memory are compared by hashes of 64 bits.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution.operands import own_at
from simcore.core.jit import jit

SHORTEST_WATCH = 1 << 12
WATCHED_SHARE = 1 << 10

(PATIENCE, OPENS, CLOSES, PC, STATE, PASSES, CONTENTS, LAST, PERIOD) = range(9)
"""A watch: the instructions of a turn before it, and those of the warp at which it begins and ends; where the warp
stood, the hash of its state there, how often it came back, the hash of memory and its instructions then, and how many
it repeats."""

NOWHERE = -1
_SEED = np.uint64(0x9E37_79B9_7F4A_7C15)
_FACTOR = np.uint64(0xFF51_AFD7_ED55_8CCD)
_SHIFT = np.uint64(32)


@jit()
def expect(watch, instructions):
    """Watch a warp when its turn, which begins at this number of its instructions, will have been long."""
    watch[OPENS] = instructions + watch[PATIENCE]
    watch[PC] = NOWHERE


@jit()
def begin(m, w, watch, instructions):
    """Watch a warp from here on."""
    watch[OPENS] = instructions
    watch[CLOSES] = instructions + max(instructions // WATCHED_SHARE, SHORTEST_WATCH)
    watch[PC] = m.pc[w]
    watch[STATE] = _state(m, w)
    watch[PASSES] = 0
    watch[LAST] = instructions


@jit()
def begin_again(m, w, watch, instructions):
    """Watch a warp that was stuck here: whether it comes back with memory as it is now."""
    begin(m, w, watch, instructions)
    watch[PASSES] = 1
    watch[CONTENTS] = _contents(m)


@jit()
def is_stuck(m, w, watch, instructions):
    """Whether a watched warp has come back to its state, and twice to the same memory; asked at each instruction."""
    if watch[PC] == NOWHERE:
        begin(m, w, watch, instructions)
        return False
    if m.pc[w] == watch[PC] and _state(m, w) == watch[STATE]:
        contents = _contents(m)
        watch[PERIOD] = instructions - watch[LAST]
        watch[LAST] = instructions
        if watch[PASSES] and contents == watch[CONTENTS]:
            return True
        watch[CONTENTS] = contents
        watch[PASSES] += 1
    if instructions >= watch[CLOSES] or watch[PASSES] > 1:
        watch[OPENS] = 2 * instructions
        watch[PC] = NOWHERE
    return False


@jit()
def _state(m, w):
    """A hash of all that decides what a warp does next, but memory."""
    state = _mixed(_mixed(_SEED, m.active[w]), m.live[w])
    for i in range(own_at(m, w, 0), own_at(m, w + 1, 0)):
        state = _mixed(state, m.registers[i])
    for p in range(w * isa.PREDICATES, (w + 1) * isa.PREDICATES):
        state = _mixed(state, m.predicates[p])
    for b in range(m.barriers.shape[1]):
        state = _mixed(state, m.barriers[w, b])
    for x in range(isa.LANES):
        state = _mixed(_mixed(state, m.returns[w, x]), m.lane_pc[w, x])
        state = _mixed(_mixed(state, m.lane_wait[w, x]), m.lane_mates[w, x])
    return np.int64(state)


@jit()
def _contents(m):
    """A hash of memory."""
    contents = _SEED
    for i in range(m.memory.size):
        contents = _mixed(contents, m.memory[i])
    return np.int64(contents)


@jit()
def _mixed(before, word):
    """A hash with one more word."""
    mixed = (before ^ np.uint64(word)) * _FACTOR
    return mixed ^ mixed >> _SHIFT
