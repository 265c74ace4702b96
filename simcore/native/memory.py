"""Loads and stores whose lanes all lie in one buffer, or in shared or local memory; others are the interpreter's.

An access that the interpreter must see (out of bounds, not aligned, in several buffers or in one whose contents are not
kept) leaves the stretch before it has done anything.
"""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import memory, native
from simcore.core.execution.memory import moves, shared
from simcore.core.geometry import WORD_BYTES
from simcore.lowering.program import ZERO_ROWS
from simcore.native import access
from simcore.native.halves import HALF, HALF_BITS
from simcore.native.log import Logged
from simcore.native.state import Instruction, State
from simcore.native.vectors import BITS, LONG, ROW_ALIGNMENT, WORD, WORDS, first_lane, splat, words

_OF_MATRICES = (memory.LOAD_MATRIX, memory.STORE_MATRIX)
_MATRIX_ROW_BYTES = 16


def is_known(ins: Instruction, action: int) -> bool:
    """Whether an access can be emitted."""
    if ins.operation == memory.LOAD_CONSTANT:
        return action == isa.ADDRESS_ONLY or (-ZERO_ROWS <= ins.a < 0 and ins.width >= WORD_BYTES)
    if ins.space == isa.SPACE_GENERIC or ins.width > moves.QUAD_BYTES:
        return False
    if ins.operation == memory.COPY_TO_SHARED:
        return _copies_all(ins)
    if action == isa.ADDRESS_ONLY:
        return ins.operation in (memory.LOAD, memory.STORE, memory.ATOMIC, *_OF_MATRICES)
    if ins.operation == memory.LOAD_MATRIX:
        return True
    return ins.operation in (memory.LOAD, memory.STORE)


def _copies_all(ins: Instruction) -> bool:
    """Whether LDGSTS copies all bytes of all lanes."""
    predicate = (ins.predicate_in_0, ins.predicate_in_0_flip)
    return predicate == (isa.PREDICATE_TRUE, 0) and ins.signed != shared.ZERO_FILL


def stores(ins: Instruction, action: int) -> bool:
    """Whether an access changes memory, where executing it twice would be once too often."""
    return ins.operation in (memory.STORE, memory.COPY_TO_SHARED) and action == isa.EXECUTE


def emit(state: State, ins: Instruction, action: int, logged: Logged | None) -> None:
    """Emit an access.

    Args:
        logged: what the log takes of it; None if there is no log.
    """
    if ins.operation == memory.LOAD_MATRIX and action == isa.EXECUTE:
        _load_matrices(state, ins)
    elif ins.operation == memory.COPY_TO_SHARED and action == isa.EXECUTE:
        _copy_to_shared(state, ins, logged)
    elif ins.operation != memory.LOAD_CONSTANT:
        _access(state, ins, action, logged)
    elif action == isa.EXECUTE:
        _load_constant(state, ins)


def _access(state: State, ins: Instruction, action: int, logged: Logged | None) -> None:
    """An access to global, shared or local memory."""
    builder, lanes = state.builder, state.guarded(ins)
    form = _form(ins, action, logged is not None)
    if form.moves == access.WRITES:
        for k in range(form.words):
            builder.store(state.row_after(ins.a, k), state.spare_row(k), align=ROW_ALIGNMENT)
    _call(state, ins, form, lanes, logged)
    if form.moves == access.READS:
        for k in range(form.words):
            row = builder.load(state.spare_row(k), typ=WORDS, align=ROW_ALIGNMENT)
            if form.is_part and ins.signed:
                row = _sign_extended(builder, row, ins.width)
            state.set_row(ins.destination + k, row, lanes)


def _sign_extended(builder: ir.IRBuilder, row: ir.Value, size: int) -> ir.Value:
    """Words of which the lowest bytes are signed integers."""
    above = words(8 * (WORD_BYTES - size))
    return builder.ashr(builder.shl(row, above), above)


def _call(
    state: State,
    ins: Instruction,
    form: access.Form,
    lanes: ir.Value,
    logged: Logged | None,
) -> None:
    """Call the function of an access at an instruction's address."""
    known = [state.context.address, *_base(state, ins, form), _offset(state, ins, lanes), lanes, state.spare]
    known += logged if form.is_logged and logged else ()
    state.go_on_if(state.builder.call(access.function_of(state.builder.module, form), known))


def _copy_to_shared(state: State, ins: Instruction, logged: Logged | None) -> None:
    """LDGSTS: from global memory to the shared address that sources a and b and the displacement in `mode` give."""
    builder, lanes = state.builder, state.guarded(ins)
    source = _form(ins, isa.EXECUTE, logged is not None)._replace(moves=access.READS)
    _call(state, ins, source, lanes, logged)
    target = access.Form(isa.SPACE_SHARED, ins.width, access.WRITES, False, 0, False)
    base = builder.add(state.row(ins.a), state.row(ins.b))
    known = [state.context.address, base, LONG(ins.mode), lanes, state.spare]
    state.go_on_if(builder.call(access.function_of(builder.module, target), known))


def _load_matrices(state: State, ins: Instruction) -> None:
    """LDSM: lane 8 j + i has the address of row i of matrix j. Nothing is moved without all 32 lanes."""
    builder, lanes = state.builder, state.guarded(ins)
    form = _form(ins, isa.EXECUTE, False)._replace(width=_MATRIX_ROW_BYTES, moves=access.READS)
    _call(state, ins, form, lanes, None)
    rows = [builder.load(state.spare_row(k), typ=WORDS, align=ROW_ALIGNMENT) for k in range(form.words)]
    load = _transposed if ins.mode == shared.TRANSPOSED else _as_stored
    for j in range(ins.width // WORD_BYTES):
        state.set_row(ins.destination + j, load(builder, rows, 8 * j), state.all_or_none(lanes))


def _as_stored(builder: ir.IRBuilder, rows: list[ir.Value], first: int) -> ir.Value:
    """Each lane's word of a matrix whose rows lanes from the first on have: four lanes share a row."""
    return _picked(builder, rows, [(x % 4, first + x // 4) for x in range(isa.LANES)])


def _transposed(builder: ir.IRBuilder, rows: list[ir.Value], first: int) -> ir.Value:
    """The same of a matrix of halves that is transposed: four lanes share a column."""
    upper, lower = (
        _picked(builder, rows, [(x // 8, first + x % 4 * 2 + half) for x in range(isa.LANES)])
        for half in range(2)
    )
    is_even = ir.Constant(BITS, [x // 4 % 2 == 0 for x in range(isa.LANES)])
    even = builder.or_(builder.and_(upper, words(HALF)), builder.shl(lower, words(HALF_BITS)))
    odd = builder.or_(builder.lshr(upper, words(HALF_BITS)), builder.and_(lower, words(~HALF)))
    return builder.select(is_even, even, odd)


def _picked(builder: ir.IRBuilder, rows: list[ir.Value], places: list[tuple[int, int]]) -> ir.Value:
    """For each lane a word of one of four rows: the number of the row, and the lane there."""
    of_two = ir.Constant(WORDS, [row % 2 * isa.LANES + lane for row, lane in places])
    low, high = (builder.shuffle_vector(rows[k], rows[k + 1], of_two) for k in (0, 2))
    return builder.select(ir.Constant(BITS, [row < 2 for row, _ in places]), low, high)


def _form(ins: Instruction, action: int, logs: bool) -> access.Form:
    moves = access.NOTHING
    if ins.space == isa.SPACE_GLOBAL and ins.operation in (memory.STORE, memory.ATOMIC):
        moves = access.DISCARDS
    if action == isa.EXECUTE:
        moves = access.READS if ins.operation == memory.LOAD else access.WRITES
    wide = bool(ins.address_mode & isa.ADDRESS_BASE_64)
    scale = 0 if wide else ins.address_mode >> isa.ADDRESS_SCALE_SHIFT
    wide &= ins.space == isa.SPACE_GLOBAL
    return access.Form(ins.space, ins.width, moves, wide, scale, logs)


def _base(state: State, ins: Instruction, form: access.Form) -> list[ir.Value]:
    """The rows of the base register."""
    if not ins.address_mode & isa.ADDRESS_HAS_BASE:
        return [words(0)] * form.base_words
    return [state.row_after(ins.address_base, k) for k in range(form.base_words)]


def _load_constant(state: State, ins: Instruction) -> None:
    """A constant at a fixed address."""
    builder, bank, lanes = state.builder, LONG(ins.mode), state.guarded(ins)
    size = builder.load(state.element(native.CONSTANT_BYTES, bank, LONG), typ=LONG)
    state.go_on_if(builder.icmp_signed("<=", LONG(ins.value + ins.width), size))
    first = builder.load(state.element(native.CONSTANT_WORD, bank, LONG), typ=LONG)
    for k in range(ins.width // WORD_BYTES):
        at = builder.add(first, LONG(ins.value // WORD_BYTES + k))
        word = builder.load(state.element(native.MEMORY, at), typ=WORD)
        state.set_row(ins.destination + k, splat(builder, word), lanes)


def _offset(state: State, ins: Instruction, lanes: ir.Value) -> ir.Value:
    """What is added to the base: the displacement, and the first lane's uniform register."""
    builder, mode, source = state.builder, ins.address_mode, ins.address_uniform
    if not mode & isa.ADDRESS_HAS_UNIFORM:
        return LONG(ins.value)
    first = first_lane(builder, lanes)
    uniform = builder.zext(state.word(source, first), LONG)
    if mode & isa.ADDRESS_UNIFORM_64:
        high = state.word(source + 1 if source >= 0 else source - 1, first)
        uniform = builder.or_(uniform, builder.shl(builder.zext(high, LONG), LONG(32)))
    return builder.add(uniform, LONG(ins.value))
