"""What changed between two predictions, as tables and text."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from simcore.views.difference import Change, Reason

ROWS_SHOWN = 24
MANY_TIMES = 9
"""Changes above this are factors, not per cent."""


def difference(
    head: str, ratio: float, reasons: Sequence[Reason], found: Mapping[str, Sequence[Change]]
) -> Group:
    """Why the time changed, by its ratio and the reasons, and all that did, below a headline.

    Args:
        head: the headline.
        ratio: time after over time before.
        reasons: factors whose product it is.
        found: changes by the heading of their table; empty tables are left out.
    """
    tables = [_table(heading, rows[:ROWS_SHOWN]) for heading, rows in found.items() if rows]
    return Group(
        Text(head, style="bold"),
        *(Padding(each, (1, 0, 0, 2), expand=False) for each in (_reasons(ratio, reasons), *tables)),
    )


def _reasons(ratio: float, reasons: Sequence[Reason]) -> RenderableType:
    """The factors whose product is the change in time."""
    lines = [f"{each.factor:.2f}x  {each.text}" for each in reasons]
    head = f"{ratio:.2f}x the time" + (", the product of" if lines else "; no factor changed by 0.5% or more")
    return Text("\n".join([head, *lines]))


def _table(heading: str, rows: Sequence[Change]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(heading, min_width=28)
    for name in ("before", "after", "change"):
        table.add_column(name, justify="right", min_width=12)
    for each in rows:
        relative = "" if each.relative is None else _relative(each.relative)
        table.add_row(each.name, *(_figure(value) for value in (each.before, each.after)), relative)
    return table


def _relative(change: float) -> str:
    """A change in per cent; of ten times and more, the factor."""
    return f"x {change + 1:,.3g}" if change >= MANY_TIMES else f"{change:+.1%}"


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"
