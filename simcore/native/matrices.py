"""Products of matrices of floats on the tensor cores; those of integers, bytes and doubles are the interpreter's.

The lanes hold fragments as the PTX ISA lays them out: lane 4 g + t has rows g and g + 8 of A, and of the sums columns
2 t and 2 t + 1 in these rows; lane 4 c + t has column c of B.
"""

from functools import partial

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution.arithmetic import matrices
from simcore.native import library
from simcore.native.floats import word_of
from simcore.native.halves import singles_of
from simcore.native.operations import emits
from simcore.native.state import Instruction, State
from simcore.native.vectors import (
    DOUBLES,
    FLOATS,
    LONG,
    POINTER,
    ROW_ALIGNMENT,
    WORD,
    WORDS,
    declared,
    words,
)

_PER_WORD = {matrices.F16: 2, matrices.BFLOAT: 2, matrices.TF32: 1}
"""Elements of A and B in a word, of the kinds that are known; sums are singles."""

_TF32_BITS = 0xFFFF_E000
_SUMS = 4


@emits(matrices.HMMA, where=lambda ins: ins.mode in _PER_WORD)
def _hmma(state: State, ins: Instruction) -> None:
    """Nothing is stored without all 32 lanes."""
    builder = state.builder
    registers = ins.value // (4 * _PER_WORD[ins.mode])
    a = [state.row_after(ins.a, k) for k in range(2 * registers)]
    b = [state.row_after(ins.b, k) for k in range(registers)]
    name = f"simcore_product_{ins.mode}_{ins.value}"
    takes = [POINTER, *[WORDS] * (3 * registers)]
    product = library.function(
        builder.module, name, ir.VoidType(), takes, partial(_emit_product, ins.mode, ins.value)
    )
    for k in range(_SUMS):
        builder.store(state.row_after(ins.c, k), state.spare_row(k), align=ROW_ALIGNMENT)
    builder.call(product, [state.spare, *a, *b])
    lanes = state.all_or_none(state.guarded(ins))
    for k in range(_SUMS):
        total = builder.load(state.spare_row(k), typ=WORDS, align=ROW_ALIGNMENT)
        state.set_row(ins.destination + k, total, lanes)


def _emit_product(kind: int, depth: int, function: ir.Function) -> None:
    """A function that takes the place of C's four rows, which it replaces by D's, and the rows of A and of B.

    Products are exact as doubles; their sums are rounded one after another, in the order of k.
    """
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    place, *rows = function.args
    elements = [_elements(builder, row, kind) for row in rows]
    a, b = elements[: len(rows) // 3 * 2], elements[len(rows) // 3 * 2 :]
    at = [builder.gep(place, [LONG(k * isa.LANES)], source_etype=WORD) for k in range(_SUMS)]
    sums = [_wide(builder, builder.load(row, typ=FLOATS, align=ROW_ALIGNMENT)) for row in at]
    fma = declared(builder.module, "llvm.fma.v32f64", DOUBLES, [DOUBLES] * 3)
    for k in range(depth):
        word, part = divmod(k, _PER_WORD[kind])
        register, lane = divmod(word, 4)
        of_rows = [_taken(builder, a[2 * register + half][part], _of_row(lane)) for half in range(2)]
        of_columns = [_taken(builder, b[register][part], _of_column(side, lane)) for side in range(2)]
        for number, total in enumerate(sums):
            sums[number] = builder.call(fma, [of_rows[number // 2], of_columns[number % 2], total])
    for row, total in zip(at, sums, strict=True):
        builder.store(word_of(builder, builder.fptrunc(total, FLOATS)), row, align=ROW_ALIGNMENT)
    builder.ret_void()


def _elements(builder: ir.IRBuilder, row: ir.Value, kind: int) -> list[ir.Value]:
    """The elements in each lane's word, as singles."""
    if kind == matrices.TF32:
        return [builder.bitcast(builder.and_(row, words(_TF32_BITS)), FLOATS)]
    return singles_of(builder, row, kind == matrices.BFLOAT)


def _of_row(lane: int) -> list[int]:
    """The lanes that hold what each lane's row has at a lane of four."""
    return [x // 4 * 4 + lane for x in range(isa.LANES)]


def _of_column(side: int, lane: int) -> list[int]:
    """The lanes that hold what each lane's first or second column has at a lane of four."""
    return [(x % 4 * 2 + side) * 4 + lane for x in range(isa.LANES)]


def _taken(builder: ir.IRBuilder, values: ir.Value, lanes: list[int]) -> ir.Value:
    """Singles of other lanes, as doubles."""
    return _wide(builder, builder.shuffle_vector(values, values, ir.Constant(WORDS, lanes)))


def _wide(builder: ir.IRBuilder, values: ir.Value) -> ir.Value:
    return builder.fpext(values, DOUBLES)
