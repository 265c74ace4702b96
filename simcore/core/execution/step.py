"""Execute one instruction of one warp: hand it to the family of its operation."""

from simcore.core import isa
from simcore.core.execution import control, memory, operands, outcomes, predicates, special, warp
from simcore.core.execution.arithmetic import (
    bits,
    conversions,
    doubles,
    halves,
    integers,
    matrices,
    packed,
    singles,
)
from simcore.core.execution.lanes import guard
from simcore.core.execution.memory import access
from simcore.core.jit import jit_inline


@jit_inline()
def step(m, w):
    """Execute the warp's current instruction and move on. Returns what it came to, as `outcomes` names it."""
    pc = m.pc[w]
    ins = m.code[pc]
    family = ins.operation >> isa.FAMILY_BITS
    if family == isa.CONTROL:
        return control.execute(m, ins, w)
    action = m.action[pc]
    if action != isa.SKIP:
        lanes = m.active[w] & guard(m, ins, w)
        if family == isa.MEMORY:
            if memory.is_of_phase(ins.operation):
                return access.meet(m, ins, w, lanes, action)
            if not access.execute(m, ins, w, lanes, action):
                return outcomes.STOPPED
        else:
            _compute(m, ins, w, family, lanes)
    m.pc[w] = pc + 1
    return outcomes.GO_ON


@jit_inline()
def _compute(m, ins, w, family, lanes):
    """Sources to scratch, the family's work there, and the result to the destination."""
    if family == isa.MATRIX:
        matrices.execute(m, ins, w, lanes)
        return
    if ins.sources:
        operands.load_sources(m, ins, w)
    if family == isa.INTEGER:
        integers.execute(m, ins, w, lanes)
    elif family == isa.BITS:
        bits.execute(m, ins, w, lanes)
    elif family == isa.SINGLE:
        singles.execute(m, ins, w, lanes)
    elif family == isa.SPECIAL:
        special.execute(m, ins, w)
    elif family == isa.PREDICATE:
        predicates.execute(m, ins, w, lanes)
    elif family == isa.WARP:
        warp.execute(m, ins, w, lanes)
    elif family == isa.PACKED:
        packed.execute(m, ins, w)
    elif family == isa.CONVERSION:
        conversions.execute(m, ins)
    elif family == isa.DOUBLE:
        doubles.execute(m, ins, w, lanes)
    else:
        halves.execute(m, ins, w, lanes)
    if ins.operation == warp.R2UR and lanes:
        lanes = m.active[w]  # a uniform register has one value, whichever lane it came from
    if ins.destination_words:
        operands.store_result(m, ins, w, lanes)
