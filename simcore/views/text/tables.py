"""Plain tables and bar charts."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from simcore.views.bars import bar

SHOWN_SHARE = 0.001
"""The smallest share of the whole that gets a bar."""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str]) -> Table:
    """A table with the columns named in `left` aligned to the left, the others to the right."""
    built = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        built.add_column(column, justify="left" if column in left else "right", overflow="fold")
    for row in rows:
        built.add_row(*map(Text, row))
    return built


def bars(heading: str, values: Mapping[str, float], whole: float) -> Table:
    """A bar for each value, the largest first.

    Args:
        whole: the value of a full bar: the sum of the values, or the largest possible one; if 1, only shares are shown.
    """
    built = Table(box=None, header_style="bold", pad_edge=True)
    built.add_column("")
    built.add_column(heading, justify="right")
    built.add_column("")
    for name, value in sorted(values.items(), key=lambda item: -item[1]):
        share = value / whole if whole else 0.0
        if share >= SHOWN_SHARE:
            shown = f"{value:.2f} {share:4.0%}" if whole != 1.0 else f"{share:.0%}"
            built.add_row(name, shown, Text(bar(share), style="cyan"))
    return built
