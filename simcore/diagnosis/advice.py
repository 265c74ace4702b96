"""Why warps do not issue: Nsight Compute's stall reasons, the regime they indicate, and what to do about it.

The order of the analysis is Nsight's own, "only focus on stall reasons if the schedulers fail to issue every
cycle": first whether a unit is near its peak, then which stall reason dominates. The thresholds
are those of Nsight Compute's SpeedOfLight and WarpStateStats rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from simcore.diagnosis.regime import Regime
from simcore.diagnosis.stalls import REASON
from simcore.diagnosis.units import NEAR_PEAK, UNITS, busiest
from simcore.model.occupancy import Occupancy, in_words

NOTABLE_LOCAL = 0.01  # share of the instructions above which those of local memory are reported
NOTABLE_CONFLICTS = 0.05  # share of the passes through shared memory above which bank conflicts are reported
WIDEST_SECTORS = 16  # sectors that 32 lanes load, each 128 bits
IDLE = 0.6  # share of peak below which latency, not throughput, is the limit (SpeedOfLight)
NOTABLE = 0.3  # share of a warp's time between issues above which a stall is reported (WarpStateStats)
OCCUPANCY_GAP = 0.1  # gap between theoretical and achieved occupancy above which it is reported (Occupancy)


@dataclass(frozen=True)
class Diagnosis:
    """What limits a kernel.

    Attributes:
        regime: the kind of limit.
        bottleneck: the largest stall reason other than `selected`.
        advice: sentences, most important first.
    """

    regime: Regime
    bottleneck: str
    advice: tuple[str, ...]


def diagnose(
    stalls: Mapping[str, float],
    issue_active: float,
    utilisation: Mapping[str, float],
    achieved_occupancy: float,
    occupancy: Occupancy,
    memory: Mapping[str, float],
) -> Diagnosis:
    """Find what limits a kernel and what to do about it.

    Args:
        stalls: warps in each state per issue; their sum is a warp's cycles between two issues.
        issue_active: share of cycles in which a scheduler issues, 0 to 1.
        utilisation: share of each unit's peak, 0 to 1, by the names of `UNITS`.
        achieved_occupancy: resident warps divided by warp slots, averaged over time, 0 to 1.
        occupancy: theoretical occupancy and its limiters.
        memory: the rates of `simcore.diagnosis.memory.memory`.

    Raises:
        ValueError: a stall reason that Nsight does not have, or an unknown unit.
    """
    if unknown := set(stalls) - set(REASON):
        raise ValueError(f"no such stall reason: {', '.join(sorted(unknown))}; known: {', '.join(REASON)}")
    if unknown := set(utilisation) - set(UNITS):
        raise ValueError(f"no such unit: {', '.join(sorted(unknown))}; known: {', '.join(UNITS)}")
    between_issues = sum(stalls.values())
    bottleneck = max((name for name in stalls if name != "selected"), key=stalls.__getitem__, default="misc")
    unit, share = busiest(issue_active, utilisation)
    saturated = share >= NEAR_PEAK
    regime = UNITS[unit].regime if saturated else REASON[bottleneck].regime
    first = _saturation_advice(unit, share, memory) if saturated else _issue_advice(issue_active)
    shares = {"issue": issue_active, **utilisation}
    advice = [first, *_stall_advice(stalls, between_issues, bottleneck, shares)]
    if regime == "latency":
        advice += _occupancy_advice(achieved_occupancy, occupancy)
    elif issue_active >= NEAR_PEAK and _share(stalls, "not_selected", between_issues) >= NOTABLE:
        advice.append(
            "Warps compete for issue slots: fewer warps with more registers each may be just as fast."
        )
    return Diagnosis(regime, bottleneck, tuple(advice))


def local_memory_advice(bytes_per_thread: int, memory: Mapping[str, float]) -> Iterator[str]:
    """What local memory costs, where a notable share of the instructions are for it.

    Args:
        bytes_per_thread: of local memory.
        memory: the rates of `simcore.diagnosis.memory.memory`.
    """
    share = memory.get("local_instructions", 0.0)
    if share < NOTABLE_LOCAL:
        return
    sectors = (
        f" and {read:.0%} of the sectors that loads read" if (read := memory.get("local_sectors")) else ""
    )
    cost = (
        f"{bytes_per_thread} bytes per thread are in local memory, {share:.0%} of the instructions{sectors}"
    )
    if memory["spills"]:
        yield (
            f"Registers are spilled: {cost} (STL, LDL): raise register_cap or the limit of __launch_bounds__, or use "
            "fewer accumulators. Times of variants that spill are the least certain."
        )
    else:
        yield (
            f"An array is indexed at run time: {cost} (STL, LDL): unroll the loops over it completely, or keep it in "
            "shared memory."
        )


def _saturation_advice(name: str, share: float, memory: Mapping[str, float]) -> str:
    """A pipe's share is of its peak rate; memory's is of the time, also where it serves less than its peak."""
    unit = UNITS[name]
    if unit.regime == "bandwidth":
        remedy = "".join([*(_wider_accesses(memory) if name == "lsu" else ()), unit.remedy])
        return f"The {unit.title} is busy {share:.0%} of the time: {remedy}"
    run = "run" if unit.title.endswith("s") else "runs"
    return f"The {unit.title} {run} at {share:.0%} of peak: {unit.remedy}"


def _wider_accesses(memory: Mapping[str, float]) -> Iterator[str]:
    """What makes the accesses fewer, as far as there is something to gain."""
    if memory.get("sectors_per_load", 0.0) < WIDEST_SECTORS:
        yield "use wider accesses, "
    if (conflicts := memory.get("bank_conflicts", 0.0)) >= NOTABLE_CONFLICTS:
        yield f"remove bank conflicts ({conflicts:.0%} of the passes through shared memory), "


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
    """A sentence for the dominant stall and each other notable one; none if the schedulers issue every cycle."""
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
    """A stall reason's remedy; that of a wait for memory depends on memory utilisation."""
    if name != "long_scoreboard":
        return REASON[name].remedy
    on_the_way = (unit for unit in UNITS if UNITS[unit].regime == "bandwidth")
    fullest = max(on_the_way, key=lambda unit: shares.get(unit, 0.0))
    if shares.get(fullest, 0.0) >= NEAR_PEAK:
        return f"The {UNITS[fullest].title} is the limit: the loads queue for it."
    memory = max(("dram", "l2"), key=lambda unit: shares.get(unit, 0.0))
    title, share = UNITS[memory].title, shares.get(memory, 0.0)
    if share >= IDLE:
        return f"{REASON[name].remedy} {title} is busy {share:.0%} of the time: move fewer bytes too."
    return f"{REASON[name].remedy} There is headroom: {title} is busy {share:.0%} of the time."


def _occupancy_advice(achieved: float, occupancy: Occupancy) -> Iterator[str]:
    """More resident warps hide latency: what limits their number."""
    if occupancy.theoretical < 1:
        yield (
            f"At most {occupancy.theoretical:.0%} of the warp slots can be filled, limited by "
            f"{in_words(occupancy.limiters)}: more resident warps would hide "
            "more latency."
        )
    if achieved < occupancy.theoretical - OCCUPANCY_GAP:
        yield (
            f"{achieved:.0%} of the warp slots are filled on average where {occupancy.theoretical:.0%} could "
            "be: too few or too short blocks, a partial last wave, or blocks of unequal work."
        )


def _share(stalls: Mapping[str, float], name: str, between_issues: float) -> float:
    return stalls.get(name, 0.0) / between_issues if between_issues > 0 else 0.0
