"""Units with a peak rate: the SM's own, and the memory shared by all SMs."""

from collections.abc import Mapping
from dataclasses import dataclass

from simcore.diagnosis.regime import Regime


@dataclass(frozen=True)
class Unit:
    """A unit with a peak rate.

    Attributes:
        title: its name in a sentence.
        short: its name in a table.
        regime: the regime of a kernel that saturates it.
        remedy: what helps in that case.
    """

    title: str
    short: str
    regime: Regime
    remedy: str


_CHEAPER = "use fewer or cheaper instructions on it; more warps will not help."
_FEWER_BYTES = (
    "move fewer bytes (tile for reuse if any are moved more than once, else fuse kernels, or take narrower "
    "types)."
)
UNITS: Mapping[str, Unit] = {
    "issue": Unit(
        "issue slots",
        "issue slots",
        "compute",
        "this is the limit for this instruction count; only fewer instructions help.",
    ),
    "fma": Unit("FP32 pipes", "FP32", "compute", _CHEAPER),
    "fma_heavy": Unit("FMA-heavy pipe, which alone multiplies integers,", "FMA heavy", "compute", _CHEAPER),
    "alu": Unit("ALU pipe", "ALU", "compute", _CHEAPER),
    "half": Unit("half-precision pipe", "half", "compute", _CHEAPER),
    "fp64": Unit("FP64 pipe", "FP64", "compute", _CHEAPER),
    "xu": Unit("special-function (XU) pipe", "XU", "compute", _CHEAPER),
    "uniform": Unit("uniform datapath", "uniform", "compute", _CHEAPER),
    "tensor": Unit(
        "tensor core",
        "tensor",
        "compute",
        "this is the goal; use narrower types or fewer products to go further.",
    ),
    "lsu": Unit(
        "data stage of L1 and shared memory",
        "L1 data",
        "bandwidth",
        "move fewer bytes through it (keep more in registers, narrower types); more warps will not help.",
    ),
    "tags": Unit(
        "tag stage of L1",
        "L1 tags",
        "bandwidth",
        "coalesce: adjacent lanes should access adjacent words, so that each request needs few lines.",
    ),
    "constants": Unit(
        "address divergence unit (ADU) of constant loads (LDC) and uniform special registers (S2UR)",
        "LDC, S2UR",
        "bandwidth",
        "keep constants in registers over the loop, index them by what is known at compile time (an operand c[][] "
        "needs no load), and read special registers once.",
    ),
    "l2": Unit("L2", "L2", "bandwidth", _FEWER_BYTES),
    "dram": Unit("DRAM", "DRAM", "bandwidth", _FEWER_BYTES),
}
"""The units reported by `simcore.diagnosis.utilisation`, and the issue slots."""

NEAR_PEAK = 0.8
"""Share of a unit's peak above which the unit itself is the limit (Nsight Compute's SpeedOfLight)."""


def busiest(issue_active: float, utilisation: Mapping[str, float]) -> tuple[str, float]:
    """The unit with the largest share of its peak, issue slots included, and that share."""
    shares = {"issue": issue_active, **utilisation}
    name = max(shares, key=shares.__getitem__)
    return name, shares[name]


def regime_in_words(
    regime: str, bottleneck: str, issue_active: float, utilisation: Mapping[str, float]
) -> str:
    """The regime with the unit that is near its peak, as in `bandwidth (L2)`.

    Where no unit is, a lack of bandwidth is that of the queue whose stall dominates, as in `bandwidth (lg_throttle)`.
    """
    unit, share = busiest(issue_active, utilisation)
    if share >= NEAR_PEAK:
        return f"{regime} ({UNITS[unit].short})"
    return f"{regime} ({bottleneck})" if regime == "bandwidth" else regime
