"""The stages of L1 and shared memory that an SM's schedulers share: what passes them, and when its result is there.

Global and local accesses pass the tag stage line by line; they and shared memory pass the data stage, whose 32 banks
deliver a word each at a time. Between the two, loads wait in line.
"""

from simcore.core import isa
from simcore.core.execution import control, lanes, memory, special, warp
from simcore.core.execution.memory import atomics
from simcore.core.geometry import LINE_SHIFT, PASS_BYTES, SECTOR_SHIFT, SECTOR_WORDS, WORD_BYTES
from simcore.core.jit import jit, jit_inline, lowest_bit
from simcore.core.machine import REPORT_CONSTANTS, REPORT_SPACE
from simcore.core.timing import (
    data_stage,
    front_end,
    held_places,
    l1,
    l2,
    pending_loads,
    register_pairs,
    register_writes,
    rings,
    wake_ups,
    wavefronts,
    write_buffer,
)
from simcore.core.timing.ports import take, take_one
from simcore.core.timing.sectors import sectors_of
from simcore.core.timing.state import (
    COUNT_BANK_CONFLICTS,
    COUNT_LOADS,
    COUNT_SHARED,
    COUNT_SHARED_WAVEFRONTS,
    PORT_ADU,
    PORT_ATOMIC,
    PORT_DRAM,
    PORT_L2_WRITE,
    PORT_MATCH,
    PORT_PHASE,
    PORT_TAGS,
)

_OF_FOUR_WORDS = 2.0
"""Cycles for which 128 bits a lane of shared memory take longer than their passes (benchmarks/silicon/micro/l1/
load_marks on an H200)."""

_A_LANE_ON_EACH = 0x0101_0101_0101_0101  # of a sector's words, counted in bytes


@jit_inline()
def serve(m, sm, t, ins, w, s, active_mask, entered, now):
    """Returns (when the shared stages take the instruction, when its result is there)."""
    operation = ins.operation
    if operation == special.S2R:
        return _special_register(sm, t, ins, entered)
    if operation == memory.LOAD_CONSTANT:
        return _constant(m, sm, t, ins, entered)
    if operation == control.COPY_GROUP:
        return entered, max(entered, sm.copies_done[w])
    if operation >> isa.FAMILY_BITS != isa.MEMORY:
        return _across_lanes(m, sm, t, ins, entered)
    if memory.is_of_phase(operation):
        is_check = operation == memory.CHECK_PHASE
        hold = t.phase_check_interval if is_check else t.phase_arrive_interval
        start = take(sm, PORT_PHASE, entered, hold)
        return start, start + t.phase_latency
    if active_mask == 0:
        start = data_stage.serve(sm, entered, t.lsu_interval)
        return start, start + t.shared_latency
    if m.report[REPORT_SPACE] == isa.SPACE_SHARED:
        return _shared(m, sm, t, ins, w, s, active_mask, entered, now)
    return _global(m, sm, t, ins, w, s, active_mask, entered, now)


@jit_inline()
def _constant(m, sm, t, ins, entered):
    """Constants that lanes ask for pass the ADU one by one (benchmarks/silicon/micro/front_end/constant_lookups)."""
    words = max(m.report[REPORT_CONSTANTS], 1)
    start = take(sm, PORT_ADU, entered, words * t.adu_interval)
    there = front_end.load(m, sm, t, ins, start) + t.latency[ins.latency]
    return start, there + (words - 1) * t.constant_word_latency


@jit_inline()
def _special_register(sm, t, ins, entered):
    """Special registers pass the data stage; what a warp's lanes share comes there through the ADU, like constants
    (benchmarks/silicon/micro/l1/special_among_hits)."""
    if ins.unit == isa.UNIT_MIO:
        start = served = data_stage.serve(sm, entered, t.special_data_interval)
    else:
        start = take(sm, PORT_ADU, entered, t.adu_interval)
        served = data_stage.pass_by(sm, start + t.adu_interval, t.uniform_special_data_interval)
    return start, served + t.latency[ins.latency]


@jit()
def _across_lanes(m, sm, t, ins, entered):
    """Shuffles and what else looks across lanes; a match goes round once for each distinct value, and while it does
    others pass the data stage (benchmarks/silicon/micro/l1/match_among_loads)."""
    hold = t.redux_interval if ins.operation == warp.REDUX else t.lsu_interval
    start = data_stage.serve(sm, entered, hold)
    latency = t.latency[ins.latency]
    if ins.operation == warp.MATCH:
        rounds = _distinct_groups(m)
        start = take(sm, PORT_MATCH, start, rounds * t.match_interval)
        latency += (rounds - 1) * t.match_round_latency
    return start, start + latency


@jit()
def _distinct_groups(m):
    """Groups of lanes that a match just found: each lane's result names its group."""
    groups = 0
    for x in range(32):
        first = 0
        while first < x and m.scratch[lanes.D + first] != m.scratch[lanes.D + x]:
            first += 1
        groups += first == x
    return groups


@jit_inline()
def _in_turn(sm, t, s, start, hold):
    """One scheduler gets the data stage for a share of the time at most; returns when its instruction passes."""
    start = max(start, sm.scheduler_data_free[s])
    sm.scheduler_data_free[s] = start + t.data_stage_turns * hold
    return start


@jit()
def _shared(m, sm, t, ins, w, s, active_mask, entered, now):
    """Shared memory: as many passes as the busiest bank has distinct words, of the lanes that are served together."""
    passes = float(wavefronts.shared_wavefronts(m, sm, w, ins, active_mask))
    sm.counters[COUNT_SHARED] += 1
    sm.counters[COUNT_SHARED_WAVEFRONTS] += passes
    sm.counters[COUNT_BANK_CONFLICTS] += max(passes - max(ins.width >> 2, 1), 0.0)
    needed = passes * PASS_BYTES / t.shared_bytes_per_cycle
    rate = t.shared_return_bytes_per_cycle if ins.operation == memory.LOAD else t.store_bytes_per_cycle
    passing = hold = max(needed, ins.width * 32.0 / rate, t.lsu_interval)
    longer = t.data_stage_turns * (passing - 1.0)
    latency = t.shared_latency
    if ins.operation == memory.ATOMIC:
        latency += t.atomic_shared_latency
        if not ins.counts_lanes:
            turns = _turns_of_banks(m, sm, ins, active_mask)
            worked = turns * t.atomic_shared_interval + (t.atomic_shared_conflict if turns > 1.0 else 0.0)
            answered = (turns - 1.0) * t.atomic_shared_turn_latency
            if ins.mode == atomics.CAST:
                hold, longer = worked, answered + longer
            else:
                hold, longer = max(passing, worked), answered
    start = _in_turn(sm, t, s, data_stage.serve(sm, entered, hold), passing)
    done = start + latency + longer
    pairs = (ins.width >> 2) - hold
    if ins.operation == memory.LOAD:
        if ins.width == 4 * WORD_BYTES:
            done += _OF_FOUR_WORDS
        if pairs > 0.0:
            done += register_pairs.wait(sm, t, s, pairs, now)
        else:
            done = register_writes.bring(sm, ins, s, w, done, now)
    return start, done


@jit_inline()
def _turns_of_banks(m, sm, ins, active_mask):
    """How often the busiest bank works on a shared atomic: for each lane, on one word or on several; twice where it
    compares, but for one lane alone if others are told that they failed (CAST) (benchmarks/silicon/micro/l1/
    compare_and_store on an H200)."""
    parts = 2 if ins.width == 8 else 1
    if ins.mode == atomics.CAST:
        return 2.0 * wavefronts.parts_with_lanes(active_mask, parts)
    lanes = float(wavefronts.lanes_of_a_bank(m, sm, active_mask, parts))
    return 2.0 * lanes if ins.mode == atomics.CAS else lanes


@jit()
def _most_on_one_word(m, active_mask):
    """Active lanes whose address is the most frequent one."""
    worst = 0
    for x in range(32):
        if active_mask >> x & 1:
            same = 0
            for y in range(32):
                if active_mask >> y & 1 and m.address[y] == m.address[x]:
                    same += 1
            worst = max(worst, same)
    return worst


@jit()
def _global(m, sm, t, ins, w, s, active_mask, entered, now):
    """Global and local memory: tags line by line, data by bytes."""
    is_local = m.report[REPORT_SPACE] == isa.SPACE_LOCAL
    sm.unfenced[w] |= not is_local
    in_parts = 0
    if ins.operation == memory.LOAD and ins.width > WORD_BYTES and not is_local:
        in_parts = wavefronts.global_wavefronts(m, sm, w, active_mask, ins.width)
    count = l1.gather_all_lines(m, sm, w, active_mask, ins.width, is_local)
    tags = l1.tag_cycles(sm, t, count)
    if in_parts:
        tags = max(tags, _parts(ins) * t.tag_interval)
    if ins.operation == memory.STORE:
        held = count * t.store_line_interval + l1.count_sectors(sm, count) * t.store_sector_interval
        tags = max(tags, held)
    sm.busy[PORT_TAGS] += tags
    if ins.operation == memory.STORE or ins.operation == memory.ATOMIC:
        data = ins.width * 32.0 / t.store_bytes_per_cycle
        served = data_stage.serve(sm, entered, data)
        if ins.operation == memory.ATOMIC:
            served = _atomic_queue_free(sm, served)
        start = max(sm.shared_free[PORT_TAGS], served)
        done = _send(m, sm, t, ins, w, active_mask, is_local, count, tags, start, now)
        if ins.operation == memory.ATOMIC:
            _pass_atomic_queue(sm, t)
            return served, done
        return start, done
    sm.counters[COUNT_LOADS] += 1
    data = _data_cycles(sm, t, ins, count, in_parts)
    start = pending_loads.room_from(sm, max(sm.shared_free[PORT_TAGS], _load_buffer_free(sm, entered)))
    sm.shared_free[PORT_TAGS] = start + tags
    kind = l1.READ_PAST if ins.past_l1 else l1.READ
    wake_ups.begin(sm)
    arrived = l1.access_lines(m, sm, t, w, count, kind, tags, start, now)
    held_places.complete(sm, arrived)
    if kind == l1.READ_PAST and ins.operation == memory.COPY_TO_SHARED:
        arrived = max(arrived, l1.bring_again(m, sm, t, ins, w, active_mask, count, start, now))
    if count > 1 and sm.late_lines[0]:
        data = _serve_in_parts(sm, t, ins, s, count, in_parts, start, now)
    after_lookup = t.l1_hit_latency + t.data_stage_turns * (data - 1.0)
    ready = arrived - after_lookup
    start = _behind_wake_ups(sm, t, start, tags, after_lookup)
    served = data_stage.serve_load(sm, max(start, ready), data, now)
    leaves = start
    if ready <= start:
        leaves = served = _in_turn(sm, t, s, served, data)
    else:
        pending_loads.add(sm, t, count, served)
    _pass_load_buffer(sm, t, leaves)
    done = max(arrived, served + after_lookup)
    if ins.operation == memory.LOAD and ready <= start:
        done = register_writes.bring(sm, ins, s, w, done, now)
    if ins.operation == memory.COPY_TO_SHARED:
        sm.copies_done[w] = max(sm.copies_done[w], done)
    return start, done


@jit_inline()
def _parts(ins):
    """The halves or quarters of a warp that pass the tag stage one by one, as wide loads do: else those that hit would
    wait behind it, and not in the schedulers' queues (benchmarks/silicon/micro/l1/load_parallelism on an H200: 23 % of
    the wait for loads of 128 bits is lg_throttle)."""
    return ins.width >> 2


@jit_inline()
def _behind_wake_ups(sm, t, start, tags, after_lookup):
    """A load of what others are woken for holds the tag stage until there is room; returns when it passes."""
    room_from = wake_ups.room_from(sm, t, after_lookup)
    if room_from <= start:
        return start
    sm.shared_free[PORT_TAGS] = room_from + tags
    return room_from


@jit_inline()
def _data_cycles(sm, t, ins, count, in_parts):
    """Cycles for which a load of the gathered lines holds the data stage; a copy past L1 reads none of its banks."""
    is_copy = ins.operation == memory.COPY_TO_SHARED
    if is_copy and ins.past_l1:
        return t.lsu_interval
    passes = in_parts if in_parts else wavefronts.bank_passes(sm, 0, count)
    data = _delivered(t, ins, passes, 1.0)
    return data + t.lsu_interval if is_copy else data


@jit_inline()
def _delivered(t, ins, passes, share):
    """Cycles in which a share of a load's words is delivered in some passes."""
    returned = share * ins.width * 32.0 / t.global_return_bytes_per_cycle
    return max(passes * PASS_BYTES / t.l1_bytes_per_cycle, returned)


@jit()
def _serve_in_parts(sm, t, ins, s, count, in_parts, start, now):
    """Serve a load what it finds there of several lines, at once; returns the cycles that the others will take.

    Of a wide load, whose halves or quarters may be of several lines each, both take their share of all passes.
    """
    there = count - sm.late_lines[0]
    late = float(wavefronts.late_passes(sm, t, there, count))
    if there:
        share = there / count
        early = max(share * in_parts, 1.0) if in_parts else float(wavefronts.bank_passes(sm, 0, there))
        early = _delivered(t, ins, early, share)
        _in_turn(sm, t, s, data_stage.serve_load(sm, start, early, now), early)
    late = _delivered(t, ins, max(late, in_parts * sm.late_lines[0] / count), sm.late_lines[0] / count)
    return late + t.lsu_interval if ins.operation == memory.COPY_TO_SHARED else late


@jit_inline()
def _load_buffer_free(sm, entered):
    """When a load finds a place between the tag stage and the data stage."""
    return max(entered, sm.loads[sm.loads_head[0]])


@jit_inline()
def _pass_load_buffer(sm, t, leaves):
    """Keep a load's place between the stages until the data stage serves it; loads pass in the order in which they came
    (benchmarks/silicon/micro/l1/private_phases)."""
    head = sm.loads_head[0]
    sm.loads[head] = leaves
    sm.loads_head[0] = rings.wrapped(head + 1, t.load_buffer_depth)


@jit_inline()
def _atomic_queue_free(sm, served):
    """When an atomic finds a place before the tag stage, where it holds up no more what needs no tags
    (benchmarks/silicon/micro/l2/behind_atomics.cu)."""
    return max(served, sm.atomics_left[sm.atomics_head[0]])


@jit_inline()
def _pass_atomic_queue(sm, t):
    """Keep an atomic's place before the tag stage until it has left that."""
    head = sm.atomics_head[0]
    sm.atomics_left[head] = sm.shared_free[PORT_TAGS]
    sm.atomics_head[0] = rings.wrapped(head + 1, t.atomic_queue_depth)


@jit()
def _send(m, sm, t, ins, w, active_mask, is_local, count, tags, start, now):
    """A store or an atomic on its way to L2 holds the tag stage until it has left; returns when its result is there."""
    if ins.operation == memory.ATOMIC:
        done, left = _atomic(m, sm, t, ins, w, active_mask, count, tags, start, now)
    else:
        kind = l1.WRITE_LOCAL if is_local else l1.WRITE if ins.width >= WORD_BYTES else l1.WRITE_PARTS
        write_buffer.let_lines_leave(sm, t, start)
        left = l1.access_lines(m, sm, t, w, count, kind, tags, start, now)
        sm.store_passed[0] = max(start + tags, left)
        done = left
    sm.shared_free[PORT_TAGS] = max(start + tags, left)
    sm.stores_left[w] = max(sm.stores_left[w], left + t.store_latency)
    return done


@jit()
def _atomic(m, sm, t, ins, w, active_mask, count, tags, start, now):
    """Atomics happen in L2. Returns (when their results are there, when they have left).

    The slices do one lane on a word after the other. Lines that all SMs aim at are each in one slice, so there the
    whole GPU waits in line (benchmarks/silicon/micro/l2/hot_atomics), at different buffers' at the same time; otherwise
    this SM gets its share of all slices.
    Only additions of floats to one word wait for each other for longer than a slice works on one (read off
    validation_second/pagerank_push and charge_deposit, 2026-11-26).
    Meanwhile the slices do nothing for DRAM (benchmarks/silicon/micro/l2/missing_atomics). An SM goes on until so many
    are on their way (benchmarks/silicon/micro/l2/sent_atomics.cu). L2 takes fewer of them in; the others are still on
    the SM's way to L2, and what it loads there waits for them (micro/l2/behind_atomics.cu).
    """
    sectors = l1.count_sectors(sm, count)
    in_slices, requests = _of_sectors(m, t, ins, active_mask)
    reached = l1.access_lines(m, sm, t, w, count, l1.AT_L2, tags, start, now)
    buffer = 0
    for i in range(count):
        buffer = l2.mark_atomic(m, sm, t, sm.line[i], sectors_of(sm.line_words[i]), now)
    in_turn = _float_cycles(m, t, ins, active_mask)
    own_share = _share_of_slices(t, ins, count, sectors, lanes.count_of(active_mask))
    contended = max(in_slices, in_turn) * t.atomic_contention[buffer]
    begin = take(sm, PORT_ATOMIC, start, own_share)
    in_line = max(contended, count * in_turn * t.atomic_crowd[buffer])
    if t.is_hot[buffer]:
        begin = max(begin, l2.hold_hot_slice(sm, t, begin, in_slices))
    begin = take_one(sm.contended_free, sm.contended_busy, buffer, begin, in_line)
    take(sm, PORT_DRAM, start, own_share)
    take(sm, PORT_L2_WRITE, start, sectors * t.atomic_write_cost * t.l2_write_cycles_per_sector)
    returned = begin + t.l2_latency + t.atomic_return_latency
    pace = max(own_share, in_line) / requests
    sm.atomics_sent[0] = max(sm.atomics_sent[0], begin - pace * t.l2_atomic_window)
    return max(reached, returned), max(start, begin - pace * t.l2_atomic_backlog)


@jit_inline()
def _share_of_slices(t, ins, lines, sectors, lanes):
    """Cycles of this SM's share of all slices (benchmarks/silicon/micro/l2/atomic_types)."""
    share = lines * t.atomic_line_interval + sectors * t.atomic_sector_interval
    if ins.destination_words:
        words = lanes * ins.destination_words
        share += sectors * t.atomic_return_interval + words * t.atomic_return_word_interval
    return max(share, lanes * t.atomic_double_interval) if ins.mode == atomics.ADD_F64 else share


@jit()
def _of_sectors(m, t, ins, active_mask):
    """What an atomic takes, one of its sectors after the other: (cycles of their slices, requests on the way to L2).

    Slices work on a sector at a time, each time on every word once, and are faster where the sector is whole
    (benchmarks/silicon/micro/l2/partial_atomics, hot_atomics). A request is for one lane, or for one lane on each word
    of a line's sectors of which several words are aimed at (micro/l2/sent_atomics.cu).

    The lanes on each of a sector's words are counted in a byte of one integer.
    """
    lane_words = max(ins.width >> 2, 1)
    own_words = _A_LANE_ON_EACH & (1 << 8 * lane_words) - 1
    cycles = requests = 0.0
    line = -1
    left = active_mask
    while left:
        sector = m.address[lowest_bit(left)] >> SECTOR_SHIFT
        on_words = 0
        for x in range(32):
            if left >> x & 1 and m.address[x] >> SECTOR_SHIFT == sector:
                on_words += own_words << 8 * (m.address[x] >> 2 & SECTOR_WORDS - 1)
                left &= ~(1 << x)
        most, words = _most_and_words(on_words)
        cycles += most * (t.atomic_whole_sector_interval if words == SECTOR_WORDS else t.atomic_interval)
        if words <= lane_words:
            requests += most
        else:
            requests += most * t.atomic_request_sector
            if sector >> LINE_SHIFT - SECTOR_SHIFT != line:
                line = sector >> LINE_SHIFT - SECTOR_SHIFT
                requests += most * t.atomic_request_line
    return cycles, requests


@jit_inline()
def _most_and_words(on_words):
    """(The most lanes on one of a sector's words, the words that any are on), counted in bytes."""
    most = words = 0
    for word in range(SECTOR_WORDS):
        count = on_words >> 8 * word & 0xFF
        most = max(most, count)
        words += count > 0
    return most, words


@jit_inline()
def _float_cycles(m, t, ins, active_mask):
    """Cycles for which additions of floats to one word wait for each other, longer than a slice works on them."""
    is_float = (
        ins.mode == atomics.ADD_F32 or ins.mode == atomics.ADD_F32_FLUSHED or ins.mode == atomics.ADD_F64
    )
    return _most_on_one_word(m, active_mask) * t.atomic_float_interval if is_float else 0.0
