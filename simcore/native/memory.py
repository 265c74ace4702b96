"""Loads and stores whose lanes all lie in one buffer, or in shared memory; all others are the interpreter's.

An access that the interpreter must see (out of bounds, not aligned, in several buffers or in one whose contents are not
kept, or to a line that is noted) leaves the stretch before it has done anything.
"""

from typing import NamedTuple

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import memory, native, trail
from simcore.core.execution.memory import moves
from simcore.core.geometry import LINE_SHIFT, WORD_BYTES
from simcore.lowering.program import ZERO_ROWS
from simcore.native.state import ROW_ALIGNMENT, Instruction, State
from simcore.native.vectors import (
    BIT,
    BITS,
    LONG,
    WORD,
    WORDS,
    declared,
    join,
    lanes_of,
    longs,
    pack,
    splat,
    widen,
    words,
)

POINTERS = lanes_of(ir.PointerType())
LANES_AT_ONCE = 8
"""Loads in a turn of the loop that gathers."""


class Region(NamedTuple):
    """Where an access must lie: an array of the machine's memory.

    Attributes:
        start: its address.
        last: the offset of the last access that fits, at least 0.
        exists: whether there is one.
        word: its first word in the machine's memory, negative if the contents are not kept.
    """

    start: ir.Value
    last: ir.Value
    exists: ir.Value
    word: ir.Value


def is_known(ins: Instruction, action: int) -> bool:
    """Whether an access can be emitted."""
    if ins.operation == memory.LOAD_CONSTANT:
        return action == isa.ADDRESS_ONLY or (-ZERO_ROWS <= ins.a < 0 and ins.width >= WORD_BYTES)
    if ins.space not in (isa.SPACE_GLOBAL, isa.SPACE_SHARED) or ins.width > moves.QUAD_BYTES:
        return False
    if action == isa.ADDRESS_ONLY:
        return ins.operation in (memory.LOAD, memory.STORE, memory.ATOMIC)
    return ins.operation in (memory.LOAD, memory.STORE) and ins.width >= WORD_BYTES


def emit(
    state: State, ins: Instruction, action: int, buffers: int, sample: int | None, leave: ir.Block
) -> None:
    """Emit an access.

    Args:
        buffers: how many there are.
        sample: the mask of the lines whose accesses the interpreter notes (see `trail.Trail`); None if it notes none.
        leave: where to go if it cannot be made here.
    """
    builder = state.builder
    if ins.operation == memory.LOAD_CONSTANT:
        if action == isa.EXECUTE:
            _load_constant(state, ins, leave)
        return
    lanes = state.guarded(ins)
    first = first_lane(state, lanes)
    if ins.space == isa.SPACE_SHARED:
        region, offset = _shared(state, ins), _shared_offset(state, ins, first)
        inside = builder.icmp_unsigned("<=", offset, splat(builder, region.last))
    else:
        address = _addresses(state, ins, first)
        region = _buffer_of(state, ins, builder.extract_element(address, first), buffers)
        wide = builder.sub(address, splat(builder, region.start))
        inside = builder.icmp_unsigned("<=", wide, splat(builder, region.last))
        offset = builder.trunc(wide, WORDS)
        if sample is not None:
            inside = builder.and_(inside, builder.not_(_of_sample(builder, address, sample)))
    if ins.width > 1:
        odd = builder.and_(offset, words(ins.width - 1))
        inside = builder.and_(inside, builder.icmp_unsigned("==", odd, words(0)))
    exists = region.exists
    kept = builder.icmp_signed(">=", region.word, LONG(0))
    if action == isa.EXECUTE and ins.operation == memory.LOAD:
        exists = builder.and_(exists, kept)
    _go_on_if_all(state, inside, exists, lanes, leave)
    if action == isa.EXECUTE:
        _move(state, ins, builder.lshr(offset, words(2)), region.word, kept, lanes)


def _load_constant(state: State, ins: Instruction, leave: ir.Block) -> None:
    """A constant at a fixed address."""
    builder, bank, lanes = state.builder, LONG(ins.mode), state.guarded(ins)
    size = builder.load(state.element(native.CONSTANT_BYTES, bank, LONG), typ=LONG)
    _go_on_if(state, builder.icmp_signed("<=", LONG(ins.value + ins.width), size), leave)
    first = builder.load(state.element(native.CONSTANT_WORD, bank, LONG), typ=LONG)
    for k in range(ins.width // WORD_BYTES):
        at = builder.add(first, LONG(ins.value // WORD_BYTES + k))
        word = builder.load(state.element(native.MEMORY, at), typ=WORD)
        state.set_row(ins.destination + k, splat(builder, word), lanes)


def first_lane(state: State, lanes: ir.Value | None) -> ir.Value:
    """The lowest lane of a mask; any if it is empty."""
    if lanes is None:
        return WORD(0)
    builder = state.builder
    return builder.and_(builder.cttz(lanes, BIT(0)), WORD(isa.LANES - 1))


def _addresses(state: State, ins: Instruction, first: ir.Value) -> ir.Value:
    """The lanes' addresses, 64 bits each."""
    builder, mode = state.builder, ins.address_mode
    address = splat(builder, _offset(state, ins, first))
    if not mode & isa.ADDRESS_HAS_BASE:
        return address
    base = state.row(ins.address_base)
    if mode & isa.ADDRESS_BASE_64:
        wide = join(builder, base, state.row_after(ins.address_base, 1))
    else:
        wide = builder.shl(widen(builder, base), longs(mode >> isa.ADDRESS_SCALE_SHIFT))
    return builder.add(wide, address)


def _shared_offset(state: State, ins: Instruction, first: ir.Value) -> ir.Value:
    """The lanes' addresses in shared memory, of which 32 bits count."""
    builder, mode = state.builder, ins.address_mode
    offset = splat(builder, builder.trunc(_offset(state, ins, first), WORD))
    if not mode & isa.ADDRESS_HAS_BASE:
        return offset
    base = state.row(ins.address_base)
    scale = 0 if mode & isa.ADDRESS_BASE_64 else mode >> isa.ADDRESS_SCALE_SHIFT
    return builder.add(builder.shl(base, words(scale)) if scale else base, offset)


def _offset(state: State, ins: Instruction, first: ir.Value) -> ir.Value:
    """What is added to the base: the displacement, and the first lane's uniform register."""
    builder, mode, source = state.builder, ins.address_mode, ins.address_uniform
    if not mode & isa.ADDRESS_HAS_UNIFORM:
        return LONG(ins.value)
    uniform = builder.zext(builder.extract_element(state.row(source), first), LONG)
    if mode & isa.ADDRESS_UNIFORM_64:
        high = builder.extract_element(state.row_after(source, 1), first)
        uniform = builder.or_(uniform, builder.shl(builder.zext(high, LONG), LONG(32)))
    return builder.add(uniform, LONG(ins.value))


def _shared(state: State, ins: Instruction) -> Region:
    builder = state.builder
    last = builder.trunc(builder.sub(state.known(native.SHARED_LIMIT), LONG(ins.width)), WORD)
    exists = builder.icmp_signed(">=", last, WORD(0))
    return Region(WORD(0), last, exists, state.known(native.SHARED_WORD))


def _buffer_of(state: State, ins: Instruction, begins: ir.Value, buffers: int) -> Region:
    """The buffer that holds an access at an address."""
    builder = state.builder
    ends = builder.add(begins, LONG(ins.width))
    found = Region(LONG(0), LONG(0), BIT(0), LONG(0))
    for number in range(buffers):
        start, end, word = (
            builder.load(state.element(place, LONG(number), LONG), typ=LONG)
            for place in (native.BUFFER_START, native.BUFFER_END, native.BUFFER_WORD)
        )
        holds = builder.and_(builder.icmp_signed("<=", start, begins), builder.icmp_signed("<=", ends, end))
        last = builder.sub(builder.sub(end, start), LONG(ins.width))
        buffer = Region(start, last, BIT(1), word)
        found = Region(*(builder.select(holds, new, old) for new, old in zip(buffer, found, strict=True)))
    return found


def _of_sample(builder: ir.IRBuilder, address: ir.Value, mask: int) -> ir.Value:
    """The lanes whose lines are of the sample, as `trail` has them."""
    line = builder.trunc(builder.lshr(address, longs(LINE_SHIFT)), WORDS)
    bits = builder.mul(line, words(trail.SPREAD))
    for shift, factor in ((trail.HALF, trail.FIRST), (trail.LESS, trail.SECOND)):
        bits = builder.mul(builder.xor(bits, builder.lshr(bits, words(shift))), words(factor))
    bits = builder.xor(bits, builder.lshr(bits, words(trail.HALF)))
    return builder.icmp_unsigned("==", builder.and_(bits, words(mask)), words(0))


def _go_on_if_all(
    state: State, inside: ir.Value, exists: ir.Value, lanes: ir.Value | None, leave: ir.Block
) -> None:
    builder = state.builder
    fitting = builder.and_(pack(builder, inside), builder.sext(exists, WORD))
    failing = builder.not_(fitting)
    if lanes is not None:
        failing = builder.and_(failing, lanes)
    _go_on_if(state, builder.icmp_unsigned("==", failing, WORD(0)), leave)


def _go_on_if(state: State, holds: ir.Value, leave: ir.Block) -> None:
    on = state.builder.append_basic_block("possible")
    state.builder.cbranch(holds, on, leave)
    state.builder.position_at_end(on)


def _move(
    state: State, ins: Instruction, index: ir.Value, word: ir.Value, kept: ir.Value, lanes: ir.Value | None
) -> None:
    """Move words; a store to contents that are not kept moves none."""
    builder = state.builder
    begin = builder.gep(state.array(native.MEMORY), [word])
    count = ins.width // WORD_BYTES
    if ins.operation == memory.LOAD:
        if lanes is not None:
            index = builder.select(state.truths(lanes), index, words(0))
        for k, value in enumerate(_gather(state, begin, index, count)):
            state.set_row(ins.destination + k, value, lanes)
        return
    chosen = ir.Constant(BITS, [1] * isa.LANES) if lanes is None else state.truths(lanes)
    chosen = builder.and_(chosen, splat(builder, kept))
    takes = [WORDS, POINTERS, WORD, BITS]
    scatter = declared(builder.module, "llvm.masked.scatter.v32i32.v32p0", ir.VoidType(), takes)
    for k in range(count):
        place = builder.gep(begin, [builder.add(index, words(k)) if k else index], source_etype=WORD)
        place.type = POINTERS  # which llvmlite does not derive from a vector of indices
        builder.call(scatter, [state.row_after(ins.a, k), place, WORD(WORD_BYTES), chosen])


def _gather(state: State, begin: ir.Value, index: ir.Value, count: int) -> list[ir.Value]:
    """Words from anywhere, one by one: processors that are guarded against leaks by gathers take longer for these."""
    builder = state.builder
    indices, *rows = (builder.gep(state.spare, [WORD(k * isa.LANES)]) for k in range(1 + count))
    builder.store(index, builder.bitcast(indices, WORDS.as_pointer()), align=ROW_ALIGNMENT)
    before, loop, done = (
        builder.block,
        builder.append_basic_block("gather"),
        builder.append_basic_block("gathered"),
    )
    builder.branch(loop)
    builder.position_at_end(loop)
    lane = builder.phi(WORD)
    lane.add_incoming(WORD(0), before)
    for step in range(LANES_AT_ONCE):
        at = builder.add(lane, WORD(step))
        place = builder.gep(begin, [builder.load(builder.gep(indices, [at]), typ=WORD)])
        for k, row in enumerate(rows):
            value = builder.load(builder.gep(place, [WORD(k)]), typ=WORD)
            builder.store(value, builder.gep(row, [at]))
    following = builder.add(lane, WORD(LANES_AT_ONCE))
    lane.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, WORD(isa.LANES)), loop, done)
    builder.position_at_end(done)
    return [
        builder.load(builder.bitcast(row, WORDS.as_pointer()), typ=WORDS, align=ROW_ALIGNMENT) for row in rows
    ]
