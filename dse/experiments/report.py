"""What an experiment returns: claims with verdicts, tables, a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["agrees", "differs", "not so here"]
#: What stands where nothing was published or measured.
NOTHING = "-"


@dataclass(frozen=True)
class Claim:
    """One claim and what became of it.

    Attributes:
        text: what is claimed.
        source: who claims it.
        published, measured, predicted: the figures, as text.
        verdict: `agrees`; `differs`, from what was published or measured; `not so here`: not true of these GPUs.
        because: why, in a sentence.
    """

    text: str
    source: str
    published: str
    predicted: str
    verdict: Verdict
    because: str
    measured: str = NOTHING


@dataclass(frozen=True)
class Table:
    """Rows of figures under a heading."""

    heading: str
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Curves:
    """Lines over a common axis; each is told from the others by its marker and dashes, not by colour."""

    x: str
    y: str
    lines: Mapping[str, Mapping[float, float]]

    @property
    def title(self) -> str:
        """What it shows."""
        return f"{self.y} by {self.x}"


@dataclass(frozen=True)
class Bars:
    """Bars by name, side by side for each series; a series is told from the others by its hatching, not by colour.

    Attributes:
        x: what their length is.
        what: what their names are.
        series: the lengths by name, of each series.
    """

    x: str
    what: str
    series: Mapping[str, Mapping[str, float]]

    @property
    def title(self) -> str:
        """What it shows."""
        return f"{self.x} by {self.what}"


@dataclass(frozen=True)
class Report:
    """The outcome of an experiment.

    Attributes:
        name: the experiment's.
        title: a sentence.
        claims: with verdicts.
        tables: the figures behind them.
        picture: of the figures.
    """

    name: str
    title: str
    claims: Sequence[Claim]
    tables: Sequence[Table] = ()
    picture: Curves | Bars | None = None


def bars(x: str, name: str, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> Bars:
    """Some columns of a table as bars, by the column `name`; cells without a figure have none.

    Args:
        columns: by the names of their series.
    """
    series = {
        kind: {str(row[name]): float(row[column]) for row in rows if row[column] is not None}
        for kind, column in columns.items()
    }
    return Bars(x, name, {kind: lengths for kind, lengths in series.items() if lengths})


def percent(share: float) -> str:
    """A share of 0 to 1."""
    return f"{share:.0%}"


def ratio(value: float) -> str:
    """A speedup."""
    return f"{value:.2f}"
