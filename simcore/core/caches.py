"""Global and local memory in time: coalescing, L1, one SM's share of L2, DRAM.

One SM is simulated while all run the same kernel, so it sees its share of what they have in common: of the L2's
and the DRAM's bandwidth, and of the L2's capacity. Bandwidths are reservations of a port: a request waits for
the port and holds it for its bytes, so latency grows as the port saturates.
"""

from simcore.core import isa
from simcore.core.jit import jit, jit_inline
from simcore.core.timing import (
    COUNT_DRAM_SECTORS,
    COUNT_L1_HITS,
    COUNT_L1_SECTORS,
    COUNT_L2_SECTORS,
    COUNT_L2_WRITE_SECTORS,
    COUNT_LINES,
    PORT_DRAM,
    PORT_L2,
    PORT_L2_WRITE,
    QUANTILES,
)

LOAD_WINDOW = 2048.0  # cycles over which utilisation is averaged: a few DRAM latencies
MOST_LOAD = 0.9  # beyond it the port itself is what a request waits for
DRAM_SECTORS = 2  # the least that DRAM moves
LINE_SHIFT = 7
SECTOR_SHIFT = 5
LOCAL_BASE = 1 << 50
"""Local memory lies here, apart from all buffers; a warp's words are interleaved lane by lane."""


@jit()
def gather_lines(m, sm, w, lanes, width, is_local):
    """The lines and sectors that the lanes touch; returns how many lines."""
    count = 0
    newest = -1
    for x in range(32):
        if not lanes >> x & 1:
            continue
        address = m.address[x]
        if is_local:
            address = LOCAL_BASE + ((w * m.local_words + (address >> 2)) * 32 + x) * 4
        line = address >> LINE_SHIFT
        sectors = 1 << (address >> SECTOR_SHIFT & 3)
        if line > newest:
            at = count
            count += 1
            newest = line
            sm.line[at] = line
            sm.line_sectors[at] = sectors
            continue
        at = count - 1
        while at >= 0 and sm.line[at] != line:
            at -= 1
        if at >= 0:
            sm.line_sectors[at] |= sectors
        else:
            sm.line[count] = line
            sm.line_sectors[count] = sectors
            count += 1
    return count


@jit_inline()
def _find(tags, used, sets, ways, line, now):
    """The set and the way of a line, the way negative (~victim) when it is not there."""
    at = (line ^ (line >> 7) ^ (line >> 15)) % sets
    victim = 0
    oldest = used[at, 0]
    for way in range(ways):
        if tags[at, way] == line:
            used[at, way] = now
            return at, way
        if used[at, way] < oldest:
            oldest = used[at, way]
            victim = way
    return at, ~victim


@jit()
def read_line(sm, t, line, sectors, start, now):
    """Read sectors of one line through L1; returns when the last is there."""
    at, way = _find(sm.l1_tag, sm.l1_used, t.l1_sets, t.l1_ways, line, now)
    if way < 0:
        way = ~way
        sm.l1_tag[at, way] = line
        sm.l1_used[at, way] = now
        for s in range(4):
            sm.l1_sector[at, way, s] = isa.NEVER
    done = start + t.l1_hit_latency
    missing = 0
    for s in range(4):
        if sectors >> s & 1:
            sm.counters[COUNT_L1_SECTORS] += 1
            if sm.l1_sector[at, way, s] < isa.NEVER:
                sm.counters[COUNT_L1_HITS] += 1
                done = max(done, sm.l1_sector[at, way, s])
            else:
                missing |= 1 << s
    if missing:
        arrives = read_l2(sm, t, line, missing, start, now)
        for s in range(4):
            if missing >> s & 1:
                sm.l1_sector[at, way, s] = arrives
        done = max(done, arrives)
    return done


@jit()
def read_l2(sm, t, line, sectors, start, now):
    """Read sectors of one line through L2 in one request; returns when the last reaches the SM.

    Latency is not one number: it depends on the distance between SM and slice, and in DRAM on the bank's
    state. A load waits for the slowest of its lines, so the spread counts, not only the mean. It is drawn from the
    measured distribution by a hash, so that the same launch always meets the same latencies.
    """
    count = 0
    slowest = TOUCHED
    begin = max(start, sm.shared_free[PORT_L2])
    reach = begin
    for s in range(4):
        if not sectors >> s & 1:
            continue
        count += 1
        found = _in_l2(sm, t, line, s, now)
        slowest = min(slowest, found)
        if found == ABSENT:
            reach = _reach_dram(sm, t, begin)
    sm.counters[COUNT_L2_SECTORS] += count
    sm.shared_free[PORT_L2] = begin + max(count * t.l2_read_cycles_per_sector, t.l2_request_cycles)
    if slowest == TOUCHED:
        return begin + _quantile(t.l2_near, _draw(line, 1))
    if slowest == LEFT_BEHIND:
        return begin + _quantile(t.l2_far, _draw(line, 2))
    return reach + _quantile(t.dram, _draw(line, 3))


@jit()
def _reach_dram(sm, t, begin):
    """Hold the DRAM for two sectors, the least it moves; returns when they are served, after those of this SM and,
    by its utilisation, of others.

    What one SM reserves is evenly spread, what all send together is not: measured latency grows with the
    utilisation u as u / (1 - u) (benchmarks/silicon/micro/loaded_latency).
    """
    service = DRAM_SECTORS * t.dram_cycles_per_sector
    sm.counters[COUNT_DRAM_SECTORS] += DRAM_SECTORS
    kept = max(1.0 - (begin - sm.load_since[PORT_DRAM]) / LOAD_WINDOW, 0.0)
    load = min(sm.load[PORT_DRAM] * kept + service / LOAD_WINDOW, MOST_LOAD)
    sm.load[PORT_DRAM] = load
    sm.load_since[PORT_DRAM] = max(begin, sm.load_since[PORT_DRAM])
    reach = max(begin, sm.shared_free[PORT_DRAM])
    sm.shared_free[PORT_DRAM] = reach + service
    return reach + t.dram_queueing * load / (1.0 - load)


@jit()
def _draw(line, salt):
    """A number in [0, 1) that looks random but is the same for the same line."""
    bits = (line * 0x9E37_79B1 + salt * 0x85EB_CA6B) & 0xFFFF_FFFF
    bits = ((bits ^ (bits >> 15)) * 0x2C1B_3C6D) & 0xFFFF_FFFF
    bits = ((bits ^ (bits >> 12)) * 0x297A_2D39) & 0xFFFF_FFFF
    return ((bits ^ (bits >> 15)) & 0xFFFF_FFFF) / 4294967296.0


@jit()
def _quantile(table, share):
    """The latency at a share of loads, between the shares of `QUANTILES` by straight lines."""
    i = 0
    while i < len(QUANTILES) - 2 and share >= QUANTILES[i + 1]:
        i += 1
    part = (share - QUANTILES[i]) / (QUANTILES[i + 1] - QUANTILES[i])
    return table[i] + part * (table[i + 1] - table[i])


@jit()
def write_l2(sm, t, line, sectors, start, now):
    """Write sectors through to L2; returns when the last has been handed over."""
    done = start
    for s in range(4):
        if not sectors >> s & 1:
            continue
        sm.counters[COUNT_L2_WRITE_SECTORS] += 1
        begin = max(start, sm.shared_free[PORT_L2_WRITE])
        sm.shared_free[PORT_L2_WRITE] = begin + t.l2_write_cycles_per_sector
        done = begin
        if _in_l2(sm, t, line, s, now) == ABSENT:
            # What is written goes to DRAM some day; its bandwidth is spent now.
            _reach_dram(sm, t, start)
    return done


(ABSENT, LEFT_BEHIND, TOUCHED) = range(3)
"""Where L2 stands with a sector: not there; left there by the launch before; touched by this SM already."""


@jit()
def _in_l2(sm, t, line, sector, now):
    """Whether L2 holds a sector, which it does from now on."""
    at, way = _find(sm.l2_tag, sm.l2_used, t.l2_sets, t.l2_ways, line, now)
    if way < 0:
        way = ~way
        sm.l2_tag[at, way] = line
        sm.l2_used[at, way] = now
        for s in range(4):
            sm.l2_sector[at, way, s] = 0.0
    if sm.l2_sector[at, way, sector]:
        return TOUCHED
    # DRAM brings two neighbouring sectors (benchmarks/silicon/families/gather: 64 bytes for each lone sector).
    pair = sector >> 1
    sm.l2_sector[at, way, 2 * pair] = 1.0
    sm.l2_sector[at, way, 2 * pair + 1] = 1.0
    return ABSENT if _draw(line * 2 + pair, 4) < t.first_touch_miss else LEFT_BEHIND


@jit()
def read_local(sm, t, line, sectors, start, now):
    """Read spilled or private data: L1 keeps what was written there."""
    return read_line(sm, t, line, sectors, start, now)


@jit()
def write_local(sm, t, line, sectors, start, now):
    """Write spilled or private data: L1 keeps it, and it is written through to L2, which has room for it."""
    at, way = _find(sm.l1_tag, sm.l1_used, t.l1_sets, t.l1_ways, line, now)
    if way < 0:
        way = ~way
        sm.l1_tag[at, way] = line
        sm.l1_used[at, way] = now
        for s in range(4):
            sm.l1_sector[at, way, s] = isa.NEVER
    for s in range(4):
        if sectors >> s & 1:
            sm.l1_sector[at, way, s] = min(sm.l1_sector[at, way, s], start)
            sm.counters[COUNT_L2_WRITE_SECTORS] += 1
            sm.shared_free[PORT_L2_WRITE] = (
                max(start, sm.shared_free[PORT_L2_WRITE]) + t.l2_write_cycles_per_sector
            )
    return start


@jit()
def access_lines(sm, t, count, kind, start, now):
    """All lines of one global or local access, one after the other; returns when the data is there."""
    done = start
    sm.counters[COUNT_LINES] += count
    for i in range(count):
        at = start + i * t.line_interval
        if kind == READ:
            done = max(done, read_line(sm, t, sm.line[i], sm.line_sectors[i], at, now))
        elif kind == WRITE:
            done = max(done, write_l2(sm, t, sm.line[i], sm.line_sectors[i], at, now))
        elif kind == READ_LOCAL:
            done = max(done, read_local(sm, t, sm.line[i], sm.line_sectors[i], at, now))
        elif kind == WRITE_LOCAL:
            done = max(done, write_local(sm, t, sm.line[i], sm.line_sectors[i], at, now))
        else:
            done = max(done, read_l2(sm, t, sm.line[i], sm.line_sectors[i], at, now))
    return done


(READ, WRITE, READ_LOCAL, WRITE_LOCAL, AT_L2) = range(5)
