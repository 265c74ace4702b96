"""Minima and maxima of words, dot products and absolute differences of their bytes."""

from llvmlite import ir

from simcore.core.execution.arithmetic import packed
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import words

_BYTES = range(4)


def _is_of_words(ins: Instruction) -> bool:
    """Whether a minimum is of whole words, and not one that stops at 0 without being signed."""
    unsigned_relu = packed.UNSIGNED | packed.MINMAX_RELU
    return not ins.mode >> packed.PART_SHIFT and ins.mode & unsigned_relu != unsigned_relu


@emits(packed.IMNMX, packed.IMNMX3, packed.IADD_MNMX, where=_is_of_words)
def _imnmx(state: State, ins: Instruction) -> None:
    """IMNMX of a and b, IMNMX3 of a, b and c, IADD_MNMX of a + b and c: the smaller where a predicate holds, else the
    greater."""
    builder = state.builder
    compare = builder.icmp_unsigned if ins.mode & packed.UNSIGNED else builder.icmp_signed
    takes_smaller = state.truths(state.predicate_in(ins, 0))
    best, *others = (state.source(ins, name) for name in "abc"[: ins.sources])
    if ins.operation == packed.IADD_MNMX:
        best = builder.add(best, others.pop(0))
    for other in others:
        takes_best = builder.icmp_unsigned("==", compare("<", best, other), takes_smaller)
        best = builder.select(takes_best, best, other)
    if ins.mode & packed.MINMAX_RELU:
        best = builder.select(compare(">", best, words(0)), best, words(0))
    state.store(ins, state.guarded(ins), best)


@emits(packed.IDP)
def _idp(state: State, ins: Instruction) -> None:
    """Four bytes by four, or two halfwords by two bytes, and their sum with c."""
    builder = state.builder
    a, b, total = (state.source(ins, name) for name in "abc")
    halfwords = ins.mode & packed.IDP_HALFWORDS
    first = 2 if ins.mode & packed.IDP_UPPER else 0
    for number in range(2) if halfwords else _BYTES:
        left = _part(builder, a, number, 16 if halfwords else 8, bool(ins.mode & packed.IDP_UNSIGNED_A))
        right = _part(builder, b, first + number, 8, bool(ins.mode & packed.IDP_UNSIGNED_B))
        total = builder.add(total, builder.mul(left, right))
    state.store(ins, state.guarded(ins), total)


@emits(packed.VABSDIFF)
def _vabsdiff(state: State, ins: Instruction) -> None:
    """Of words, to which c is added, or of bytes, packed or summed with c."""
    builder, unsigned = state.builder, bool(ins.mode & packed.UNSIGNED)
    a, b, total = (state.source(ins, name) for name in "abc")
    if not ins.mode & packed.VABSDIFF_BYTES:
        total = builder.add(total, _difference(builder, a, b, unsigned))
        state.store(ins, state.guarded(ins), total)
        return
    is_sum = ins.mode & packed.VABSDIFF_SUM
    total = total if is_sum else words(0)
    for number in _BYTES:
        left, right = (_part(builder, each, number, 8, unsigned) for each in (a, b))
        difference = _difference(builder, left, right, unsigned)
        total = builder.add(total, difference if is_sum else builder.shl(difference, words(8 * number)))
    state.store(ins, state.guarded(ins), total)


def _part(builder: ir.IRBuilder, word: ir.Value, number: int, bits: int, unsigned: bool) -> ir.Value:
    """One of the parts of a word, extended to a word."""
    above = builder.shl(word, words(32 - bits * (number + 1)))
    return (builder.lshr if unsigned else builder.ashr)(above, words(32 - bits))


def _difference(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, unsigned: bool) -> ir.Value:
    """The magnitude of the difference of two words."""
    compare = builder.icmp_unsigned if unsigned else builder.icmp_signed
    return builder.select(compare("<", a, b), builder.sub(b, a), builder.sub(a, b))
