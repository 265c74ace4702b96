"""Loads that wait for sectors on their way to L1 are woken one a cycle when these come.

Meanwhile others that ask for the same sectors wait in line, a few behind the tag stage and then before it, and all that
is behind them, too.

So warps that all load a line on its way are served one after the other before any of them goes on, and what they wait
for is `lg_throttle`. Loads of lines of a warp's own never meet that
(benchmarks/silicon/micro/l1/pending_loads on an H200 and an H100).
"""

from simcore.core.geometry import SECTORS
from simcore.core.jit import jit_inline


@jit_inline()
def wait(sm, t, place, sector, there):
    """One more load waits for a sector that is there at some time."""
    sm.l1_woken[place, sector] = max(sm.l1_woken[place, sector], there) + t.lsu_interval


@jit_inline()
def begin(sm):
    """A load begins to look up its lines."""
    sm.woken[0] = 0.0


@jit_inline()
def meet(sm, place, sectors):
    """A load finds sectors there, perhaps while others are woken."""
    woken = sm.woken[0]
    for sector in range(SECTORS):
        woken = max(woken, sm.l1_woken[place, sector] if sectors >> sector & 1 else 0.0)
    sm.woken[0] = woken


@jit_inline()
def room_from(sm, t, after_lookup):
    """When there is room behind the tag stage for the load that looked up its lines last, which takes its data so many
    cycles later."""
    return sm.woken[0] - after_lookup - t.wake_up_places * t.lsu_interval
