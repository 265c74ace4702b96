"""What changed between two trials, as tables and text; both are simulated again for their instructions."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dse.answers.difference import (
    Change,
    changed_metrics,
    changed_opcodes,
    changed_parameters,
    changed_stalls,
    reasons,
)
from dse.errors import InputError
from dse.evaluation.evaluate import profile_task
from dse.evaluation.points import task_for
from dse.handles import Sweep
from dse.requests.specs import restore_space
from dse.store import Trial
from dse.tables.text import shown

OPCODES_SHOWN = 12
MANY_TIMES = 9
"""Changes above this are factors, not per cent."""


def two_trials(sweep: Sweep, numbers: Sequence[int]) -> list[Trial]:
    """The trials with two numbers.

    Raises:
        InputError: there is no such trial, or one failed.
    """
    found = []
    for number in numbers:
        trials = sweep.trials(f"number = {number}")
        if not trials:
            raise InputError(
                f"sweep {sweep.id} has no trial {number}; `dse results {sweep.id}` lists its trials"
            )
        if trials[0].state == "failed":
            raise InputError(f"trial {number} failed ({trials[0].reason}), so there is nothing to compare")
        found += trials
    return found


def changes(sweep: Sweep, before: Trial, after: Trial) -> dict[str, list[Change]]:
    """All that changed, by kind.

    Raises:
        SimcoreError: a trial can no longer be simulated.
    """
    space = restore_space(sweep.spec)
    profiles = [profile_task(task_for(space, each.parameters, each.gpu)) for each in (before, after)]
    return {
        "metric": changed_metrics(before, after),
        "warp state": changed_stalls(before, after),
        "opcode": changed_opcodes(*profiles),
        "factor": [Change(each.text, 1.0, each.factor) for each in reasons(before, after)],
    }


def difference(sweep: Sweep, before: Trial, after: Trial) -> RenderableType:
    """The parameters that changed, and what followed."""
    parameters = changed_parameters(before, after)
    texts = [f"{name} {shown(old)} -> {shown(new)}" for name, (old, new) in parameters.items()]
    gpus = before.gpu if before.gpu == after.gpu else f"{before.gpu} -> {after.gpu}"
    head = (
        f"trial {before.number} -> trial {after.number} on {gpus}: {', '.join(texts) or 'the same variant'}"
    )
    found = changes(sweep, before, after)
    shown_opcodes = found["opcode"][:OPCODES_SHOWN]
    tables = [
        _table("metric", found["metric"]),
        _table("warp state (warps per issue)", found["warp state"]),
        _table("issued by the timed SM", shown_opcodes),
    ]
    return Group(
        Text(head, style="bold"),
        *(Padding(each, (1, 0, 0, 2), expand=False) for each in (_reasons(before, after), *tables)),
    )


def _reasons(before: Trial, after: Trial) -> RenderableType:
    """The factors whose product is the change in time."""
    ratio = (after.time_us or 0) / (before.time_us or 1)
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
