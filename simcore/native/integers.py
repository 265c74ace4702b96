"""Integer arithmetic and comparisons (the interpreter's are in `core.execution.arithmetic`)."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import integers
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    LONGS,
    WORD,
    WORDS,
    high_word,
    join,
    known_word,
    longs,
    low_word,
    pack,
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
    state.set_predicate(ins.predicate_out_0, combined(builder, ins.mode, outcome, other), lanes)
    if ins.predicate_out_1 != isa.PREDICATE_TRASH:
        complement = combined(builder, ins.mode, builder.not_(outcome), other)
        state.set_predicate(ins.predicate_out_1, complement, lanes)


def combined(builder: ir.IRBuilder, mode: int, outcome: ir.Value, other: ir.Value) -> ir.Value:
    """A comparison's outcome and another predicate, as its mode combines them."""
    if mode & isa.BOOLEAN_OR:
        return builder.or_(outcome, other)
    if mode & isa.BOOLEAN_XOR:
        return builder.xor(outcome, other)
    return builder.and_(outcome, other)
