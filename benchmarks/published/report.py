"""Published and predicted figures side by side: on the console and as a page."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table

from benchmarks.figures import figures
from benchmarks.published.figures import Figure

NEAR = 0.10
"""A prediction is near if it differs from the published figure by at most this share of it."""


@dataclass(frozen=True)
class Compared:
    """A figure beside its prediction.

    Attributes:
        figure: as published.
        predicted: in the figure's unit.
    """

    figure: Figure
    predicted: float

    @property
    def ratio(self) -> float:
        """Predicted relative to published."""
        return self.predicted / self.figure.value

    @property
    def near(self) -> bool:
        """Whether both are within `NEAR`."""
        return abs(self.ratio - 1) <= NEAR


def comparison(compared: Iterable[Compared]) -> Table:
    """A row for each figure."""
    table = figures(None, "GPU", "quantity", "published", "predicted", "unit", "ratio", "source")
    for column in (1, 6):
        table.columns[column].justify = "left"
    for each in compared:
        figure = each.figure
        table.add_row(
            figure.gpu,
            figure.quantity,
            f"{figure.value:g}",
            number(each.predicted),
            figure.unit,
            f"{each.ratio:.2f}" + ("" if each.near else " *"),
            f"{figure.source.title}: {figure.where}",
        )
    return table


def number(value: float) -> str:
    """A prediction with as many digits as published figures have."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


@dataclass(frozen=True)
class Share:
    """How many figures are near.

    Attributes:
        name: of the GPU, or `all`.
        figures: how many there are.
        near: how many of them are near.
        measured: figures that were measured, not stated by NVIDIA.
        measured_near: how many of those are near.
        unexplained: figures that are neither near nor explained.
    """

    name: str
    figures: int
    near: int
    measured: int
    measured_near: int
    unexplained: int

    def cells(self) -> tuple[str, ...]:
        """A row of a table."""
        measured = f"{self.measured_near / self.measured:.0%}" if self.measured else "none"
        return (
            self.name,
            str(self.figures),
            str(self.near),
            f"{self.near / self.figures:.0%}",
            str(self.measured),
            measured,
            str(self.unexplained),
        )


SHARES = ("GPU", "figures", f"within {NEAR:.0%}", "share", "measured", "share of those", "not explained")


def shares(compared: list[Compared]) -> list[Share]:
    """The shares of each GPU, and of all together."""
    groups = [(gpu, _of(gpu, compared)) for gpu in _gpus(compared)]
    return [_share(name, group) for name, group in [*groups, ("all", compared)]]


def _share(name: str, group: list[Compared]) -> Share:
    measured = [each for each in group if not each.figure.source.stated]
    return Share(
        name=name,
        figures=len(group),
        near=sum(each.near for each in group),
        measured=len(measured),
        measured_near=sum(each.near for each in measured),
        unexplained=sum(not each.near and not each.figure.differs for each in group),
    )


def _gpus(compared: list[Compared]) -> list[str]:
    return list(dict.fromkeys(each.figure.gpu for each in compared))


def _of(gpu: str, compared: list[Compared]) -> list[Compared]:
    return [each for each in compared if each.figure.gpu == gpu]


def summary(compared: list[Compared]) -> Table:
    """The share of near figures, by GPU."""
    table = figures(None, *SHARES)
    for share in shares(compared):
        table.add_row(*share.cells())
    return table


PAGE = """# Published microbenchmarks

Figures that others measured or NVIDIA states, beside what the simulator predicts for the same kernels:
`python -m benchmarks.published --report docs/published.md` makes this page. The figures are in
`benchmarks/published/data`, each with its source and its conditions, and the kernels in `benchmarks/published/kernels`.
A figure of another board with the same chip is converted to the profile's units, as its conditions say.

The H200 and the H100 SXM are calibrated on measurements of this project, and where others differ the profile keeps
those. The other profiles rest on figures such as these: for them this page says whether their numbers come back from
kernels, and which of them contradict each other. What NVIDIA states, such as peak rates, is counted apart from what was
measured. Times are differences of two lengths of a loop, so that neither a launch nor a first round counts, but for
streams and launches. Latencies of a footprint are of rounds through all its lines in a random order.

"""


def page(compared: list[Compared]) -> str:
    """The page of the documentation."""
    rows = [" | ".join(share.cells()) for share in shares(compared)]
    head = f"| {' | '.join(SHARES)} |\n|{'---|' * len(SHARES)}\n"
    sections = [section(gpu, _of(gpu, compared)) for gpu in _gpus(compared)]
    return "".join([PAGE, head, *(f"| {row} |\n" for row in rows), *sections])


def section(gpu: str, compared: list[Compared]) -> str:
    """The table of one GPU, and why predictions differ."""
    lines = [
        f"\n## {gpu}\n",
        "| quantity | published | predicted | unit | ratio | measured on | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in compared:
        figure = each.figure
        ratio = f"{each.ratio:.2f}" if each.near else f"**{each.ratio:.2f}**"
        source = f"[{figure.source.title}]({figure.source.url}), {figure.where}"
        cells = (figure.quantity, f"{figure.value:g}", number(each.predicted), figure.unit, ratio)
        lines.append(f"| {' | '.join(cells)} | {figure.conditions} | {source} |")
    far = [each for each in compared if not each.near]
    if far:
        lines.append("\nWhat differs by more, and why:\n")
        lines.extend(f"- {reason(each)}" for each in far)
    return "\n".join(lines) + "\n"


def reason(each: Compared) -> str:
    """Why a prediction differs, as its figure says."""
    figure = each.figure
    why = figure.differs or "not explained"
    return f"{figure.quantity}, {figure.value:g} {figure.unit} ({figure.conditions}): {why}."
