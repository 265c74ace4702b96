"""The simulator: a cubin, a launch and a GPU in; cycles, stalls and advice out."""

# First: it decides where numba looks for the compiled core.
import simcore.jit_cache  # isort: skip  # noqa: F401

from simcore.compiler import compile_cuda, compiler_version
from simcore.cubin import read_kernel
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
from simcore.gpu import Gpu, gpu_names, load_gpu
from simcore.launch import Buffer, check_arguments
from simcore.occupancy import Occupancy, check_launch, occupancy
from simcore.simulate import SimulationResult, simulate
from simcore.version import SIMULATOR_VERSION
from simcore.warm import warm_up

__all__ = [
    "SIMULATOR_VERSION",
    "Buffer",
    "CompileError",
    "CubinError",
    "CycleLimitExceeded",
    "Deadlock",
    "Gpu",
    "KernelTrap",
    "LaunchError",
    "MemoryFault",
    "Occupancy",
    "SimcoreError",
    "SimulationResult",
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
    "read_kernel",
    "simulate",
    "warm_up",
]
