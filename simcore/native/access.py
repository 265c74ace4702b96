"""Accesses as functions, one for each form, that all kernels share (`library`)."""

from functools import partial
from itertools import product
from typing import NamedTuple

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import native
from simcore.core.geometry import WORD_BYTES
from simcore.native import library, log, moves, near, together
from simcore.native.buffers import buffer_of
from simcore.native.state import Context
from simcore.native.vectors import (
    BIT,
    LANE_NUMBERS,
    LONG,
    POINTER,
    WORD,
    WORDS,
    first_lane,
    join,
    longs,
    pack,
    splat,
    widen,
    words,
)

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
        logs: whether there is a log of accesses to global memory.
    """

    space: int
    width: int
    moves: int
    wide: bool
    scale: int
    logs: bool

    @property
    def is_logged(self) -> bool:
        """Whether its accesses may be logged."""
        return self.logs and self.space == isa.SPACE_GLOBAL

    @property
    def words(self) -> int:
        """How many a lane moves, or parts of how many."""
        return max(self.width // WORD_BYTES, 1)

    @property
    def is_part(self) -> bool:
        """Whether a lane moves a byte or half of a word."""
        return self.width < WORD_BYTES

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
    """The function of a form, for a module that calls it.

    It takes the context, the rows of the base, what is added to it, the active lanes, the rows that are written or have
    room for what is read, and what is logged (`log.Logged`). It returns whether it has made the access; if not, nothing
    has happened.
    """
    name = "_".join(("simcore_access", *(str(int(part)) for part in form)))
    takes = [POINTER, *[WORDS] * form.base_words, LONG, WORD, POINTER]
    takes += log.TAKES if form.is_logged else []
    return library.function(module, name, BIT, takes, partial(_emit, form))


def make_usual_ones() -> None:
    """Make the functions of the forms that most kernels have."""
    module = ir.Module()
    for width, moved, logs, wide in product((4, 8, 16), range(WRITES + 1), (False, True), (False, True)):
        function_of(module, Form(isa.SPACE_GLOBAL, width, moved, wide, 0, logs))
    for width, moved in product((4, 8, 16), (NOTHING, READS, WRITES)):
        function_of(module, Form(isa.SPACE_SHARED, width, moved, False, 0, False))


def _emit(form: Form, function: ir.Function) -> None:
    address_of_context, *rest = function.args
    base, (added, lanes, rows, *logged) = rest[: form.base_words], rest[form.base_words :]
    beginning = ir.IRBuilder(function.append_basic_block("entry"))
    builder = ir.IRBuilder(function.append_basic_block("begin"))
    begin, context = builder.block, Context(beginning, address_of_context)
    done, refused = _returning(function, 1), _returning(function, 0)
    if form.space == isa.SPACE_GLOBAL and form.moves in (NOTHING, DISCARDS) and not form.scale:
        nearby = near.Access(form.width, form.moves == DISCARDS, form.is_logged)
        near.emit(builder, context, nearby, base, added, lanes, done)
    if form.space == isa.SPACE_GLOBAL and form.moves == READS and not form.is_part and not form.scale:
        load = together.Load(form.width, form.is_logged)
        together.emit(builder, context, load, base, added, lanes, rows, done)
    address = _address(builder, form, base, added)
    region = _region(builder, context, form, address, lanes, refused)
    offset = _checked(builder, form, region, address, lanes, refused)
    if form.is_logged:
        log.emit(builder, context, log.Logged(*logged), address, lanes, refused)
    if form.moves in (READS, WRITES):
        _move(builder, form, context.array(native.MEMORY), region, offset, rows, lanes)
    builder.branch(done)
    beginning.cbranch(beginning.icmp_unsigned("==", lanes, WORD(0)), done, begin)


def _checked(
    builder: ir.IRBuilder,
    form: Form,
    region: _Region,
    address: ir.Value,
    lanes: ir.Value,
    refused: ir.Block,
) -> ir.Value:
    """The offsets in a region, if all lanes may access it there; else it goes elsewhere."""
    distance = address
    if form.space == isa.SPACE_GLOBAL:
        distance = builder.sub(address, splat(builder, region.start))
    inside = builder.icmp_unsigned("<=", distance, splat(builder, region.last))
    offset = builder.trunc(distance, WORDS) if form.space == isa.SPACE_GLOBAL else distance
    if form.width > 1:
        odd = builder.and_(offset, words(form.width - 1))
        inside = builder.and_(inside, builder.icmp_unsigned("==", odd, words(0)))
    exists = region.exists
    if form.moves in (DISCARDS, READS):
        kept = _is_kept(builder, region)
        exists = builder.and_(exists, kept if form.moves == READS else builder.not_(kept))
    _go_on_if_all(builder, inside, exists, lanes, refused)
    return offset


def _is_kept(builder: ir.IRBuilder, region: _Region) -> ir.Value:
    return builder.icmp_signed(">=", region.word, LONG(0))


def _move(
    builder: ir.IRBuilder,
    form: Form,
    memory: ir.Value,
    region: _Region,
    offset: ir.Value,
    rows: ir.Value,
    lanes: ir.Value,
) -> None:
    """Load into rows, or store what is in them where contents are kept."""
    index = builder.lshr(offset, words(2))
    if form.space == isa.SPACE_LOCAL:
        index = builder.add(builder.mul(index, words(isa.LANES)), LANE_NUMBERS)
    array = builder.gep(memory, [region.word], source_etype=WORD)
    stride = isa.LANES if form.space == isa.SPACE_LOCAL else 1
    place = moves.Place(array, index, form.words, stride)
    byte = builder.and_(offset, words(WORD_BYTES - 1))
    if form.moves == READS:
        moves.load(builder, place, rows, lanes)
        if form.is_part:
            moves.keep_part(builder, rows, byte, form.width)
        return
    stored = builder.select(_is_kept(builder, region), lanes, WORD(0))
    if form.is_part:
        moves.store_part(builder, place, byte, form.width, rows, stored)
    else:
        moves.store(builder, place, rows, stored)


def _returning(function: ir.Function, outcome: int) -> ir.Block:
    block = function.append_basic_block("returns")
    ir.IRBuilder(block).ret(BIT(outcome))
    return block


def _address(builder: ir.IRBuilder, form: Form, base: list[ir.Value], added: ir.Value) -> ir.Value:
    """The lanes' addresses: 64 bits of global memory, 32 bits of others."""
    if form.space != isa.SPACE_GLOBAL:
        scaled = builder.shl(base[0], words(form.scale))
        return builder.add(scaled, splat(builder, builder.trunc(added, WORD)))
    address = join(builder, *base) if form.wide else widen(builder, base[0])
    if form.scale:
        address = builder.shl(address, longs(form.scale))
    return builder.add(address, splat(builder, added))


def _region(
    builder: ir.IRBuilder,
    context: Context,
    form: Form,
    address: ir.Value,
    lanes: ir.Value,
    refused: ir.Block,
) -> _Region:
    """Where an access must lie."""
    if form.space == isa.SPACE_SHARED:
        return _own(builder, context, form, native.SHARED_WORD, native.SHARED_LIMIT)
    if form.space == isa.SPACE_LOCAL:
        return _own(builder, context, form, native.LOCAL_WORD, native.LOCAL_LIMIT)
    first = builder.extract_element(address, first_lane(builder, lanes))
    start, end, word = buffer_of(builder, context, first, form.width, refused)
    last = builder.sub(builder.sub(end, start), LONG(form.width))
    return _Region(start, last, BIT(1), word)


def _own(builder: ir.IRBuilder, context: Context, form: Form, word: int, limit: int) -> _Region:
    """The block's shared memory, or the warp's local one."""
    last = builder.trunc(builder.sub(context.known(limit), LONG(form.width)), WORD)
    return _Region(WORD(0), last, builder.icmp_signed(">=", last, WORD(0)), context.known(word))


def _go_on_if_all(
    builder: ir.IRBuilder, inside: ir.Value, exists: ir.Value, lanes: ir.Value, refused: ir.Block
) -> None:
    fitting = builder.and_(pack(builder, inside), builder.sext(exists, WORD))
    failing = builder.and_(builder.not_(fitting), lanes)
    on = builder.append_basic_block("possible")
    builder.cbranch(builder.icmp_unsigned("==", failing, WORD(0)), on, refused)
    builder.position_at_end(on)
