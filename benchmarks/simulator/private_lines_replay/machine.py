"""The SMs, slices and channels of the GPU, and the steps in which they work.

All of it stands in one file: numba's cache notices changes of the file of the function that it keeps, not of those of
the functions that are inlined into it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

SMS, SLICES, NEAR, WARPS, WAYS = 132, 80, 40, 8, 16
"""Of the GPU: SMs, near slices of both partitions and of one. Warps of a block. Ways of L2 (profiles of GPUs)."""
STEP = 32.0
"""Cycles."""
WHEEL = 512
"""Steps in which what is on its way comes back at the latest."""
QUEUE, FETCHES, ISSUED = 1 << 17, 1 << 14, 128
"""Places of a slice's queue, of a home's, of an SM's ready warps and its latest changes of lines."""
CHAIN = 130.0
"""Cycles from an element to the load of the next, its arithmetic."""
LOAD_START = 40.0
"""Cycles from a load's turn at the tags to its data, if it hits."""
CYCLES_OF_MISS = 0.55
"""Of the tag stage for each line that misses, beyond `LOAD_SHORTEST`, assumed."""
LOAD_SHORTEST = 16.5
REQUEST = 1.95
"""Cycles of an SM's way to L2 for a request (`request_rate.cu`)."""
ON_THE_WAY = 96
"""Requests that wait for that way before loads do, assumed."""
TO_SLICE, BACK, FAR, DRAM = 120.0, 165.0, 175.0, 300.0
"""Cycles to a slice and back, to the other partition and back, and of DRAM (`pressure.csv`)."""
TAGS = 1.157
"""Cycles of a slice's tags for a request, and of the home's for another: 137 G a second of 80 (`request_rate.cu`)."""
HOME, CHANNEL = 3.95, 2.17
"""Cycles of a home slice and of a channel for 64 bytes: 0.25 and 0.46 in a cycle (`rates.csv`)."""
MISSES = 448
"""Of a near slice at a time, assumed."""
SETS = 320
"""Of a near slice: 5,120 lines."""
COPIES = 5
"""Ways of a set for lines whose home is here and that the other partition asked for (`capacity.csv`)."""
ALLOWED = 40
"""Requests of an SM that wait at a slice before the SM waits, chosen on this kernel."""
L1_SHORT = 200.0
"""Lines by which L1 is smaller beside the slow misses of this kernel, chosen on this kernel."""
LOST = np.array([0, 0.005, 0.02, 0.05, 0.085, 0.16, 0.26, 0.39, 0.72, 0.95, 1, 1, 1])
"""Share of lines that L1 has lost after 0, 256, 512, ... further ones (`private_mix.csv`)."""
Integers = NDArray[np.int64]
Function = TypeVar("Function", bound=Callable[..., Any])


def jitted(function: Function) -> Function:
    """Numba's, with the function's own type; inlined and without counts of references, which take most of the time."""
    return cast(Function, njit(cache=True, inline="always", _nrt=False)(function))


class Launch(NamedTuple):
    """What is replayed; arrays of the kernel's warps, and of the GPU's slices.

    Attributes:
        stride: floats from a thread's first to the next thread's.
        unroll: elements that a warp loads at a time.
        elements: of a thread.
        load_cycles: of 32 lines that hit L1.
        near: the slice of its partition that an SM asks, of each 256 bytes.
        home: that slice in its home partition, numbered as all 80 are.
        partition: 0 or 1, of each SM.
    """

    stride: int
    unroll: int
    elements: int
    load_cycles: float
    near: Integers
    home: Integers
    partition: Integers


class Machine(NamedTuple):
    """The state of the GPU; everything is an array, since the jitted code changes it in place."""

    counts: Integers
    position: Integers
    pending: Integers
    back: NDArray[np.float64]
    last_turn: Integers
    following: Integers
    wheel: Integers
    coming_back: Integers
    sm: Integers
    warps: Integers
    resident: Integers
    ready: Integers
    ready_first: Integers
    ready_end: Integers
    free: NDArray[np.float64]
    way_free: NDArray[np.float64]
    held_by: Integers
    waiting: Integers
    left_turn: Integers
    left_lines: Integers
    left_count: Integers
    line: Integers
    used: Integers
    sectors: Integers
    is_copy: Integers
    queue: Integers
    queue_first: Integers
    queue_end: Integers
    missing: Integers
    slice_free: NDArray[np.float64]
    fetch: Integers
    fetch_first: Integers
    fetch_end: Integers
    home_free: NDArray[np.float64]
    channel_free: NDArray[np.float64]
    requests: Integers
    misses: Integers


STEPS, TURN, LOADS, LEFT = range(4)
"""Places in `counts`: steps so far; a number that grows with each use of a line; words loaded; warps not done."""


def machine(block_sm: Integers, seed: int) -> Machine:
    """A GPU with all blocks on their SMs and all its caches empty."""
    warps = WARPS * len(block_sm)
    on_sm = np.zeros((SMS, 64), np.int64)
    resident = np.zeros(SMS, np.int64)
    for warp, sm in enumerate(np.repeat(block_sm, WARPS)):
        on_sm[sm, resident[sm]] = warp
        resident[sm] += 1
    wheel, following = np.full(WHEEL, -1), np.full(warps, -1)
    for warp, first in enumerate(np.random.default_rng(seed).integers(1, 21, warps)):
        following[warp], wheel[first] = wheel[first], warp
    lines = (SLICES, SETS, WAYS)
    return Machine(
        counts=np.array([0, 0, 0, warps]),
        position=np.zeros(warps, np.int64),
        pending=np.zeros(warps, np.int64),
        back=np.zeros(warps),
        last_turn=np.zeros(warps, np.int64),
        following=following,
        wheel=wheel,
        coming_back=np.zeros((WHEEL, SLICES), np.int64),
        sm=np.repeat(block_sm, WARPS),
        warps=on_sm,
        resident=resident,
        ready=np.zeros((SMS, ISSUED), np.int64),
        ready_first=np.zeros(SMS, np.int64),
        ready_end=np.zeros(SMS, np.int64),
        free=np.zeros(SMS),
        way_free=np.zeros(SMS),
        held_by=np.full(SMS, -1),
        waiting=np.zeros((SMS, SLICES), np.int64),
        left_turn=np.full((SMS, ISSUED), -1),
        left_lines=np.zeros((SMS, ISSUED), np.int64),
        left_count=np.zeros(SMS, np.int64),
        line=np.full(lines, -1),
        used=np.zeros(lines, np.int64),
        sectors=np.zeros(lines, np.int64),
        is_copy=np.zeros(lines, np.int64),
        queue=np.zeros((SLICES, QUEUE), np.int64),
        queue_first=np.zeros(SLICES, np.int64),
        queue_end=np.zeros(SLICES, np.int64),
        missing=np.zeros(SLICES, np.int64),
        slice_free=np.zeros(SLICES),
        fetch=np.zeros((SLICES, FETCHES), np.int64),
        fetch_first=np.zeros(SLICES, np.int64),
        fetch_end=np.zeros(SLICES, np.int64),
        home_free=np.zeros(SLICES),
        channel_free=np.zeros(NEAR),
        requests=np.zeros(SLICES, np.int64),
        misses=np.zeros(SLICES, np.int64),
    )


@jitted
def mixed(number: int) -> int:
    """A hash of 32 bits."""
    number = (number * 0x9E3779B1) & 0xFFFFFFFF
    number ^= number >> 15
    number = (number * 0x2C1B3C6D) & 0xFFFFFFFF
    number ^= number >> 12
    number = (number * 0x297A2D39) & 0xFFFFFFFF
    return number ^ number >> 15


@jitted
def wake(m: Machine, warp: int, time: float) -> None:
    """Let a warp be ready at a time, in the next step at the earliest."""
    bucket = max(int(time / STEP), m.counts[STEPS] + 1) % WHEEL
    m.following[warp] = m.wheel[bucket]
    m.wheel[bucket] = warp


@jitted
def come_back(m: Machine, launch: Launch, warp: int, time: float) -> None:
    """Let one request of a warp be answered; the last one lets the warp go on."""
    m.back[warp] = max(m.back[warp], time)
    m.pending[warp] -= 1
    if m.pending[warp] == 0:
        wake(m, warp, m.back[warp] + CHAIN * launch.unroll)


@jitted
def begin_step(m: Machine, launch: Launch) -> None:
    """Queue the warps that are ready, and forget the misses that are back."""
    bucket = m.counts[STEPS] % WHEEL
    warp = m.wheel[bucket]
    m.wheel[bucket] = -1
    while warp >= 0:
        sm = m.sm[warp]
        if m.position[warp] >= launch.elements:
            m.counts[LEFT] -= 1
        else:
            m.ready[sm, m.ready_end[sm] % ISSUED] = warp
            m.ready_end[sm] += 1
        warp = m.following[warp]
    for s in range(SLICES):
        m.missing[s] -= m.coming_back[bucket, s]
        m.coming_back[bucket, s] = 0


@jitted
def lost_share(m: Machine, warp: int) -> float:
    """The share of a warp's lines that L1 has lost since its last load: by how many others were used or left since."""
    sm, last_turn, warps, left_turn, left_lines = m.sm[warp], m.last_turn, m.warps, m.left_turn, m.left_lines
    mine = last_turn[warp]
    others = 32
    for k in range(m.resident[sm]):
        if last_turn[warps[sm, k]] > mine:
            others += 32
    for k in range(ISSUED):
        if left_turn[sm, k] > mine:
            others += left_lines[sm, k]
    place = (others + L1_SHORT) / 256.0
    if place >= len(LOST) - 2:
        return 1.0
    below = int(place)
    return float(LOST[below] + (LOST[below + 1] - LOST[below]) * (place - below))


@jitted
def load(m: Machine, launch: Launch, warp: int) -> None:
    """Let a warp load its next elements: what L1 misses goes to the queues of slices."""
    sm, first = m.sm[warp], m.position[warp]
    limit = int(lost_share(m, warp) * (1 << 20))
    issued = max(m.counts[STEPS], int(m.way_free[sm] / STEP))
    missed, new_lines, cost = 0, 0, 0.0
    for element in range(first, first + launch.unroll):
        missed_of_load = 0
        for lane in range(32):
            at = (warp * 32 + lane) * launch.stride + element
            line = at >> 5
            hits = True
            if at % 8 == 0 or element == 0:
                hits = False
                if at % 32 == 0 and first > 0:
                    new_lines += 1
            elif element == first:
                hits = mixed(line ^ 0x1234567) % (1 << 20) >= limit
            if not hits:
                missed_of_load += 1
                s = launch.partition[sm] * NEAR + launch.near[line >> 1]
                request = issued << 40 | warp << 26 | line << 2 | (at >> 3) % 4
                m.queue[s, m.queue_end[s] % QUEUE] = request
                m.queue_end[s] += 1
                m.waiting[sm, s] += 1
                if m.waiting[sm, s] > ALLOWED:
                    m.held_by[sm] = s
        cost += max(
            launch.load_cycles, min(launch.load_cycles, LOAD_SHORTEST) + CYCLES_OF_MISS * missed_of_load
        )
        missed += missed_of_load
    if new_lines:
        place = m.left_count[sm] % ISSUED
        m.left_turn[sm, place] = m.last_turn[warp]
        m.left_lines[sm, place] = new_lines
        m.left_count[sm] += 1
    m.counts[TURN] += 1
    m.counts[LOADS] += 32 * launch.unroll
    m.last_turn[warp] = m.counts[TURN]
    m.pending[warp] = missed
    m.free[sm] += cost
    m.way_free[sm] = max(m.way_free[sm], m.free[sm]) + missed * REQUEST
    m.free[sm] = max(m.free[sm], m.way_free[sm] - ON_THE_WAY * REQUEST)
    m.back[warp] = m.free[sm] + LOAD_START
    m.position[warp] += launch.unroll
    if missed == 0:
        wake(m, warp, m.back[warp] + CHAIN * launch.unroll)


@jitted
def run_sms(m: Machine, launch: Launch) -> None:
    """Let each SM serve loads in order, unless a slice holds it up."""
    now = m.counts[STEPS] * STEP
    for sm in range(SMS):
        if m.ready_first[sm] == m.ready_end[sm]:
            continue
        m.free[sm] = max(m.free[sm], now)
        while m.free[sm] < now + STEP and m.ready_first[sm] < m.ready_end[sm]:
            if m.held_by[sm] >= 0:
                if m.waiting[sm, m.held_by[sm]] > ALLOWED:
                    m.free[sm] = now + STEP
                    break
                m.held_by[sm] = -1
            warp = m.ready[sm, m.ready_first[sm] % ISSUED]
            m.ready_first[sm] += 1
            load(m, launch, warp)


@jitted
def look_up(m: Machine, s: int, group: int, line: int) -> tuple[bool, int]:
    """Whether a set has a line, and where; else where the line is that was not used for longest."""
    lines, used = m.line, m.used
    oldest = 0
    for way in range(WAYS):
        if lines[s, group, way] == line:
            return True, way
        if used[s, group, way] < used[s, group, oldest]:
            oldest = way
    return False, oldest


@jitted
def put(m: Machine, s: int, group: int, way: int, line: int, sector: int, is_copy: int) -> None:
    """Let a way of a set have 64 bytes of a line."""
    if m.line[s, group, way] != line:
        m.line[s, group, way] = line
        m.sectors[s, group, way] = 0
        m.is_copy[s, group, way] = is_copy
    m.used[s, group, way] = m.counts[TURN]
    m.sectors[s, group, way] |= 3 << (sector & 2)


@jitted
def ask_home(m: Machine, home: int, group: int, line: int, sector: int) -> bool:
    """Whether a far line's home has it; if not, it gets a copy, in place of another such copy if a set has enough."""
    found, way = look_up(m, home, group, line)
    if found and m.sectors[home, group, way] >> sector & 1:
        m.used[home, group, way] = m.counts[TURN]
        return True
    if not found:
        copies, oldest = 0, -1
        for k in range(WAYS):
            if m.is_copy[home, group, k]:
                copies += 1
                if oldest < 0 or m.used[home, group, k] < m.used[home, group, oldest]:
                    oldest = k
        if copies >= COPIES:
            way = oldest
    put(m, home, group, way, line, sector, 1)
    return False


@jitted
def serve(m: Machine, launch: Launch, s: int, request: int) -> bool:
    """Let a slice serve a request; False if it has as many misses as it can have."""
    warp, line, sector = request >> 26 & 0x3FFF, request >> 2 & 0xFFFFFF, request & 3
    group = mixed(line ^ 0x5BD1) % SETS
    m.counts[TURN] += 1
    found, way = look_up(m, s, group, line)
    if found and m.sectors[s, group, way] >> sector & 1:
        m.used[s, group, way] = m.counts[TURN]
        come_back(m, launch, warp, m.slice_free[s] + BACK)
        m.slice_free[s] += TAGS
        return True
    if m.missing[s] >= MISSES:
        return False
    m.slice_free[s] += TAGS
    m.misses[s] += 1
    m.missing[s] += 1
    put(m, s, group, way, line, sector, 0)
    home = launch.home[line >> 1]
    if home != s:
        m.slice_free[s] += TAGS
        m.slice_free[home] += TAGS
        if ask_home(m, home, group, line, sector):
            time = m.slice_free[s] + BACK + FAR
            m.coming_back[int(time / STEP) % WHEEL, s] += 1
            come_back(m, launch, warp, time)
            return True
    m.fetch[home, m.fetch_end[home] % FETCHES] = warp << 8 | s
    m.fetch_end[home] += 1
    return True


@jitted
def run_slices(m: Machine, launch: Launch) -> None:
    """Let each slice serve its queue in order."""
    now = m.counts[STEPS] * STEP
    for s in range(SLICES):
        m.slice_free[s] = max(m.slice_free[s], now)
        while m.queue_first[s] < m.queue_end[s] and m.slice_free[s] < now + STEP:
            request = m.queue[s, m.queue_first[s] % QUEUE]
            if (request >> 40) + int(TO_SLICE / STEP) > m.counts[STEPS] or not serve(m, launch, s, request):
                break
            m.queue_first[s] += 1
            m.requests[s] += 1
            m.waiting[m.sm[request >> 26 & 0x3FFF], s] -= 1


@jitted
def run_channels(m: Machine, launch: Launch) -> None:
    """Let each channel fetch for its two homes in turn."""
    now = m.counts[STEPS] * STEP
    for channel in range(NEAR):
        fetched = True
        while fetched:
            fetched = False
            for turn in range(2):
                home = (turn ^ m.counts[STEPS] & 1) * NEAR + channel
                begin = max(now, m.home_free[home], m.channel_free[channel])
                if m.fetch_first[home] == m.fetch_end[home] or begin >= now + STEP:
                    continue
                fetched = True
                fetch = m.fetch[home, m.fetch_first[home] % FETCHES]
                m.fetch_first[home] += 1
                m.home_free[home] = begin + HOME
                m.channel_free[channel] = begin + CHANNEL
                s = fetch & 0xFF
                time = begin + BACK + DRAM + (FAR if home != s else 0.0)
                m.coming_back[int(time / STEP) % WHEEL, s] += 1
                come_back(m, launch, fetch >> 8, time)


@jitted
def run(m: Machine, launch: Launch) -> None:
    """Run all warps to their end."""
    while m.counts[LEFT] > 0:
        begin_step(m, launch)
        run_sms(m, launch)
        run_slices(m, launch)
        run_channels(m, launch)
        m.counts[STEPS] += 1
