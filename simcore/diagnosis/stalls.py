"""Why warps do not issue: Nsight Compute's reasons, the regime they speak of, and what to do about it.

The order of judgement is Nsight's own, "only focus on stall reasons if the schedulers fail to issue every
cycle": first whether some unit is near its peak, then which reason holds the warps up most. The thresholds
are those of Nsight Compute's SpeedOfLight and WarpStateStats rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from simcore.model.occupancy import Occupancy

Regime = Literal["latency", "bandwidth", "compute", "synchronization"]

NEAR_PEAK = 0.8  # share of a unit's peak above which the unit itself is the limit (SpeedOfLight)
IDLE = 0.6  # share of peak below which latency, not throughput, is the limit (SpeedOfLight)
NOTABLE = 0.3  # share of a warp's time between issues above which a stall deserves a word (WarpStateStats)
OCCUPANCY_GAP = 0.1  # achieved below theoretical occupancy by more than this deserves a word (Occupancy)


@dataclass(frozen=True)
class Reason:
    """One of Nsight Compute's warp states.

    Attributes:
        name: as in `smsp__average_warps_issue_stalled_<name>_per_issue_active`.
        meaning: what the warp waits for, to follow "warps wait for".
        remedy: what to do about it, a sentence.
        regime: the regime of a kernel in which this reason dominates and no unit is near its peak.
        architectures: the targets that report it, as `sm_90`; empty for all.
    """

    name: str
    meaning: str
    remedy: str
    regime: Regime
    architectures: tuple[str, ...] = ()


REASONS: tuple[Reason, ...] = (
    Reason("selected", "nothing: they issue", "Execute fewer instructions.", "compute"),
    Reason(
        "not_selected",
        "their scheduler, which issues another warp",
        "There are warps to spare: fewer would do, which leaves each more registers and cache.",
        "compute",
    ),
    Reason(
        "wait",
        "the fixed latency of the instruction before",
        "Give each warp independent arithmetic: more accumulators, or unroll so that chains interleave.",
        "latency",
    ),
    Reason(
        "long_scoreboard",
        "a load from global or local memory",
        "Start more independent loads before the first is used (unroll, more accumulators), coalesce them, "
        "and keep what is reused in shared memory.",
        "latency",
    ),
    Reason(
        "short_scoreboard",
        "shared memory, a special function (MUFU), a shuffle, a constant load or a special register",
        "Do independent work between such an instruction and its use, remove bank conflicts, and hoist what "
        "does not change out of the loop.",
        "latency",
    ),
    Reason(
        "math_pipe_throttle",
        "an arithmetic pipe that is busy",
        "Spread the work over other pipes, or use cheaper instructions; more warps will not help.",
        "compute",
    ),
    Reason(
        "mio_throttle",
        "room in the queue for shared memory, special functions and shuffles",
        "Issue fewer of them: wider shared accesses, more reuse in registers (tile), fewer bank conflicts.",
        "bandwidth",
    ),
    Reason(
        "lg_throttle",
        "room in the queue for global and local memory",
        "Issue fewer memory instructions: wider accesses (float4), fused passes, tiles in shared memory, no "
        "spilled registers.",
        "bandwidth",
    ),
    Reason(
        "tex_throttle",
        "room in the texture queue",
        "Issue fewer texture and surface instructions, or turn some into global loads.",
        "bandwidth",
    ),
    Reason(
        "dispatch_stall",
        "the dispatcher, which holds the instruction back for a register port or a resource",
        "Let the compiler reorder: register bank conflicts fade with other unroll factors or register caps.",
        "compute",
    ),
    Reason(
        "no_instruction",
        "an instruction to be fetched",
        "Unroll less, so that the loop fits the instruction cache, and jump less.",
        "latency",
    ),
    Reason(
        "imc_miss",
        "an immediate constant that missed its cache",
        "Read constants once, the same in all lanes, and keep many blocks or long loops behind that read.",
        "latency",
        ("sm_80", "sm_86", "sm_87", "sm_89", "sm_90"),
    ),
    Reason(
        "branch_resolving",
        "the target of a branch",
        "Unroll, or replace short branches by predicates and selects.",
        "latency",
    ),
    Reason(
        "barrier",
        "the other warps of the block at a barrier",
        "Balance the work between barriers, use fewer of them, or smaller blocks so that others can run.",
        "synchronization",
    ),
    Reason(
        "membar",
        "a memory fence",
        "Use fewer fences, of the narrowest scope (block rather than device), with fewer stores before them.",
        "synchronization",
    ),
    Reason(
        "drain",
        "their last stores to leave after the exit",
        "Coalesce the stores at the kernel's end, and give each thread more work than one store.",
        "bandwidth",
    ),
    Reason("sleeping", "the end of a sleep", "Sleep less, or for shorter times.", "synchronization"),
    Reason("misc", "something the counters do not name", "Look at the other reasons.", "latency"),
    Reason(
        "gmma",
        "a warpgroup's matrix operation",
        "Keep more matrix operations in flight before waiting for them.",
        "latency",
        ("sm_90",),
    ),
)

REASON: Mapping[str, Reason] = {reason.name: reason for reason in REASONS}


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


@dataclass(frozen=True)
class Diagnosis:
    """What limits a kernel.

    Attributes:
        regime: what kind of limit it is.
        bottleneck: the largest stall reason, `selected` apart.
        advice: sentences, most important first.
    """

    regime: Regime
    bottleneck: str
    advice: tuple[str, ...]


def reasons_on(architecture: str) -> tuple[str, ...]:
    """The names of the stall reasons that a target such as `sm_90` reports."""
    return tuple(r.name for r in REASONS if not r.architectures or architecture in r.architectures)


def diagnose(
    stalls: Mapping[str, float],
    issue_active: float,
    utilisation: Mapping[str, float],
    achieved_occupancy: float,
    occupancy: Occupancy,
) -> Diagnosis:
    """Name a kernel's limit and say what to do about it.

    Args:
        stalls: warps in each reason per issue; their sum is a warp's cycles between two issues.
        issue_active: share of cycles in which a scheduler issues, 0 to 1.
        utilisation: share of each unit's peak, 0 to 1, by the names of `UNITS`.
        achieved_occupancy: resident warps over warp slots, averaged over time, 0 to 1.
        occupancy: what the launch could reach, and what limits it.

    Raises:
        ValueError: a stall reason that Nsight does not have, or an unknown unit.
    """
    if unknown := set(stalls) - set(REASON):
        raise ValueError(f"no such stall reason: {', '.join(sorted(unknown))}; known: {', '.join(REASON)}")
    if unknown := set(utilisation) - set(UNITS):
        raise ValueError(f"no such unit: {', '.join(sorted(unknown))}; known: {', '.join(UNITS)}")
    between_issues = sum(stalls.values())
    bottleneck = max((name for name in stalls if name != "selected"), key=stalls.__getitem__, default="misc")
    shares = {"issue": issue_active, **utilisation}
    busiest = max(shares, key=shares.__getitem__)
    saturated = shares[busiest] >= NEAR_PEAK
    regime = UNITS[busiest].regime if saturated else REASON[bottleneck].regime
    first = _saturation_advice(busiest, shares[busiest]) if saturated else _issue_advice(issue_active)
    advice = [first, *_stall_advice(stalls, between_issues, bottleneck, shares)]
    if regime == "latency":
        advice += _occupancy_advice(achieved_occupancy, occupancy)
    elif issue_active >= NEAR_PEAK and _share(stalls, "not_selected", between_issues) >= NOTABLE:
        advice.append(
            "Warps compete for issue slots: fewer of them, with more registers each, may do as well."
        )
    return Diagnosis(regime, bottleneck, tuple(advice))


def _saturation_advice(name: str, share: float) -> str:
    unit = UNITS[name]
    run = "run" if unit.title.endswith("s") else "runs"
    return f"The {unit.title} {run} at {share:.0%} of peak: {unit.remedy}"


def _issue_advice(issue_active: float) -> str:
    if issue_active <= 0:
        return "The schedulers issue nothing."
    every = f"{1 / issue_active:.1f} cycles"
    return f"Each scheduler issues only one instruction in {every}, and no unit is near its peak."


def _stall_advice(
    stalls: Mapping[str, float],
    between_issues: float,
    bottleneck: str,
    shares: Mapping[str, float],
) -> Iterator[str]:
    """A sentence for the dominant stall and each other notable one; none while every cycle issues."""
    if shares["issue"] >= NEAR_PEAK or between_issues <= 0:
        return
    for name in sorted(stalls, key=stalls.__getitem__, reverse=True):
        share = _share(stalls, name, between_issues)
        if name == "selected" or not (share >= NOTABLE or (name == bottleneck and share > 0)):
            continue
        yield (
            f"{name}: warps wait for {REASON[name].meaning}. This stall is {share:.0%} of the "
            f"{between_issues:.1f} cycles between two issues of a warp. {_remedy(name, shares)}"
        )


def _remedy(name: str, shares: Mapping[str, float]) -> str:
    """A reason's remedy; a wait for memory depends on whether memory is busy."""
    if name != "long_scoreboard":
        return REASON[name].remedy
    on_the_way = (unit for unit in UNITS if UNITS[unit].regime == "bandwidth")
    fullest = max(on_the_way, key=lambda unit: shares.get(unit, 0.0))
    if shares.get(fullest, 0.0) >= NEAR_PEAK:
        return f"The {UNITS[fullest].title} is the limit: the loads queue for it."
    memory = max(("dram", "l2"), key=lambda unit: shares.get(unit, 0.0))
    title, share = UNITS[memory].title, shares.get(memory, 0.0)
    if share >= IDLE:
        return f"{REASON[name].remedy} {title} is at {share:.0%} of its bandwidth: move fewer bytes too."
    return f"{REASON[name].remedy} There is room: {title} is at {share:.0%} of its bandwidth."


def _occupancy_advice(achieved: float, occupancy: Occupancy) -> Iterator[str]:
    """More resident warps hide latency: what keeps them away."""
    if occupancy.theoretical < 1:
        yield (
            f"At most {occupancy.theoretical:.0%} of the warp slots can be filled, limited by "
            f"{' and '.join(occupancy.limiters).replace('_', ' ')}: more resident warps would hide "
            "more latency."
        )
    if achieved < occupancy.theoretical - OCCUPANCY_GAP:
        yield (
            f"{achieved:.0%} of the warp slots are filled on average where {occupancy.theoretical:.0%} could "
            "be: too few blocks, a partial last wave, or blocks of unequal work."
        )


def _share(stalls: Mapping[str, float], name: str, between_issues: float) -> float:
    return stalls.get(name, 0.0) / between_issues if between_issues > 0 else 0.0
