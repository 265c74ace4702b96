"""Time one launch: the blocks of the SM that ends last, with its share of the resources common to all SMs."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution.families import run
from simcore.core.machine import REPORT_STATUS, Demand, Footprint, Machine
from simcore.core.timing import l2
from simcore.core.timing.schedule import run_sm
from simcore.core.timing.state import PORT_L2, PORT_L2_FILL, PORT_L2_WRITE, Sm
from simcore.model.machine_model import block_slots, build_sm, build_timing, busy_sms
from simcore.model.occupancy import Occupancy, occupancy
from simcore.model.placement import last_blocks
from simcore.model.request_coalescer import coalesced_cost
from simcore.model.sharing import (
    Sharing,
    Touched,
    atomic_places,
    depends_on_others,
    first_guess,
    is_settled,
    may_be_shared,
    observed,
)
from simcore.model.steady_state import Extrapolation, blocks_to_time, extrapolate
from simcore.session.counting import count_instructions, reads_outside
from simcore.session.first_blocks import NOT_TRACED, Traced, trace_first_blocks
from simcore.session.in_step import (
    FIRST_INSTRUCTIONS,
    MORE_INSTRUCTIONS,
    InStep,
    nothing_in_step,
    read_in_step,
)
from simcore.session.replay import Fetched, fetched_by_all
from simcore.session.request import TimingRequest
from simcore.session.session import Session, prepare
from simcore.session.touched import is_said_by_code, touched_in_any_order

SUSPICIOUS_CYCLES = 2_000_000
"""Cycles, at most a second or two of simulation, after which the instructions of a launch of one block are counted,
too: counting finds a loop without end sooner than timing does. As many are simulated until it is looked again at what
was issued."""

UNEVEN = 1.1
"""How much more work than the average SM the timed one has if what it touches does not stand for what others touch.
Less is within what `sharing.OF_A_STREAM` allows."""

_FAR = 0.618
"""Of the grid, from one block to another: no multiple of what addresses may repeat after."""

L2_MATTERS = 0.5
"""Of the time, for which an SM's part of L2 serves reads, or the way there is taken: where both are less, how near the
lines are does not count."""

Window = tuple[int, int]
"""Half-open range of cycles in which the warps' states are recorded."""
NO_WINDOW: Window = (0, 0)


@dataclass(frozen=True, eq=False)
class Run:
    """One timed launch, with everything needed to explain it.

    Attributes:
        session: the launch.
        room: theoretical occupancy.
        blocks: the timed blocks of the SM, in launch order.
        sm: the state of that SM after the run.
        cycles: until the last of the timed blocks retired.
        warp_instructions: executed by the whole grid; where time decides how often warps try, as the SM's did.
        beyond: the contribution of the SM's other blocks.
        outside: reads of the whole grid's threads outside of all buffers.
    """

    session: Session
    room: Occupancy
    blocks: NDArray[np.int64]
    sm: Sm
    cycles: int
    warp_instructions: int
    beyond: Extrapolation
    outside: int = 0


def run_launch(request: TimingRequest, window: Window = NO_WINDOW) -> Run:
    """Time one launch and record what its warps do during a window of cycles.

    Raises:
        SimcoreError: a subclass of it; see `simcore.errors`.
    """
    session = prepare(request)
    return replace(_run(session, request, window), outside=reads_outside(session))


def _run(session: Session, request: TimingRequest, window: Window) -> Run:
    gpu, launch = session.gpu, session.launch
    room = occupancy(gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)
    if launch.blocks == 1:
        blocks = np.zeros(1, np.int64)
        sm, cycles = _run_shared(_Timed(session, room, request, window, blocks), blocks, 1.0)
        return Run(session, room, blocks, sm, cycles, int(sm.issues.sum()), Extrapolation())
    traced = trace_first_blocks(session, room, request.cycle_limit)
    counts = count_instructions(session, request.cycle_limit, traced.counts)
    timed = _Timed(session, room, request, window, counts.executed, traced)
    candidates = last_blocks(gpu, launch, room, counts.executed, counts.longest)
    runs = [_run_busy_sm(timed, blocks) for blocks in candidates]
    return max(runs, key=lambda run: run.cycles + run.beyond.cycles)


@dataclass(frozen=True, eq=False)
class _Timed:
    """What is timed and how, independent of the SM and of sharing.

    Attributes:
        executed: warp instructions of each block of the grid, as far as they were counted.
        traced: the first blocks, if they were executed for a replay before.
    """

    session: Session
    room: Occupancy
    request: TimingRequest
    window: Window
    executed: NDArray[np.int64]
    traced: Traced = NOT_TRACED

    @cached_property
    def follows_data(self) -> bool:
        """Whether what is loaded says what is touched."""
        return slicing.follows_data(self.session.program)

    def in_step(self, instructions: int) -> InStep:
        """What blocks read at the same time, as so many instructions of the one in the middle of the grid show."""
        launch, sms = self.session.launch, busy_sms(self.session.gpu, self.session.launch)
        if sms == 1 or self.follows_data:
            return nothing_in_step(launch)
        resident = min(self.room.blocks_per_sm, -(-launch.blocks // sms))
        return read_in_step(self.session, resident, instructions)

    @cached_property
    def share_in_step(self) -> NDArray[np.float64]:
        """[buffer] the share of all that a block reads which others read at the same time."""
        found = self.in_step(MORE_INSTRUCTIONS)
        shares: NDArray[np.float64] = np.vstack([found.in_a_row, found.far_apart]).max(axis=0)
        return shares

    @cached_property
    def coalesced_cost(self) -> NDArray[np.float64]:
        """What requests for lines of each buffer, local memory last, take of L2's time."""
        gpu, launch = self.session.gpu, self.session.launch
        if gpu.l2_coalesced_cost == 1.0:
            return np.ones(len(launch.addresses[0]) + 1)
        sms, found = busy_sms(gpu, launch), self.in_step(FIRST_INSTRUCTIONS)
        cost = coalesced_cost(gpu, launch, self.room, sms, found.in_a_row, found.distances, found.far_apart)
        return np.append(cost, 1.0)

    def sharing(self, guess: Sharing, touched: Touched, replayed: NDArray[np.float64] | None) -> Sharing:
        """The sharing that follows from what one SM touched, and from a replay, if there was one."""
        gpu, launch, cold = self.session.gpu, self.session.launch, self.request.cold
        sms, in_step = busy_sms(gpu, launch), lambda: self.share_in_step
        return observed(
            gpu, launch, self.room, guess, sms, cold, touched, self.follows_data, in_step, replayed
        )

    @cached_property
    def fetched_by_all(self) -> Fetched | None:
        """What DRAM brings for all SMs, as a replay shows."""
        return fetched_by_all(self.session, self.room, self.executed, self.request.cold, self.traced)


@dataclass(frozen=True, eq=False)
class _Foreseen:
    """The sharing that timing an SM's blocks would show.

    Attributes:
        fetched: bytes of each buffer that the SM fetches if that is so; None if it is so in any case.
        instructions: warp instructions that it issues then.
    """

    sharing: Sharing
    fetched: NDArray[np.float64] | None
    instructions: int

    def is_contradicted(self, sm: Sm) -> bool:
        """Whether timing the blocks with it has shown otherwise."""
        if self.fetched is None:
            return False
        return bool((sm.fetched != self.fetched).any()) or sm.issues.sum() != self.instructions


def _run_busy_sm(timed: _Timed, blocks: NDArray[np.int64]) -> Run:
    """Time one SM's blocks, a part of them if they are many."""
    slots = min(timed.room.blocks_per_sm, len(blocks))
    instructions = timed.executed[blocks]
    chosen = np.arange(len(blocks)) if timed.request.exact else blocks_to_time(instructions, slots)
    times = len(blocks) / len(chosen) / _surplus(timed, blocks)
    sm, cycles = _run_shared(timed, blocks[chosen], times)
    beyond = extrapolate(sm.retired, chosen, instructions, slots, cycles)
    # Counted without time; in time warps try again what others have come before, as often as this SM's.
    executed = round(int(timed.executed.sum()) * (sm.issues.sum() / instructions[chosen].sum()))
    return Run(timed.session, timed.room, blocks[chosen], sm, cycles, executed, beyond)


def _surplus(timed: _Timed, blocks: NDArray[np.int64]) -> float:
    """How much more work than the average SM one with these blocks has, if it is material; else 1."""
    average = timed.executed.sum() / busy_sms(timed.session.gpu, timed.session.launch)
    surplus = float(timed.executed[blocks].sum() / average)
    return surplus if surplus > UNEVEN else 1.0


def _run_shared(timed: _Timed, blocks: NDArray[np.int64], times: float) -> tuple[Sm, int]:
    """Time one SM's blocks: once if their sharing is foreseen, else again if what they touch contradicts the guess.

    Args:
        times: ratio of what an SM touches, as it stands for the others, to what these blocks touch.
    """
    gpu, launch, cold = timed.session.gpu, timed.session.launch, timed.request.cold
    sms = busy_sms(gpu, launch)
    guess = replace(first_guess(gpu, launch, timed.room, sms, cold), l2_coalesced_cost=timed.coalesced_cost)
    foreseen = _foreseen(timed, blocks, times, sms, guess)
    if foreseen:
        is_other = foreseen.sharing.differs(guess) or foreseen.sharing.is_nearer(guess)
        sm, cycles = _run_sm(timed, blocks, foreseen.sharing if is_other else guess)
        if not foreseen.is_contradicted(sm):
            return sm, cycles
    sm, cycles = _run_sm(timed, blocks, guess)
    places = _atomic_places(timed, blocks, sms, guess, _atomic_lines(sm))
    touched = _touched(sm.footprint, times, places)
    replayed = None
    shared = may_be_shared(gpu, launch, timed.room, sms, touched, timed.follows_data)
    if depends_on_others(shared, sm.fetched):
        replayed = _replayed(timed, sm.fetched, int(sm.issues.sum()))
    seen = timed.sharing(guess, touched, replayed)
    waits_for_l2 = sm.busy[[PORT_L2, PORT_L2_WRITE, PORT_L2_FILL]].max() > L2_MATTERS * cycles
    if seen.differs(guess) or (waits_for_l2 and seen.is_nearer(guess)):
        sm, cycles = _run_sm(timed, blocks, seen)
    return sm, cycles


def _foreseen(
    timed: _Timed, blocks: NDArray[np.int64], times: float, sms: int, guess: Sharing
) -> _Foreseen | None:
    """What timing the blocks would show; None if it takes their timing to tell, or cannot be another."""
    gpu, launch, cold = timed.session.gpu, timed.session.launch, timed.request.cold
    if is_settled(gpu, launch, timed.room, sms, cold):
        return None
    demand = touched_in_any_order(timed.session, blocks)
    if demand is None:
        return None
    nowhere = np.zeros(len(demand.fetched) - 1)
    touched = _touched(demand.footprint, times, nowhere)
    shared = may_be_shared(gpu, launch, timed.room, sms, touched, timed.follows_data)
    fetched, replayed, instructions = None, None, int(timed.executed[blocks].sum())
    if _is_replayed(timed, demand.footprint, shared):
        fetched = demand.fetched
        if not (_is_fetched_once(demand) and depends_on_others(shared, fetched)):
            return None
        replayed = _replayed(timed, fetched, instructions)
    seen = timed.sharing(guess, touched, replayed)
    only_nearer = seen.is_nearer(guess) and not seen.differs(guess)
    is_sure = not shared.any() and is_said_by_code(timed.session)
    return None if only_nearer and not is_sure else _Foreseen(seen, fetched, instructions)


def _touched(footprint: Footprint, times: float, atomic_places: NDArray[np.float64]) -> Touched:
    """What an SM touches that has so many times as much work as the blocks of a footprint."""
    return Touched(footprint.touched * times, footprint.read, footprint.written, atomic_places)


def _is_fetched_once(demand: Demand) -> bool:
    """Whether the SM's part of L2 is likely to keep what it has fetched until nobody asks for it any more: no line is
    touched again after so many others that it would be lost, nor read and written in an order that time decides."""
    footprint = demand.footprint
    in_any_order = not (footprint.read & footprint.written).any()
    return bool(len(demand.asked) and not demand.claimed[1] and in_any_order)


def _is_replayed(timed: _Timed, footprint: Footprint, shared: NDArray[np.bool_]) -> bool:
    """Whether a replay may show what one SM finds in L2 of the buffers that others may touch, too.

    What is only written is not fetched. If hardly a part is fetched, a replay may not be worth its time.
    """
    fetched = footprint.touched[:-1] * footprint.read[:-1]
    if not fetched[shared].any():
        return False
    return bool(2.0 * fetched[shared].sum() < fetched.sum()) or timed.fetched_by_all is not None


def _replayed(timed: _Timed, fetched: NDArray[np.float64], instructions: int) -> NDArray[np.float64] | None:
    """The share of what one SM would have to fetch that DRAM brings, by buffer, as a replay of all SMs shows.

    Args:
        fetched: bytes that it would have to fetch, by buffer.
        instructions: its warp instructions.
    """
    all_of_them = timed.fetched_by_all
    if all_of_them is None:
        return None
    brought = all_of_them.bytes / all_of_them.instructions * instructions
    missed: NDArray[np.float64] = np.minimum(brought / np.maximum(fetched[:-1], 1.0), 1.0)
    return missed


def _atomic_places(
    timed: _Timed, blocks: NDArray[np.int64], sms: int, guess: Sharing, aimed_at: NDArray[np.int64]
) -> NDArray[np.float64]:
    """[buffer] how many places all SMs' atomics aim at, from where these blocks' do and those of one far from them."""
    gpu, launch = timed.session.gpu, timed.session.launch
    if len(aimed_at) == 0 or sms == 1:
        return atomic_places(gpu, launch, 1, aimed_at, aimed_at)
    far = (blocks[0] + int(launch.blocks * _FAR) + np.arange(len(blocks) + 1)) % launch.blocks
    other, _ = _run_sm(timed, far[~np.isin(far, blocks)][:1], guess)
    return atomic_places(gpu, launch, sms, aimed_at, _atomic_lines(other))


def _atomic_lines(sm: Sm) -> NDArray[np.int64]:
    """The lines targeted by an SM's atomics, as far as its share of L2 still contains them."""
    lines: NDArray[np.int64] = sm.l2_tag[sm.l2_done >= l2.ATOMIC]
    return lines


def _run_sm(timed: _Timed, blocks: NDArray[np.int64], sharing: Sharing) -> tuple[Sm, int]:
    """Time one SM with these blocks; returns its final state and the cycles."""
    session, request = timed.session, timed.request
    launch, program = session.launch, session.program
    timing = build_timing(session.gpu, launch, timed.room, sharing)
    fitting = min(timed.room.blocks_per_sm, len(blocks))
    slots = min(block_slots(session.gpu, launch, timed.room), len(blocks))
    block_warps = launch.warps_per_block

    def issuing(sm: Sm) -> int:
        """The cycles that the instructions issued until now take at least: those of waiting do not count."""
        return int(sm.issues.sum()) // timing.schedulers

    def core(machine: Machine) -> tuple[Sm, float]:
        sm = build_sm(timing, program, launch, slots, len(blocks), request.cold, timed.window)
        limit = min(request.cycle_limit, SUSPICIOUS_CYCLES) if launch.blocks == 1 else request.cycle_limit
        end = run(run_sm, machine, sm, timing, blocks, block_warps, fitting, limit)
        if machine.report[REPORT_STATUS] == isa.LIMIT and limit < request.cycle_limit:
            count_instructions(session, request.cycle_limit)
        while machine.report[REPORT_STATUS] == isa.LIMIT and (left := request.cycle_limit - issuing(sm)) > 0:
            machine.report[REPORT_STATUS] = isa.OK
            limit += max(left, SUSPICIOUS_CYCLES)
            end = run(run_sm, machine, sm, timing, blocks, block_warps, fitting, limit)
        return sm, end

    warps = timing.schedulers * timing.slots_per_scheduler
    sm, end = session.run(slicing.for_timing, warps, slots, core)
    return sm, int(max(end, np.ceil(max(sm.shared_free.max(), sm.contended_free.max()))))
