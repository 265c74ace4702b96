"""Kernels executed natively are counted, and leave memory, as the interpreter does it."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import native, trail
from simcore.core.machine import Demand, Machine
from simcore.model.machine_model import nothing_demanded
from simcore.native import Stretch, stretch_of
from simcore.session import counting, likes
from simcore.session.running import Counts, run_some
from simcore.session.session import Session
from testing.families import session_of

KERNELS = (
    "sparse_rows", "collatz", "mandelbrot", "scan_shared", "reduction_tree", "histogram", "interpreter", "nbody",
    "matmul_tiled", "stencil_2d", "switch_table", "unequal_blocks", "softmax_warp", "barrier_imbalance",
    "spilled_registers", "dynamic_local", "gather", "tensor_core", "async_matmul", "special_functions",
)  # fmt: skip
GPUS = ("a100-80gb", "h200", "b200")
BLOCKS = 6


def whole(session: Session, machine: Machine, *, logs: bool = False) -> Stretch:
    """The whole kernel as native code."""
    visited = np.ones(len(machine.action), np.uint8)
    return stretch_of(session.program, machine.action, visited, session.launch.block, logs=logs)


def run(session: Session, what: slicing.Slice, natively: bool) -> tuple[Counts, NDArray[np.uint32]]:
    """The warp instructions of the first blocks, and the memory behind them."""
    launch = session.launch
    context = np.zeros(native.CONTEXT, np.int64)

    def core(machine: Machine) -> tuple[Counts, NDArray[np.uint32]]:
        if natively:
            context[native.STRETCH] = whole(session, machine).address
        return run_some(machine, context, np.arange(min(BLOCKS, launch.blocks))), machine.memory.copy()

    return session.run(what, launch.warps_per_block, 1, core)


def assert_equal(counts: Counts, expected: Counts) -> None:
    np.testing.assert_array_equal(counts.executed, expected.executed)
    np.testing.assert_array_equal(counts.longest, expected.longest)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_does_the_same_natively(kernel: str, gpu: str) -> None:
    session = session_of(kernel, gpu)
    for what in (slicing.for_counting, slicing.everything):
        counted, memory = run(session, what, natively=False)
        natively_counted, native_memory = run(session, what, natively=True)
        assert_equal(natively_counted, counted)
        np.testing.assert_array_equal(native_memory, memory)


@pytest.mark.parametrize("most", [isa.NEVER, 300, 5])
@pytest.mark.parametrize("kernel", KERNELS)
def test_accesses_are_noted_alike(kernel: str, most: int) -> None:
    """Those to lines of the sample, in their order, and whether or not warps are run to their end."""
    session = session_of(kernel, "h200")
    launch, mask = session.launch, 3

    def core(machine: Machine, natively: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        context = np.zeros(native.CONTEXT, np.int64)
        if natively:
            context[native.STRETCH] = whole(session, machine, logs=True).address
        notes = trail.trail_of(1 << 20, mask, most)
        blocks = np.arange(min(BLOCKS, launch.blocks))
        executed = run_some(machine, context, blocks, noted=notes).executed
        return executed, notes.entries[: notes.noted[0]]

    interpreted, natively = (
        session.run(slicing.for_timing, launch.warps_per_block, 1, partial(core, natively=how))
        for how in (False, True)
    )
    np.testing.assert_array_equal(natively[0], interpreted[0])
    np.testing.assert_array_equal(natively[1], interpreted[1])
    assert len(interpreted[1]) or most < isa.NEVER


@pytest.mark.parametrize("kernel", KERNELS)
def test_as_much_is_demanded(kernel: str) -> None:
    """The same lines, in an order in which as many are claimed again."""
    session = session_of(kernel, "h200")
    warps = session.launch.warps_per_block

    def core(machine: Machine, natively: bool) -> Demand:
        context, log = np.zeros(native.CONTEXT, np.int64), trail.trail_of(0, 0, isa.NEVER)
        if natively:
            context[native.STRETCH] = whole(session, machine, logs=True).address
        demand = nothing_demanded(session.gpu, session.launch, warps)._replace(l2_lines=64)
        run_some(machine, context, np.arange(min(BLOCKS, session.launch.blocks)), noted=log, demanded=demand)
        return demand

    for what in (slicing.for_tracing, slicing.for_timing):
        interpreted, natively = (
            session.run(what, warps, 1, partial(core, natively=how)) for how in (False, True)
        )
        np.testing.assert_array_equal(_asked(natively), _asked(interpreted))
        for name in ("claimed", "fetched"):
            np.testing.assert_array_equal(getattr(natively, name), getattr(interpreted, name), name)
        for name in ("touched", "written", "read", "seen"):
            expected = getattr(interpreted.footprint, name)
            np.testing.assert_array_equal(getattr(natively.footprint, name), expected, name)


def _asked(demand: Demand) -> NDArray[np.int32]:
    """Of the lines that were seen."""
    seen = np.unpackbits(demand.footprint.seen.view(np.uint8), bitorder="little")
    asked: NDArray[np.int32] = demand.asked[seen[: len(demand.asked)] == 1]
    return asked


@pytest.mark.parametrize("kernel", ["collatz", "unequal_blocks", "switch_table", "sparse_rows"])
def test_large_grids_are_counted_natively(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where blocks come to instructions that the first one did not come to."""
    session = session_of(kernel, "h200")
    monkeypatch.setattr(likes, "FEW_BLOCKS", isa.NEVER)  # so that all blocks are run
    monkeypatch.setattr(counting, "WORTH_COMPILING", isa.NEVER)
    interpreted = counting.count_instructions(session)
    made = []

    def noted(*arguments: Any, **options: Any) -> Stretch:
        made.append(options)
        return stretch_of(*arguments, **options)

    monkeypatch.setattr(counting, "WORTH_COMPILING", 0)
    monkeypatch.setattr(counting, "stretch_of", noted)
    assert_equal(counting.count_instructions(session), interpreted)
    assert made
