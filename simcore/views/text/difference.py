"""What changed between two predictions, as tables and text."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from simcore.views.difference import (
    Change,
    Figures,
    changed_metrics,
    changed_opcodes,
    changed_stalls,
    reasons,
)
from simcore.views.instruction_profile import Profile

OPCODES_SHOWN = 12
MANY_TIMES = 9
"""Changes above this are factors, not per cent."""


def changes(before: Figures, after: Figures, profiles: Sequence[Profile]) -> dict[str, list[Change]]:
    """All that changed, by kind; `profiles` are those of both, for their instructions."""
    return {
        "metric": changed_metrics(before, after),
        "warp state": changed_stalls(before, after),
        "opcode": changed_opcodes(*profiles),
        "factor": [Change(each.text, 1.0, each.factor) for each in reasons(before, after)],
    }


def difference(head: str, before: Figures, after: Figures, found: Mapping[str, Sequence[Change]]) -> Group:
    """Why the time changed, and all that did, below a headline."""
    tables = [
        _table("metric", found["metric"]),
        _table("warp state (warps per issue)", found["warp state"]),
        _table("issued by the timed SM", found["opcode"][:OPCODES_SHOWN]),
    ]
    return Group(
        Text(head, style="bold"),
        *(Padding(each, (1, 0, 0, 2), expand=False) for each in (_reasons(before, after), *tables)),
    )


def _reasons(before: Figures, after: Figures) -> RenderableType:
    """The factors whose product is the change in time."""
    ratio = after.metrics["time_us"] / before.metrics["time_us"]
    lines = [f"{each.factor:.2f}x  {each.text}" for each in reasons(before, after)]
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
