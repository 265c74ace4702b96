"""Stretches in this processor's machine code."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from simcore.lowering.program import Program
from simcore.native import coverage
from simcore.native.special import Shape
from simcore.native.state import instructions_of
from simcore.native.stretch import NAME, module_of
from simcore.native.target import WELL, target_machine


@dataclass(frozen=True, eq=False)
class Stretch:
    """A stretch that can be called as long as this exists.

    Attributes:
        address: of its function (see `core.execution.native`).
    """

    address: int
    _engine: llvm.ExecutionEngine


def stretch_of(
    program: Program,
    action: NDArray[np.uint8],
    visited: NDArray[np.uint8],
    block: Shape,
    *,
    logs: bool = False,
    level: int = WELL,
) -> Stretch:
    """The stretch of a program.

    Args:
        action: what to do with each instruction (see `simcore.analysis.slicing`).
        visited: whether the interpreter came to each; what it did not come to is left to it.
        block: threads along each axis.
        logs: whether it logs accesses to the sample (`core.execution.trail`).
        level: `QUICKLY` or `WELL`.
    """
    runs = tuple(coverage.runs(instructions_of(program), action, visited))
    return _compiled(program, action.tobytes(), runs, block, logs, level)


@lru_cache(maxsize=32)
def _compiled(
    program: Program, action: bytes, runs: coverage.Runs, block: Shape, logs: bool, level: int
) -> Stretch:
    actions = np.frombuffer(action, np.uint8)
    with _without_collections():
        assembly = str(module_of(program, actions, runs, block, logs))
    module = llvm.parse_assembly(assembly)
    engine = llvm.create_mcjit_compiler(module, target_machine(level))
    engine.finalize_object()
    return Stretch(engine.get_function_address(NAME), engine)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Let Python not collect garbage, of which there is none until a module is done: a look takes as long as that."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
