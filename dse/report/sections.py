"""The parts of the page: each a heading, a few sentences, a table that needs no script, and a figure."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import pandas as pd

from dse.answers.best import Best
from dse.answers.between_gpus import as_table, between_gpus, worth
from dse.answers.once import named
from dse.answers.portability import VariantSet
from dse.answers.recommendation import CODES, which_is_which
from dse.answers.summary import (
    advice_once,
    asked,
    dominant_stalls,
    in_short,
    taken_rows,
    workloads_in_words,
)
from dse.answers.tolerance import in_words
from dse.answers.traffic import FROM_L2, is_from_l2, limit_in_words
from dse.report.bars import importance_table
from dse.report.data import ReportData, thinned
from dse.report.hot_spots import hot_spots
from dse.report.limits import not_on_the_roofline, on_front
from dse.store import TrialQuery
from dse.tables.text import INTERVAL, interval, microseconds, number, shown, slowdown, variant
from search_spaces import Point
from simcore.errors import SimcoreError

#: Trials in the table of the fastest, and failed ones that are quoted.
FASTEST, QUOTED = 25, 5
#: Rows of a front's table, and best variants that are profiled.
FRONT_ROWS, PROFILED = 12, 4
#: Variants whose simulation took longer are left to `dse explain`.
PROFILE_S = 10.0
STATES = "The share of the warps' time in each state, in Nsight Compute's terms."
ROOFLINE = (
    "Each mark is a variant. The slope is the bandwidth of the memory (of DRAM, what streaming kernels achieve), the "
    "ceiling what the schedulers issue."
)
HYPERVOLUME = (
    "The share of the hypervolume of all trials that the first ones dominate; the reference point has the worst value "
    "of each objective."
)
IMPORTANCE = (
    "The share of the variance of the objective's logarithm that is due to each parameter alone; what is due to none "
    "alone, they do together."
)
SAMPLED = (
    "Estimated: only some of the points completed, so all parameters' effects are fitted together, and each value "
    "that was tried counts alike."
)
UNKNOWN_IMPORTANCE = (
    "The variants that completed are too few to tell what each parameter is worth, or all alike."
)


@dataclass(frozen=True)
class PageTable:
    """A table of texts.

    Attributes:
        head: the headings.
        rows: the cells.
        numbers: the columns that are set flush right.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes:
        name: its anchor, and the name of its figure if there is one.
        title: its heading.
        points: sentences in a list.
        notes: sentences before the table.
        table: visible without scripts; None for none.
    """

    name: str
    title: str
    notes: Sequence[str] = field(default=())
    table: PageTable | None = None
    points: Sequence[str] = field(default=())


def sections_of(data: ReportData, drawn: Container[str]) -> list[Section]:
    """The sections of a sweep; without complete trials only what is known. `drawn` are the figures that there are."""

    def figure(name: str, title: str, *notes: str) -> list[Section]:
        return [Section(name, title, notes)] if name in drawn else []

    if not data.variants:
        return [*_failures(data), _request(data)]
    return [
        _in_short(data),
        _winners(data),
        _taken(data),
        *_between_gpus(data),
        *_advice(data),
        _portability(data),
        *_front(data),
        *figure("parameters", "Each parameter"),
        *_importances(data),
        *figure("stalls", "Warp states", STATES),
        *_hot_spots(data),
        *figure("roofline", "Roofline", ROOFLINE, *not_on_the_roofline(data)),
        *figure("heat_map", "Parallelism and occupancy"),
        *figure("sizes", "Registers and code size"),
        *figure("parallel", "All parameters"),
        *figure("progress", "Progress"),
        *figure("hypervolume", "Hypervolume", HYPERVOLUME),
        Section("fastest", "The fastest trials", [_how_many(data)], _fastest(data)),
        *_failures(data),
        _request(data),
    ]


def _failures(data: ReportData) -> list[Section]:
    """Why trials failed, most frequent first."""
    if not data.status.counts.failed:
        return []
    rows = []
    for reason, count in [*data.status.counts.failures.items()][:QUOTED]:
        trial = next(data.trials(TrialQuery(f"reason = '{reason}'", limit=1)), None)
        where = f"{trial.gpu} {variant(trial.parameters)}" if trial else ""
        rows.append([reason, f"{count:,}", where, (trial.message or "") if trial else ""])
    table = PageTable(["reason", "trials", "for example", "message"], rows, frozenset({1}))
    return [Section("failures", "Failed trials", table=table)]


def _request(data: ReportData) -> Section:
    """What was asked for."""
    spec = data.spec
    rows = [[name, ", ".join(map(shown, values))] for name, values in spec.parameters.items()]
    notes = [note for note in (_sentence(asked(spec)), workloads_in_words(spec)) if note]
    return Section("request", "What was asked for", notes, PageTable(["parameter", "values"], rows))


def _winners(data: ReportData) -> Section:
    metric = data.spec.objectives[0][1]
    own = [name for name in data.spec.metrics if name != metric]
    value = "time" if metric == "time_us" else metric
    numbers = [value, INTERVAL if metric == "time_us" else f"time, {INTERVAL}", *own, "speedup", "ties"]
    head = ["GPU", "best variant", *numbers, "profile", "dominant stalls", "regime"]
    rows = [
        [
            best.case,
            _variant(data, best.parameters),
            _value(data, best),
            interval(best.trial.metrics),
            *(_figure(best.trial.user_metrics.get(name)) for name in own),
            f"{speedup:.2f}x" if (speedup := data.speedup(best.trial)) else "-",
            best.tied,
            best.label,
            dominant_stalls(best.trial),
            limit_in_words(best.trial),
        ]
        for best in data.winners
    ]
    ties = in_words({best.label: best.tolerance for best in data.winners})
    notes = [f"Speedups are relative to the first point of the space. Ties are {ties}."]
    if any(is_from_l2(best.trial.metrics) for best in data.winners):
        notes.append(_sentence(FROM_L2))
    table = PageTable(head, rows, frozenset(range(2, 2 + len(numbers))))
    return Section("winners", "The best variants", notes, table)


def _taken(data: ReportData) -> Section:
    """Which of the ties to take."""
    notes = [_sentence(which_is_which(len(data.winners)))]
    if any(best.codes < best.ties for best in data.winners):
        notes.append(_sentence(CODES))
    head = ["GPU and workload", "the ties share", "take", "because"]
    return Section(
        "take", "Which variant to take", notes, PageTable(head, taken_rows(data.spec, data.winners))
    )


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _advice(data: ReportData) -> list[Section]:
    """The advice for the best variants; GPUs and workloads with the same advice together."""
    rows = [[named(cases, len(data.winners)), line] for cases, line in advice_once(data.winners)]
    table = PageTable(["GPU and workload", "advice for its best variant, most important first"], rows)
    return [Section("advice", "Advice", [], table)] if rows else []


def _in_short(data: ReportData) -> Section:
    """What somebody who reads nothing else should know."""
    left_out = [_sentence(found.words) for found in data.failed_values]
    return Section(
        "in_short", "In short", points=[*left_out, *in_short(data.spec, data.winners, data.speedup)]
    )


def _between_gpus(data: ReportData) -> list[Section]:
    """Each GPU relative to the first."""
    found = between_gpus(data.spec, data.winners)
    if not found:
        return []
    head, rows = as_table(found)
    table = PageTable(head, rows, frozenset(range(len(head) - 2, len(head))))
    return [Section("gpus", "GPU against GPU", worth(data.spec, found), table)]


def _portability(data: ReportData) -> Section:
    found = data.portability
    if isinstance(found, str):
        return Section("portability", "Portability", [found])
    head = ["tuned for", "variant", "worst", "mean", *map(str, found.cases)]
    rows = [
        [name, _variant(data, each.parameters), *map(slowdown, (each.worst, each.mean, *each.ratios))]
        for name, each in found.named
    ]
    one = f"{_variant(data, found.minimax.parameters)}, at most {slowdown(found.minimax.worst)}"
    notes = [f"One variant for all GPUs and workloads, by time alone: {one}."]
    notes += [_set(data, each) for each in found.sets[1:]]
    notes += [f"{found.unknown.capitalize()}."] if found.unknown else []
    numbers = frozenset(range(2, len(head)))
    return Section("portability", "Portability", notes, PageTable(head, rows, numbers))


def _front(data: ReportData) -> list[Section]:
    """The fronts as a table, if there are several objectives."""
    metrics = [metric for _, metric in data.spec.objectives[1:]]
    if not metrics:
        return []
    fronts = [(case, on_front(data, rows)) for case, rows in data.cases]
    rows = [
        [
            case,
            data.written(row),
            *map(number, row[["value", *metrics]]),
            str(row["number"]),
        ]
        for case, best in fronts
        for _, row in thinned(best, FRONT_ROWS).iterrows()
    ]
    head = ["GPU and workload", "variant", data.objective, *metrics, "trial"]
    found = [f"{case}: {len(best)}" for case, best in fronts]
    notes = [f"Variants that no other one beats in every objective: {', '.join(found)}."]
    return [Section("front", "Front", notes, PageTable(head, rows, frozenset(range(2, len(head)))))]


def _hot_spots(data: ReportData) -> list[Section]:
    """The hottest lines of the best variants."""
    if not data.profiles:
        return []
    rows, notes = (
        [],
        ["The source lines of the best variant with the most stalls, and what warps wait for there."],
    )
    quick = [best for best in data.winners if best.trial.result.simulate_s < PROFILE_S]
    if left_out := len(data.winners) - len(quick):
        notes.append(
            f"{left_out} took {PROFILE_S:g} s or more to simulate: dse explain {data.sweep} shows theirs."
        )
    profiled = _each_gpu_first(quick)[:PROFILED]
    if others := [best.case for best in quick if best not in profiled]:
        notes.append(f"`dse explain {data.sweep}` shows those of {', '.join(others)}, too.")
    for best in profiled:
        where = best.case
        try:
            found = hot_spots(data.spec, best.trial)
        except SimcoreError as error:
            notes.append(f"{where} cannot be simulated again: {error}")
            continue
        rows += [[where, spot.place, spot.text, f"{spot.share:.0%}", spot.waits_for] for spot in found]
    head = ["GPU and workload", "line", "source", "share of stalls", "waits for"]
    table = PageTable(head, rows, frozenset({3})) if rows else None
    return [Section("hot_spots", "The hottest lines", notes, table)]


def _each_gpu_first(winners: Sequence[Best]) -> list[Best]:
    """The first of each GPU, then the second of each."""
    by_gpu = [[best for best in winners if best.gpu == gpu] for gpu in dict.fromkeys(b.gpu for b in winners)]
    return [best for rank in zip_longest(*by_gpu) for best in rank if best]


def _importances(data: ReportData) -> list[Section]:
    """The shares as a table, if any parameter varies."""
    if not data.varied:
        return []
    table: pd.DataFrame = importance_table(data)
    if table.empty:
        return [Section("importances", "Importance", [UNKNOWN_IMPORTANCE])]
    rows = [
        [str(name), *(f"{share:.0%}" for share in row)]
        for name, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    notes = [IMPORTANCE, *([SAMPLED] if data.is_sample else [])]
    head = ["parameter", *map(str, table.columns)]
    return [
        Section("importances", "Importance", notes, PageTable(head, rows, frozenset(range(1, len(head)))))
    ]


def _how_many(data: ReportData) -> str:
    """How many trials the table of the fastest leaves out, and where they are."""
    complete = data.status.counts.complete
    if complete <= FASTEST:
        return "All complete trials, by how far they are behind the best of their GPU and workload."
    return (
        f"The {FASTEST} of {complete:,} complete trials that are nearest to the best of their GPU and workload; "
        f"`dse results {data.sweep} -o csv` has all."
    )


def _fastest(data: ReportData) -> PageTable:
    has_local = data.frame["local_bytes"].gt(0).any()
    head = [
        "GPU and workload",
        "variant",
        data.objective,
        "behind the best",
        "registers",
        *(["local bytes"] if has_local else []),
        "bytes of code",
        "theoretical occupancy",
        "trial",
    ]
    rows = [
        [
            str(row["case"]),
            data.written(row),
            number(row["value"]),
            f"+{row['slowdown'] - 1:.1%}",
            _number(row["registers"]),
            *([_number(row["local_bytes"])] if has_local else []),
            _number(row["code_bytes"]),
            f"{row['occupancy']:.0%}" if pd.notna(row["occupancy"]) else "-",
            str(row["number"]),
        ]
        for _, row in data.frame.head(FASTEST).iterrows()
    ]
    return PageTable(head, rows, frozenset(range(2, len(head))))


def _variant(data: ReportData, parameters: Point) -> str:
    chosen = {name: value for name, value in parameters.items() if name not in data.spec.workload}
    return variant(chosen, data.spec.parameters) or "the only one"


def _value(data: ReportData, best: Best) -> str:
    metric = data.spec.objectives[0][1]
    value = best.trial.metrics[metric]
    return microseconds(value) if metric == "time_us" else number(value)


def _set(data: ReportData, each: VariantSet) -> str:
    variants = "; ".join(_variant(data, parameters) for parameters in each.variants)
    size = f"{len(each.variants)} variants, of which each GPU and workload takes its best"
    return f"{size}, at most {slowdown(each.worst)}: {variants}."


def _figure(value: float | None) -> str:
    return "-" if value is None else number(value)


def _number(value: float) -> str:
    return f"{value:,.0f}" if pd.notna(value) else "-"
