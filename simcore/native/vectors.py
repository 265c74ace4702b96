"""LLVM values of 32 lanes: words, masks, and the way between them."""

from collections.abc import Sequence
from functools import cache

from llvmlite import ir
from llvmlite.ir.values import FormattedConstant

from simcore.core import isa

WORD, LONG, BYTE, BIT = ir.IntType(32), ir.IntType(64), ir.IntType(8), ir.IntType(1)
FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()


def lanes_of(element: ir.Type) -> ir.VectorType:
    """32 of a type."""
    return ir.VectorType(element, isa.LANES)


WORDS, LONGS, BITS = lanes_of(WORD), lanes_of(LONG), lanes_of(BIT)
FLOATS, DOUBLES = lanes_of(FLOAT), lanes_of(DOUBLE)
POINTER = ir.PointerType()

ROW_ALIGNMENT = 64
"""Bytes: a cache line of this processor. Rows of registers begin at multiples of it."""


class _Written(FormattedConstant):  # type: ignore[misc]  # llvmlite carries no types
    """A constant of 32 lanes in LLVM's short notations, which llvmlite does not use.

    Attributes:
        word: that all lanes have; None of other constants.
    """

    def __init__(self, vector: ir.VectorType, notation: str, word: int | None = None) -> None:
        super().__init__(vector.element, notation)
        self.type = vector
        self.word = word


@cache
def words(value: int) -> ir.Constant:
    """The same word in all lanes."""
    word = value & isa.FULL_MASK
    return _Written(WORDS, f"splat ({WORD} {word})", word)


@cache
def floats(value: float) -> ir.Constant:
    """The same single in all lanes."""
    return ir.Constant(FLOATS, [value] * isa.LANES)


@cache
def doubles(value: float) -> ir.Constant:
    """The same double in all lanes."""
    return ir.Constant(DOUBLES, [value] * isa.LANES)


def known_word(value: ir.Value) -> int | None:
    """The word that is known to be in all lanes, if there is one."""
    return value.word if isinstance(value, _Written) else None


@cache
def longs(value: int) -> ir.Constant:
    """The same 64 bits in all lanes."""
    return _Written(LONGS, f"splat ({LONG} {value})")


@cache
def _anything(vector: ir.VectorType) -> ir.Constant:
    """A vector whose lanes do not matter."""
    return _Written(vector, "poison")


_FIRST_LANE = ir.Constant(WORDS, None)
LANE_NUMBERS = ir.Constant(WORDS, list(range(isa.LANES)))


def splat(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """A scalar in all lanes."""
    anything = _anything(lanes_of(value.type))
    alone = builder.insert_element(anything, value, WORD(0))
    return builder.shuffle_vector(alone, anything, _FIRST_LANE)


def expand(builder: ir.IRBuilder, mask: ir.Value) -> ir.Value:
    """A mask of 32 bits as a truth value for each lane."""
    return builder.bitcast(mask, BITS)


def pack(builder: ir.IRBuilder, truths: ir.Value) -> ir.Value:
    """A truth value for each lane as a mask of 32 bits."""
    return builder.bitcast(truths, WORD)


def first_lane(builder: ir.IRBuilder, mask: ir.Value) -> ir.Value:
    """The lowest lane of a mask; any if it is empty."""
    return builder.and_(builder.cttz(mask, BIT(0)), WORD(isa.LANES - 1))


def widen(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Words as unsigned 64-bit numbers."""
    return builder.zext(value, LONGS)


def low_word(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The lower words of 64-bit numbers."""
    return builder.trunc(value, WORDS)


def high_word(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The upper words of 64-bit numbers."""
    return builder.trunc(builder.lshr(value, longs(32)), WORDS)


def join(builder: ir.IRBuilder, low: ir.Value, high: ir.Value) -> ir.Value:
    """64-bit numbers of their words."""
    return builder.or_(builder.shl(widen(builder, high), longs(32)), widen(builder, low))


def truth_table(builder: ir.IRBuilder, sources: Sequence[ir.Value], table: int) -> ir.Value:
    """A truth table of some sources, words or masks, of which the first counts most: of three, bit 4 a + 2 b + c of it
    is the result for these bits."""
    first, rest = sources[0], sources[1:]
    ones = (1 << (1 << len(rest))) - 1
    if_set, if_not = table >> (1 << len(rest)), table & ones
    if not rest:
        return _of_one(builder, first, bool(if_set), bool(if_not))
    if if_set == if_not:
        return truth_table(builder, rest, if_set)
    if if_set == if_not ^ ones:
        return builder.xor(first, truth_table(builder, rest, if_not))
    there = _where(builder, first, rest, if_set) if if_set else None
    elsewhere = _where(builder, builder.not_(first), rest, if_not) if if_not else None
    return builder.or_(there, elsewhere) if there and elsewhere else there or elsewhere


def _where(builder: ir.IRBuilder, bits: ir.Value, sources: Sequence[ir.Value], table: int) -> ir.Value:
    """A truth table of some sources where bits are set, and nothing elsewhere."""
    if table == (1 << (1 << len(sources))) - 1:
        return bits
    return builder.and_(bits, truth_table(builder, sources, table))


def _of_one(builder: ir.IRBuilder, source: ir.Value, if_set: bool, if_not: bool) -> ir.Value:
    """A truth table of one source."""
    if if_set != if_not:
        return source if if_set else builder.not_(source)
    nothing = ir.Constant(source.type, None)
    return builder.not_(nothing) if if_set else nothing


def room(builder: ir.IRBuilder, rows: int = 1) -> ir.Value:
    """Room for rows in the function's frame."""
    place = builder.alloca(WORDS, size=rows)
    place.align = ROW_ALIGNMENT
    place.type = POINTER
    return place


def declared(module: ir.Module, name: str, returns: ir.Type, takes: list[ir.Type]) -> ir.Function:
    """One of LLVM's own functions."""
    known = module.globals.get(name)
    return known or ir.Function(module, ir.FunctionType(returns, takes), name)
