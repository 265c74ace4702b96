"""What blocks demand of L2 if they are executed without time: notes in a `Demand`."""

import numpy as np

from simcore.core import isa
from simcore.core.execution import footprint, trail
from simcore.core.execution.memory import COPY_TO_SHARED, STORE
from simcore.core.geometry import ALL_SECTORS, LINE_SHIFT, SECTOR_BYTES, SECTOR_SHIFT, SECTORS
from simcore.core.jit import jit, jit_inline, lowest_bit
from simcore.core.machine import REPORT_LANES, REPORT_SPACE


@jit_inline()
def add_read(m, demand, line, buffer, sectors):
    """Add a line of which sectors are read."""
    place, is_new = footprint.add(m, demand.footprint, line, buffer)
    demand.footprint.read[buffer] = 1
    if place >= demand.asked.size:
        return
    _claim(demand, place, is_new)
    missing = sectors & ~demand.asked[place]
    together = (1 << (1 << demand.fetch_bits)) - 1
    while missing:
        brought = together << (lowest_bit(missing) >> demand.fetch_bits << demand.fetch_bits)
        missing &= ~brought
        demand.asked[place] |= brought
        demand.fetched[buffer] += SECTOR_BYTES << demand.fetch_bits


@jit_inline()
def add_written(m, demand, line, buffer):
    """Add a line that is written."""
    place, is_new = footprint.add(m, demand.footprint, line, buffer)
    demand.footprint.written[buffer] = 1
    if place < demand.asked.size:
        _claim(demand, place, is_new)


@jit_inline()
def _claim(demand, place, is_new):
    """A line claims a place in L2, unless it may still have one."""
    if is_new:
        demand.asked[place] = 0
    claimed = np.int64(demand.asked[place]) >> SECTORS
    count = demand.claimed[0]
    if claimed and count - claimed < demand.l2_lines:
        return
    demand.claimed[0] = count + 1
    demand.claimed[1] += claimed > 0
    demand.asked[place] = count + 1 << SECTORS | demand.asked[place] & ALL_SECTORS


@jit()
def _add(m, demand, ins, line, sectors):
    """Add a line of an access."""
    buffer = footprint.buffer_of(m, line)
    if ins.operation == STORE:
        add_written(m, demand, line, buffer)
    else:
        add_read(m, demand, line, buffer, sectors)


@jit()
def note(m, demand, pc):
    """Add what the instruction just executed touched of global memory."""
    ins = m.code[pc]
    if ins.operation >> isa.FAMILY_BITS != isa.MEMORY or ins.operation > COPY_TO_SHARED:
        return
    if m.action[pc] == isa.SKIP or m.report[REPORT_SPACE] != isa.SPACE_GLOBAL:
        return
    _note_lanes(m, demand, ins, m.address, 0, m.report[REPORT_LANES])


@jit()
def take(m, demand, log, logged):
    """Add what a stretch has logged: so many accesses of a log (`trail.Trail`) to global memory."""
    for access in range(logged):
        at = access * trail.LOG_FIELDS
        _note_lanes(m, demand, m.code[log[at + trail.LOG_PC]], log, at, log[at + trail.LOG_LANES])


@jit_inline()
def _note_lanes(m, demand, ins, addresses, at, lanes):
    """Add an access of some lanes: `addresses` has each lane's from `at` on."""
    if not _are_others(demand, addresses, at, lanes) and ins.operation != STORE:
        return
    if ins.operation == STORE:
        demand.footprint.last[isa.LANES] = 0
    if not lanes:
        return
    line = addresses[at + lowest_bit(lanes)] >> LINE_SHIFT
    together = lanes & trail.lanes_at(addresses, at, line)
    _add(m, demand, ins, line, trail.sectors_at(addresses, at, together))
    lanes &= ~together
    while lanes:
        address = addresses[at + lowest_bit(lanes)]
        sector = np.int64(1) << (address >> SECTOR_SHIFT & (SECTORS - 1))
        _add(m, demand, ins, address >> LINE_SHIFT, sector)
        lanes &= lanes - 1


@jit_inline()
def _are_others(demand, addresses, at, lanes):
    """Whether DRAM would bring other sectors for an access than for the last one, which is remembered."""
    last = demand.footprint.last
    together = SECTOR_SHIFT + demand.fetch_bits
    others = lanes & ~last[isa.LANES]
    last[isa.LANES] = lanes
    for x in range(isa.LANES):
        sectors = addresses[at + x] >> together
        others |= sectors ^ last[x]
        last[x] = sectors
    return others != 0
