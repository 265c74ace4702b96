"""A slice that leaves out accesses to memory of an SM touches the same of global memory, in the same order."""

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import native, trail
from simcore.core.machine import Machine
from simcore.session.running import run_some
from simcore.session.session import Session
from testing.families import session_of

BLOCKS = 6


def touched(session: Session, what: slicing.Slice) -> NDArray[np.int64]:
    """What the first blocks touch, as `trail` notes it."""
    blocks = np.arange(min(BLOCKS, session.launch.blocks))

    def core(machine: Machine) -> NDArray[np.int64]:
        notes = trail.trail_of(1 << 20, 0, isa.NEVER)
        run_some(machine, np.zeros(native.CONTEXT, np.int64), blocks, noted=notes)
        return notes.entries[: notes.noted[0]].copy()

    return session.run(what, session.launch.warps_per_block, 1, core)


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
@pytest.mark.parametrize(
    "kernel",
    [
        "matmul_tiled",
        "scan_shared",
        "histogram",
        "sparse_rows",
        "gather",
        "spilled_registers",
        "dynamic_local",
    ],
)
def test_the_same_is_touched_in_the_same_order(kernel: str, gpu: str) -> None:
    traced, timed = (
        touched(session_of(kernel, gpu), what) for what in (slicing.for_tracing, slicing.for_timing)
    )
    np.testing.assert_array_equal(traced, timed)
    assert len(traced)


def test_accesses_to_shared_memory_are_left_out() -> None:
    program = session_of("matmul_tiled", "h200").program
    actions = slicing.for_tracing(program, False)
    action = {i.opcode: a for i, a in zip(program.instructions, actions, strict=True)}
    assert action["LDG"] == action["STG"] == isa.ADDRESS_ONLY
    assert action["LDS"] == action["STS"] == isa.SKIP
