"""Asynchronous barriers (mbarrier) in shared memory: arrivals, and whether a phase is over.

A barrier is 64 bits. Its counts are kept negated, as the words show that the compiler stores to initialise one:

=============  ==================================  =====================================
field          sm_90 and later                     before (`SPLIT`)
=============  ==================================  =====================================
parity         bit 63 of the phase that goes on    bit 63
pending        bits 43 to 62, of 2^20              bits 32 to 62, of 2^31
transactions   bits 21 to 42, two's complement     none
expected       bits 1 to 20, of 2^20               bits 0 to 29, of 2^30
=============  ==================================  =====================================
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution import flow
from simcore.core.execution.lanes import ONE, set_predicate
from simcore.core.execution.operands import own_at, source_at
from simcore.core.execution.outcomes import GIVE_WAY, GO_ON, SUSPENDED
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_GIVES_UP, REPORT_LANES, REPORT_PHASES

LANES = isa.LANES

# Modes of an arrival: what each lane adds (one, or its source a), and how.
ARRIVE_ONE, ARRIVE_SOURCE, EXPECT_ONE, EXPECT_SOURCE, COMPLETE_ONE, COMPLETE_SOURCE = 1, 2, 4, 8, 16, 32
DROP = 64  # nor is it expected in the phases to come
LANES_TOGETHER = (
    128  # the state returned is that before the instruction, its lower word the lanes at one barrier
)
SPLIT = 256
# Mode of a check
MAY_SUSPEND = 1

_PARITY = np.uint64(1) << np.uint64(63)
_PENDING, _TRANSACTIONS, _EXPECTED = np.uint64(43), np.uint64(21), np.uint64(1)
_COUNT = np.uint64((1 << 20) - 1)
_TRANSACTION_COUNT = np.uint64((1 << 22) - 1)
_SPLIT_PENDING = np.uint64(32)
_SPLIT_COUNT, _SPLIT_EXPECTED = np.uint64((1 << 31) - 1), np.uint64((1 << 30) - 1)


@jit()
def arrive(m, ins, w, lanes):
    """Each lane arrives, one after the other; its barrier's state before that goes to the destination."""
    to = own_at(m, w, ins.destination)
    if ins.mode & LANES_TOGETHER:
        for x in range(LANES):
            if lanes >> np.uint32(x) & ONE:
                m.registers[to + x] = _lanes_at(m, lanes, m.address[x])
                state = _state(m, m.warp_block[w], m.address[x])
                m.registers[to + LANES + x] = np.uint32(state >> np.uint64(32))
    for x in range(LANES):
        if lanes >> np.uint32(x) & ONE:
            count = np.uint64(m.registers[source_at(m, w, ins.a) + x])
            state = arrive_at(m, m.warp_block[w], m.address[x], ins.mode, count)
            if not ins.mode & LANES_TOGETHER:
                m.registers[to + x] = np.uint32(state & np.uint64(isa.FULL_MASK))
                m.registers[to + LANES + x] = np.uint32(state >> np.uint64(32))


@jit()
def arrive_with_copies(m, w, mode):
    """The lanes of the instruction just executed arrive, as their copies are there."""
    lanes = m.report[REPORT_LANES]
    for x in range(LANES):
        if lanes >> x & 1:
            arrive_at(m, m.warp_block[w], m.address[x], mode, np.uint64(0))


@jit()
def arrive_at(m, slot, address, mode, count):
    """One arrival at a barrier of the block in a slot; returns its state before. Phases that end are reported."""
    at = _place(m, slot, address)
    state = _state(m, slot, address)
    new = _split_after(state, mode) if mode & SPLIT else _after(state, mode, count)
    m.report[REPORT_PHASES] += np.int64((new ^ state) >> np.uint64(63))
    m.memory[at] = np.uint32(new & np.uint64(isa.FULL_MASK))
    m.memory[at + 1] = np.uint32(new >> np.uint64(32))
    return state


@jit()
def _after(state, mode, count):
    """A barrier's state after an arrival, sm_90 and later."""
    one = np.uint64(1)
    pending, expected = _negated(state >> _PENDING, _COUNT), _negated(state >> _EXPECTED, _COUNT)
    transactions = state >> _TRANSACTIONS & _TRANSACTION_COUNT
    if mode & (EXPECT_ONE | EXPECT_SOURCE):
        transactions += count if mode & EXPECT_SOURCE else one
    if mode & (COMPLETE_ONE | COMPLETE_SOURCE):
        transactions += _negated(count if mode & COMPLETE_SOURCE else one, _TRANSACTION_COUNT)
    transactions &= _TRANSACTION_COUNT
    if mode & (ARRIVE_ONE | ARRIVE_SOURCE):
        arrived = count if mode & ARRIVE_SOURCE else one
        pending -= min(arrived, pending)
        if mode & DROP:
            expected -= min(arrived, expected)
    parity = state & _PARITY
    if pending == np.uint64(0) and transactions == np.uint64(0):
        parity ^= _PARITY
        pending = expected
    return (
        parity
        | _negated(pending, _COUNT) << _PENDING
        | transactions << _TRANSACTIONS
        | _negated(expected, _COUNT) << _EXPECTED
    )


@jit()
def _split_after(state, mode):
    """The same before sm_90, where one arrives at a time and what is no longer expected is counted apart."""
    one = np.uint64(1)
    pending, expected = _negated(state >> _SPLIT_PENDING, _SPLIT_COUNT), _negated(state, _SPLIT_EXPECTED)
    pending -= min(one, pending)
    parity = state & _PARITY
    if pending == np.uint64(0):
        parity ^= _PARITY
        pending = expected
    lower = state & np.uint64(isa.FULL_MASK)
    return parity | _negated(pending, _SPLIT_COUNT) << _SPLIT_PENDING | lower


@jit_inline()
def _negated(value, mask):
    """A count as its negation, or back."""
    return (mask - (value & mask) + np.uint64(1)) & mask


@jit_inline()
def _place(m, slot, address):
    """Where a barrier of the block in a slot lies in `memory`."""
    return m.shared_word + slot * m.shared_words + (address >> 2)


@jit_inline()
def _state(m, slot, address):
    """A barrier of the block in a slot."""
    at = _place(m, slot, address)
    return np.uint64(m.memory[at]) | np.uint64(m.memory[at + 1]) << np.uint64(32)


@jit()
def _lanes_at(m, lanes, address):
    """The lanes that name the same barrier."""
    same = np.uint32(0)
    for y in range(LANES):
        if lanes >> np.uint32(y) & ONE and m.address[y] == address:
            same |= ONE << np.uint32(y)
    return same


@jit()
def check(m, ins, w, lanes):
    """Whether the phase of the parity in bit 31 of source a is over, lane by lane. Returns what it came to.

    A check that may suspend its warp does so until the phase of some lane is over, unless lanes elsewhere in the
    program could go on: then these do, and the check says no. So it does when it has waited long enough.
    """
    over = np.uint32(0)
    for x in range(LANES):
        if lanes >> np.uint32(x) & ONE:
            parity = m.registers[source_at(m, w, ins.a) + x] >> np.uint32(31)
            if np.uint32(_state(m, m.warp_block[w], m.address[x]) >> np.uint64(63)) != parity:
                over |= ONE << np.uint32(x)
    others = flow.has_runnable(m, w)
    if ins.mode & MAY_SUSPEND and not over and not others and not m.report[REPORT_GIVES_UP]:
        return SUSPENDED
    m.report[REPORT_GIVES_UP] = 0
    set_predicate(m, w, ins.predicate_out_0, over, lanes)
    m.pc[w] += 1
    if over == lanes:
        return GO_ON
    if others:
        flow.take_turns(m, w)
    return GIVE_WAY
