"""The L2 hit rate and atomic contention that one SM sees, given that all SMs share the L2.

One SM is simulated. Data that it touches for the first time may already be in L2, because the previous launch left it
there or another SM fetched it; and other SMs may target the same addresses with atomics. Both follow from how much of
each buffer one SM touches:

- Footprint. All SMs together touch as much as one SM times their number, but never more than the buffer: disjoint
  shares of a stream add up to the buffer, and a tile that all SMs read counts once.
- Left by the previous launch. Up to a share of its capacity, L2 still contains the whole footprint; of a scan longer
  than L2 it contains nothing useful: the least recently used line is evicted first, and in a scan that is the next one
  needed. In between, the hit rate of first touches falls linearly. The L2 has two partitions: lines that SMs of both
  sides read are in both.
- Written back. What is written stays in L2 until its place is needed; it takes places on both sides, the writer's and
  the home of its address, so less of it stays than of what is read (benchmarks/silicon/micro/l2/residency.cu).
- Pushed out. What is written leaves L2 when its place is taken, by what is fetched as by what is written, in this
  launch or the next one: so DRAM is written to while all is read, not when an SM writes (micro/dram/phased_rows).
- Moved. Blocks of later waves go where one ends, so from launch to launch a line is used by SMs of either side. Then
  what is read takes places on both sides, too (residency.cu), and half of what was written is read across
  (benchmarks/silicon/micro/l2/in_place).
- Fetched by other SMs. Where the SMs' shares add up to more than the buffer, several SMs touch each byte, and only the
  first touch goes to DRAM. A line counts once, however often the SM lost and fetched it again.
- Awaited. What all SMs read in step is on its way from DRAM for one of them when the others ask for it, so all wait as
  long (benchmarks/silicon/micro/dram/row_pieces). Of what some of them read, as tiles of a matrix, all but the first in
  a long row are there in time (read off `grouped_raster`, of the first validation set).
- Atomics. A line lies in one slice of L2. SMs whose atomics target the same few lines wait for each other.
- Tables. So do SMs that read words of a small table, whose lines are not dealt to the slices evenly.
- In step. Requests of SMs that read the same lines at the same time reach L2 as fewer
  (`simcore.model.request_coalescer`).

The first guess is that each buffer is touched entirely and each part of it by one SM. The bytes touched are known
before a run if they do not depend on time (`simcore.session.touched`), else after a first one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from simcore.gpu import Gpu
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy

Shares = NDArray[np.float64]

OF_A_STREAM = (0.9, 1.1)
"""What the SMs' shares of a buffer add up to if each SM has its own, relative to the buffer."""

FEW = 0.05
"""The same of what is hardly touched at all."""

WRITTEN_BY_ALL = 0.5
"""Of what all SMs would touch of a buffer if each wrote all of it."""

READ_BY_ALL = 0.9
"""Of the SMs, that touch all of a buffer. Each keeps it in L1 then and asks L2 for it once, early in the launch, so
that L2 loses it like a stream; a replay, whose SMs have no L1, would have it used throughout. What one side of L2 has
lost of its copies, the other one still has."""

SMALLEST_TABLE = 2048
"""Bytes of the first of a GPU's `l2_table_costs`, each of which is of twice as many."""

OF_DIFFERENT_SLICES, OF_TWO_OR_MORE = 2, 4
"""Blocks of `l2_slice_bytes` in a row that lie in slices of their own; that do, or lie two in each, as they begin."""

BUSIEST_OF_TWO_OR_MORE = 4 / 3
"""Blocks of the busiest slice in that case: taken so that neither one block nor two are wrong by more than a third."""

ALIKE = 0.5
"""Relative to one another: targets of atomics that differ by less are alike."""

MATERIAL = 0.05
"""Smaller differences are ignored: absolute for miss rates, relative for contention."""


@dataclass(frozen=True)
class Sharing:
    """L2 misses and contention of one SM for each buffer; the last entry is local memory.

    Attributes:
        l2_miss: fraction of its first touches that go to DRAM, 0 to 1.
        l2_awaited: fraction of its first touches that find the line on its way from DRAM for another SM, 0 to 1.
        l2_lost: fraction of the lines of what is written in rows that DRAM brings in each launch, to any SM, 0 to 1.
        l2_write_back: fraction of what is written that leaves L2 for DRAM, 0 to 1.
        atomic_contention: how many SMs' atomics wait for each other at its targets, 1 or more.
        atomic_crowd: SMs for each place at which its atomics aim.
        is_hot: whether all SMs write, or aim atomics at, lines of one slice of L2.
        l2_near: fraction of its lines of which each partition of L2 has a copy, 0 to 1.
        l2_far: fraction of its first touches that are of lines which the other partition's SMs wrote, 0 to 1.
        l2_table_cost: time of L2 for a request for a part of a line, relative to one where many lines are read.
        l2_coalesced_cost: time of L2 for a sector, relative to one of an SM that reads lines by itself.
        dirty_share: of the bytes that leave L2 for what is fetched, and for what is written and does not stay, those
            that were written, 0 to 1.
    """

    l2_miss: Shares
    l2_awaited: Shares
    l2_lost: Shares
    l2_write_back: Shares
    atomic_contention: Shares
    atomic_crowd: Shares
    is_hot: NDArray[np.bool_]
    l2_near: Shares
    l2_far: Shares
    l2_table_cost: Shares
    l2_coalesced_cost: Shares
    dirty_share: float

    @property
    def read_evicts(self) -> float:
        """Bytes that leave L2 for DRAM for each byte of a line that is fetched for the first time."""
        return self.dirty_share if self.dirty_share < 1.0 else 0.0

    def differs(self, other: "Sharing") -> bool:
        """Whether the difference is material."""
        contention = self.atomic_contention / other.atomic_contention
        return bool(
            np.abs(self.l2_miss - other.l2_miss).max() > MATERIAL
            or np.abs(self.l2_awaited - other.l2_awaited).max() > MATERIAL
            or np.abs(self.l2_write_back - other.l2_write_back).max() > MATERIAL
            or np.abs(np.log(contention)).max() > MATERIAL
            or (self.is_hot != other.is_hot).any()
            or abs(self.read_evicts - other.read_evicts) > MATERIAL
        )

    def is_nearer(self, other: "Sharing") -> bool:
        """Whether materially more of L2's lines are near, or fewer; or far, or in slices that are busier."""
        return bool(
            np.abs(self.l2_near - other.l2_near).max() > MATERIAL
            or np.abs(self.l2_far - other.l2_far).max() > MATERIAL
            or np.abs(np.log(self.l2_table_cost / other.l2_table_cost)).max() > MATERIAL
        )


@dataclass(frozen=True, eq=False)
class Touched:
    """What an SM touches of each buffer, local memory last, as it stands for the others.

    Attributes:
        bytes: of the lines.
        read: whether it reads any of them, or aims atomics at them.
        written: whether it writes any of them.
        atomic_places: [buffer] blocks of `l2_slice_bytes` at which all SMs' atomics aim.
    """

    bytes: Shares
    read: NDArray[np.int64]
    written: NDArray[np.int64]
    atomic_places: Shares


def first_guess(gpu: Gpu, launch: Launch, occupancy: Occupancy, sms: int, cold: bool) -> Sharing:
    """Buffers and the local memory of all resident threads are touched entirely, each part by one SM, and buffers are
    not written."""
    sizes = _sizes(launch)
    local = _local_bytes(launch, occupancy, sms)
    footprint = sizes.sum() + local
    missing = 1.0 if cold else 1.0 - l2_hit_share(gpu, footprint)
    places = np.maximum(sizes / gpu.l2_slice_bytes, 1.0)
    return Sharing(
        l2_miss=np.full(len(sizes) + 1, missing),
        l2_awaited=np.zeros(len(sizes) + 1),
        l2_lost=np.zeros(len(sizes) + 1),
        l2_write_back=np.full(len(sizes) + 1, l2_write_back_share(gpu, footprint, local)),
        atomic_contention=np.append([contention(gpu, sms, count, 1) for count in places], 1.0),
        atomic_crowd=np.append(sms / places, 0.0),
        is_hot=np.zeros(len(sizes) + 1, np.bool_),
        l2_near=np.zeros(len(sizes) + 1),
        l2_far=np.zeros(len(sizes) + 1),
        l2_table_cost=np.append(table_cost(gpu, sizes), 1.0),
        l2_coalesced_cost=np.ones(len(sizes) + 1),
        dirty_share=1.0,
    )


def is_settled(gpu: Gpu, launch: Launch, occupancy: Occupancy, sms: int, cold: bool) -> bool:
    """Whether the first guess is right, whatever the SMs touch: L2 holds all of it, copies and writes included."""
    local = _local_bytes(launch, occupancy, sms)
    most = float(_sizes(launch).sum()) * gpu.l2_partitions + local
    stays = not _lines_move(gpu, launch, occupancy, sms)
    return (
        not cold and stays and l2_hit_share(gpu, most) == 1.0 and l2_write_back_share(gpu, most, most) == 0.0
    )


def may_leave_l2(gpu: Gpu, launch: Launch, occupancy: Occupancy, sms: int) -> bool:
    """Whether L2 loses what the launch before left in it if the SMs touch all of each buffer."""
    most = float(_sizes(launch).sum()) * gpu.l2_partitions + _local_bytes(launch, occupancy, sms)
    return left_in_l2(gpu, _lines_move(gpu, launch, occupancy, sms), most, most) < 1.0


def observed(
    gpu: Gpu,
    launch: Launch,
    occupancy: Occupancy,
    guess: Sharing,
    sms: int,
    cold: bool,
    touched: Touched,
    follows_data: bool,
    in_step: Callable[[], Shares],
    replayed: Shares | None = None,
) -> Sharing:
    """The sharing that follows from what one SM touched.

    Args:
        guess: the assumption so far.
        sms: busy SMs.
        follows_data: whether addresses depend on what is loaded; if not, parts of a line are touched at about one time.
        in_step: tells [buffer] the share that others read at the same time.
        replayed: [buffer] `l2_miss` by a replay of all SMs' accesses, if there was one; what may be a stream misses no
            more than one would.
    """
    written, atomic_places = touched.written, touched.atomic_places
    shares = _shares(launch, sms, touched.bytes)
    times_touched = np.maximum(shares, 1.0)
    footprints = _footprints(gpu, launch, occupancy, sms, shares, written)
    footprint = float(footprints.sum())
    moves, written_bytes = _lines_move(gpu, launch, occupancy, sms), float((footprints * written).sum())
    written_back = l2_write_back_share(gpu, _moved(gpu, moves, footprint), written_bytes)
    missing = 1.0 if cold else 1.0 - left_in_l2(gpu, moves, footprint, written_bytes)
    far = (1.0 - missing) * (gpu.l2_partitions - 1.0) / gpu.l2_partitions if moves else 0.0
    crowded = [
        contention(gpu, sms, count, _alike(atomic_places, count)) if count else guessed
        for count, guessed in zip(atomic_places, guess.atomic_contention[:-1], strict=True)
    ]
    missed = missing / times_touched
    if replayed is not None:
        streams = _add_up(shares) & (sms > 1)
        missed = np.where(streams, np.minimum(replayed, missing), replayed)
    without_copies = np.minimum(shares, 1.0) @ _sizes(launch) + footprints[-1]
    forgotten = 1.0 if cold else 1.0 - left_in_l2(gpu, moves, without_copies, written_bytes)
    lost = np.where(times_touched > READ_BY_ALL * sms, forgotten, missed)
    l2_miss, l2_write_back = np.append(missed, missing), np.append(written_back / times_touched, written_back)
    lines = touched.bytes * touched.read * l2_miss
    left = touched.bytes * written * l2_write_back
    not_aimed_at = np.append(atomic_places == 0, True)
    return Sharing(
        l2_miss=l2_miss,
        l2_awaited=np.append(_awaited(lost, missed, in_step), 0.0),
        l2_lost=np.append(missing * (written[:-1] > 0) * (not follows_data), 0.0),
        l2_write_back=l2_write_back,
        atomic_contention=np.append(crowded, 1.0),
        atomic_crowd=np.append(
            np.where(atomic_places > 0, sms / np.maximum(atomic_places, 1.0), guess.atomic_crowd[:-1]), 0.0
        ),
        is_hot=np.append(_is_hot(gpu, launch, sms, touched, shares), False),
        l2_near=np.append(_near(gpu, times_touched), 0.0),
        l2_far=np.append(far * written[:-1], 0.0),
        l2_table_cost=np.append(table_cost(gpu, np.minimum(shares, 1.0) * _sizes(launch)), 1.0),
        l2_coalesced_cost=guess.l2_coalesced_cost,
        dirty_share=_dirty_share(lines * not_aimed_at, left * not_aimed_at),
    )


def _awaited(lost: Shares, missed: Shares, in_step: Callable[[], Shares]) -> Shares:
    """[buffer] `l2_awaited`: lines that DRAM brings once for all SMs that read them at the same time.

    Args:
        lost: [buffer] fraction of the lines that DRAM brings in each launch, to any SM.
        missed: [buffer] `l2_miss`.
        in_step: as of `observed`.
    """
    for_others = lost - missed
    return for_others * in_step() if for_others.max(initial=0.0) > MATERIAL else np.zeros(len(missed))


def _dirty_share(fetched: Shares, written_back: Shares) -> float:
    """Of what leaves L2 for what is fetched and written, the share that was written itself; 1 if nothing leaves.

    Args:
        fetched: bytes of the lines of each buffer that come from DRAM.
        written_back: bytes of those that are written and do not stay.
    """
    leaving = float(fetched.sum() + written_back.sum())
    return float(written_back.sum()) / leaving if leaving else 1.0


def may_be_shared(
    gpu: Gpu, launch: Launch, occupancy: Occupancy, sms: int, touched: Touched, follows_data: bool
) -> NDArray[np.bool_]:
    """[buffer] whether others may touch, too, what one SM touches of it; nowhere if L2 holds all that they touch.

    Shares that add up to the buffer are those of a stream, but not where atomics aim at lines, since others may, too,
    nor where data say what is touched: indices drawn at random hit some lines twice and others never.

    Args:
        follows_data: whether addresses depend on what is loaded.
    """
    shares = _shares(launch, sms, touched.bytes)
    footprint = float(_footprints(gpu, launch, occupancy, sms, shares, touched.written).sum())
    is_stream = _add_up(shares) & (touched.atomic_places == 0) & (not follows_data)
    shared: NDArray[np.bool_] = (shares > FEW) & ~is_stream
    moves = _lines_move(gpu, launch, occupancy, sms)
    return shared & (left_in_l2(gpu, moves, footprint, footprint) < 1.0)


def depends_on_others(shared: NDArray[np.bool_], fetched: Shares) -> bool:
    """Whether it takes a replay of all SMs to tell what one finds in L2: others may touch a material part of it.

    Args:
        shared: what `may_be_shared` says.
        fetched: bytes of each buffer that the SM asked L2 for the first time, or again after its part lost them.
    """
    return bool(fetched[:-1][shared].sum() > MATERIAL * fetched.sum())


def _add_up(shares: Shares) -> NDArray[np.bool_]:
    """[buffer] whether the SMs' shares add up to the buffer, as those of a stream do."""
    least, most = OF_A_STREAM
    return (shares >= least) & (shares <= most)


def _lines_move(gpu: Gpu, launch: Launch, occupancy: Occupancy, sms: int) -> bool:
    """Whether SMs of either partition may use a line from launch to launch."""
    return gpu.l2_partitions > 1 and launch.blocks > sms * occupancy.blocks_per_sm


def left_in_l2(gpu: Gpu, moves: bool, footprint: float, written: float) -> float:
    """Hit rate of first touches in what the launch before left in L2.

    Args:
        moves: whether lines move between the partitions.
        footprint: bytes.
        written: bytes of it that are written; more than half are not worse than half.
    """
    if gpu.l2_partitions == 1 or not footprint:
        return l2_hit_share(gpu, footprint)
    on_both_sides = 1.0 if moves else min(2.0 * written / footprint, 1.0)
    kept = gpu.l2_kept_share + on_both_sides * (gpu.l2_kept_twice_share - gpu.l2_kept_share)
    return _way(_moved(gpu, moves, footprint) / gpu.l2_bytes, gpu.l2_lost_share, kept)


def _moved(gpu: Gpu, moves: bool, footprint: float) -> float:
    """Bytes of L2 that a footprint takes."""
    return footprint * (gpu.l2_moved_share if moves else 1.0)


def _shares(launch: Launch, sms: int, touched: Shares) -> Shares:
    """What the SMs' shares of each buffer add up to, relative to the buffer."""
    return touched[:-1] * sms / np.maximum(_sizes(launch), 1)


def _footprints(
    gpu: Gpu, launch: Launch, occupancy: Occupancy, sms: int, shares: Shares, written: NDArray[np.int64]
) -> Shares:
    """Bytes of L2 that each buffer takes, and last local memory; of what is written there are no copies."""
    copies = np.where(written[:-1], 1.0, copies_in_l2(gpu, np.maximum(shares, 1.0)))
    buffers = np.minimum(shares, 1.0) * _sizes(launch) * copies
    return np.append(buffers, _local_bytes(launch, occupancy, sms))


def copies_in_l2(gpu: Gpu, readers: Shares) -> Shares:
    """Expected number of L2 partitions with a copy of a line that `readers` SMs read, SMs assigned at random."""
    partitions = float(gpu.l2_partitions)
    return partitions - partitions ** (1.0 - readers) * (partitions - 1.0) ** readers


def _near(gpu: Gpu, readers: Shares) -> Shares:
    """Expected fraction of lines that `readers` SMs read of which each partition has a copy."""
    if gpu.l2_partitions == 1:
        return np.zeros(len(readers))
    return (copies_in_l2(gpu, readers) - 1.0) / (gpu.l2_partitions - 1.0)


def table_cost(gpu: Gpu, sizes: Shares) -> Shares:
    """Time of L2 for a request for a part of a line of a table, all SMs' requests together, relative to one of a large
    table: few lines do not lie in all slices alike. A request for a whole line is answered together with others'
    (benchmarks/silicon/micro/l2/small_tables).

    Args:
        sizes: bytes of each that all SMs touch.
    """
    measured = SMALLEST_TABLE << np.arange(len(gpu.l2_table_costs) + 1)
    costs = np.append(gpu.l2_table_costs, 1.0)
    found: Shares = np.exp(np.interp(np.log(np.maximum(sizes, 1.0)), np.log(measured), np.log(costs)))
    return found


def lines_of_a_side(gpu: Gpu) -> float:
    """How many of the lines used last one partition of L2 holds."""
    return gpu.l2_bytes * gpu.l2_replay_share / gpu.l2_partitions / gpu.line_bytes


def atomic_places(
    gpu: Gpu, launch: Launch, sms: int, own: NDArray[np.int64], others: NDArray[np.int64]
) -> Shares:
    """How many blocks of `l2_slice_bytes` of each buffer all SMs' atomics target, as two samples of them tell.

    Two samples of a pool of places share the more of them, the smaller it is; so it holds about as many as the
    product of their numbers over how many they share (Lincoln and Petersen). Each SM draws as many as the first.

    Args:
        own: lines targeted by one SM's atomics.
        others: lines targeted by another block's.
    """
    starts, ends = launch.addresses
    stretch = gpu.l2_slice_bytes

    def count(lines: NDArray[np.int64]) -> Shares:
        addresses = lines * gpu.line_bytes
        inside = (addresses > starts[:, None] - stretch) & (addresses < ends[:, None])
        inside_each: Shares = inside.sum(axis=1).astype(np.float64)
        return inside_each

    lines_each = stretch // gpu.line_bytes
    here, there = (np.unique(lines // lines_each) * lines_each for lines in (own, others))
    mine, shared = count(here), count(np.intersect1d(here, there))
    pool: Shares = np.where(shared > 0, mine * count(there) / np.maximum(shared, 1.0), np.inf)
    pool = np.maximum(np.minimum(pool, (ends - starts) / stretch), np.maximum(mine, 1.0))
    places: Shares = pool * (1.0 - (1.0 - mine / pool) ** sms)
    return places


def _is_hot(gpu: Gpu, launch: Launch, sms: int, touched: Touched, shares: Shares) -> NDArray[np.bool_]:
    """[buffer] whether all SMs write, or aim atomics at, lines of one slice: what else is read there waits for these
    (benchmarks/silicon/micro/l2/hot_slice). Several slices were not measured, and 32 keep nobody waiting."""
    written_by_all = (touched.written[:-1] > 0) & (shares >= WRITTEN_BY_ALL * sms)
    stretches = np.ceil(_sizes(launch) / gpu.l2_slice_bytes)
    places = np.where(touched.atomic_places > 0, touched.atomic_places, stretches)
    found: NDArray[np.bool_] = (written_by_all | (touched.atomic_places > 0)) & (places <= 1.0) & (sms > 1)
    return found


def l2_hit_share(gpu: Gpu, footprint: float) -> float:
    """Hit rate of first touches in what the previous launch left in L2; `footprint` is in bytes."""
    return _way(footprint / gpu.l2_bytes, gpu.l2_lost_share, gpu.l2_kept_share)


def l2_write_back_share(gpu: Gpu, footprint: float, written: float) -> float:
    """Share of what is written that leaves L2 for DRAM: for want of room among all that SMs touch, or since L2 holds no
    more that DRAM does not have yet (benchmarks/silicon/micro/l2/residency.cu).

    Args:
        footprint: bytes that SMs touch.
        written: bytes of these that they write.
    """
    no_room = _way(footprint / gpu.l2_bytes, gpu.l2_write_kept_share, gpu.l2_write_lost_share)
    return max(no_room, _way(written / gpu.l2_bytes, gpu.l2_dirty_kept_share, gpu.l2_dirty_lost_share))


def _way(value: float, begin: float, end: float) -> float:
    """How far a value is on its way from the begin to the end, 0 to 1."""
    return float(min(max((value - begin) / (end - begin), 0.0), 1.0))


def contention(gpu: Gpu, sms: int, places: float, buffers: int) -> float:
    """How many SMs wait for each other when all target this many blocks of `l2_slice_bytes` with atomics.

    A hash maps them to slices, and the busiest slice is the bottleneck. With few blocks its load is about the mean plus
    a deviation, as in the fullest of n bins; many consecutive blocks are distributed more evenly
    (benchmarks/silicon/micro/l2/vector_atomics on an H200). In a KiB that begins at a multiple of one, the first and
    third share a slice, the second and fourth another. So of more than four in a row two share one
    (benchmarks/silicon/micro/l2/hot_lines on an H200 and an H100: 6, 8 and 16), and of three or four, as memory is
    allocated in multiples of 512 bytes, every other time (micro/l2/merged_tables on an H200).

    Args:
        buffers: of so many blocks each, which atomics target alike. Their busiest slices are the same, or not: few
            meet by chance, and deviations of many add up as those of independent draws do (micro/l2/vector_atomics:
            two vectors; hot_buffers.cu: two and four words).
    """
    mean = places / gpu.l2_slices
    deviation = min(sqrt(2.0 * mean * log(gpu.l2_slices)), gpu.l2_slice_excess)
    busiest = max(mean + deviation, _busiest_of_a_row(places))
    taken = min(places / busiest, gpu.l2_slices)
    meet = float(1.0 - (1.0 - taken / gpu.l2_slices) ** taken)
    of_all = min(buffers * mean + sqrt(buffers) * (busiest - mean), busiest * (1.0 + (buffers - 1) * meet))
    return max(sms * of_all / places, 1.0)


def _busiest_of_a_row(places: float) -> float:
    """How many blocks in a row the busiest slice holds at least."""
    if places <= OF_DIFFERENT_SLICES:
        return 1.0
    return BUSIEST_OF_TWO_OR_MORE if places <= OF_TWO_OR_MORE else 2.0


def _alike(atomic_places: Shares, places: float) -> int:
    """How many buffers are about as large targets as one of so many places: vectors of sums, for example, which are
    added to by turns."""
    return int(((ALIKE * places < atomic_places) & (ALIKE * atomic_places < places)).sum())


def _local_bytes(launch: Launch, occupancy: Occupancy, sms: int) -> float:
    """Local memory of all resident threads."""
    return launch.kernel.local_bytes * occupancy.warps_per_sm * 32.0 * sms


def _sizes(launch: Launch) -> Shares:
    starts, ends = launch.addresses
    return (ends - starts).astype(np.float64)
