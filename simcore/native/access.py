"""Accesses as functions of a module, one for each form: emitted at each instruction, they would be most of its code."""

from typing import NamedTuple

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import native
from simcore.core.geometry import WORD_BYTES
from simcore.native import log
from simcore.native.state import ROW_ALIGNMENT, Context
from simcore.native.vectors import (
    BIT,
    LANE_NUMBERS,
    LONG,
    WORD,
    WORDS,
    declared,
    expand,
    first_lane,
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

(NOTHING, DISCARDS, READS, WRITES) = range(4)
"""What an access moves: nothing, where only its address matters; or nothing where nobody reads what it would write."""


class Form(NamedTuple):
    """What an access's function depends on.

    Attributes:
        space: global or shared memory.
        width: bytes a lane.
        moves: `NOTHING`, `DISCARDS`, `READS` or `WRITES`.
        wide: whether the base has 64 bits.
        scale: by how many bits the base is shifted.
        buffers: of global memory.
        logs: whether there is a log of accesses to global memory.
    """

    space: int
    width: int
    moves: int
    wide: bool
    scale: int
    buffers: int
    logs: bool

    @property
    def is_logged(self) -> bool:
        """Whether its accesses may be logged."""
        return self.logs and self.space == isa.SPACE_GLOBAL

    @property
    def words(self) -> int:
        """How many a lane moves."""
        return self.width // WORD_BYTES

    @property
    def base_words(self) -> int:
        """How many the base has."""
        return 2 if self.wide else 1


class _Region(NamedTuple):
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


def function_of(module: ir.Module, form: Form) -> ir.Function:
    """The function of a form.

    It takes the context, the rows of the base, what is added to it, the active lanes, the rows that are written or have
    room for what is read, and what is logged (`log.Logged`). It returns whether it has made the access; if not, nothing
    has happened.
    """
    name = "_".join(str(int(part)) for part in form)
    if name in module.globals:
        return module.globals[name]
    takes = [LONG.as_pointer(), *[WORDS] * form.base_words, LONG, WORD, WORD.as_pointer()]
    takes += log.TAKES if form.is_logged else []
    function = ir.Function(module, ir.FunctionType(BIT, takes), name)
    function.linkage = "internal"
    _emit(function, form)
    return function


def _emit(function: ir.Function, form: Form) -> None:
    context, *rest = function.args
    base, (added, lanes, rows, *logged) = rest[: form.base_words], rest[form.base_words :]
    state = Context(ir.IRBuilder(function.append_basic_block("entry")), context)
    builder = state.builder
    refused = function.append_basic_block("refused")
    ir.IRBuilder(refused).ret(BIT(0))
    address = _address(builder, form, base, added)
    region = _region(state, form, address, lanes)
    distance = address
    if form.space == isa.SPACE_GLOBAL:
        distance = builder.sub(address, splat(builder, region.start))
    inside = builder.icmp_unsigned("<=", distance, splat(builder, region.last))
    offset = builder.trunc(distance, WORDS) if form.space == isa.SPACE_GLOBAL else distance
    if form.width > 1:
        odd = builder.and_(offset, words(form.width - 1))
        inside = builder.and_(inside, builder.icmp_unsigned("==", odd, words(0)))
    kept = builder.icmp_signed(">=", region.word, LONG(0))
    exists = region.exists
    if form.moves in (DISCARDS, READS):
        exists = builder.and_(exists, kept if form.moves == READS else builder.not_(kept))
    _go_on_if_all(builder, inside, exists, lanes, refused)
    if form.is_logged:
        log.emit(state, log.Logged(*logged), address, lanes, refused)
    if form.moves in (READS, WRITES):
        index = builder.lshr(offset, words(2))
        if form.space == isa.SPACE_LOCAL:
            index = builder.add(builder.mul(index, words(isa.LANES)), LANE_NUMBERS)
        index = builder.select(expand(builder, lanes), index, words(0))
        begin = builder.gep(state.array(native.MEMORY), [region.word])
        stride = isa.LANES if form.space == isa.SPACE_LOCAL else 1
        if form.moves == READS:
            _gather(builder, begin, index, rows, form.words, stride)
        else:
            chosen = builder.select(kept, lanes, WORD(0))
            _scatter(builder, begin, index, rows, form.words, stride, chosen)
    builder.ret(BIT(1))


def _address(builder: ir.IRBuilder, form: Form, base: list[ir.Value], added: ir.Value) -> ir.Value:
    """The lanes' addresses: 64 bits of global memory, 32 bits of others."""
    if form.space != isa.SPACE_GLOBAL:
        scaled = builder.shl(base[0], words(form.scale))
        return builder.add(scaled, splat(builder, builder.trunc(added, WORD)))
    address = join(builder, *base) if form.wide else widen(builder, base[0])
    if form.scale:
        address = builder.shl(address, longs(form.scale))
    return builder.add(address, splat(builder, added))


def _region(context: Context, form: Form, address: ir.Value, lanes: ir.Value) -> _Region:
    """Where an access must lie."""
    if form.space == isa.SPACE_SHARED:
        return _own(context, form, native.SHARED_WORD, native.SHARED_LIMIT)
    if form.space == isa.SPACE_LOCAL:
        return _own(context, form, native.LOCAL_WORD, native.LOCAL_LIMIT)
    first = context.builder.extract_element(address, first_lane(context.builder, lanes))
    return _buffer_of(context, form, first)


def _own(context: Context, form: Form, word: int, limit: int) -> _Region:
    """The block's shared memory, or the warp's local one."""
    builder = context.builder
    last = builder.trunc(builder.sub(context.known(limit), LONG(form.width)), WORD)
    return _Region(WORD(0), last, builder.icmp_signed(">=", last, WORD(0)), context.known(word))


def _buffer_of(context: Context, form: Form, begins: ir.Value) -> _Region:
    """The buffer that holds an access at an address."""
    builder = context.builder
    ends = builder.add(begins, LONG(form.width))
    found = _Region(LONG(0), LONG(0), BIT(0), LONG(0))
    for number in range(form.buffers):
        start, end, word = (
            builder.load(context.element(place, LONG(number), LONG), typ=LONG)
            for place in (native.BUFFER_START, native.BUFFER_END, native.BUFFER_WORD)
        )
        holds = builder.and_(builder.icmp_signed("<=", start, begins), builder.icmp_signed("<=", ends, end))
        last = builder.sub(builder.sub(end, start), LONG(form.width))
        buffer = _Region(start, last, BIT(1), word)
        found = _Region(*(builder.select(holds, new, old) for new, old in zip(buffer, found, strict=True)))
    return found


def _go_on_if_all(
    builder: ir.IRBuilder, inside: ir.Value, exists: ir.Value, lanes: ir.Value, refused: ir.Block
) -> None:
    fitting = builder.and_(pack(builder, inside), builder.sext(exists, WORD))
    failing = builder.and_(builder.not_(fitting), lanes)
    on = builder.append_basic_block("possible")
    builder.cbranch(builder.icmp_unsigned("==", failing, WORD(0)), on, refused)
    builder.position_at_end(on)


def _scatter(
    builder: ir.IRBuilder,
    begin: ir.Value,
    index: ir.Value,
    rows: ir.Value,
    count: int,
    stride: int,
    lanes: ir.Value,
) -> None:
    """Words to anywhere, those of a lane `stride` apart."""
    truths = expand(builder, lanes)
    takes = [WORDS, POINTERS, WORD, truths.type]
    scatter = declared(builder.module, "llvm.masked.scatter.v32i32.v32p0", ir.VoidType(), takes)
    for k in range(count):
        place = builder.gep(begin, [builder.add(index, words(k * stride)) if k else index], source_etype=WORD)
        place.type = POINTERS  # which llvmlite does not derive from a vector of indices
        row = builder.bitcast(builder.gep(rows, [LONG(k * isa.LANES)]), WORDS.as_pointer())
        value = builder.load(row, typ=WORDS, align=ROW_ALIGNMENT)
        builder.call(scatter, [value, place, WORD(WORD_BYTES), truths])


def _gather(
    builder: ir.IRBuilder, begin: ir.Value, index: ir.Value, into: ir.Value, count: int, stride: int
) -> None:
    """Words from anywhere, those of a lane `stride` apart; one by one: processors that are guarded against leaks by
    gathers take longer for these."""
    indices = builder.alloca(WORDS, name="indices")
    indices.align = ROW_ALIGNMENT
    builder.store(index, indices, align=ROW_ALIGNMENT)
    indices = builder.bitcast(indices, WORD.as_pointer())
    rows = [builder.gep(into, [LONG(k * isa.LANES)]) for k in range(count)]
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
            value = builder.load(builder.gep(place, [WORD(k * stride)]), typ=WORD)
            builder.store(value, builder.gep(row, [at]))
    following = builder.add(lane, WORD(LANES_AT_ONCE))
    lane.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, WORD(isa.LANES)), loop, done)
    builder.position_at_end(done)
