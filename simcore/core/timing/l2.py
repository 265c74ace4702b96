"""What one SM sees of the L2 and the DRAM that all SMs share.

One SM is simulated while all run the same kernel, so it gets its share of what they have in common: of the L2's and
the DRAM's bandwidth, and of the L2's capacity. Bandwidths are reservations of a port: a request waits for the port and
holds it for what it moves, so latency grows as the port saturates.

Of each sector this SM remembers whether it has touched it and whether it wrote it, as long as its line has a place in
the SM's share of L2. What it touches for the first time, or again after that, may lie in L2 all the same, left by the
launch before or brought by another SM: how often is known for each buffer, and how much of what is written leaves L2
again (`Timing.l2_miss` and `l2_write_back`, see `simcore.model.sharing`).
"""

import numpy as np

from simcore.core.execution import footprint, trail
from simcore.core.geometry import ALL_SECTORS, LINE_SHIFT, SECTOR_BYTES, SECTORS
from simcore.core.jit import jit, jit_inline, lowest_bit
from simcore.core.timing import dram, partial_sectors, ports
from simcore.core.timing.parameters import QUANTILES
from simcore.core.timing.sectors import count_of, is_end_of_a_row, whole_sectors
from simcore.core.timing.state import (
    COUNT_L2_SECTORS,
    COUNT_L2_WRITE_SECTORS,
    PORT_FROM_L2,
    PORT_HOT_SLICE,
    PORT_L2,
    PORT_L2_FILL,
    PORT_L2_WRITE,
    READ_AGAIN,
)

# What this SM did with a line, a bit each: it read a sector, wrote it (so many bits higher), aimed atomics at the line.
READ = ALL_SECTORS
WRITTEN_SHIFT = SECTORS
ATOMIC = 1 << 2 * SECTORS

# When a line was used last and its way in the row are one number, so that the oldest is the least of them.
WAY_BITS = 12
WAY_MASK = (1 << WAY_BITS) - 1

# What is drawn for a line, each by a hash of its own.
(DRAWN_L2_LATENCY, DRAWN_DRAM_LATENCY, DRAWN_MISS, DRAWN_WRITE_WAIT, DRAWN_SLICE) = (1, 3, 4, 5, 6)

# Lines of one KiB come alike (benchmarks/silicon/micro/dram/copy_latency).
ALIKE_SHIFT = 10 - LINE_SHIFT


@jit_inline()
def find(tags, used, row, ways, line, now):
    """The place of a line in its row (set), negative (~victim) when it is not there."""
    first = row * ways
    found = np.int64(-1)
    for place in range(first, first + ways):
        found = np.int64(place) if tags[place] == line else found
    if found < 0:
        return ~oldest(used, first, ways)
    use(used, found, now)
    return found


@jit_inline()
def use(used, place, now):
    """The line at a place is used."""
    used[place] = now << WAY_BITS | used[place] & WAY_MASK


@jit_inline()
def oldest(used, first, ways):
    """The place of a row whose last use is longest ago, the first of equals."""
    least = used[first]
    for place in range(first, first + ways):
        least = min(least, used[place])
    return first + (least & WAY_MASK)


@jit_inline()
def _row(t, line):
    """The row of a line: dealt at random, as `l2_usable_share` was derived; the hardware's hash is not known."""
    bits = (line * 0x9E37_79B1) & 0xFFFF_FFFF
    bits = ((bits ^ (bits >> 15)) * 0x2C1B_3C6D) & 0xFFFF_FFFF
    return (bits ^ (bits >> 12)) % t.l2_sets


@jit_inline()
def _claim(m, sm, t, line, buffer, now):
    """The place of a line in this SM's share of L2, where it lies from now on, and whether the SM touches it for the
    first time."""
    is_new = False
    place = find(sm.l2_tag, sm.l2_used, _row(t, line), t.l2_ways, line, now)
    if place < 0:
        place = ~place
        if sm.l2_partial[place]:
            partial_sectors.fill(sm, t, place, now)
        sm.l2_tag[place] = line
        sm.l2_done[place] = 0
        use(sm.l2_used, place, now)
        _, is_new = footprint.add(m, sm.footprint, line, buffer)
    return place, is_new


@jit()
def request(m, sm, t, line, sectors, start, now):
    """`read`, with the request's way to L2, which it shares with what is written (benchmarks/silicon/micro/l2/
    mixed_bandwidth). Both take turns there, so a read waits for half of what is before it."""
    begin = 0.5 * (start + _take_in(sm, t, start, t.read_request_cost))
    return read(m, sm, t, line, sectors, begin, now)


@jit()
def read(m, sm, t, line, sectors, start, now):
    """Read sectors of one line through L2 in one request; returns when the last reaches the SM.

    Latency is not one number: it depends on the distance between SM and slice, and in DRAM on the bank's state. A load
    waits for the slowest of its lines, so the spread counts, not only the mean. It is drawn from the measured
    distribution by a hash, so that the same launch always meets the same latencies.
    """
    buffer = footprint.buffer_of(m, line)
    sm.footprint.read[buffer] = 1
    place, is_new = _claim(m, sm, t, line, buffer, now)
    done = sm.l2_done[place]
    first = sectors & ~(done | done >> WRITTEN_SHIFT)
    missing = _read_first(sm, t, place, line, first, buffer) if first else 0.0
    if first and t.l2_far[buffer] > 0.0:
        _take_in(sm, t, start, t.l2_far[buffer] * count_of(first) * t.far_read_cost)
    begin = _served(sm, t, count_of(sectors), buffer, missing > 0.0, max(start, sm.atomics_sent[0]))
    if t.hot_share > 0.0:
        begin = _pass_hot_slice(sm, t, line, begin, missing)
    alike = line >> ALIKE_SHIFT
    if missing:
        filling = count_of(first) * t.sector_fill_cost * t.l2_read_cycles_per_sector[buffer]
        ports.take(sm, PORT_L2, begin, max(t.l2_fill_cost * t.l2_request_cycles[buffer], filling))
        cost = dram.cost_of_a_read(sm, t, line, float(count_of(done & READ) * SECTOR_BYTES), missing, begin)
        reach = dram.read(sm, t, begin, missing, cost, _draw(alike, DRAWN_WRITE_WAIT))
        if is_new:
            dram.make_room(sm, t, begin)
    elif is_new and t.l2_awaited[buffer] > 0.0 and _is_of(line, t.l2_miss[buffer] + t.l2_awaited[buffer]):
        reach = dram.wait(sm, t, begin, _draw(alike, DRAWN_WRITE_WAIT))
    else:
        return begin + _quantile(t.l2_hit, _draw(alike, DRAWN_L2_LATENCY))
    return reach + _quantile(t.dram, _draw(alike, DRAWN_DRAM_LATENCY))


@jit_inline()
def _served(sm, t, count, buffer, is_missing, start):
    """Hold this SM's part of L2, and its own way from there, for so many sectors of a line; returns from when.

    What an SM leaves unused of its part others use, and the other way round: that evens bursts out, which its own way
    does not (benchmarks/silicon/micro/l2/bursts_of_blocks). What DRAM brings comes when DRAM's part serves it.
    """
    sm.counters[COUNT_L2_SECTORS] += count
    hold, own = count * t.l2_read_cycles_per_sector[buffer], count * t.l2_own_cycles_per_sector
    if count < SECTORS:
        hold, own = max(hold, t.l2_request_cycles[buffer]), max(own, t.l2_own_request_cycles)
    arrives = ports.take(sm, PORT_FROM_L2, start, own)
    if is_missing:
        return max(arrives, ports.take(sm, PORT_L2, start, hold))
    return max(arrives, ports.take_late(sm, PORT_L2, start, hold))


@jit_inline()
def hold_hot_slice(sm, t, start, cycles):
    """Hold the slices of lines that all SMs write, or aim atomics at, for a request of each SM; returns from when. What
    else lies in them waits its turn (benchmarks/silicon/micro/l2/hot_slice)."""
    return ports.take(sm, PORT_HOT_SLICE, start, cycles * t.hot_requests)


@jit_inline()
def _pass_hot_slice(sm, t, line, start, missing):
    """A read of a line, which lies in such a slice or not; returns from when it is served. Reads of all SMs are spread
    over all slices, so each holds these for its share."""
    cycles = t.l2_slice_request_interval + (t.l2_slice_fill_interval if missing else 0.0)
    served = hold_hot_slice(sm, t, start, t.hot_share * cycles)
    return served if _draw(line, DRAWN_SLICE) < t.hot_share else start


@jit_inline()
def _take_in(sm, t, start, sectors):
    """Hold the way to L2, and what takes data in there, for as long as so many whole sectors that are written; returns
    from when on the way is held."""
    ports.take(sm, PORT_L2_FILL, start, sectors * t.l2_write_cycles_per_sector)
    return ports.take(sm, PORT_L2_WRITE, start, sectors * t.l2_write_cycles_per_sector)


@jit_inline()
def _read_first(sm, t, place, line, sectors, buffer):
    """This SM reads sectors for the first time, and with them what DRAM brings at a time; returns the bytes that DRAM
    has to bring."""
    together = (1 << (1 << t.dram_fetch_bits)) - 1
    size = 0.0
    while sectors:
        brought = together << (lowest_bit(sectors) >> t.dram_fetch_bits << t.dram_fetch_bits)
        sectors &= ~brought
        sm.l2_done[place] |= brought
        size += float(SECTOR_BYTES << t.dram_fetch_bits)
    sm.fetched[buffer] += size
    return size if _is_of(line, t.l2_miss[buffer]) else 0.0


@jit_inline()
def _is_of(line, share):
    """Whether a line is one of the share that L2 has lost, or will: its sectors go together."""
    return _draw(line, DRAWN_MISS) < share


@jit()
def note_written(m, sm, t, w, line, words, sectors, start, now):
    """Take note of words that are written, which are the first in these sectors; returns how many sectors, and in how
    many of them they meet what is there.

    What is written and does not stay in L2 goes to DRAM when its place is taken (`dram.write_back`). A sector that is
    written in part and is not there has to be fetched, unless its other words follow (`partial_sectors`). Where warps
    update one row after the other, and rows do not begin at lines, a write meets the rest of its line on its way from
    DRAM for a warp that has come less far, and holds DRAM up (benchmarks/silicon/micro/dram/neighbours_in_place).
    """
    buffer = footprint.buffer_of(m, line)
    sm.footprint.written[buffer] = 1
    place, _ = _claim(m, sm, t, line, buffer, now)
    count = count_of(sectors)
    done = sm.l2_done[place]
    first = sectors & ~(done >> WRITTEN_SHIFT)
    in_part = sectors & ~whole_sectors(words)
    lacking = first & ~done & in_part
    sm.l2_done[place] = done | first << WRITTEN_SHIFT
    if lacking and _is_of(line, t.l2_miss[buffer]):
        partial_sectors.expect_the_rest(sm, t, place, line, lacking, start)
    goes_on = sm.updates[w] == READ_AGAIN
    if goes_on and done & READ and is_end_of_a_row(words) and _is_of(line, t.l2_lost[buffer]):
        dram.occupy(sm, t, start, 0.0, t.dram_met_write_bytes, True)
    if sm.l2_partial[place]:
        sm.l2_partial[place] |= words
    if first and _is_of(line, t.l2_write_back[buffer]):
        before, size = count_of(done >> WRITTEN_SHIFT & READ) * SECTOR_BYTES, count_of(first) * SECTOR_BYTES
        cost = dram.cost_of_more(float(before), float(size), t.dram_request_bytes)
        dram.write_back(sm, t, start, float(size), cost)
    sm.counters[COUNT_L2_WRITE_SECTORS] += count
    return count, count_of(in_part & (done | done >> WRITTEN_SHIFT))


@jit()
def mark_atomic(m, sm, t, line, sectors, now):
    """Remember that atomics aim at sectors of a line; returns its buffer. What leaves L2 again has come from DRAM, for
    this SM or for another one, whose write it is then."""
    buffer = footprint.buffer_of(m, line)
    sm.footprint.written[buffer] = 1
    place, _ = _claim(m, sm, t, line, buffer, now)
    leaving = min(t.l2_write_back[buffer], t.l2_miss[buffer])
    if not sm.l2_done[place] & ATOMIC and _is_of(line, leaving):
        size = float(count_of(sectors) * SECTOR_BYTES)
        dram.occupy(sm, t, float(now), size, max(size, t.dram_request_bytes), True)
    sm.l2_done[place] |= ATOMIC
    return buffer


@jit()
def _draw(line, salt):
    """A number in [0, 1) that looks random but is the same for the same line, or lines that come alike."""
    return trail.mixed(line * 0x9E37_79B1 + salt * 0x85EB_CA6B) / 4294967296.0


@jit()
def _quantile(table, share):
    """The latency at a share of loads, between the shares of `QUANTILES` by straight lines."""
    i = 0
    while i < len(QUANTILES) - 2 and share >= QUANTILES[i + 1]:
        i += 1
    part = (share - QUANTILES[i]) / (QUANTILES[i + 1] - QUANTILES[i])
    return table[i] + part * (table[i + 1] - table[i])
