"""This processor, as LLVM makes code for it."""

from functools import cache

import llvmlite.binding as llvm

(QUICKLY, WELL) = (0, 2)
"""LLVM's levels of code generation. The first takes half of the time; its code takes up to a quarter longer."""


def target_machine(level: int = WELL) -> llvm.TargetMachine:
    """What makes code for this processor, at a level."""
    _initialise()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level
    )


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
