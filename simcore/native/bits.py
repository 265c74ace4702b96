"""Logic, shifts, permutations and counts of the bits of words."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import bits
from simcore.core.geometry import WORD_BYTES
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    BIT,
    BYTE,
    WORD,
    WORDS,
    declared,
    high_word,
    join,
    known_word,
    longs,
    low_word,
    pack,
    truth_table,
    widen,
    words,
)

BYTES = ir.VectorType(BYTE, isa.LANES * WORD_BYTES)
_SELECTOR_BITS, _SELECTOR = 4, 7
_REPEATS_SIGN = 8


@emits(bits.LOP3)
def _lop3(state: State, ins: Instruction) -> None:
    sources = [state.source(ins, name) for name in "abc"]
    result = truth_table(state.builder, sources, ins.value)
    lanes = state.guarded(ins)
    if ins.predicate_out_0 != isa.PREDICATE_TRASH:
        builder = state.builder
        nonzero = pack(builder, builder.icmp_unsigned("!=", result, words(0)))
        combine = builder.and_ if ins.mode & bits.LOP3_AND else builder.or_
        state.set_predicate(ins.predicate_out_0, combine(nonzero, state.predicate_in(ins, 0)), lanes)
    state.store(ins, lanes, result)


@emits(bits.SHF)
def _shf(state: State, ins: Instruction) -> None:
    """The pair (a, c) shifted by b."""
    constant = state.constant_source(ins, "b")
    if constant is not None and (shift := _within_word(ins.mode, constant)) is not None:
        state.store(ins, state.guarded(ins), _shifted(state, ins, shift))
        return
    builder, mode = state.builder, ins.mode
    pair = join(builder, state.source(ins, "a"), state.source(ins, "c"))
    limit = 64 if mode & bits.SHIFT_64 else 32
    by = widen(builder, state.source(ins, "b"))
    if mode & bits.SHIFT_WRAP:
        by = builder.and_(by, longs(limit - 1))
    else:
        by = builder.select(builder.icmp_unsigned("<", by, longs(limit)), by, longs(limit))
    within = builder.icmp_unsigned("<", by, longs(64))
    near = builder.select(within, by, longs(63))
    if not mode & bits.SHIFT_RIGHT:
        shifted = builder.select(within, builder.shl(pair, near), longs(0))
    elif mode & bits.SHIFT_SIGNED:
        shifted = builder.ashr(pair, near)
    else:
        shifted = builder.select(within, builder.lshr(pair, near), longs(0))
    part = high_word if mode & bits.SHIFT_HIGH else low_word
    state.store(ins, state.guarded(ins), part(builder, shifted))


def _within_word(mode: int, by: int) -> int | None:
    """How far a shift goes, if it is less than a word."""
    if mode & bits.SHIFT_WRAP:
        by &= (64 if mode & bits.SHIFT_64 else 32) - 1
    return by if by < 32 else None


def _shifted(state: State, ins: Instruction, by: int) -> ir.Value:
    """The asked-for word of the pair (a, c), shifted by less than a word."""
    builder, mode = state.builder, ins.mode
    low, high = state.source(ins, "a"), state.source(ins, "c")
    left, takes_high = not mode & bits.SHIFT_RIGHT, bool(mode & bits.SHIFT_HIGH)
    if by == 0:
        return high if takes_high else low
    if left != takes_high:  # the word at the end of the pair from which nothing comes in
        if left:
            return builder.shl(low, words(by))
        return (builder.ashr if mode & bits.SHIFT_SIGNED else builder.lshr)(high, words(by))
    shares = (by, 32 - by) if left else (32 - by, by)
    return builder.or_(builder.shl(high, words(shares[0])), builder.lshr(low, words(shares[1])))


@emits(bits.PRMT)
def _prmt(state: State, ins: Instruction) -> None:
    """Four bytes of the pair (a, c), each picked by four bits of b; the highest of these repeats its sign."""
    selector = known_word(state.source(ins, "b"))
    if selector is not None and not ins.value:
        state.store(ins, state.guarded(ins), _picked(state, ins, selector))
        return
    builder, selectors = state.builder, widen(state.builder, state.source(ins, "b"))
    if ins.value:  # four selectors of 16 bits, of which b names one
        number = builder.and_(selectors, longs(3))
        selectors = builder.lshr(longs(ins.value), builder.shl(number, longs(4)))
    pair = join(builder, state.source(ins, "a"), state.source(ins, "c"))
    result: ir.Value = words(0)
    for byte in range(WORD_BYTES):
        choice = builder.lshr(selectors, longs(_SELECTOR_BITS * byte))
        shift = builder.shl(builder.and_(choice, longs(_SELECTOR)), longs(3))
        value = builder.and_(low_word(builder, builder.lshr(pair, shift)), words(0xFF))
        signs = builder.ashr(builder.shl(value, words(24)), words(31))
        repeats = builder.icmp_unsigned("!=", builder.and_(choice, longs(_REPEATS_SIGN)), longs(0))
        value = builder.and_(builder.select(repeats, signs, value), words(0xFF))
        result = builder.or_(result, builder.shl(value, words(8 * byte)))
    state.store(ins, state.guarded(ins), result)


def _picked(state: State, ins: Instruction, selector: int) -> ir.Value:
    """The bytes that all lanes pick alike."""
    builder = state.builder
    choices = [selector >> (_SELECTOR_BITS * byte) & 15 for byte in range(WORD_BYTES)]
    low, high = (builder.bitcast(state.source(ins, name), BYTES) for name in "ac")
    places = [
        WORD_BYTES * lane + choice % WORD_BYTES + (choice & WORD_BYTES) * isa.LANES
        for lane in range(isa.LANES)
        for choice in choices
    ]
    numbers = ir.Constant(ir.VectorType(WORD, len(places)), places)
    picked = builder.shuffle_vector(low, high, numbers)
    if any(choice & _REPEATS_SIGN for choice in choices):
        sevens = ir.Constant(BYTES, [7] * len(places))
        repeats = [bool(choice & _REPEATS_SIGN) for choice in choices] * isa.LANES
        chosen = ir.Constant(ir.VectorType(BIT, len(places)), repeats)
        picked = builder.select(chosen, builder.ashr(picked, sevens), picked)
    return builder.bitcast(picked, WORDS)


@emits(bits.POPC)
def _popc(state: State, ins: Instruction) -> None:
    state.store(ins, state.guarded(ins), _each_word(state, "ctpop", state.source(ins, "a")))


@emits(bits.BREV)
def _brev(state: State, ins: Instruction) -> None:
    state.store(ins, state.guarded(ins), _each_word(state, "bitreverse", state.source(ins, "a")))


def _each_word(state: State, function: str, value: ir.Value) -> ir.Value:
    """An LLVM function of a word, lane by lane."""
    known = declared(state.builder.module, f"llvm.{function}.v32i32", WORDS, [WORDS])
    return state.builder.call(known, [value])


@emits(bits.FLO)
def _flo(state: State, ins: Instruction) -> None:
    """The position of the leading one or, of a negative number, of the leading zero; all ones if there is none."""
    builder, value = state.builder, state.source(ins, "a")
    if not ins.mode & bits.UNSIGNED:
        value = builder.xor(value, builder.ashr(value, words(31)))
    leading = declared(builder.module, "llvm.ctlz.v32i32", WORDS, [WORDS, BIT])
    zeros = builder.call(leading, [value, BIT(0)])
    position = zeros if ins.mode & bits.FLO_SHIFT else builder.sub(words(31), zeros)
    is_none = builder.icmp_unsigned("==", value, words(0))
    state.store(ins, state.guarded(ins), builder.select(is_none, words(isa.FULL_MASK), position))


@emits(bits.SGXT)
def _sgxt(state: State, ins: Instruction) -> None:
    """The lowest bits, sign-extended unless unsigned."""
    builder = state.builder
    count = _bits(state, ins, "b")
    is_none = builder.icmp_unsigned("==", count, words(0))
    unused = builder.select(is_none, words(0), builder.sub(words(32), count))
    extended = builder.lshr if ins.mode & bits.UNSIGNED else builder.ashr
    low = extended(builder.shl(state.source(ins, "a"), unused), unused)
    state.store(ins, state.guarded(ins), builder.select(is_none, words(0), low))


@emits(bits.BMSK)
def _bmsk(state: State, ins: Instruction) -> None:
    """Ones from a bit on."""
    builder = state.builder
    start, count = (widen(builder, _bits(state, ins, name)) for name in "ab")
    ones = builder.sub(builder.shl(longs(1), count), longs(1))
    state.store(ins, state.guarded(ins), low_word(builder, builder.shl(ones, start)))


def _bits(state: State, ins: Instruction, name: str) -> ir.Value:
    """A number of bits or a position, of 32 at most."""
    builder, count = state.builder, state.source(ins, name)
    if ins.mode & bits.WRAPPED:
        return builder.and_(count, words(31))
    return builder.select(builder.icmp_unsigned("<", count, words(32)), count, words(32))
