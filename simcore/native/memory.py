"""Loads and stores whose lanes all lie in one buffer, or in shared or local memory; others are the interpreter's.

An access that the interpreter must see (out of bounds, not aligned, in several buffers or in one whose contents are not
kept) leaves the stretch before it has done anything.
"""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import memory, native
from simcore.core.execution.memory import moves
from simcore.core.geometry import WORD_BYTES
from simcore.lowering.program import ZERO_ROWS
from simcore.native import access
from simcore.native.log import Logged
from simcore.native.state import Instruction, State
from simcore.native.vectors import LONG, ROW_ALIGNMENT, WORD, WORDS, first_lane, splat, words


def is_known(ins: Instruction, action: int) -> bool:
    """Whether an access can be emitted."""
    if ins.operation == memory.LOAD_CONSTANT:
        return action == isa.ADDRESS_ONLY or (-ZERO_ROWS <= ins.a < 0 and ins.width >= WORD_BYTES)
    if ins.space == isa.SPACE_GENERIC or ins.width > moves.QUAD_BYTES:
        return False
    if action == isa.ADDRESS_ONLY:
        return ins.operation in (memory.LOAD, memory.STORE, memory.ATOMIC)
    return ins.operation in (memory.LOAD, memory.STORE) and ins.width >= WORD_BYTES


def stores(ins: Instruction, action: int) -> bool:
    """Whether an access changes memory, where executing it twice would be once too often."""
    return ins.operation == memory.STORE and action == isa.EXECUTE


def emit(state: State, ins: Instruction, action: int, logged: Logged | None, leave: ir.Block) -> None:
    """Emit an access.

    Args:
        logged: what the log takes of it; None if there is no log.
        leave: where to go if it cannot be made here.
    """
    if ins.operation != memory.LOAD_CONSTANT:
        _access(state, ins, action, logged, leave)
    elif action == isa.EXECUTE:
        _load_constant(state, ins, leave)


def _access(state: State, ins: Instruction, action: int, logged: Logged | None, leave: ir.Block) -> None:
    """An access to global, shared or local memory."""
    builder, lanes = state.builder, state.guarded(ins)
    form = _form(ins, action, logged is not None)
    if form.moves == access.WRITES:
        for k in range(form.words):
            builder.store(state.row_after(ins.a, k), _spare_row(state, k), align=ROW_ALIGNMENT)
    known = [state.context.address, *_base(state, ins, form), _offset(state, ins, lanes), lanes, state.spare]
    known += logged if form.is_logged and logged else ()
    _go_on_if(state, builder.call(access.function_of(builder.module, form), known), leave)
    if form.moves == access.READS:
        for k in range(form.words):
            row = builder.load(_spare_row(state, k), typ=WORDS, align=ROW_ALIGNMENT)
            state.set_row(ins.destination + k, row, lanes)


def _form(ins: Instruction, action: int, logs: bool) -> access.Form:
    moves = access.NOTHING
    if ins.space == isa.SPACE_GLOBAL and ins.operation != memory.LOAD:
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


def _spare_row(state: State, row: int) -> ir.Value:
    """The address of a spare row."""
    return state.builder.gep(state.spare, [LONG(row * isa.LANES)], source_etype=WORD)


def _load_constant(state: State, ins: Instruction, leave: ir.Block) -> None:
    """A constant at a fixed address."""
    builder, bank, lanes = state.builder, LONG(ins.mode), state.guarded(ins)
    size = builder.load(state.element(native.CONSTANT_BYTES, bank, LONG), typ=LONG)
    _go_on_if(state, builder.icmp_signed("<=", LONG(ins.value + ins.width), size), leave)
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


def _go_on_if(state: State, holds: ir.Value, leave: ir.Block) -> None:
    on = state.builder.append_basic_block("possible")
    state.builder.cbranch(holds, on, leave)
    state.builder.position_at_end(on)
