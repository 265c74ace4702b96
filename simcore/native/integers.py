"""Integer arithmetic, comparisons and bits (the interpreter's are in `core.execution.arithmetic`)."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import bits, integers, packed
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    LONGS,
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

_RELATION = isa.COMPARE_LESS | isa.COMPARE_EQUAL | isa.COMPARE_GREATER
_RELATIONS = {
    isa.COMPARE_LESS: "<",
    isa.COMPARE_EQUAL: "==",
    isa.COMPARE_GREATER: ">",
    isa.COMPARE_LESS | isa.COMPARE_EQUAL: "<=",
    isa.COMPARE_GREATER | isa.COMPARE_EQUAL: ">=",
    isa.COMPARE_LESS | isa.COMPARE_GREATER: "!=",
}


def _carry(state: State, ins: Instruction, which: int, vector: ir.Type) -> ir.Value:
    """A predicate as 0 or 1 in each lane."""
    truths = state.truths(state.predicate_in(ins, which))
    return state.builder.zext(truths, vector)


@emits(integers.MOV)
def _mov(state: State, ins: Instruction) -> None:
    state.store(ins, state.guarded(ins), state.source(ins, "a"))


@emits(integers.MOV64)
def _mov64(state: State, ins: Instruction) -> None:
    high = state.high(ins, "a")
    state.store(ins, state.guarded(ins), state.source(ins, "a"), high)


@emits(integers.SEL)
def _sel(state: State, ins: Instruction) -> None:
    chosen = state.truths(state.predicate_in(ins, 0))
    state.store(
        ins, state.guarded(ins), state.builder.select(chosen, state.source(ins, "a"), state.source(ins, "b"))
    )


@emits(integers.SEL64)
def _sel64(state: State, ins: Instruction) -> None:
    chosen = state.truths(state.predicate_in(ins, 0))
    low = state.builder.select(chosen, state.source(ins, "a"), state.source(ins, "b"))
    high = state.builder.select(chosen, state.high(ins, "a"), state.high(ins, "b"))
    state.store(ins, state.guarded(ins), low, high)


def _sources(state: State, ins: Instruction) -> tuple[ir.Value, ir.Value, ir.Value]:
    return state.source(ins, "a"), state.source(ins, "b"), state.source(ins, "c")


@emits(integers.IMAD)
def _imad(state: State, ins: Instruction) -> None:
    a, b, c = _sources(state, ins)
    total = state.builder.add(state.builder.mul(a, b), c)
    if ins.mode & integers.CARRY_IN:
        total = state.builder.add(total, _carry(state, ins, 0, WORDS))
    state.store(ins, state.guarded(ins), total)


class _Sum:
    """A sum of words, and what it carries."""

    def __init__(self, state: State, first: ir.Value) -> None:
        self.total = first
        self._state = state
        self._once: ir.Value = WORD(0)  # lanes that carried at least once, a mask
        self._twice: ir.Value = WORD(0)

    def add(self, value: ir.Value, counts: bool) -> None:
        """Add words; `counts`: whether anybody asks for what is carried."""
        builder = self._state.builder
        if value is words(0):
            return
        self.total = builder.add(self.total, value)
        if counts:
            carries = pack(builder, builder.icmp_unsigned("<", self.total, value))
            self._twice = builder.or_(self._twice, builder.and_(self._once, carries))
            self._once = builder.or_(self._once, carries)

    def store(self, ins: Instruction) -> None:
        """Store the sum, and where it carried once and twice."""
        lanes = self._state.guarded(ins)
        self._state.set_predicate(ins.predicate_out_0, self._once, lanes)
        self._state.set_predicate(ins.predicate_out_1, self._twice, lanes)
        self._state.store(ins, lanes, self.total)


def _carries_out(ins: Instruction) -> bool:
    """Whether anybody asks for what a sum carries."""
    return (ins.predicate_out_0, ins.predicate_out_1) != (isa.PREDICATE_TRASH, isa.PREDICATE_TRASH)


@emits(integers.IADD3)
def _iadd3(state: State, ins: Instruction) -> None:
    a, b, c = _sources(state, ins)
    total, counts = _Sum(state, a), _carries_out(ins)
    for value in (b, c, words(ins.value)):
        total.add(value, counts)
    if ins.mode & integers.CARRY_IN:
        for which in range(2):
            total.add(_carry(state, ins, which, WORDS), counts)
    total.store(ins)


@emits(integers.IADD64)
def _iadd64(state: State, ins: Instruction) -> None:
    builder = state.builder
    a = join(builder, state.source(ins, "a"), state.high(ins, "a"))
    b = join(builder, state.source(ins, "b"), state.high(ins, "b"))
    c = join(builder, state.source(ins, "c"), state.high(ins, "c"))
    partial = builder.add(a, b)
    total = builder.add(builder.add(partial, c), longs(ins.value))
    if ins.mode & integers.CARRY_IN:
        total = builder.add(total, _carry(state, ins, 0, LONGS))
    lanes = state.guarded(ins)
    carries = builder.or_(builder.icmp_unsigned("<", partial, a), builder.icmp_unsigned("<", total, partial))
    state.set_predicate(ins.predicate_out_0, pack(builder, carries), lanes)
    state.store(ins, lanes, low_word(builder, total), high_word(builder, total))


@emits(integers.IMAD_WIDE, integers.IMAD_HI)
def _imad_wide(state: State, ins: Instruction) -> None:
    builder = state.builder
    a, b = state.source(ins, "a"), state.source(ins, "b")
    carries = ins.mode & integers.CARRY_IN or ins.predicate_out_0 != isa.PREDICATE_TRASH
    if (shift := _shift_for(known_word(b))) and not carries and not ins.value:
        _store_scaled_sum(state, ins, a, shift)
        return
    extend = builder.zext if ins.mode & integers.UNSIGNED else builder.sext
    product = builder.mul(extend(a, LONGS), extend(b, LONGS))
    c = join(builder, state.source(ins, "c"), state.high(ins, "c"))
    partial = builder.add(product, c)
    total = builder.add(partial, longs(ins.value)) if ins.value else partial
    if ins.mode & integers.CARRY_IN:
        total = builder.add(total, _carry(state, ins, 0, LONGS))
    lanes = state.guarded(ins)
    if ins.predicate_out_0 != isa.PREDICATE_TRASH:
        carries = builder.icmp_unsigned("<", partial, c)
        carries = builder.or_(carries, builder.icmp_unsigned("<", total, partial))
        state.set_predicate(ins.predicate_out_0, pack(builder, carries), lanes)
    high = high_word(builder, total)
    low = high if ins.operation == integers.IMAD_HI else low_word(builder, total)
    state.store(ins, lanes, low, high)


def _shift_for(factor: int | None) -> int | None:
    """By how many bits a word is shifted when it is multiplied by a power of two, if that is one."""
    if factor is None or factor.bit_count() != 1 or not 1 < factor < 1 << 31:
        return None
    return factor.bit_length() - 1


def _store_scaled_sum(state: State, ins: Instruction, a: ir.Value, shift: int) -> None:
    """A pair plus a scaled word, as most addresses are: word by word, as LLVM takes three times as long for 64 bits."""
    builder = state.builder
    extended = builder.lshr if ins.mode & integers.UNSIGNED else builder.ashr
    c, c_high = state.source(ins, "c"), state.high(ins, "c")
    low = builder.add(builder.shl(a, words(shift)), c)
    carried = builder.zext(builder.icmp_unsigned("<", low, c), WORDS)
    high = builder.add(builder.add(extended(a, words(32 - shift)), c_high), carried)
    state.store(ins, state.guarded(ins), high if ins.operation == integers.IMAD_HI else low, high)


@emits(integers.LEA)
def _lea(state: State, ins: Instruction) -> None:
    builder = state.builder
    shifted = builder.shl(state.source(ins, "a"), words(ins.value)) if ins.value < 32 else words(0)
    if ins.mode & integers.LEA_NEGATED:
        shifted = builder.not_(shifted)
    b, ones = state.source(ins, "b"), ins.mode >> integers.LEA_ONES_SHIFT
    total, counts = _Sum(state, shifted), _carries_out(ins)
    for value in (b, words(ones)):
        total.add(value, counts)
    if ins.mode & integers.CARRY_IN:
        total.add(_carry(state, ins, 0, WORDS), counts)
    total.store(ins)


@emits(integers.LEA_HI, where=lambda ins: ins.predicate_out_0 == isa.PREDICATE_TRASH)
def _lea_high(state: State, ins: Instruction) -> None:
    builder = state.builder
    a = state.source(ins, "a")
    sign = ins.mode & integers.LEA_SIGN_EXTENDED
    high = builder.ashr(a, words(31)) if sign else state.source(ins, "c")
    total = builder.add(_high_of_shifted(builder, a, high, ins.value), state.source(ins, "b"))
    if ins.mode & integers.CARRY_IN:
        total = builder.add(total, _carry(state, ins, 0, WORDS))
    state.store(ins, state.guarded(ins), builder.add(total, words(ins.mode >> integers.LEA_ONES_SHIFT)))


def _high_of_shifted(builder: ir.IRBuilder, low: ir.Value, high: ir.Value, by: int) -> ir.Value:
    """The upper word of a pair that is shifted to the left by less than a word."""
    if by == 0:
        return high
    return builder.or_(builder.shl(high, words(by)), builder.lshr(low, words(32 - by)))


@emits(integers.IABS)
def _iabs(state: State, ins: Instruction) -> None:
    a = state.source(ins, "a")
    negative = state.builder.icmp_signed("<", a, words(0))
    state.store(ins, state.guarded(ins), state.builder.select(negative, state.builder.neg(a), a))


@emits(integers.ISETP, integers.ISETP64)
def _isetp(state: State, ins: Instruction) -> None:
    builder = state.builder
    a, b = state.source(ins, "a"), state.source(ins, "b")
    if ins.operation == integers.ISETP64:
        a, b = join(builder, a, state.high(ins, "a")), join(builder, b, state.high(ins, "b"))
    compare = builder.icmp_unsigned if ins.mode & integers.COMPARE_UNSIGNED else builder.icmp_signed
    relation = ins.mode & _RELATION
    if ins.mode & integers.COMPARE_EXTENDED:
        relation &= ~isa.COMPARE_EQUAL
    outcome: ir.Value = WORD(isa.FULL_MASK if relation == _RELATION else 0)
    if relation in _RELATIONS:
        outcome = pack(builder, compare(_RELATIONS[relation], a, b))
    if ins.mode & integers.COMPARE_EXTENDED:
        equal = pack(builder, builder.icmp_unsigned("==", a, b))
        outcome = builder.or_(outcome, builder.and_(equal, state.predicate_in(ins, 1)))
    store_comparison(state, ins, outcome)


def store_comparison(state: State, ins: Instruction, outcome: ir.Value) -> None:
    """Combine a comparison with another predicate; store it and its complement."""
    builder = state.builder
    other, lanes = state.predicate_in(ins, 0), state.guarded(ins)
    if ins.mode & isa.BOOLEAN_OR:
        combine = builder.or_
    elif ins.mode & isa.BOOLEAN_XOR:
        combine = builder.xor
    else:
        combine = builder.and_
    state.set_predicate(ins.predicate_out_0, combine(outcome, other), lanes)
    if ins.predicate_out_1 != isa.PREDICATE_TRASH:
        state.set_predicate(ins.predicate_out_1, combine(builder.not_(outcome), other), lanes)


def _is_of_words(ins: Instruction) -> bool:
    """Whether a minimum is of whole words, and not one that stops at 0 without being signed."""
    unsigned_relu = packed.UNSIGNED | packed.MINMAX_RELU
    return not ins.mode >> packed.PART_SHIFT and ins.mode & unsigned_relu != unsigned_relu


@emits(packed.IMNMX, where=_is_of_words)
def _imnmx(state: State, ins: Instruction) -> None:
    """The smaller where a predicate holds, else the greater."""
    builder = state.builder
    compare = builder.icmp_unsigned if ins.mode & packed.UNSIGNED else builder.icmp_signed
    a, b = (state.source(ins, name) for name in "ab")
    takes_a = builder.icmp_unsigned("==", compare("<", a, b), state.truths(state.predicate_in(ins, 0)))
    best = builder.select(takes_a, a, b)
    if ins.mode & packed.MINMAX_RELU:
        best = builder.select(compare(">", best, words(0)), best, words(0))
    state.store(ins, state.guarded(ins), best)


@emits(bits.LOP3)
def _lop3(state: State, ins: Instruction) -> None:
    result = truth_table(state.builder, _sources(state, ins), ins.value)
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


@emits(bits.POPC)
def _popc(state: State, ins: Instruction) -> None:
    state.store(ins, state.guarded(ins), _each_word(state, "ctpop", ins))


@emits(bits.BREV)
def _brev(state: State, ins: Instruction) -> None:
    state.store(ins, state.guarded(ins), _each_word(state, "bitreverse", ins))


def _each_word(state: State, function: str, ins: Instruction) -> ir.Value:
    """An LLVM function of a word, lane by lane."""
    known = declared(state.builder.module, f"llvm.{function}.v32i32", WORDS, [WORDS])
    return state.builder.call(known, [state.source(ins, "a")])
