"""Units with a peak rate: the SM's own, and the memory shared by all SMs."""

from collections.abc import Mapping
from dataclasses import dataclass

from simcore.diagnosis.regime import Regime


@dataclass(frozen=True)
class Unit:
    """A unit with a peak rate.

    Attributes:
        title: its name in a sentence.
        regime: the regime of a kernel that saturates it.
        remedy: what helps in that case.
    """

    title: str
    regime: Regime
    remedy: str


_CHEAPER = "use fewer or cheaper instructions on it; more warps will not help."
_FEWER_BYTES = "move fewer bytes (tile for reuse, fuse kernels, narrower types)."

UNITS: Mapping[str, Unit] = {
    "issue": Unit(
        "issue slots",
        "compute",
        "this is the limit for this instruction count; only fewer instructions help.",
    ),
    "fma": Unit("FP32 pipes", "compute", _CHEAPER),
    "fma_heavy": Unit("FMA-heavy pipe, which alone multiplies integers,", "compute", _CHEAPER),
    "alu": Unit("ALU pipe", "compute", _CHEAPER),
    "half": Unit("half-precision pipe", "compute", _CHEAPER),
    "fp64": Unit("FP64 pipe", "compute", _CHEAPER),
    "xu": Unit("special-function (XU) pipe", "compute", _CHEAPER),
    "uniform": Unit("uniform datapath", "compute", _CHEAPER),
    "tensor": Unit(
        "tensor core", "compute", "this is the goal; use narrower types or fewer products to go further."
    ),
    "lsu": Unit(
        "data stage of L1 and shared memory",
        "bandwidth",
        "use wider accesses, remove bank conflicts, and keep more in registers; more warps will not help.",
    ),
    "tags": Unit(
        "tag stage of L1",
        "bandwidth",
        "coalesce: adjacent lanes should access adjacent words, so that each request needs few lines.",
    ),
    "l2": Unit("L2", "bandwidth", _FEWER_BYTES),
    "dram": Unit("DRAM", "bandwidth", _FEWER_BYTES),
}
"""The units reported by `simcore.diagnosis.utilisation`, and the issue slots."""
