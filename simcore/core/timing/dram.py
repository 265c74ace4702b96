"""What one SM sees of the DRAM that all SMs share: its part of the bandwidth, and queues that grow with the load."""

from simcore.core.geometry import LINE_SHIFT
from simcore.core.jit import jit, jit_inline
from simcore.core.timing import ports
from simcore.core.timing.state import COUNT_DRAM_BYTES, PORT_DRAM

# How utilisation is estimated, not what a GPU is: it is averaged over a time long against one request and short against
# a kernel, and kept from 1, where the law of the queue has its pole and the port itself is what a request waits for.
LOAD_WINDOW = 2048.0  # cycles: a few latencies of DRAM
MIX_WINDOW = 64.0  # requests to DRAM over which the share of writes is averaged
MAX_LOAD = 0.9

# What counts as near: of how many pages it is known that they were read of late, and their size.
PAGES = 64
PAGE_SHIFT = 12 - LINE_SHIFT  # log2 of the lines of 4 KiB


@jit()
def move(sm, t, begin, size, least, is_write):
    """Move bytes of one line from or to DRAM; returns when they are served, after those of this SM and, by its
    utilisation, of others.

    A request for little costs as much as one for `least` bytes; changing between reads and writes costs the
    bus a pause, as often as two neighbouring requests differ. What one SM reserves is evenly spread, what all send
    together is not: measured latency grows with the utilisation u as u / (1 - u)
    (benchmarks/silicon/micro/dram/loaded_latency).
    """
    sm.dram_write_share[0] += ((1.0 if is_write else 0.0) - sm.dram_write_share[0]) / MIX_WINDOW
    others = 1.0 - sm.dram_write_share[0] if is_write else sm.dram_write_share[0]
    service = (max(size, least) + t.dram_turnaround_bytes * others) * t.dram_cycles_per_byte
    sm.counters[COUNT_DRAM_BYTES] += size
    load = _load(sm, begin, service)
    return ports.take(sm, PORT_DRAM, begin, service) + t.dram_queueing * load / (1.0 - load)


@jit_inline()
def least_of_a_read(sm, t, line):
    """What a read of little costs: more where it is alone in its page."""
    page = line >> PAGE_SHIFT
    place = page % PAGES
    near = sm.dram_page[place] == page
    sm.dram_page[place] = page
    return t.dram_request_bytes if near else t.dram_lone_request_bytes


@jit_inline()
def _load(sm, begin, service):
    """Utilisation of DRAM of late, 0 to `MAX_LOAD`, with a request that begins now."""
    kept = max(1.0 - (begin - sm.load_since[PORT_DRAM]) / LOAD_WINDOW, 0.0)
    sm.load[PORT_DRAM] = min(sm.load[PORT_DRAM] * kept + service / LOAD_WINDOW, MAX_LOAD)
    sm.load_since[PORT_DRAM] = max(begin, sm.load_since[PORT_DRAM])
    return sm.load[PORT_DRAM]
