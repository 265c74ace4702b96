"""What one SM sees of the DRAM that all SMs share: its part of the bandwidth, and queues that grow with the load."""

from simcore.core.geometry import LINE_BYTES, LINE_SHIFT, SECTOR_BYTES
from simcore.core.jit import jit, jit_inline
from simcore.core.timing import ports
from simcore.core.timing.state import COUNT_DRAM_BYTES, PORT_DRAM, PORT_L2_FILL

# How utilisation is estimated, not what a GPU is: it is averaged over a time long against one request and short against
# a kernel, and kept from 1, where the law of the queue has its pole and the port itself is what a request waits for.
LOAD_WINDOW = 2048.0  # cycles: a few latencies of DRAM
MIX_WINDOW = 1024.0  # requests over which the share of writes is averaged; other SMs are in other phases
MAX_LOAD = 0.95

# Of so many requests one of the other kind is enough that bursts of both take turns: between a fifth and four fifths of
# writes nothing depends on it (benchmarks/silicon/micro/dram/mixed_streams).
OTHERS = 8.0

(SIZE, COST) = range(2)  # of `Sm.dram_evicted` and `dram_left`: bytes, and as many in a row as they cost like

# What counts as near: for how long it is known that a page was read, by the low bits of its number, and its size.
# Between 1,000 and 20,000 cycles make no difference to families/strided_read and micro/dram/half_sectors.
NEAR_FOR = 4000.0  # cycles: a few latencies of DRAM under load
PAGES = 4096
PAGE_SHIFT = 12 - LINE_SHIFT  # log2 of the lines of 4 KiB


@jit()
def read(sm, t, begin, size, cost, drawn):
    """Read bytes of one line; returns when they are served, but for DRAM's own latency.

    A read waits for this SM's part of the bandwidth or, where that is free, for what others sent: evenly spread is what
    one SM reserves, not what all send together. Measured latency grows with the utilisation u as u / (1 - u)
    (benchmarks/silicon/micro/dram/loaded_latency, whose requests are for whole lines), and with what requests cost
    (micro/l1/pending_room). DRAM writes in bursts, and a read that comes meanwhile waits for the rest of one, long or
    short alike: on average for a time that grows with what is written (micro/dram/copy_latency: its blocks that meet
    before they write are 2.7 % off on average, and 6.4 with waits that fall off exponentially).

    Args:
        begin: when the request leaves L2.
        cost: of so many bytes in a row (`cost_of_a_read`).
        drawn: in [0, 1), how much of a burst of writes is left.
    """
    return max(occupy(sm, t, begin, size, cost, False), _behind_others(sm, t, begin, cost, drawn))


@jit_inline()
def wait(sm, t, begin, drawn):
    """Wait for a line that another SM reads: returns when it is served, but for DRAM's own latency."""
    return max(sm.shared_free[PORT_DRAM], _behind_others(sm, t, begin, float(LINE_BYTES), drawn))


@jit_inline()
def _behind_others(sm, t, begin, cost, drawn):
    """When DRAM has served what others sent before a read."""
    load = sm.load[PORT_DRAM]
    queueing = t.dram_queueing * (cost / LINE_BYTES) * load / (1.0 - load)
    behind_writes = t.dram_write_wait * load * sm.dram_write_share[0] * 2.0 * drawn
    return begin + queueing + behind_writes


@jit()
def occupy(sm, t, begin, size, cost, is_write):
    """Use this SM's part of the bandwidth for bytes of one line; returns from when.

    They cost as much as so many in a row. Writes come in bursts, and changing to one and back costs the bus a pause:
    so much a write, if there are reads (benchmarks/silicon/micro/dram/mixed_streams). Where there are both, what moves
    takes L2 time in which it takes in nothing else; what is only read, or only written, does not (there, too).
    """
    writes = _share_of_writes(sm, is_write)
    meets_reads = min(OTHERS * (1.0 - writes), 1.0)
    if is_write:
        cost += t.dram_turnaround_bytes * meets_reads
    mixed = size / SECTOR_BYTES * meets_reads * min(OTHERS * writes, 1.0)
    ports.take(sm, PORT_L2_FILL, begin, mixed * t.mixed_traffic_cost * t.l2_write_cycles_per_sector)
    service = cost * t.dram_cycles_per_byte
    sm.counters[COUNT_DRAM_BYTES] += size
    _note_load(sm, begin, service)
    return ports.take_late(sm, PORT_DRAM, begin, service)


@jit_inline()
def _share_of_writes(sm, is_write):
    """The share of writes among the requests of late, this one the last."""
    sm.dram_requests[0] += 1
    weight = 1.0 / min(float(sm.dram_requests[0]), MIX_WINDOW)
    sm.dram_write_share[0] += ((1.0 if is_write else 0.0) - sm.dram_write_share[0]) * weight
    return sm.dram_write_share[0]


@jit_inline()
def write_back(sm, t, begin, size, cost):
    """Bytes are written that will leave L2: a share of them leaves it now, or some of others."""
    if t.write_evicts == 1.0:
        occupy(sm, t, begin, size, cost, True)
        return
    sm.dram_left[SIZE] += size
    sm.dram_left[COST] += cost
    _evict(sm, t, begin, size * t.write_evicts, cost * t.write_evicts)


@jit_inline()
def make_room(sm, t, begin):
    """A line is fetched for the first time: some of what was written leaves L2 for it, at the cost of the rest."""
    if t.read_evicts > 0.0:
        size = LINE_BYTES * t.read_evicts
        _evict(sm, t, begin, size, size * sm.dram_left[COST] / sm.dram_left[SIZE])


@jit_inline()
def _evict(sm, t, begin, size, cost):
    """Bytes that were written, by this launch or the one before, leave L2 for DRAM, line by line."""
    sm.dram_evicted[SIZE] += size
    sm.dram_evicted[COST] += cost
    if sm.dram_evicted[SIZE] >= LINE_BYTES:
        occupy(sm, t, begin, sm.dram_evicted[SIZE], sm.dram_evicted[COST], True)
        sm.dram_evicted[SIZE] = sm.dram_evicted[COST] = 0.0


@jit_inline()
def cost_of_a_read(sm, t, line, before, size, begin):
    """What reading bytes of a line costs: little is expensive, and more so where it is alone in its page. What others
    of the line, read of late, have paid is taken off."""
    page = line >> PAGE_SHIFT
    place = page % PAGES
    near = sm.dram_page[place] == page and begin < sm.dram_page_until[place]
    sm.dram_page[place] = page
    sm.dram_page_until[place] = begin + NEAR_FOR
    if near:
        return cost_of_more(before, size, t.dram_request_bytes)
    return max(size, t.dram_lone_request_bytes)


@jit_inline()
def cost_of_more(before, size, least):
    """What bytes cost beyond those of the same line before them; any costs as much as `least` bytes in a row."""
    return max(before + size, least) - (max(before, least) if before > 0.0 else 0.0)


@jit_inline()
def _note_load(sm, begin, service):
    """Bring the utilisation of DRAM of late, 0 to `MAX_LOAD`, up to date with a request that begins now."""
    kept = max(1.0 - (begin - sm.load_since[PORT_DRAM]) / LOAD_WINDOW, 0.0)
    sm.load[PORT_DRAM] = min(sm.load[PORT_DRAM] * kept + service / LOAD_WINDOW, MAX_LOAD)
    sm.load_since[PORT_DRAM] = max(begin, sm.load_since[PORT_DRAM])
