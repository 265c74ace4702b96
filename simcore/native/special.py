"""Special registers that say where a thread is, and the one that is zero."""

from llvmlite import ir

from simcore.core import isa
from simcore.core.execution import native, special
from simcore.native.state import Instruction, State
from simcore.native.vectors import LANE_NUMBERS, LONG, WORD, splat, words

Shape = tuple[int, int, int]

_OF_THREADS = (special.TID_X, special.TID_Y, special.TID_Z)
_OF_BLOCKS = (special.CTAID_X, special.CTAID_Y, special.CTAID_Z)


def is_known(ins: Instruction) -> bool:
    """Whether a read of a special register can be emitted."""
    if ins.operation == special.CLOCK:
        return ins.value == special.CLOCK_ZERO
    registers = (special.LANEID, special.WARPID, special.ZERO, *_OF_THREADS, *_OF_BLOCKS)
    return ins.operation == special.S2R and ins.value in registers and ins.destination_words == 1


def emit(state: State, ins: Instruction, block: Shape) -> None:
    """Emit a read; threads are numbered by the shape of the block."""
    if ins.operation == special.CLOCK:
        state.store(ins, state.guarded(ins), words(0), words(0))
        return
    state.set_row(ins.destination, _value(state, ins.value, block), state.guarded(ins))


def _value(state: State, register: int, block: Shape) -> ir.Value:
    builder = state.builder
    if register == special.LANEID:
        return LANE_NUMBERS
    if register == special.ZERO:
        return words(0)
    if register in _OF_BLOCKS:
        at = state.element(native.BLOCK_INDEX, LONG(_OF_BLOCKS.index(register)), LONG)
        return splat(builder, builder.trunc(builder.load(at, typ=LONG), WORD))
    warp = splat(builder, builder.trunc(state.context.known(native.WARP_INDEX), WORD))
    if register == special.WARPID:
        return warp
    thread = builder.add(builder.mul(warp, words(isa.LANES)), LANE_NUMBERS)
    return _along(state, thread, _OF_THREADS.index(register), block)


def _along(state: State, thread: ir.Value, axis: int, block: Shape) -> ir.Value:
    """A thread's index along an axis; only of threads that the block has."""
    builder = state.builder
    for size in block[:axis]:
        thread = builder.udiv(thread, words(size))
    last = all(size == 1 for size in block[axis + 1 :])
    return thread if last else builder.urem(thread, words(block[axis]))
