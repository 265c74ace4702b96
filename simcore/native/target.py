"""This processor, as LLVM makes code for it."""

from functools import cache

import llvmlite.binding as llvm

#: LLVM's level of code generation. At 0 it takes two thirds of the time, and what it makes is slower.
LEVEL = 2


def target_machine() -> llvm.TargetMachine:
    """What makes code for this processor."""
    _initialise()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=LEVEL
    )


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
