"""What has a peak rate: the SM's units, and the memory that it shares with the others."""

from collections.abc import Mapping
from dataclasses import dataclass

from simcore.diagnosis.regime import Regime


@dataclass(frozen=True)
class Unit:
    """Something that has a peak rate.

    Attributes:
        title: what it is called in a sentence.
        regime: the regime of a kernel that runs it near its peak.
        remedy: what helps then.
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
        "this is as fast as this instruction count gets; only fewer instructions help.",
    ),
    "fma": Unit("FP32 pipes", "compute", _CHEAPER),
    "fma_heavy": Unit("FMA-heavy pipe, which alone multiplies integers,", "compute", _CHEAPER),
    "alu": Unit("ALU pipe", "compute", _CHEAPER),
    "half": Unit("half-precision pipe", "compute", _CHEAPER),
    "fp64": Unit("FP64 pipe", "compute", _CHEAPER),
    "xu": Unit("special-function (XU) pipe", "compute", _CHEAPER),
    "uniform": Unit("uniform datapath", "compute", _CHEAPER),
    "tensor": Unit(
        "tensor core", "compute", "this is what it is for; use narrower types, or fewer products."
    ),
    "lsu": Unit(
        "data stage of L1 and shared memory",
        "bandwidth",
        "use wider accesses, remove bank conflicts, and keep more in registers; more warps will not help.",
    ),
    "tags": Unit(
        "tag stage of L1",
        "bandwidth",
        "coalesce: lanes side by side should touch words side by side, in few lines an access.",
    ),
    "l2": Unit("L2", "bandwidth", _FEWER_BYTES),
    "dram": Unit("DRAM", "bandwidth", _FEWER_BYTES),
}
"""What `simcore.diagnosis.utilisation` gives the shares of peak of, and the issue slots."""
