"""The answer of a sweep in words: the best variants as rows, in short, which to take, and what to do about it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dse.answers.best import Best
from dse.answers.between_gpus import between_gpus
from dse.answers.once import named, once
from dse.answers.recommendation import AS_ROBUST
from dse.answers.traffic import limit_in_words
from dse.store import SweepSpec, Trial, TrialRecord
from dse.tables.text import against_first, microseconds, number, variant

STALLS_IN_A_SUMMARY = 2
#: Slowdowns below this are none.
LEAST_LOSS = 0.0005


def best_row(spec: SweepSpec, best: Best, speedup: float | None) -> dict[str, Any]:
    """The best variant for one GPU and workload: time, speedup over the first point, ties, stalls and advice."""
    trial = best.trial
    return {
        "gpu": best.gpu,
        "workload": variant(best.workload),
        "variant": chosen(spec, trial),
        "time_us": trial.time_us,
        "time_low_us": trial.metrics.get("time_low_us"),
        "time_high_us": trial.metrics.get("time_high_us"),
        **{name: trial.metrics.get(name) for name in other_objectives(spec)},
        "speedup": speedup,
        "ties": best.ties,
        "codes": best.codes,
        "complete": best.complete,
        "tolerance": best.tolerance,
        "label": best.label,
        "common": best.common,
        "recommended": chosen(spec, best.recommended),
        "because": because(best),
        "stalls": dominant_stalls(trial),
        "regime": trial.regime,
        "limit": limit_in_words(trial),
        "advice": list(trial.advice),
        "tried": best.tried,
        "trial": trial.number,
        "recommended_trial": best.recommended.number,
        "filter": best.filter,
        "parameters": dict(trial.parameters),
    }


def in_short(
    spec: SweepSpec, winners: Sequence[Best], speedup: Callable[[TrialRecord], float | None]
) -> list[str]:
    """The answer of a sweep in a few sentences: how fast each GPU is, which variant to take, GPU against GPU."""
    best = [
        f"{where}: {text}"
        for gpu in dict.fromkeys(each.gpu for each in winners)
        for where, text in _of_gpu(spec, [each for each in winners if each.gpu == gpu], speedup)
    ]
    taken = [
        f"Take {f'`{each.variant}`' if each.variant else 'the only variant'} on {_everywhere(each.cases, winners)}."
        for each in taken_once(spec, winners)
    ]
    ratios = [each for each in between_gpus(spec, winners) if each.workload is not None]
    between = [
        (each.gpu, f"`{each.gpu}` is {each.ratio:.2f} times as fast as `{ratios[0].gpu}`.")
        for each in ratios
        if each.gpu != ratios[0].gpu
    ]
    return [*best, *taken, *(text for _, text in once(between))]


def _of_gpu(
    spec: SweepSpec, winners: Sequence[Best], speedup: Callable[[TrialRecord], float | None]
) -> list[tuple[str, str]]:
    """How fast a GPU is and what limits it, once for all workloads of which that is the same; where, and what."""
    metric = spec.objectives[0][1]
    told = []
    for best in winners:
        value = best.trial.metrics[metric]
        shown = microseconds(value) if metric == "time_us" else f"{metric} {number(value)}"
        gain = f", {against_first(ratio)}" if (ratio := speedup(best.trial)) else ""
        limit = limit_in_words(best.trial)
        told.append((best.case, f"{shown}{gain}; limited by {limit} ({best.label} profile)."))
    found = once(told)
    gpu = winners[0].gpu
    return [
        (f"`{gpu}`" if len(found) == 1 else ", ".join(f"`{case}`" for case in cases), text)
        for cases, text in found
    ]


def _everywhere(cases: Sequence[str], winners: Sequence[Best]) -> str:
    every = len(cases) == len(winners) > 1
    return "all of them" if every else ", ".join(f"`{case}`" for case in cases)


@dataclass(frozen=True)
class Taken:
    """A variant to take, and the GPUs and workloads on which it is the one.

    Attributes:
        cases: the GPUs and workloads.
        variant: in one line, without what does not vary; empty if there is only one.
        common: what the ties share, and of which cases.
        because: why to take it, and on which cases.
    """

    cases: Sequence[str]
    variant: str
    common: Sequence[tuple[Sequence[str], str]]
    because: Sequence[tuple[Sequence[str], str]]

    def said(self, told: Sequence[tuple[Sequence[str], str]]) -> list[tuple[str, str]]:
        """`common` or `because` with where it holds: empty if it does in all cases, ` on h200 n=64` if not."""
        return [
            ("" if len(cases) == len(self.cases) else f" on {', '.join(cases)}", text) for cases, text in told
        ]


def _in_a_cell(told: Sequence[tuple[str, str]]) -> str:
    """What is said, with where it holds, in a cell of a table."""
    return "; ".join(f"{where.strip()}: {text}" if where else text for where, text in told)


def taken_rows(spec: SweepSpec, winners: Sequence[Best]) -> list[list[str]]:
    """`taken_once` as the cells of a table: the cases, what the ties share, the variant, and why to take it."""
    return [
        [
            named(each.cases, len(winners)),
            _in_a_cell(each.said(each.common)) or "-",
            each.variant or "the only one",
            _in_a_cell(each.said(each.because)),
        ]
        for each in taken_once(spec, winners)
    ]


def taken_once(spec: SweepSpec, winners: Sequence[Best]) -> list[Taken]:
    """Each variant to take, once for all GPUs and workloads on which it is the one."""
    taken: dict[str, list[Best]] = {}
    for best in winners:
        taken.setdefault(chosen(spec, best.recommended), []).append(best)
    return [
        Taken(
            [best.case for best in alike],
            variant,
            _together((best.case, best.common) for best in alike if best.common and best.ties > 1),
            once((best.case, because(best)) for best in alike),
        )
        for variant, alike in taken.items()
    ]


def _together(told: Iterable[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Equal texts with all whom they are about."""
    found: dict[str, list[str]] = {}
    for case, text in told:
        found.setdefault(text, []).append(case)
    return [(cases, text) for text, cases in found.items()]


def advice_once(winners: Sequence[Best]) -> list[tuple[list[str], str]]:
    """The advice for the best variants, and what was tried around them, each said once."""
    return once(
        (best.case, line)
        for best in winners
        for line in (*best.trial.advice, *([best.tried] if best.tried and best.trial.advice else []))
    )


def asked(spec: SweepSpec) -> str:
    """What was asked for in a few words: the objectives, and how the search tries how many points on which GPUs."""
    objectives = ", then ".join(f"{direction} {metric}" for direction, metric in spec.objectives)
    budget = f"at most {spec.trials:,} trials" if spec.trials else "every valid point"
    return f"{objectives}; {spec.sampler} search of {budget} on {spec.described_gpus}"


def workloads_in_words(spec: SweepSpec) -> str:
    """That each workload has its own best variant; empty without workload."""
    return (
        f"Each value of {', '.join(spec.workload)} is a workload with a best variant of its own."
        if spec.workload
        else ""
    )


def other_objectives(spec: SweepSpec) -> list[str]:
    """The objectives other than the time."""
    return [metric for _, metric in spec.objectives if metric != "time_us"]


def why_unranked(complete: int, spec: SweepSpec) -> str:
    """What a sweep with so many complete trials has that has no best one."""
    return f"no trial with a value of {spec.objectives[0][1]}" if complete else "no complete trial yet"


def chosen(spec: SweepSpec, trial: Trial) -> str:
    """A trial's variant in one line, without its workload and what does not vary."""
    return variant(spec.chosen_of(trial.parameters), spec.parameters)


def because(best: Best) -> str:
    """Why the recommended variant is the one to take."""
    metrics = best.recommended.metrics
    reasons = []
    if best.worst_slowdown is not None and best.worst_slowdown < LEAST_LOSS:
        reasons.append("as fast as the best")
    elif best.worst_slowdown is not None:
        where = f" (on {best.worst_case})" if best.worst_slowdown > AS_ROBUST else ""
        reasons.append(f"at most {best.worst_slowdown:.1%} behind the best of each GPU and workload{where}")
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
