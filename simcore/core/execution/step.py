"""Execute one instruction of one warp: hand it to the family of its operation."""

from simcore.core import isa
from simcore.core.execution import control, operands, outcomes, warp
from simcore.core.execution.lanes import guard
from simcore.core.execution.memory import access
from simcore.core.jit import call, jit_inline


@jit_inline()
def step(m, w):
    """Execute the warp's current instruction and move on. Returns what it came to, as `outcomes` names it."""
    pc = m.pc[w]
    ins = m.code[pc]
    family = ins.operation >> isa.FAMILY_BITS
    if family == isa.CONTROL:
        return _steer(m, ins, w, pc)
    action = m.action[pc]
    if action != isa.SKIP:
        lanes = m.active[w] & guard(m, ins, w)
        if family != isa.MEMORY:
            _compute(m, ins, w, family, lanes)
        elif not access.only_addresses(ins, action):
            return call(m.units[family], m, ins, w, lanes)
        elif not access.address(m, ins, w, lanes):
            return outcomes.STOPPED
    m.pc[w] = pc + 1
    return outcomes.GO_ON


@jit_inline()
def _steer(m, ins, w, pc):
    """A branch that all lanes take, or none, needs no unit."""
    if ins.operation == control.BRA:
        taken = control.taking(m, ins, w)
        if taken == m.active[w]:
            return control.go_together(m, w, ins.target)
        if taken == 0:
            return control.go_together(m, w, pc + 1)
    return call(m.units[isa.CONTROL], m, ins, w, m.active[w])


@jit_inline()
def _compute(m, ins, w, family, lanes):
    """Sources to scratch, the family's work there, and the result to the destination."""
    if family == isa.MATRIX:
        call(m.units[family], m, ins, w, lanes)
        return
    if ins.sources:
        operands.load_sources(m, ins, w)
    call(m.units[family], m, ins, w, lanes)
    if ins.operation == warp.R2UR and lanes:
        lanes = m.active[w]  # a uniform register has one value, whichever lane it came from
    if ins.destination_words:
        operands.store_result(m, ins, w, lanes)
