"""Work out the slopes of what a warp's next instruction writes, before it is executed."""

import numpy as np

from simcore.core import isa
from simcore.core.execution import memory, operands, predicates, special, warp
from simcore.core.execution.lanes import ALL, first_of, guard
from simcore.core.execution.memory import addresses, shared
from simcore.core.execution.slopes import rules
from simcore.core.execution.slopes.state import (
    ACCESS,
    AXES,
    EVEN,
    FAILED,
    MOVING,
    ROW,
    SIGN,
    SOURCE_FIELDS,
    SOURCES,
    WORD_BITS,
    form_of,
    keep_window,
    keep_within,
)
from simcore.core.jit import jit, jit_inline, lowest_bit

LANES = isa.LANES
TWO_QUADS = 32
"""Bytes a lane of a load that has a second destination."""


@jit()
def follow(m, s, w):
    """Follow a warp's next instruction; from where nothing is known of other blocks on, `FAILED` is set."""
    ins = m.code[m.pc[w]]
    family = ins.operation >> isa.FAMILY_BITS
    action = m.action[m.pc[w]]
    if family == isa.CONTROL:
        _steer(m, s, ins, w)
    elif action == isa.SKIP:
        return
    elif family == isa.MEMORY:
        _access(m, s, ins, w, action)
    elif family == isa.PREDICATE and ins.operation != predicates.PLOP3_SIGNS:
        _combine_predicates(m, s, ins, w)
    elif family == isa.MATRIX:
        s.state[FAILED] = 1
    else:
        _compute(m, s, ins, w, family)


@jit_inline()
def _row(m, w, register):
    """The number of one of the warp's own rows."""
    return w * m.own_rows + register


@jit_inline()
def _slope(s, row, axis, x):
    """A slope of a row that moves."""
    return np.int64(s.of[(row * AXES + axis) * LANES + x])


@jit_inline()
def _let_row_stay(s, row, lanes):
    """A condition: a row stays as it is in some lanes."""
    while lanes:
        x = lowest_bit(lanes)
        keep_within(s, _slope(s, row, 0, x), _slope(s, row, 1, x), _slope(s, row, 2, x), 0, 0)
        lanes = np.int64(0) if s.even[row] else lanes & (lanes - 1)


@jit_inline()
def _write(s, row, lanes, unknown):
    """A row is written in some lanes: it does not move there, but in some of them nothing is known of it."""
    s.unknown[row] = (s.unknown[row] & ~lanes) | unknown
    s.moving[row] &= ~lanes


@jit_inline()
def _write_rows(m, s, w, register, words, lanes, unknown):
    """The same of some rows."""
    for k in range(words):
        _write(s, _row(m, w, register + k), lanes, unknown)


@jit_inline()
def _write_predicate(s, w, predicate, lanes, unknown):
    """A predicate is written in some lanes, and in some of them it may be another."""
    if predicate != isa.PREDICATE_TRASH:
        at = w * isa.PREDICATES + predicate
        s.doubtful[at] = (s.doubtful[at] & ~lanes) | unknown


@jit_inline()
def _doubtful(s, w, predicate):
    """The lanes in which a predicate may be another in other blocks."""
    return s.doubtful[w * isa.PREDICATES + predicate]


@jit_inline()
def _doubtful_inputs(s, ins, w):
    """The lanes in which a predicate that an instruction reads may be another."""
    return _doubtful(s, w, ins.predicate_in_0) | _doubtful(s, w, ins.predicate_in_1)


@jit_inline()
def _guarded(m, s, ins, w, active):
    """The active lanes in which an instruction takes effect here, or may elsewhere; those in which that may differ."""
    doubtful = _doubtful(s, w, ins.guard) & active
    return (active & np.int64(guard(m, ins, w))) | doubtful, doubtful


@jit_inline()
def _steer(m, s, ins, w):
    """Control flow must be the same: what moves and says where a warp goes on must stay."""
    active = np.int64(m.active[w])
    doubtful = (_doubtful(s, w, ins.guard) | _doubtful_inputs(s, ins, w)) & active
    _, unknown = _take_sources(m, s, ins, w, active)
    if doubtful or unknown:
        s.state[FAILED] = 1
    _let_sources_stay(s)
    if ins.destination_words:
        _write(s, _row(m, w, ins.destination), active & np.int64(guard(m, ins, w)), np.int64(0))


# --- Sources ----------------------------------------------------------------------------------------------


@jit_inline()
def _take_sources(m, s, ins, w, active):
    """Look the sources up, whose upper words stay. Returns the active lanes in which any moves, and is unknown."""
    moving, unknown = np.int64(0), np.int64(0)
    for source in range(SOURCES):
        at = source * SOURCE_FIELDS
        s.source_rows[at + MOVING] = 0
        if source < ins.sources:
            name, keep, flip = ins.a, ins.a_keep, ins.a_flip
            if source == 1:
                name, keep, flip = ins.b, ins.b_keep, ins.b_flip
            elif source == 2:
                name, keep, flip = ins.c, ins.c_keep, ins.c_flip
            if name >= 0:
                row = _row(m, w, name)
                lanes = s.moving[row] & active
                unknown |= s.unknown[row]
                if ins.pairs >> source & 1:
                    unknown |= s.unknown[row + 1]
                    _let_row_stay(s, row + 1, s.moving[row + 1] & active)
                if lanes and not (keep == ALL and (flip == ALL or flip == 0)):
                    _let_row_stay(s, row, lanes)
                    lanes = np.int64(0)
                s.source_rows[at + ROW] = row
                s.source_rows[at + MOVING] = lanes
                s.source_rows[at + SIGN] = -1 if flip == ALL else 1
                s.source_rows[at + EVEN] = s.even[row]
                moving |= lanes
    return moving, unknown & active


@jit_inline()
def _let_sources_stay(s):
    """A condition: what moves of the sources stays."""
    for source in range(SOURCES):
        lanes = s.source_rows[source * SOURCE_FIELDS + MOVING]
        if lanes:
            _let_row_stay(s, s.source_rows[source * SOURCE_FIELDS + ROW], lanes)


@jit_inline()
def _take_slopes(s, lanes):
    """Fill in the sources' slopes in the first of some lanes. Returns those in which they are the same."""
    x = lowest_bit(lanes)
    for source in range(SOURCES):
        at = source * SOURCE_FIELDS
        moving = s.source_rows[at + MOVING]
        if moving >> x & 1:
            row, sign = s.source_rows[at + ROW], s.source_rows[at + SIGN]
            lanes &= moving
            if not s.source_rows[at + EVEN]:
                lanes &= _even_lanes(s, row, x)
            for axis in range(AXES):
                s.sources[source * AXES + axis] = sign * _slope(s, row, axis, x)
        else:
            lanes &= ~moving
            for axis in range(AXES):
                s.sources[source * AXES + axis] = 0
    return lanes


@jit_inline()
def _even_lanes(s, row, x):
    """The lanes of a row with the slopes of a given lane."""
    others = np.int64(0)
    for axis in range(AXES):
        slope = _slope(s, row, axis, x)
        for y in range(LANES):
            others |= np.int64(_slope(s, row, axis, y) != slope) << y
    return ~others


# --- Arithmetic -------------------------------------------------------------------------------------------


@jit_inline()
def _compute(m, s, ins, w, family):
    """What computes: by its rule, lane by lane, or across the lanes of a warp."""
    active = np.int64(m.active[w])
    lanes, doubtful = _guarded(m, s, ins, w, active)
    moving, unknown = _take_sources(m, s, ins, w, active)
    unknown |= (_doubtful_inputs(s, ins, w) | doubtful) & active
    if family == isa.WARP:
        _look_across(m, s, ins, w, lanes, moving, unknown)
        return
    unknown &= lanes
    _write_result(m, s, ins, w, lanes, unknown)
    if family == isa.SPECIAL:
        _read_special(m, s, ins, w, lanes & ~unknown)
    elif moving & lanes & ~unknown:
        _move_result(m, s, ins, w, moving & lanes & ~unknown)


@jit_inline()
def _write_result(m, s, ins, w, lanes, unknown):
    """An instruction writes what does not move, in some lanes; in some of them nothing is known of it."""
    _write_predicate(s, w, ins.predicate_out_0, lanes, unknown)
    _write_predicate(s, w, ins.predicate_out_1, lanes, unknown)
    _write_rows(m, s, w, ins.destination, ins.destination_words, lanes, unknown)


@jit_inline()
def _move_result(m, s, ins, w, lanes):
    """Work out the slopes of a result in some lanes, in which it does not move so far."""
    operands.load_sources(m, ins, w)
    left = lanes
    while left:
        done = rules.apply(m, s, ins, w, _take_slopes(s, left))
        left &= ~done
        if ins.destination_words:
            _set_slopes(s, _row(m, w, ins.destination), done, done == lanes)


@jit_inline()
def _set_slopes(s, row, lanes, alone):
    """A row moves like the result in some lanes, in which it did not move.

    Args:
        alone: whether no others of it do, nor are they a source's slopes.
    """
    if s.result[0] == 0 and s.result[1] == 0 and s.result[2] == 0:
        return
    everywhere = alone and s.moving[row] == 0
    for axis in range(AXES):
        at = (row * AXES + axis) * LANES
        slope = np.int32(s.result[axis])
        for x in range(LANES):
            s.of[at + x] = slope if everywhere or lanes >> x & 1 else s.of[at + x]
    s.even[row] = everywhere
    s.moving[row] |= lanes


@jit_inline()
def _read_special(m, s, ins, w, lanes):
    """The block's index has a slope of one along its axis; the others are the same while time stands still."""
    axis = ins.value - special.CTAID_X
    if ins.operation == special.S2R and axis >= 0 and axis < AXES and m.grid_shape[axis] > 1 and lanes:
        for other in range(AXES):
            s.result[other] = other == axis
        _set_slopes(s, _row(m, w, ins.destination), lanes, True)


@jit_inline()
def _look_across(m, s, ins, w, lanes, moving, unknown):
    """What looks across lanes: what moves must stay, but R2UR takes one lane's word."""
    active = np.int64(m.active[w])
    if ins.operation == warp.R2UR and lanes:
        if ins.predicate_out_0 == isa.PREDICATE_TRASH:
            _broadcast(m, s, ins, w, active, lowest_bit(lanes), unknown)
            return
        lanes = active
    _let_sources_stay(s)
    if unknown:
        _write_result(m, s, ins, w, np.int64(isa.FULL_MASK), np.int64(isa.FULL_MASK))
        return
    _write_result(m, s, ins, w, lanes, np.int64(0))
    if ins.predicate_out_0 >= isa.UNIFORM_PREDICATES and lanes:
        _write_predicate(s, w, ins.predicate_out_0, np.int64(isa.FULL_MASK), np.int64(0))


@jit_inline()
def _broadcast(m, s, ins, w, active, x, unknown):
    """All lanes take a lane's word."""
    is_moving = s.source_rows[MOVING] >> x & 1
    row, sign = s.source_rows[ROW], s.source_rows[SIGN]
    for axis in range(AXES):
        s.result[axis] = sign * _slope(s, row, axis, x) if is_moving else 0
    is_unknown = unknown >> x & 1
    _write_result(m, s, ins, w, active, active if is_unknown else np.int64(0))
    if not is_unknown:
        _set_slopes(s, _row(m, w, ins.destination), active, True)


@jit_inline()
def _combine_predicates(m, s, ins, w):
    """PLOP3, and moves between predicates and registers, whose sources must stay."""
    active = np.int64(m.active[w])
    lanes, doubtful = _guarded(m, s, ins, w, active)
    if ins.operation == predicates.PLOP3:
        doubtful |= _doubtful(s, w, ins.a) | _doubtful(s, w, ins.b) | _doubtful(s, w, ins.c)
        _write_result(m, s, ins, w, lanes, doubtful & lanes)
        return
    _, unknown = _take_sources(m, s, ins, w, active)
    _let_sources_stay(s)
    if ins.operation == predicates.P2R:
        for p in range(predicates.NUMBERED):
            unknown |= _doubtful(s, w, ins.mode + p)
        _write_result(m, s, ins, w, lanes, (unknown | doubtful) & lanes)
    elif unknown | doubtful:
        s.state[FAILED] = 1


# --- Memory -----------------------------------------------------------------------------------------------


@jit_inline()
def _access(m, s, ins, w, action):
    """An access to global memory moves as a whole, within its buffers; others must be the same."""
    active = np.int64(m.active[w])
    lanes = active & np.int64(guard(m, ins, w))
    s.state[ACCESS] = 0
    if _doubtful(s, w, ins.guard) & active:
        s.state[FAILED] = 1
    elif ins.operation == memory.LOAD_CONSTANT:
        if action == isa.EXECUTE:
            _load_constant(m, s, ins, w, lanes)
    elif memory.is_of_phase(ins.operation) or ins.space == isa.SPACE_GENERIC:
        s.state[FAILED] = 1
    elif lanes:
        _access_memory(m, s, ins, w, lanes, action)


@jit_inline()
def _load_constant(m, s, ins, w, lanes):
    """Constants of the same index are the same."""
    if ins.a >= 0:
        row = _row(m, w, ins.a)
        if s.unknown[row] & lanes:
            s.state[FAILED] = 1
        _let_row_stay(s, row, s.moving[row] & lanes)
    _write_rows(m, s, w, ins.destination, max(ins.width >> 2, 1), lanes, np.int64(0))


@jit_inline()
def _access_memory(m, s, ins, w, lanes, action):
    taking = lanes
    if ins.operation == memory.COPY_TO_SHARED:
        if action == isa.EXECUTE or _doubtful(s, w, ins.predicate_in_0) & lanes:
            s.state[FAILED] = 1
        reading = m.predicates[w * isa.PREDICATES + ins.predicate_in_0] ^ ins.predicate_in_0_flip
        taking &= np.int64(reading)
    if taking:
        _move_address(m, s, ins, w, np.uint32(lanes), taking)
    if action == isa.EXECUTE and ins.operation != memory.STORE and ins.operation != memory.STORE_MATRIX:
        _load(m, s, ins, w, lanes)


@jit_inline()
def _load(m, s, ins, w, lanes):
    """What is loaded is known where all blocks load it from the same place in global memory, which nobody changes."""
    is_known = ins.operation == memory.LOAD and ins.space == isa.SPACE_GLOBAL and s.state[ACCESS] == 0
    unknown = np.int64(0) if is_known else lanes
    words = max(ins.width >> 2, 1)
    if ins.width == TWO_QUADS:
        words = words >> 1
        _write_rows(m, s, w, ins.c, words, lanes, unknown)
    _write_rows(m, s, w, ins.destination, max(words, ins.destination_words), lanes, unknown)
    _write_predicate(s, w, ins.predicate_out_0, lanes, unknown)


@jit_inline()
def _move_address(m, s, ins, w, lanes, taking):
    """How addresses move: all lanes' alike, if in global memory, and by whole lines; they stay in their buffers.

    Args:
        lanes: those of the instruction, of which the first one's uniform register counts.
        taking: those of them that access memory.
    """
    for axis in range(AXES):
        s.result[axis] = 0
    mode = ins.address_mode
    if mode & isa.ADDRESS_HAS_BASE and ins.address_base >= 0:
        scale = np.int64(0) if mode & isa.ADDRESS_BASE_64 else np.int64(mode >> isa.ADDRESS_SCALE_SHIFT)
        _add_to_address(m, s, ins.address_base, w, mode & isa.ADDRESS_BASE_64 != 0, taking, scale)
    if mode & isa.ADDRESS_HAS_UNIFORM and ins.address_uniform >= 0:
        first = np.int64(1) << first_of(lanes)
        _add_to_address(m, s, ins.address_uniform, w, mode & isa.ADDRESS_UNIFORM_64 != 0, first, np.int64(0))
    if ins.space != isa.SPACE_GLOBAL:
        keep_within(s, s.result[0], s.result[1], s.result[2], 0, 0)
        return
    form = form_of(s, s.result[0], s.result[1], s.result[2])
    s.whole_lines[form] = 1
    s.state[ACCESS] = form
    addresses.form(m, ins, w, lanes)
    _stay_in_buffers(m, s, ins, taking)


@jit_inline()
def _add_to_address(m, s, register, w, is_wide, lanes, scale):
    """A register's lower word moves an address, alike in some lanes, and does not wrap; its upper one stays."""
    row, first = _row(m, w, register), lowest_bit(lanes)
    unknown, moving = s.unknown[row], s.moving[row] & lanes
    if is_wide:
        unknown |= s.unknown[row + 1]
        _let_row_stay(s, row + 1, s.moving[row + 1] & lanes)
    if unknown & lanes:
        s.state[FAILED] = 1
    if not moving:
        return
    if moving != lanes:
        _let_row_stay(s, row, moving)
        return
    i, j, k = _slope(s, row, 0, first), _slope(s, row, 1, first), _slope(s, row, 2, first)
    if not s.even[row]:
        for x in range(LANES):
            if lanes >> x & 1:
                keep_within(
                    s, _slope(s, row, 0, x) - i, _slope(s, row, 1, x) - j, _slope(s, row, 2, x) - k, 0, 0
                )
    words = operands.own_at(m, w, register)
    for x in range(LANES):
        s.values[x] = np.int64(m.registers[words + x])
    keep_window(s, i, j, k, WORD_BITS, lanes)
    s.result[0] += i << scale
    s.result[1] += j << scale
    s.result[2] += k << scale


@jit_inline()
def _stay_in_buffers(m, s, ins, lanes):
    """A condition: each address stays in its buffer. All lanes of one are looked at together."""
    omitted = (
        ins.width - 1 if ins.operation == memory.COPY_TO_SHARED and ins.signed == shared.ZERO_FILL else 0
    )
    least, most = np.int64(-isa.NEVER), np.int64(isa.NEVER)
    while lanes:
        buffer = np.int64(
            addresses.find_buffer(m, m.address[lowest_bit(lanes)] & ~np.int64(omitted), ins.width)
        )
        if buffer < 0:
            s.state[FAILED] = 1
            return
        start, end = m.buffer_start[buffer], m.buffer_end[buffer] - ins.width
        low, high, found = end, start, np.int64(0)
        for x in range(LANES):
            address = m.address[x] & ~np.int64(omitted)
            is_there = lanes >> x & 1 != 0 and start <= address <= end
            low = min(low, address if is_there else end)
            high = max(high, address if is_there else start)
            found |= np.int64(is_there) << x
        lanes &= ~found
        least = max(least, start - low)
        most = min(most, end - high)
    form = s.state[ACCESS]
    s.least[form] = max(s.least[form], least)
    s.most[form] = min(s.most[form], most)


@jit_inline()
def note_moves(s, begin, end):
    """Note which form moves the entries of a trail that the access just executed has made."""
    for entry in range(begin, min(end, s.access.size)):
        s.access[entry] = s.state[ACCESS]
