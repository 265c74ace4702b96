"""The families of operations: units of the compiled core, of which a kernel needs a few.

Each executes one instruction of one warp, for the lanes that its guard lets through, and returns what it came to, as
`outcomes` names it. Those of arithmetic find their sources in scratch, and leave the result there.
"""

from typing import Any

from numba import config

from simcore.core import isa
from simcore.core.execution import control, memory, outcomes, predicates, special, warp
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
from simcore.core.execution.memory import access
from simcore.core.jit import unit, units
from simcore.core.machine import Machine


def run(entry_point: Any, machine: Machine, *arguments: Any) -> Any:
    """Call an entry point of the core on a machine, with the families that its kernel needs.

    An entry point that is not compiled yet is before these: another process may be at them meanwhile.
    """
    if not config.DISABLE_JIT and not entry_point.is_compiled:
        entry_point.compile_for(machine, *arguments)
    if machine.units.max() < isa.FAMILIES:
        units.prepare(machine, machine.code["operation"] >> isa.FAMILY_BITS)
    return entry_point(machine, *arguments)


@unit(isa.CONTROL)
def steer(m, ins, w, _lanes):
    """What steers the warp."""
    return control.execute(m, ins, w)


@unit(isa.MEMORY)
def access_memory(m, ins, w, lanes):
    """Loads, stores, atomics, copies and asynchronous barriers."""
    action = m.action[m.pc[w]]
    if memory.is_of_phase(ins.operation):
        return access.meet(m, ins, w, lanes, action)
    if not access.execute(m, ins, w, lanes, action):
        return outcomes.STOPPED
    m.pc[w] += 1
    return outcomes.GO_ON


@unit(isa.INTEGER, isa.BITS, isa.SPECIAL, isa.PREDICATE)
def compute_words(m, ins, w, lanes):
    """Words, predicates and special registers."""
    family = ins.operation >> isa.FAMILY_BITS
    if family == isa.INTEGER:
        integers.execute(m, ins, w, lanes)
    elif family == isa.BITS:
        bits.execute(m, ins, w, lanes)
    elif family == isa.SPECIAL:
        special.execute(m, ins, w)
    else:
        predicates.execute(m, ins, w, lanes)
    return outcomes.GO_ON


@unit(isa.SINGLE)
def compute_singles(m, ins, w, lanes):
    """Single precision."""
    singles.execute(m, ins, w, lanes)
    return outcomes.GO_ON


@unit(isa.WARP)
def look_across_lanes(m, ins, w, lanes):
    """Shuffles, votes, reductions."""
    warp.execute(m, ins, w, lanes)
    return outcomes.GO_ON


@unit(isa.PACKED)
def compute_packed(m, ins, w, _lanes):
    """Parts of words."""
    packed.execute(m, ins, w)
    return outcomes.GO_ON


@unit(isa.CONVERSION)
def convert(m, ins, _w, _lanes):
    """From one format to another."""
    conversions.execute(m, ins)
    return outcomes.GO_ON


@unit(isa.DOUBLE)
def compute_doubles(m, ins, w, lanes):
    """Double precision."""
    doubles.execute(m, ins, w, lanes)
    return outcomes.GO_ON


@unit(isa.HALF)
def compute_halves(m, ins, w, lanes):
    """Half precision."""
    halves.execute(m, ins, w, lanes)
    return outcomes.GO_ON


@unit(isa.MATRIX)
def multiply_matrices(m, ins, w, lanes):
    """Products of matrices."""
    matrices.execute(m, ins, w, lanes)
    return outcomes.GO_ON
