"""Plain tables, and bars in their cells."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from simcore.views.bars import bar

SHOWN_SHARE = 0.001
"""Of a whole, the smallest share that gets a row of its own among bars."""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str]) -> Table:
    """Cells in aligned columns: those named in `left` to the left, numbers to the right."""
    built = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        built.add_column(column, justify="left" if column in left else "right", overflow="fold")
    for row in rows:
        built.add_row(*map(Text, row))
    return built


def bars(heading: str, values: Mapping[str, float], whole: float) -> Table:
    """A bar for each value, the largest first.

    Args:
        whole: what all the values, or the largest possible one, amount to; at 1 only shares are shown.
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
