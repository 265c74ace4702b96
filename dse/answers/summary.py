"""The best variant of a GPU and workload in a row of a table, with what limits it and which variant to take."""

from typing import Any

from dse.answers.best import Best
from dse.store import SweepSpec, Trial
from dse.tables.text import variant

STALLS_IN_A_SUMMARY = 2


def best_row(spec: SweepSpec, best: Best, speedup: float | None) -> dict[str, Any]:
    """The best variant for one GPU and workload: time, speedup over the first point, ties, stalls and advice."""
    trial = best.trial
    return {
        "gpu": best.gpu,
        "workload": variant(best.workload),
        "variant": chosen(spec, trial),
        "time_us": trial.time_us,
        **{name: trial.metrics.get(name) for name in other_objectives(spec)},
        "speedup": speedup,
        "ties": best.ties,
        "complete": best.complete,
        "tolerance": best.tolerance,
        "label": best.label,
        "common": best.common,
        "recommended": chosen(spec, best.recommended),
        "because": because(best),
        "stalls": dominant_stalls(trial),
        "regime": trial.metrics.get("regime"),
        "advice": list(trial.advice),
        "trial": trial.number,
        "recommended_trial": best.recommended.number,
        "filter": best.filter,
        "parameters": dict(trial.parameters),
    }


def other_objectives(spec: SweepSpec) -> list[str]:
    """The objectives other than the time."""
    return [metric for _, metric in spec.objectives if metric != "time_us"]


def chosen(spec: SweepSpec, trial: Trial) -> str:
    """A trial's variant in one line, without its workload and what does not vary."""
    return variant(spec.chosen_of(trial.parameters), spec.parameters)


def because(best: Best) -> str:
    """Why the recommended variant is the one to take."""
    metrics = best.recommended.metrics
    reasons = []
    if best.worst_slowdown is not None:
        reasons.append(f"at most {best.worst_slowdown:.1%} above the best of each GPU and workload")
    if registers := metrics.get("registers_per_thread"):
        reasons.append(f"{registers} registers")
    if code_bytes := metrics.get("code_bytes"):
        reasons.append(f"{code_bytes:,} bytes of code")
    return ", ".join(reasons)


def dominant_stalls(trial: Trial) -> str:
    """The largest stall reasons, with their share of the warps' time."""
    total = sum(trial.stalls.values()) or 1.0
    stalls = [(reason, warps) for reason, warps in trial.stalls.items() if reason != "selected" and warps > 0]
    return ", ".join(f"{reason} {warps / total:.0%}" for reason, warps in stalls[:STALLS_IN_A_SUMMARY])
