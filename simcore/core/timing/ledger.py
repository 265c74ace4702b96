"""Every cycle of every resident warp goes to one stall reason: sums, and in a window of time one by one."""

from simcore.core.jit import fix_extents, jit_inline, jit_seldom
from simcore.core.timing.state import STALLS

fix_extents("Ledger", instruction_stalls=(STALLS,))


@jit_inline()
def stall(ledger, w, pc, reason, at, until):
    """Give a warp's cycles from `at` to before `until` to a reason, for the instruction that waits."""
    add(ledger, pc, reason, until - at)
    record(ledger, w, pc, reason, at, until)


@jit_inline()
def add(ledger, pc, reason, cycles):
    """Give a warp's cycles to a reason, whenever they were."""
    ledger.instruction_stalls[pc, reason] += cycles


@jit_inline()
def wait(ledger, w, pc, reason, at, until):
    """The warp waits for one reason from `at` on, if it has to; returns when that ends."""
    if until > at:
        stall(ledger, w, pc, reason, at, until)
        return until
    return at


@jit_inline()
def record(ledger, w, pc, reason, at, until):
    """Keep what happened if it reaches into the window."""
    if at < ledger.window_end and until > ledger.window_begin:
        _keep(ledger, w, pc, reason, at, until)


@jit_seldom()
def _keep(ledger, w, pc, reason, at, until):
    """Add an event; as a warp has one state a cycle, there is room for all."""
    count = ledger.recorded[0]
    ledger.events[count, 0] = w
    ledger.events[count, 1] = ledger.warp[w]
    ledger.events[count, 2] = pc
    ledger.events[count, 3] = reason
    ledger.events[count, 4] = at
    ledger.events[count, 5] = until
    ledger.recorded[0] = count + 1
