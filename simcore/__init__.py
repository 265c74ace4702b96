"""The simulator: a cubin, a launch and a GPU in; cycles, stalls and advice out."""

# First: it decides where numba looks for the compiled core.
import simcore.jit_cache  # isort: skip  # noqa: F401

from simcore.diagnosis.result import SimulationResult
from simcore.errors import (
    CompileError,
    CubinError,
    CycleLimitExceeded,
    Deadlock,
    KernelTrap,
    LaunchError,
    MemoryFault,
    SimcoreError,
    UnknownGpu,
    UnsupportedInstruction,
)
from simcore.execute import execute
from simcore.gpu import Gpu
from simcore.gpu_profiles import gpu_names, load_gpu
from simcore.machine_code.compiler import compile_cuda, compiler_version
from simcore.machine_code.cubin import read_kernel
from simcore.machine_code.source_lines import SourceLine
from simcore.model.arguments import Buffer, check_arguments
from simcore.model.occupancy import Occupancy, check_launch, occupancy
from simcore.simulate import simulate
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
    "Event",
    "Gpu",
    "InstructionProfile",
    "KernelTrap",
    "LaunchError",
    "LineProfile",
    "MemoryFault",
    "Occupancy",
    "Profile",
    "SimcoreError",
    "SimulationResult",
    "SourceLine",
    "Timeline",
    "UnknownGpu",
    "UnsupportedInstruction",
    "check_arguments",
    "check_launch",
    "compile_cuda",
    "compiler_version",
    "execute",
    "gpu_names",
    "load_gpu",
    "occupancy",
    "profile",
    "read_kernel",
    "simulate",
    "timeline",
    "warm_up",
]
