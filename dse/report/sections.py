"""The parts of the page: each a heading, a few sentences, a table that needs no script, and a figure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from dse.answers.best import Best
from dse.answers.portability import VariantSet
from dse.answers.tolerance import in_words
from dse.report.bars import importance_table
from dse.report.data import ReportData
from dse.report.grids import has_heat_map, portability_rows
from dse.store import TrialQuery
from dse.tables.text import microseconds, variant
from search_spaces import Point

#: Trials in the table of the fastest, and failed ones that are quoted.
FASTEST, QUOTED = 25, 5


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
        name: its anchor, and the name of its figure.
        title: its heading.
        notes: sentences before the table.
        table: visible without scripts; None for none.
        has_figure: whether there is a figure of this name.
    """

    name: str
    title: str
    notes: Sequence[str] = field(default=())
    table: PageTable | None = None
    has_figure: bool = True


def sections_of(data: ReportData) -> list[Section]:
    """The sections of a sweep with complete trials."""
    found = [_winners(data), _portability(data)]
    if data.varied:
        found += [Section("parameters", "Each parameter"), _importances(data)]
    found.append(
        Section(
            "stalls",
            "Warp states",
            ["Warps in each state per issued instruction, in Nsight Compute's terms."],
        )
    )
    if has_heat_map(data):
        found.append(Section("heat_map", "Parallelism and occupancy"))
    found += [
        Section("sizes", "Registers and code size"),
        Section("parallel", "All parameters"),
        Section("progress", "Progress"),
    ]
    found.append(Section("fastest", "The fastest trials", table=_fastest(data), has_figure=False))
    if data.status.counts.failed:
        found.append(failures(data))
    return found


def failures(data: ReportData) -> Section:
    """Why trials failed, most frequent first."""
    rows = []
    for reason, count in [*data.status.counts.failures.items()][:QUOTED]:
        trial = next(data.trials(TrialQuery(f"reason = '{reason}'", limit=1)), None)
        where = f"{trial.gpu} {variant(trial.parameters)}" if trial else ""
        rows.append([reason, f"{count:,}", where, (trial.message or "") if trial else ""])
    table = PageTable(["reason", "trials", "for example", "message"], rows, frozenset({1}))
    return Section("failures", "Failed trials", table=table, has_figure=False)


def _winners(data: ReportData) -> Section:
    head = ["GPU", "best variant", data.objective, "ties", "profile", "the ties share", "take", "slower by"]
    rows = [
        [
            f"{best.gpu} {variant(best.workload)}".strip(),
            _variant(data, best.parameters),
            _value(data, best),
            f"{best.ties} of {best.complete}",
            best.label,
            best.common if best.ties > 1 and best.common else "-",
            _variant(data, best.recommended.parameters),
            f"{best.slowdown:.1%}",
        ]
        for best in data.winners
    ]
    ties = in_words({best.label: best.tolerance for best in data.winners})
    notes = [
        f"Ties are {ties}. Of these, take the one that is robust over all GPUs and workloads, then has fewer "
        "registers, then less code."
    ]
    return Section("winners", "The best variants", notes, PageTable(head, rows, frozenset({2, 3, 7})))


def _portability(data: ReportData) -> Section:
    found = data.portability
    if isinstance(found, str):
        return Section("portability", "Portability", [found], has_figure=False)
    head = ["tuned for", "variant", *map(str, found.cases), "worst", "mean"]
    rows = [
        [name, _variant(data, each.parameters), *map(_loss, (*each.ratios, each.worst, each.mean))]
        for name, each in portability_rows(data, found)
    ]
    notes = [
        f"One variant for all: {_variant(data, found.minimax.parameters)}, at most {_loss(found.minimax.worst)}."
    ]
    notes += [_set(data, each) for each in found.sets[1:]]
    numbers = frozenset(range(2, len(head)))
    return Section("portability", "Portability", notes, PageTable(head, rows, numbers))


def _importances(data: ReportData) -> Section:
    table: pd.DataFrame = importance_table(data)
    rows = [
        [str(name), *(f"{share:.0%}" for share in row)]
        for name, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    notes = [
        "The share of the variance of the logarithm of the objective that the means of a parameter's values explain; "
        "what no parameter explains on its own, they do together."
    ]
    head = ["parameter", *map(str, table.columns)]
    return Section("importances", "Importance", notes, PageTable(head, rows, frozenset(range(1, len(head)))))


def _fastest(data: ReportData) -> PageTable:
    head = [
        "GPU and workload",
        "variant",
        data.objective,
        "over the best",
        "registers",
        "bytes of code",
        "occupancy",
        "trial",
    ]
    rows = [
        [
            str(row["case"]),
            data.written(row),
            f"{row['value']:,.4g}",
            f"+{row['slowdown'] - 1:.1%}",
            _number(row["registers"]),
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
    return microseconds(value) if metric == "time_us" else f"{value:,.4g}"


def _loss(ratio: float | None) -> str:
    return "-" if ratio is None else f"+{ratio - 1:.1%}"


def _set(data: ReportData, each: VariantSet) -> str:
    variants = "; ".join(_variant(data, parameters) for parameters in each.variants)
    size = f"{len(each.variants)} variants, of which each GPU and workload takes its best"
    return f"{size}, at most {_loss(each.worst)}: {variants}."


def _number(value: float) -> str:
    return f"{value:,.0f}" if pd.notna(value) else "-"
