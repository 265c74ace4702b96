"""Stretches of a kernel that are machine code of this processor, and how the interpreter calls them.

A stretch runs one warp from one of its entries until an instruction that is not its to execute; it shares the machine's
registers, predicates, barriers and memory. What else it must know, and what it counts, is in an array of integers, the
context.
"""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from simcore.core import isa
from simcore.core.execution.operands import own_at
from simcore.core.geometry import WORD_BYTES
from simcore.core.jit import jit_inline

NONE = 0
"""The address of a stretch that there is not."""

(
    ACTIVE, LIVE, BUDGET, EXECUTED, REGISTERS, SHARED_ROWS, PREDICATES, BARRIERS, BLOCK_INDEX, WARP_INDEX,
    MEMORY, BUFFERS, BUFFER_START, BUFFER_END, BUFFER_WORD, SHARED_WORD, SHARED_LIMIT, LOCAL_WORD, LOCAL_LIMIT,
    CONSTANT_WORD, CONSTANT_BYTES, LOG, LOGGED, SAMPLE, STRETCH, STEPS, CONTEXT,
) = range(27)  # fmt: skip
"""Places in the context: masks, counts and addresses of arrays; the log of accesses, how many it has, and the mask of
their lines (`trail.Trail`); then the address of the stretch, and how many instructions were interpreted."""


@intrinsic
def _call(typing_context, address, context, pc):
    """Call a stretch at an address: the address of the context, and the instruction to begin with."""

    def generate(target, builder, signature, arguments):
        word = ir.IntType(64)
        stretch = builder.inttoptr(arguments[0], ir.FunctionType(word, [word, word]).as_pointer())
        return builder.call(stretch, arguments[1:])

    return types.int64(types.int64, types.int64, types.int64), generate


@jit_inline()
def prepare(m, context, log, sample):
    """Fill in what is the same for all warps of a machine of one block slot, the log and the mask of `trail.Trail`."""
    context[LOG] = log.ctypes.data
    context[SAMPLE] = sample
    context[SHARED_ROWS] = m.registers.ctypes.data
    context[MEMORY] = m.memory.ctypes.data
    context[BUFFERS] = m.buffer_start.size
    context[BUFFER_START] = m.buffer_start.ctypes.data
    context[BUFFER_END] = m.buffer_end.ctypes.data
    context[BUFFER_WORD] = m.buffer_word.ctypes.data
    context[SHARED_WORD] = m.shared_word
    context[SHARED_LIMIT] = m.shared_limit
    context[LOCAL_LIMIT] = m.local_words * WORD_BYTES
    context[CONSTANT_WORD] = m.constant_word.ctypes.data
    context[CONSTANT_BYTES] = m.constant_bytes.ctypes.data
    context[BLOCK_INDEX] = m.block_index.ctypes.data


@jit_inline()
def run(m, context, w, budget):
    """Run the stretch as far as it goes. Returns the warp instructions executed; the warp stands at the next one."""
    context[LOGGED] = 0
    context[ACTIVE] = m.active[w]
    context[LIVE] = m.live[w]
    context[BUDGET] = budget
    context[EXECUTED] = 0
    context[LOCAL_WORD] = m.local_word + w * m.local_words * isa.LANES
    context[WARP_INDEX] = m.warp_index[w]
    context[REGISTERS] = m.registers.ctypes.data + own_at(m, w, 0) * WORD_BYTES
    context[PREDICATES] = m.predicates.ctypes.data + w * isa.PREDICATES * WORD_BYTES
    context[BARRIERS] = m.barriers.ctypes.data + w * m.barriers.shape[1] * WORD_BYTES
    m.pc[w] = _call(context[STRETCH], context.ctypes.data, m.pc[w])
    return context[EXECUTED]
