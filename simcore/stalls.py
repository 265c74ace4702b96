"""Why warps do not issue: Nsight Compute's reasons, the regime they speak of, and what to do about it.

The order of judgement is Nsight's own, "only focus on stall reasons if the schedulers fail to issue every
cycle": first whether some unit is near its peak, then which reason holds the warps up most. The thresholds
are those of Nsight Compute's SpeedOfLight and WarpStateStats rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from simcore.occupancy import Occupancy

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

MEMORY_PIPES = frozenset({"lsu", "mio", "tex", "l1", "shared"})


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
    dram_utilisation: float,
    l2_utilisation: float,
    achieved_occupancy: float,
    occupancy: Occupancy,
    pipe_utilisation: Mapping[str, float],
) -> Diagnosis:
    """Name a kernel's limit and say what to do about it.

    Args:
        stalls: warps in each reason per issue; their sum is a warp's cycles between two issues.
        issue_active: share of cycles in which a scheduler issues, 0 to 1.
        dram_utilisation: share of the achievable DRAM bandwidth, 0 to 1.
        l2_utilisation: share of the L2's bandwidth, 0 to 1.
        achieved_occupancy: resident warps over warp slots, averaged over time, 0 to 1.
        occupancy: what the launch could reach, and what limits it.
        pipe_utilisation: share of each pipe's peak, 0 to 1, by name: `fma`, `alu`, `fp64`, `xu`, `lsu`, ...

    Raises:
        ValueError: a stall reason that Nsight does not have.
    """
    if unknown := set(stalls) - set(REASON):
        raise ValueError(f"no such stall reason: {', '.join(sorted(unknown))}; known: {', '.join(REASON)}")
    between_issues = sum(stalls.values())
    bottleneck = max((name for name in stalls if name != "selected"), key=stalls.__getitem__, default="misc")
    memory = {"DRAM": dram_utilisation, "L2": l2_utilisation}
    busiest = max(
        [
            _Unit("issue slots", issue_active, "compute"),
            *(_Unit(name, share, "bandwidth") for name, share in memory.items()),
            *(_Unit(f"{name} pipe", share, _pipe_regime(name)) for name, share in pipe_utilisation.items()),
        ],
        key=lambda unit: unit.share,
    )
    saturated = busiest.share >= NEAR_PEAK
    regime = busiest.regime if saturated else REASON[bottleneck].regime
    advice = [_saturation_advice(busiest) if saturated else _issue_advice(issue_active)]
    advice += _stall_advice(stalls, between_issues, bottleneck, memory, issue_active)
    if regime == "latency":
        advice += _occupancy_advice(achieved_occupancy, occupancy)
    elif issue_active >= NEAR_PEAK and _share(stalls, "not_selected", between_issues) >= NOTABLE:
        advice.append(
            "Warps compete for issue slots: fewer of them, with more registers each, may do as well."
        )
    return Diagnosis(regime, bottleneck, tuple(advice))


@dataclass(frozen=True)
class _Unit:
    name: str
    share: float
    regime: Regime


def _pipe_regime(name: str) -> Regime:
    return "bandwidth" if name in MEMORY_PIPES else "compute"


def _saturation_advice(unit: _Unit) -> str:
    busy = f"The {unit.name} run{'' if unit.name.endswith('s') else 's'} at {unit.share:.0%} of peak"
    if unit.name == "issue slots":
        return f"{busy}: this is as fast as this instruction count gets; only fewer instructions help."
    if unit.name in ("DRAM", "L2"):
        return f"{busy}: move fewer bytes (tile for reuse, fuse kernels, narrower types)."
    if unit.regime == "bandwidth":
        return f"{busy}: use wider accesses, and keep more in registers; more warps will not help."
    return f"{busy}: use fewer or cheaper instructions on it; more warps will not help."


def _issue_advice(issue_active: float) -> str:
    if issue_active <= 0:
        return "The schedulers issue nothing."
    every = f"{1 / issue_active:.1f} cycles"
    return f"Each scheduler issues only one instruction in {every}, and no unit is near its peak."


def _stall_advice(
    stalls: Mapping[str, float],
    between_issues: float,
    bottleneck: str,
    memory: Mapping[str, float],
    issue_active: float,
) -> Iterator[str]:
    """A sentence for the dominant stall and each other notable one; none while every cycle issues."""
    if issue_active >= NEAR_PEAK or between_issues <= 0:
        return
    for name in sorted(stalls, key=stalls.__getitem__, reverse=True):
        share = _share(stalls, name, between_issues)
        if name == "selected" or not (share >= NOTABLE or (name == bottleneck and share > 0)):
            continue
        yield (
            f"{name}: warps wait for {REASON[name].meaning}. This stall is {share:.0%} of the "
            f"{between_issues:.1f} cycles between two issues of a warp. {_remedy(name, memory)}"
        )


def _remedy(name: str, memory: Mapping[str, float]) -> str:
    """A reason's remedy; a wait for memory depends on whether memory is busy."""
    if name != "long_scoreboard":
        return REASON[name].remedy
    busiest = max(memory, key=memory.__getitem__)
    share = memory[busiest]
    if share >= NEAR_PEAK:
        return f"{busiest} is the limit: the loads queue for its bandwidth."
    if share >= IDLE:
        return f"{REASON[name].remedy} {busiest} is at {share:.0%} of its bandwidth: move fewer bytes too."
    return f"{REASON[name].remedy} There is room: {busiest} is at {share:.0%} of its bandwidth."


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
