"""The simulator: a cubin, a launch and a GPU in; cycles, stalls and advice out.

The names are imported on first use: numba alone takes half a second, which a command that simulates nothing need not
spend.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.diagnosis.result import SimulationResult
    from simcore.errors import (
        CompileError,
        CubinError,
        CycleLimitExceeded,
        Deadlock,
        EndlessLoop,
        KernelTrap,
        LaunchError,
        MemoryFault,
        SimcoreError,
        UnknownGpu,
        UnsupportedInstruction,
    )
    from simcore.execution import execute
    from simcore.gpu import Gpu
    from simcore.gpu_profiles import gpu_names, load_gpu
    from simcore.machine_code.compiler import compile_cuda, compile_kernel, compiler_version
    from simcore.machine_code.cubin import read_kernel, read_variables
    from simcore.machine_code.source_lines import SourceLine
    from simcore.model.arguments import Buffer, Pointer, Struct, check_arguments
    from simcore.model.occupancy import Occupancy, check_launch, occupancy
    from simcore.simulation import simulate
    from simcore.version import SIMULATOR_VERSION
    from simcore.views.instruction_profile import InstructionProfile, LineProfile, Profile, profile
    from simcore.views.timeline import Event, Timeline, timeline
    from simcore.warm import warm_up

__all__ = [
    "SIMULATOR_VERSION",
    "Buffer",
    "CompileError",
    "CubinError",
    "CycleLimitExceeded",
    "Deadlock",
    "EndlessLoop",
    "Event",
    "Gpu",
    "InstructionProfile",
    "KernelTrap",
    "LaunchError",
    "LineProfile",
    "MemoryFault",
    "Occupancy",
    "Pointer",
    "Profile",
    "SimcoreError",
    "SimulationResult",
    "SourceLine",
    "Struct",
    "Timeline",
    "UnknownGpu",
    "UnsupportedInstruction",
    "check_arguments",
    "check_launch",
    "compile_cuda",
    "compile_kernel",
    "compiler_version",
    "execute",
    "gpu_names",
    "load_gpu",
    "occupancy",
    "profile",
    "read_kernel",
    "read_variables",
    "simulate",
    "timeline",
    "warm_up",
]

_NAMES = {
    "diagnosis.result": ("SimulationResult",),
    "errors": (
        *(
            "CompileError",
            "CubinError",
            "CycleLimitExceeded",
            "Deadlock",
            "EndlessLoop",
            "KernelTrap",
            "LaunchError",
        ),
        *("MemoryFault", "SimcoreError", "UnknownGpu", "UnsupportedInstruction"),
    ),
    "execution": ("execute",),
    "gpu": ("Gpu",),
    "gpu_profiles": ("gpu_names", "load_gpu"),
    "machine_code.compiler": ("compile_cuda", "compile_kernel", "compiler_version"),
    "machine_code.cubin": ("read_kernel", "read_variables"),
    "machine_code.source_lines": ("SourceLine",),
    "model.arguments": ("Buffer", "Pointer", "Struct", "check_arguments"),
    "model.occupancy": ("Occupancy", "check_launch", "occupancy"),
    "simulation": ("simulate",),
    "version": ("SIMULATOR_VERSION",),
    "views.instruction_profile": ("InstructionProfile", "LineProfile", "Profile", "profile"),
    "views.timeline": ("Event", "Timeline", "timeline"),
    "warm": ("warm_up",),
}
_MODULES = {name: f"simcore.{module}" for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'simcore' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What completion in a notebook offers: the names of `__all__`, loaded or not."""
    return sorted({*globals(), *__all__})
