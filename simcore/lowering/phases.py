"""Asynchronous barriers (mbarrier), and what programs that use them have besides."""

from simcore.core import isa
from simcore.core.execution import control, memory
from simcore.core.execution.arithmetic import integers
from simcore.core.execution.memory import atomics, phases
from simcore.lowering.operands import RZ
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand

BARRIER_BYTES = 8

_ARRIVALS = {
    "A1T0": phases.ARRIVE_ONE,
    "ART0": phases.ARRIVE_SOURCE,
    "A0T1": phases.EXPECT_ONE,
    "A0TR": phases.EXPECT_SOURCE,
    "A0TX": phases.COMPLETE_SOURCE,
}
_ARRIVE_AND_EXPECT = phases.ARRIVE_ONE | phases.EXPECT_SOURCE
_WITH_COPIES = {"ARVCNT": phases.ARRIVE_ONE, "TRANSCNT": phases.COMPLETE_ONE}


def _barrier(p: Packed, operand: Operand, mode: int) -> None:
    p.address(operand, isa.SPACE_SHARED)
    p.set(width=BARRIER_BYTES, mode=mode)
    p.reads_memory(isa.SPACE_SHARED)
    p.writes_memory(isa.SPACE_SHARED)


@lowers("SYNCS", unit=isa.UNIT_ADU, latency=isa.LATENCY_MEMORY, is_timed_by_result=True)
def _syncs(p: Packed) -> None:
    if p.has("ARRIVE"):
        _arrive(p)
    elif p.has("PHASECHK"):
        _check(p)
    elif p.has("EXCH"):
        _exchange(p)
    elif p.has("CCTL") and (p.has("IV") or p.has("IVALL")):
        p.set(operation=control.NOP, unit=isa.UNIT_BRANCH, latency=isa.LATENCY_FIXED)
        p.reads(*p.instruction.operands)
    else:
        raise p.refuse()


def _arrive(p: Packed) -> None:
    destination, barrier, count = p.instruction.operands
    mode = p.choice(_ARRIVALS, _ARRIVE_AND_EXPECT)
    if not p.has("TRANS64"):
        raise p.refuse()
    if p.has("OPTOUT"):
        mode |= phases.DROP
    if p.has("TMASK"):
        mode |= phases.LANES_TOGETHER
    if p.has("RED"):
        p.nothing([destination])
    p.set(operation=memory.ARRIVE_AT_PHASE)
    p.destination(destination, 2)
    p.integers(count)
    _barrier(p, barrier, mode)


def _check(p: Packed) -> None:
    over, barrier, state = p.instruction.operands
    if not p.has("TRANS64"):
        raise p.refuse()
    p.set(operation=memory.CHECK_PHASE)
    p.predicates_out([over])
    p.integers(state)
    _barrier(p, barrier, phases.MAY_SUSPEND if p.has("TRYWAIT") else 0)


def _exchange(p: Packed) -> None:
    destination, barrier, value = p.instruction.operands
    if not p.has("64"):
        raise p.refuse()
    p.set(operation=memory.ATOMIC, unit=isa.UNIT_MIO)
    p.destination(destination, 2)
    p.integers(value, words=(2,), pairs=1)
    _barrier(p, barrier, atomics.EXCHANGE)


def arrive_before_sm90(p: Packed) -> None:
    """ATOMS.ARRIVE.64."""
    destination, barrier = p.instruction.operands
    if not p.has("64"):
        raise p.refuse()
    p.set(operation=memory.ARRIVE_AT_PHASE, unit=isa.UNIT_ADU)
    p.destination(destination, 2)
    p.integers(RZ)
    _barrier(p, barrier, phases.ARRIVE_ONE | phases.SPLIT)


@lowers(
    "ARRIVES",
    operation=memory.ARRIVE_WITH_COPIES,
    unit=isa.UNIT_ADU,
    latency=isa.LATENCY_MEMORY,
    is_timed_by_result=True,
)
def _arrives(p: Packed) -> None:
    (barrier,) = p.instruction.operands
    if not (p.has("LDGSTSBAR") and p.has("64")):
        raise p.refuse()
    _barrier(p, barrier, p.choice(_WITH_COPIES, phases.ARRIVE_ONE | phases.SPLIT))


@lowers("FENCE", operation=control.NOP, unit=isa.UNIT_BRANCH, without_effect="S G")
def _fence(p: Packed) -> None:
    """Between the accesses of threads and those of the asynchronous proxy (TMA), which is not modelled."""
    if not (p.has("VIEW") and p.has("ASYNC")):
        raise p.refuse()


@lowers("RPCMOV", operation=integers.MOV, unit=isa.UNIT_ALU)
def _rpcmov(p: Packed) -> None:
    destination, source = p.instruction.operands
    if not p.has("32"):
        raise p.refuse()
    halves = {"Rpc.LO": p.rows.return_address, "Rpc.HI": p.rows.return_address + 1}
    if destination.text in halves:
        p.destination_row(destination, halves[destination.text])
        p.integers(source)
    elif source.text in halves:
        p.destination(destination)
        p.source_row(source, halves[source.text])
    else:
        raise p.refuse()
