"""Stretches in this processor's machine code."""

from dataclasses import dataclass
from functools import cache, lru_cache

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from simcore.lowering.program import Program
from simcore.native.special import Shape
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
    block: Shape,
    buffers: int,
    *,
    full: bool,
    sample: int | None = None,
) -> Stretch:
    """The stretch of a program.

    Args:
        action: what to do with each instruction (see `simcore.analysis.slicing`).
        block: threads along each axis.
        buffers: of global memory.
        full: for warps whose lanes are all active, else for others.
        sample: the mask of the lines whose accesses the interpreter notes; None if it notes none.
    """
    return _compiled(program, action.tobytes(), block, buffers, full, sample)


@lru_cache(maxsize=32)
def _compiled(
    program: Program, action: bytes, block: Shape, buffers: int, full: bool, sample: int | None
) -> Stretch:
    actions = np.frombuffer(action, np.uint8)
    module = llvm.parse_assembly(str(module_of(program, actions, block, buffers, full, sample)))
    machine = _target_machine()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Stretch(engine.get_function_address(NAME), engine)


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
