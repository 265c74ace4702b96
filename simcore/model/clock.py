"""The SM clock at which a kernel runs."""

from simcore.core import isa
from simcore.gpu import Gpu
from simcore.lowering.program import Program


def at_its_clock(gpu: Gpu, program: Program) -> Gpu:
    """The GPU while it runs a kernel: products of halves, TF32 and integers on the tensor core lower the SM clock.

    One in the machine code is enough, whether it is executed or not.
    """
    if not (program.code["unit"] == isa.UNIT_TENSOR).any():
        return gpu
    return gpu.model_copy(update={"clock_mhz": gpu.clock_mhz * gpu.tensor_clock_share})
