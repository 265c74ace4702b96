"""What changed between two predictions, and why: metrics, warp states, instructions by opcode."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, Self

from simcore.views.instruction_profile import CodeProfile

if TYPE_CHECKING:
    from simcore.diagnosis.result import SimulationResult

#: The metrics that are compared.
METRICS = (
    *("time_us", "cycles", "warp_instructions", "ipc", "registers_per_thread", "local_bytes_per_thread"),
    *("shared_bytes_per_block", "code_bytes", "blocks_per_sm", "theoretical_occupancy", "achieved_occupancy"),
    *("dram_bytes", "l2_bytes"),
)
#: Warp states below this share in both predictions are left out.
LEAST_SHARE = 0.01
#: Factors closer to 1 than this, as logarithms, are left out.
LEAST_FACTOR = 0.005


@dataclass(frozen=True)
class Figures:
    """A prediction in figures.

    Attributes:
        metrics: by the names of `METRICS`; None or left out where unknown. With `sms` and `clock_mhz` of the GPU, these
            are factors of their own.
        stalls: warps in each state per issue.
    """

    metrics: Mapping[str, Any]
    stalls: Mapping[str, float]

    @classmethod
    def of(cls, result: "SimulationResult") -> Self:
        """The figures of a result."""
        room = result.occupancy
        fits = {"blocks_per_sm": room.blocks_per_sm, "theoretical_occupancy": room.theoretical}
        return cls({name: fits.get(name, getattr(result, name, None)) for name in METRICS}, result.stalls)


@dataclass(frozen=True)
class Change:
    """One figure of both predictions; None where it is unknown."""

    name: str
    before: float | None
    after: float | None

    @property
    def relative(self) -> float | None:
        """The change relative to the first; None if that is unknown or 0."""
        if not self.before or self.after is None:
            return None
        return self.after / self.before - 1


def changes(
    before: Figures, after: Figures, profiles: Sequence[CodeProfile], of_grid: bool = False
) -> dict[str, list[Change]]:
    """All that changed, by kind.

    Args:
        before, after: the predictions in figures.
        profiles: those of both, for their instructions.
        of_grid: whether opcodes are counted in the whole grid, of which the timed SM stands for its share.
    """
    counts = [
        _issues(profile, figures.metrics["warp_instructions"] if of_grid else None)
        for profile, figures in zip(profiles, (before, after), strict=True)
    ]
    return {
        "metric": changed_metrics(before, after),
        "warp state": changed_stalls(before, after),
        "opcode": changed_opcodes(*counts),
        "factor": [Change(each.text, 1.0, each.factor) for each in reasons(before, after)],
    }


def changed_metrics(before: Figures, after: Figures) -> list[Change]:
    """The metrics that differ; the time in any case."""
    changes = [Change(name, before.metrics.get(name), after.metrics.get(name)) for name in METRICS]
    return [each for each in changes if each.before != each.after or each.name == "time_us"]


def changed_stalls(before: Figures, after: Figures) -> list[Change]:
    """Warps in each state per issued instruction, the largest change first."""
    states = [each.stalls for each in (before, after)]
    least = [LEAST_SHARE * sum(each.values()) for each in states]
    reasons = dict.fromkeys(
        reason
        for each, limit in zip(states, least, strict=True)
        for reason, warps in each.items()
        if warps > limit
    )
    return _sorted([Change(reason, *(each.get(reason, 0.0) for each in states)) for reason in reasons])


def changed_opcodes(before: Mapping[str, float], after: Mapping[str, float]) -> list[Change]:
    """Instructions that are issued, by opcode with its modifiers, the largest change first."""
    opcodes = dict.fromkeys([*before, *after])
    changes = [Change(opcode, *(each.get(opcode, 0.0) for each in (before, after))) for opcode in opcodes]
    return _sorted([each for each in changes if each.before != each.after])


@dataclass(frozen=True)
class Reason:
    """One factor of the change in time.

    Attributes:
        factor: time after over time before, as far as this goes; all factors together are the change.
        text: what changed.
    """

    factor: float
    text: str


def reasons(before: Figures, after: Figures) -> list[Reason]:
    """Why the time changed: instructions, how long each waits, warps that hide it, the GPU; the largest factor first.

    By Little's law an SM issues as many instructions a cycle as its resident warps divided by the cycles that a warp
    spends on each, which is what the warp states add up to.
    """
    executed = _ratio(before, after, "warp_instructions")
    waiting = sum(after.stalls.values()) / (sum(before.stalls.values()) or 1.0) or 1.0
    resident = _ratio(before, after, "achieved_occupancy")
    sms, clock = (
        _ratio(before, after, name) if name in before.metrics else 1.0 for name in ("sms", "clock_mhz")
    )
    rest = _ratio(before, after, "time_us") * resident * sms * clock / (executed * waiting)
    states = changed_stalls(before, after)
    largest = f" ({states[0].name} {states[0].before:.2f} -> {states[0].after:.2f})" if states else ""
    occupancy = " -> ".join(f"{each.metrics['achieved_occupancy']:.0%}" for each in (before, after))
    spills = _spills(before, after)
    found = [
        Reason(executed, f"{_more(executed)} instructions are executed{spills}"),
        Reason(waiting, f"a warp waits {'longer' if waiting > 1 else 'less'} for each instruction{largest}"),
        Reason(1 / resident, f"{_more(resident)} warps are resident to hide the waits ({occupancy})"),
        Reason(1 / sms, f"{_more(sms)} SMs ({_both(before, after, 'sms')})"),
        Reason(
            1 / clock,
            f"a {'higher' if clock > 1 else 'lower'} clock ({_both(before, after, 'clock_mhz')} MHz)",
        ),
        Reason(
            rest,
            f"the rest: unequal blocks, launch{'' if 'sms' in before.metrics else ', clock, number of SMs'}",
        ),
    ]
    return sorted(
        (each for each in found if abs(log(each.factor)) > LEAST_FACTOR),
        key=lambda each: -abs(log(each.factor)),
    )


def _spills(before: Figures, after: Figures) -> str:
    """Registers that are kept in local memory, where that changed: loads and stores that hide behind the counts."""
    local = [each.metrics.get("local_bytes_per_thread") or 0 for each in (before, after)]
    if local[0] == local[1]:
        return ""
    return f", some for local memory, as spills are ({local[0]} -> {local[1]} bytes per thread)"


def _both(before: Figures, after: Figures, metric: str) -> str:
    return " -> ".join(f"{each.metrics.get(metric, 0):,.0f}" for each in (before, after))


def _ratio(before: Figures, after: Figures, metric: str) -> float:
    return float(after.metrics[metric] / before.metrics[metric])


def _more(ratio: float) -> str:
    return "more" if ratio > 1 else "fewer"


def _issues(profile: CodeProfile, of_grid: float | None) -> dict[str, float]:
    """How often the timed SM issues each opcode, or the grid, of that many, if all SMs do in its proportions."""
    issues: Counter[str] = Counter()
    for instruction in profile.instructions:
        words = instruction.text.split()
        opcode = words[1] if words[0].startswith("@") else words[0]
        issues[opcode.rstrip(";")] += instruction.issues
    scale = 1.0 if of_grid is None else of_grid / issues.total()
    return {opcode: float(round(count * scale)) for opcode, count in issues.items()}


def _sorted(changes: Sequence[Change]) -> list[Change]:
    return sorted(changes, key=lambda each: -abs((each.after or 0) - (each.before or 0)))


def as_rows(changes: Mapping[str, Sequence[Change]]) -> list[dict[str, object]]:
    """The changes as flat rows, by their kind."""
    return [
        {"kind": kind, "name": each.name, "before": each.before, "after": each.after, "change": each.relative}
        for kind, group in changes.items()
        for each in group
    ]
