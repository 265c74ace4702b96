"""Global and local memory on the SM's side: coalescing into lines and sectors, and the L1 cache."""

import numpy as np

from simcore.core import isa
from simcore.core.execution.memory import shared
from simcore.core.execution.memory.addresses import are_in_a_row, of_lane_zero
from simcore.core.geometry import (
    ALL_SECTORS,
    LINE_BYTES,
    LINE_SHIFT,
    LINE_WORDS,
    LOCAL_BASE,
    SECTOR_BYTES,
    SECTOR_SHIFT,
    SECTORS,
    WORD_BYTES,
    WORD_SHIFT,
)
from simcore.core.jit import fix_extents, jit, jit_inline, lowest_bit
from simcore.core.machine import REPORT_IN_A_ROW
from simcore.core.timing import data_stage, held_places, l1_sets, l2, wake_ups, write_buffer
from simcore.core.timing.sectors import count_of, sectors_of, whole_sectors
from simcore.core.timing.state import (
    COUNT_L1_MISSES,
    COUNT_LOAD_SECTORS,
    HAS_WRITTEN,
    PORT_TAGS,
    READ_AGAIN,
)

(READ, READ_PAST, WRITE, WRITE_PARTS, WRITE_LOCAL, AT_L2) = range(6)
"""What an access does with its lines; parts are bytes and halves of words."""

fix_extents("Sm", l1_sector=(SECTORS,), l1_woken=(SECTORS,))

LINES_AT_ONCE = 2
"""Lines of an access for each of which all lanes are looked at; the other lanes are looked at one by one."""


@jit()
def gather_lines(m, sm, w, lanes, width, is_local):
    """The lines that some lanes touch, and the words of each; returns how many lines."""
    if lanes and width == WORD_BYTES and not is_local and are_in_a_row(m, lanes, width):
        return _gather_row(m, sm, lanes)
    return _gather(m, sm, w, lanes, width, is_local)


@jit_inline()
def gather_all_lines(m, sm, w, lanes, width, is_local):
    """The same of all lanes of the access at hand, of which it is known whether they are in a row."""
    if width == WORD_BYTES and not is_local and m.report[REPORT_IN_A_ROW]:
        return _gather_row(m, sm, lanes)
    return _gather(m, sm, w, lanes, width, is_local)


@jit()
def _gather(m, sm, w, lanes, width, is_local):
    """The same of lanes anywhere. Local memory is interleaved: a thread's words follow each other a line apart."""
    words = max(width >> 2, 1)
    count = np.int64(0)
    highest = np.int64(-1)
    while lanes and count < LINES_AT_ONCE and not is_local:
        lanes = _gather_first_line(m, sm, count, lanes, (1 << words) - 1)
        highest = max(highest, sm.line[count])
        count += 1
    for x in range(32 if lanes else 0):
        if not lanes >> x & 1:
            continue
        address = m.address[x]
        if is_local:
            first = LOCAL_BASE + ((w * m.local_words + (address >> 2)) * 32 + x) * 4
            for k in range(words):
                count, highest = _add_words(sm, count, highest, first + k * LINE_BYTES, 1)
        else:
            count, highest = _add_words(sm, count, highest, address, (1 << words) - 1)
    return count


@jit_inline()
def _gather_row(m, sm, lanes):
    """Add the words of lanes in a row, which are of two lines at most."""
    word = of_lane_zero(m, lanes, WORD_BYTES) >> WORD_SHIFT
    words = lanes << (word & LINE_WORDS - 1)
    count = np.int64(0)
    for line in range(2):
        here = words >> line * LINE_WORDS & isa.FULL_MASK
        if here:
            sm.line[count] = (word >> LINE_SHIFT - WORD_SHIFT) + line
            sm.line_words[count] = here
            count += 1
    return count


@jit_inline()
def _gather_first_line(m, sm, count, lanes, bits):
    """Add all words of the first lane's line, as the line of a number; returns the lanes at other lines."""
    line = m.address[lowest_bit(lanes)] >> LINE_SHIFT
    words = others = np.int64(0)
    for x in range(32):
        takes_part = lanes >> x & 1
        is_there = np.int64(m.address[x] >> LINE_SHIFT == line) & takes_part
        words |= bits << (m.address[x] >> 2 & 31) & -is_there
        others |= (takes_part ^ is_there) << x
    sm.line[count] = line
    sm.line_words[count] = words
    return others


@jit_inline()
def _add_words(sm, count, highest, address, bits):
    """Add words that begin at an address to the gathered lines; returns the count of lines, and the highest."""
    line = address >> LINE_SHIFT
    words = bits << (address >> 2 & 31)
    if line > highest:
        at = np.int64(-1)
        highest = line
    else:
        at = count - 1
        while at >= 0 and sm.line[at] != line:
            at -= 1
    if at >= 0:
        sm.line_words[at] |= words
        return count, highest
    sm.line[count] = line
    sm.line_words[count] = words
    return count + 1, highest


@jit()
def tag_cycles(sm, t, count):
    """Cycles in which the tag stage looks up the gathered lines: one a cycle in each bank.

    The lines of each bank are counted in a byte of one integer.
    """
    if count <= 1:
        return t.tag_interval
    in_banks = 0
    for i in range(count):
        in_banks += 1 << 8 * (l1_sets.bank(sm.line[i]) & t.last_tag_bank)
    fullest = 0
    for bank in range(t.last_tag_bank + 1):
        fullest = max(fullest, in_banks >> (8 * bank) & 0xFF)
    return max(float(fullest), t.tag_interval)


@jit()
def count_sectors(sm, count):
    """Sectors of the gathered lines, all together."""
    sectors = 0
    for i in range(count):
        sectors += count_of(sectors_of(sm.line_words[i]))
    return sectors


@jit_inline()
def _claim(sm, t, line, w, i, now):
    """The place in L1 of a warp's i-th line, where it lies from now on.

    A warp often comes back to the lines of its last access, so that place is looked at first.
    """
    place = sm.l1_place[w, i]
    if sm.l1_tag[place] == line:
        l1_sets.hit(sm, t, place, now)
        return place
    place = _look_up(sm, t, line, now)
    sm.l1_place[w, i] = place
    return place


@jit()
def _look_up(sm, t, line, now):
    """The place in L1 of a line that may lie elsewhere, or nowhere yet."""
    place, found = l1_sets.place_of(sm, t, line, now)
    if not found:
        for sector in range(SECTORS):
            sm.l1_sector[place, sector] = isa.NEVER
    return place


@jit_inline()
def _read_line(m, sm, t, w, i, sectors, start, now):
    """Read sectors of a warp's i-th line through L1; returns when the last is there."""
    line = sm.line[i]
    place = _claim(sm, t, line, w, i, now)
    hit = done = start + t.l1_hit_latency
    present, missing = _found(sm, place, sectors, hit)
    wake_ups.meet(sm, place, present)
    on_the_way = sectors & ~(present | missing)
    while on_the_way:
        sector = lowest_bit(on_the_way)
        on_the_way &= on_the_way - 1
        there = sm.l1_sector[place, sector]
        wake_ups.wait(sm, t, place, sector, there)
        done = max(done, there)
    if missing:
        done = max(done, _keep(m, sm, t, place, line, missing, start, now))
    return done


@jit_inline()
def _found(sm, place, sectors, hit):
    """Of sectors of a line, which are there in time for a hit, and which nobody has asked for."""
    present = missing = np.int64(0)
    for sector in range(SECTORS):
        there = sm.l1_sector[place, sector]
        present |= np.int64(there <= hit) << sector
        missing |= np.int64(there >= isa.NEVER) << sector
    return present & sectors, missing & sectors


@jit()
def _keep(m, sm, t, place, line, sectors, start, now):
    """Bring sectors of a line to its place in L1; returns when the last is there."""
    at = held_places.place_from(sm, t, start)
    sm.shared_free[PORT_TAGS] = max(sm.shared_free[PORT_TAGS], at)
    arrives = _bring(m, sm, t, line, sectors, at, now)
    while sectors:
        sm.l1_sector[place, lowest_bit(sectors)] = arrives
        sectors &= sectors - 1
    return arrives


@jit()
def _bring(m, sm, t, line, sectors, start, now):
    """Bring sectors of a line from L2; returns when the last is there.

    Then they are written to the banks that loads are served from (benchmarks/silicon/micro/l1/barrier_mix.cu).
    """
    count = count_of(sectors)
    sm.counters[COUNT_L1_MISSES] += count
    arrives = l2.request(m, sm, t, line, sectors, start, now)
    data_stage.fill(sm, arrives - t.l1_hit_latency, count * (SECTOR_BYTES / t.l1_bytes_per_cycle), now)
    return arrives


@jit_inline()
def _keep_written(sm, t, w, i, sectors, start, now):
    """What is written takes a place in L1, beside being written through, and these sectors can be read there
    (benchmarks/silicon/micro/l1/written_lines)."""
    place = _claim(sm, t, sm.line[i], w, i, now)
    for sector in range(SECTORS):
        if sectors >> sector & 1:
            sm.l1_sector[place, sector] = min(sm.l1_sector[place, sector], start)


@jit()
def access_lines(m, sm, t, w, count, kind, tags, start, now):
    """All gathered lines of one global or local access, spread over the cycles of their tags; returns when the data is
    there, or, of a write, when the last line has left. The words of lines that a load does not find there yet stand
    last then."""
    done = start
    loaded = late = 0
    _note_turn(sm, w, kind)
    for i in range(count):
        at = start + i * tags / count
        line, words = sm.line[i], sm.line_words[i]
        sectors = sectors_of(words)
        if kind == READ:
            loaded += count_of(sectors)
            there = _read_line(m, sm, t, w, i, sectors, at, now)
            if there > at + t.l1_hit_latency:
                late += 1
            else:
                _put_before(sm, i - late, i)
            done = max(done, there)
        elif kind == READ_PAST:
            loaded += count_of(sectors)
            done = max(done, _bring(m, sm, t, line, sectors, at, now))
        elif kind == AT_L2:
            done = max(done, l2.read(m, sm, t, line, sectors, at, now))
        else:
            kept = sectors if kind == WRITE_LOCAL else whole_sectors(words)
            _keep_written(sm, t, w, i, kept, at, now)
            places = write_buffer.PLACES_OF_PARTS if kind == WRITE_PARTS else 1.0
            done = max(done, write_buffer.write(m, sm, t, w, line, words, places, at, now))
    sm.counters[COUNT_LOAD_SECTORS] += loaded
    sm.late_lines[0] = late
    return done


@jit_inline()
def _note_turn(sm, w, kind):
    """A warp reads, or it writes."""
    if kind == WRITE or kind == WRITE_PARTS:
        sm.updates[w] = max(sm.updates[w], HAS_WRITTEN)
    elif kind != WRITE_LOCAL and sm.updates[w] == HAS_WRITTEN:
        sm.updates[w] = READ_AGAIN


@jit_inline()
def _put_before(sm, first_late, i):
    """The words of a line that a load finds there stand before those of lines that come later."""
    words = sm.line_words[i]
    sm.line_words[i] = sm.line_words[first_late]
    sm.line_words[first_late] = words


@jit()
def bring_again(m, sm, t, ins, w, lanes, count, start, now):
    """A copy past L1 that parts the halves of sectors asks for sectors once more: for the whole line if it takes all of
    it, for the second of two, and for a lone one not (benchmarks/silicon/micro/l1/copy_layouts on an H200 and an H100).
    Returns when they are there."""
    done = start
    for i in range(count):
        sectors = sectors_of(sm.line_words[i])
        again = sectors if sectors == ALL_SECTORS else sectors & (sectors - 1)
        if again and _parts_sectors(m, ins, w, lanes, sm.line[i]):
            done = max(done, _bring(m, sm, t, sm.line[i], again, start, now))
    return done


@jit()
def _parts_sectors(m, ins, w, lanes, line):
    """Whether the halves of a line's sectors are copied to different sectors of shared memory, as of the first that two
    lanes copy."""
    for x in range(32):
        if not lanes >> x & 1 or m.address[x] >> LINE_SHIFT != line:
            continue
        for y in range(x + 1, 32):
            if lanes >> y & 1 and m.address[x] >> SECTOR_SHIFT == m.address[y] >> SECTOR_SHIFT:
                apart = shared.target(m, ins, w, x) ^ shared.target(m, ins, w, y)
                return apart >> SECTOR_SHIFT != 0
    return False
