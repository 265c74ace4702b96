"""Stretches in this processor's machine code."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from simcore.lowering.program import Program
from simcore.native import coverage
from simcore.native.special import Shape
from simcore.native.state import instructions_of
from simcore.native.stretch import NAME, module_of

#: LLVM's level of code generation. At 0 it takes two thirds of the time, and what it makes is slower.
LEVEL = 2


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
    buffers: int,
    *,
    logs: bool = False,
) -> Stretch:
    """The stretch of a program.

    Args:
        action: what to do with each instruction (see `simcore.analysis.slicing`).
        visited: whether the interpreter came to each; what it did not come to is left to it.
        block: threads along each axis.
        buffers: of global memory.
        logs: whether it logs accesses to the sample (`core.execution.trail`).
    """
    runs = tuple(coverage.runs(instructions_of(program), action, visited))
    return _compiled(program, action.tobytes(), runs, block, buffers, logs)


@lru_cache(maxsize=32)
def _compiled(
    program: Program, action: bytes, runs: coverage.Runs, block: Shape, buffers: int, logs: bool
) -> Stretch:
    actions = np.frombuffer(action, np.uint8)
    with _without_collections():
        assembly = str(module_of(program, actions, runs, block, buffers, logs))
    module = llvm.parse_assembly(assembly)
    machine = _target_machine()
    engine = llvm.create_mcjit_compiler(module, machine)
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


def _target_machine() -> llvm.TargetMachine:
    _initialise()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=LEVEL
    )


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
