"""Pairs of registers that shared loads bring at once, on their way to the register file.

Where neighbouring lanes read the same address, the data stage brings two registers of a wide load in a cycle. Such a
pair is written while the scheduler issues nothing, so loads take longer the busier it is. Where too many pairs wait,
they hold arithmetic up in the allocate stage (benchmarks/silicon/micro/l1/broadcast_reads).
"""

from simcore.core.jit import jit

WINDOW = 128.0
"""Cycles over which the share of idle ones is averaged."""

LEAST_IDLE = 1.0 / 32.0
"""Share of idle cycles below which a pair waits no longer."""


@jit()
def wait(sm, t, s, pairs, now):
    """Cycles until pairs that a load brings have been written."""
    _write_meanwhile(sm, s, now)
    waiting = sm.pairs_waiting[s] + pairs * t.register_pair_interval
    sm.pairs_waiting[s] = min(waiting, t.register_pair_places * t.register_pair_interval)
    sm.register_traffic[s] += waiting - sm.pairs_waiting[s]
    return sm.pairs_waiting[s] / max(sm.idle_share[s], LEAST_IDLE)


@jit()
def _write_meanwhile(sm, s, now):
    """What waited has been written in the cycles in which nothing issued since it was looked last."""
    elapsed = float(now - sm.pairs_seen[s])
    if elapsed == 0.0:
        return
    idle = max(elapsed - (sm.issue_count[s] - sm.pairs_issue_count[s]), 0.0)
    sm.pairs_waiting[s] = max(sm.pairs_waiting[s] - idle, 0.0)
    sm.idle_share[s] += (idle / elapsed - sm.idle_share[s]) * elapsed / (elapsed + WINDOW)
    sm.pairs_seen[s] = now
    sm.pairs_issue_count[s] = sm.issue_count[s]
