"""What one SM's blocks touch, found by executing them without time: at a tenth of the cost of timing them."""

from contextlib import suppress
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import memory, native, trail
from simcore.core.machine import Demand, Machine
from simcore.errors import SimcoreError
from simcore.lowering.program import Program
from simcore.model.machine_model import nothing_demanded
from simcore.session.counting import reads_clock
from simcore.session.likes import PAYS_INTERPRETED, Likes
from simcore.session.running import run_some
from simcore.session.session import Session


def touched_in_any_order(session: Session, blocks: NDArray[np.int64]) -> Demand | None:
    """What blocks touch and demand of L2, if it is the same however their warps take turns.

    Returns:
        None if that depends on time: on the clock, on what others store, or, of local memory, on the warp's slot. Also
        where atomics aim at more than shared memory, because what L2 keeps of their targets does; and where the kernel
        does not reach its end, which timing reports.
    """
    if _depends_on_time(session, session.actions(slicing.for_timing)):
        return None
    warps = session.launch.warps_per_block

    def core(machine: Machine) -> Demand:
        demand = nothing_demanded(session.gpu, session.launch, warps)
        likes = Likes(session, machine, blocks, most=isa.NEVER, pays=PAYS_INTERPRETED)
        done = len(likes.run(blocks, demanded=demand))
        context, log = np.zeros(native.CONTEXT, np.int64), trail.trail_of(0, 0, isa.NEVER)
        if made := session.logging.get(machine.action.tobytes()):
            context[native.STRETCH] = made.address
        run_some(machine, context, blocks[done:], noted=log, demanded=demand)
        return demand

    with suppress(SimcoreError):
        demand = session.run(slicing.for_tracing, warps, 1, core)
        return None if _depends_on_time(session, session.actions(slicing.for_timing)) else demand
    return None


def is_said_by_code(session: Session) -> bool:
    """Whether the code alone says that what blocks touch does not depend on time: whatever they read, they need nothing
    that others may have stored."""
    return not _depends_on_time(session, slicing.for_timing(session.program))


def _depends_on_time(session: Session, action: slicing.Actions) -> bool:
    return bool(session.launch.stack_bytes) or _follows_time(session.program, action.tobytes())


@lru_cache(maxsize=64)
def _follows_time(program: Program, action: bytes) -> bool:
    """Whether what a kernel touches may depend on time, if that is executed of it."""
    operation, actions = program.code["operation"], np.frombuffer(action, np.uint8)
    executed = np.flatnonzero(actions[: len(program.effects)] == isa.EXECUTE)
    of_phases = (operation >= memory.ARRIVE_AT_PHASE) & (operation <= memory.ARRIVE_WITH_COPIES)
    at_l2 = (operation == memory.ATOMIC) & (program.code["space"] != isa.SPACE_SHARED)
    return bool(
        any(program.effects[i].memory_writes for i in executed)
        or of_phases.any()
        or at_l2.any()
        or reads_clock(program, actions)
    )
