"""Words between rows of registers and memory: at once where lanes are neighbours or agree, else one by one."""

from typing import NamedTuple

from llvmlite import ir

from simcore.core import isa
from simcore.core.geometry import WORD_BYTES
from simcore.native.vectors import (
    BITS,
    BYTE,
    LONG,
    POINTER,
    ROW_ALIGNMENT,
    WORD,
    WORDS,
    declared,
    expand,
    first_lane,
    lanes_of,
    longs,
    pack,
    room,
    splat,
    widen,
    words,
)

POINTERS = lanes_of(POINTER)
LANES_AT_ONCE = 8
"""Loads in a turn of the loop that gathers."""


class Place(NamedTuple):
    """Where each lane's words lie.

    Attributes:
        array: in which they lie.
        index: of each lane's first one.
        words: of a lane.
        stride: from one of a lane's to its next.
    """

    array: ir.Value
    index: ir.Value
    words: int
    stride: int

    @property
    def apart(self) -> int:
        """Words from a lane's first one to that of its neighbour, if these follow each other."""
        return self.words if self.stride == 1 else 1

    def of_word(self, builder: ir.IRBuilder, index: ir.Value, number: int) -> ir.Value:
        """The address of the word of a number, where the first one is at an index."""
        at = builder.add(index, WORD(number * self.stride)) if number else index
        return builder.gep(self.array, [at], source_etype=WORD)


class _Pattern(NamedTuple):
    """How active lanes' words lie to each other.

    Attributes:
        first: index of the first one, of the first active lane.
        first_of_row: index of lane 0's, if they are neighbours.
        is_row: whether they are.
        is_one: whether all are the same.
    """

    first: ir.Value
    first_of_row: ir.Value
    is_row: ir.Value
    is_one: ir.Value


def load(builder: ir.IRBuilder, source: Place, rows: ir.Value, lanes: ir.Value) -> None:
    """Load words into rows; what inactive lanes get is nobody's."""
    pattern = _pattern(builder, source, lanes)
    row, others, one, any_, done = (
        builder.append_basic_block(name) for name in ("row", "others", "one", "any", "loaded")
    )
    builder.cbranch(pattern.is_row, row, others)
    builder.position_at_end(row)
    _load_row(builder, source, pattern.first_of_row, rows, lanes)
    builder.branch(done)
    builder.position_at_end(others)
    builder.cbranch(pattern.is_one, one, any_)
    builder.position_at_end(one)
    for k in range(source.words):
        word = builder.load(source.of_word(builder, pattern.first, k), typ=WORD)
        builder.store(splat(builder, word), _row(builder, rows, k), align=ROW_ALIGNMENT)
    builder.branch(done)
    builder.position_at_end(any_)
    _gather(builder, source, rows, lanes)
    builder.branch(done)
    builder.position_at_end(done)


def store(builder: ir.IRBuilder, target: Place, rows: ir.Value, lanes: ir.Value) -> None:
    """Store words of rows; of lanes that agree, the last one's stays."""
    if target.apart > 1:
        _scatter(builder, target, rows, lanes)
        return
    pattern = _pattern(builder, target, lanes)
    row, others, done = (builder.append_basic_block(name) for name in ("row", "others", "stored"))
    builder.cbranch(pattern.is_row, row, others)
    builder.position_at_end(row)
    _store_row(builder, target, pattern.first_of_row, rows, lanes)
    builder.branch(done)
    builder.position_at_end(others)
    _scatter(builder, target, rows, lanes)
    builder.branch(done)
    builder.position_at_end(done)


def keep_part(builder: ir.IRBuilder, row: ir.Value, byte: ir.Value, size: int) -> None:
    """Of words in a row, keep so many bytes of each from one on."""
    word = builder.load(row, typ=WORDS, align=ROW_ALIGNMENT)
    part = builder.lshr(word, builder.shl(byte, words(3)))
    builder.store(builder.and_(part, words((1 << 8 * size) - 1)), row, align=ROW_ALIGNMENT)


def store_part(
    builder: ir.IRBuilder, target: Place, byte: ir.Value, size: int, row: ir.Value, lanes: ir.Value
) -> None:
    """Store the lowest bytes of a row's words, so many of each, at a byte of their places."""
    part = ir.IntType(8 * size)
    takes = [lanes_of(part), POINTERS, WORD, BITS]
    name = f"llvm.masked.scatter.v32i{8 * size}.v32p0"
    scatter = declared(builder.module, name, ir.VoidType(), takes)
    truths = expand(builder, lanes)
    first = builder.add(builder.shl(widen(builder, target.index), longs(2)), widen(builder, byte))
    place = builder.gep(target.array, [builder.select(truths, first, longs(0))], source_etype=BYTE)
    place.type = POINTERS  # which llvmlite does not derive from a vector of indices
    value = builder.trunc(builder.load(row, typ=WORDS, align=ROW_ALIGNMENT), lanes_of(part))
    builder.call(scatter, [value, place, WORD(size), truths])


def _pattern(builder: ir.IRBuilder, at: Place, lanes: ir.Value) -> _Pattern:
    lane = first_lane(builder, lanes)
    first = builder.extract_element(at.index, lane)
    first_of_row = builder.sub(first, builder.mul(lane, WORD(at.apart)))
    numbers = ir.Constant(WORDS, [lane * at.apart for lane in range(isa.LANES)])
    in_row = builder.add(splat(builder, first_of_row), numbers)
    is_row, is_one = (
        _holds(builder, builder.icmp_unsigned("==", at.index, expected), lanes)
        for expected in (in_row, splat(builder, first))
    )
    if at.apart > 1:  # of inactive lanes nothing is loaded, which takes a mask of words
        is_row = builder.and_(is_row, builder.icmp_unsigned("==", lanes, WORD(isa.FULL_MASK)))
    return _Pattern(first, first_of_row, is_row, is_one)


def _holds(builder: ir.IRBuilder, truths: ir.Value, lanes: ir.Value) -> ir.Value:
    """Whether something is true in all of some lanes."""
    failing = builder.and_(builder.not_(pack(builder, truths)), lanes)
    return builder.icmp_unsigned("==", failing, WORD(0))


def _row(builder: ir.IRBuilder, rows: ir.Value, number: int) -> ir.Value:
    """The address of a row."""
    return builder.gep(rows, [LONG(number * isa.LANES)], source_etype=WORD)


def _load_row(builder: ir.IRBuilder, source: Place, first: ir.Value, rows: ir.Value, lanes: ir.Value) -> None:
    """Words of neighbours."""
    if source.apart > 1:
        several = ir.VectorType(WORD, isa.LANES * source.words)
        together = builder.load(source.of_word(builder, first, 0), typ=several, align=WORD_BYTES)
        for k in range(source.words):
            chosen = ir.Constant(WORDS, [lane * source.words + k for lane in range(isa.LANES)])
            word = builder.shuffle_vector(together, together, chosen)
            builder.store(word, _row(builder, rows, k), align=ROW_ALIGNMENT)
        return
    takes = [POINTER, BITS, WORDS]
    masked = declared(builder.module, "llvm.masked.load.v32i32.p0", WORDS, takes)
    for k in range(source.words):
        word = builder.call(masked, [source.of_word(builder, first, k), expand(builder, lanes), words(0)])
        builder.store(word, _row(builder, rows, k), align=ROW_ALIGNMENT)


def _store_row(
    builder: ir.IRBuilder, target: Place, first: ir.Value, rows: ir.Value, lanes: ir.Value
) -> None:
    """Words of neighbours."""
    masked = declared(builder.module, "llvm.masked.store.v32i32.p0", ir.VoidType(), [WORDS, POINTER, BITS])
    for k in range(target.words):
        value = builder.load(_row(builder, rows, k), typ=WORDS, align=ROW_ALIGNMENT)
        builder.call(masked, [value, target.of_word(builder, first, k), expand(builder, lanes)])


def _scatter(builder: ir.IRBuilder, target: Place, rows: ir.Value, lanes: ir.Value) -> None:
    """Words to anywhere."""
    takes = [WORDS, POINTERS, WORD, BITS]
    scatter = declared(builder.module, "llvm.masked.scatter.v32i32.v32p0", ir.VoidType(), takes)
    truths = expand(builder, lanes)
    index = builder.select(truths, target.index, words(0))
    for k in range(target.words):
        at = builder.add(index, words(k * target.stride)) if k else index
        place = builder.gep(target.array, [at], source_etype=WORD)
        place.type = POINTERS  # which llvmlite does not derive from a vector of indices
        value = builder.load(_row(builder, rows, k), typ=WORDS, align=ROW_ALIGNMENT)
        builder.call(scatter, [value, place, WORD(WORD_BYTES), truths])


def _gather(builder: ir.IRBuilder, source: Place, rows: ir.Value, lanes: ir.Value) -> None:
    """Words from anywhere, one by one: processors that are guarded against leaks by gathers take longer for these."""
    indices = room(builder)
    own = builder.select(expand(builder, lanes), source.index, words(0))
    builder.store(own, indices, align=ROW_ALIGNMENT)
    before, loop, done = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    lane = builder.phi(WORD)
    lane.add_incoming(WORD(0), before)
    for step in range(LANES_AT_ONCE):
        at = builder.add(lane, WORD(step))
        index = builder.load(builder.gep(indices, [at], source_etype=WORD), typ=WORD)
        for k in range(source.words):
            value = builder.load(source.of_word(builder, index, k), typ=WORD)
            to = builder.gep(_row(builder, rows, k), [at], source_etype=WORD)
            builder.store(value, to)
    following = builder.add(lane, WORD(LANES_AT_ONCE))
    lane.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, WORD(isa.LANES)), loop, done)
    builder.position_at_end(done)
