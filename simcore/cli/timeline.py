"""`simcore timeline KERNEL ...`: a row a warp, a column a cycle, a letter a state."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from simcore.cli.launch import StatedLaunch, takes_launch
from simcore.cli.output import Output, console, print_csv, print_json, print_table

if TYPE_CHECKING:
    from rich.text import Text

    from simcore.views.timeline import Event, Timeline

#: The letter and the colour of each state; capitals are the long waits.
LETTERS = {
    "selected": ("#", "bold white on dark_green"),
    "not_selected": ("n", "green"),
    "wait": ("w", "bright_black"),
    "long_scoreboard": ("L", "red"),
    "short_scoreboard": ("S", "magenta"),
    "math_pipe_throttle": ("M", "yellow"),
    "mio_throttle": ("Q", "bright_magenta"),
    "lg_throttle": ("G", "bright_red"),
    "tex_throttle": ("T", "bright_red"),
    "dispatch_stall": ("d", "yellow"),
    "no_instruction": ("i", "cyan"),
    "imc_miss": ("c", "cyan"),
    "branch_resolving": ("b", "bright_cyan"),
    "barrier": ("B", "blue"),
    "membar": ("F", "bright_blue"),
    "drain": ("D", "bright_yellow"),
    "sleeping": ("z", "bright_black"),
    "misc": ("?", "bright_black"),
    "gmma": ("X", "magenta"),
}
TICK = 10


@takes_launch
def timeline(
    launch: StatedLaunch,
    start: Annotated[int, typer.Option("--from", min=0, help="The first cycle.")] = 0,
    cycles: Annotated[int, typer.Option("--cycles", min=1, help="How many cycles.")] = 200,
    scheduler: Annotated[
        int | None, typer.Option("--scheduler", min=0, help="Only this one of the SM's schedulers.")
    ] = None,
    issues: Annotated[bool, typer.Option("--issues", help="List the instructions that issue, too.")] = False,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """What each warp of the simulated SM does, cycle by cycle."""
    from simcore.views.timeline import timeline as record

    found = record(start, cycles, **launch.arguments).of_scheduler(scheduler)
    if output is Output.JSON:
        print_json(found.rows())
    elif output is Output.CSV:
        print_csv(found.rows())
    else:
        _print_picture(found)
        if issues:
            _print_issues(found)


def _print_picture(found: "Timeline") -> None:
    """Panels as wide as the page, one below the other, and the legend."""
    page = console()
    if not found.events:
        page.print(f"no warp is resident in cycles {found.start:,} to {found.end - 1:,} of {found.cycles:,}")
        return
    names = {warp: f"{warp[0]}  {warp[2]:>7}  {warp[3]:>4}  " for warp in found.warps}
    head = "scheduler, block, warp"
    margin = max(len(head) + 2, *map(len, names.values()))
    width = max((page.width - margin) // TICK, 1) * TICK
    for begin in range(found.start, found.end, width):
        end = min(begin + width, found.end)
        page.print(_ruler(head, margin, begin, end))
        for warp, events in found.warps.items():
            present = [event for event in events if event.start < end and event.end > begin]
            if present:
                page.print(_row(names[warp].rjust(margin), present, begin, end), no_wrap=True)
        page.print()
    states = {event.state for event in found.events}
    page.print(_legend([state for state in LETTERS if state in states]))


def _ruler(head: str, margin: int, begin: int, end: int) -> "Text":
    """The cycles' numbers, each above its column."""
    from rich.text import Text

    marks = [" "] * (end - begin + TICK)
    for cycle in range(-(-begin // TICK) * TICK, end, TICK):
        marks[cycle - begin : cycle - begin + TICK] = f"{cycle}".ljust(TICK)[:TICK]
    return Text(head.ljust(margin) + "".join(marks).rstrip(), style="bold", no_wrap=True)


def _row(name: str, events: "Sequence[Event]", begin: int, end: int) -> "Text":
    """One warp's states; blank where it is not resident."""
    from rich.text import Text

    text, at = Text(name), begin
    for event in events:
        first, last = max(event.start, begin), min(event.end, end)
        letter, style = LETTERS[event.state]
        text.append(" " * (first - at))
        text.append(letter * (last - first), style=style)
        at = last
    return text


def _legend(states: Sequence[str]) -> "Text":
    from rich.text import Text

    from simcore.diagnosis.stalls import REASON

    text = Text()
    for state in states:
        letter, style = LETTERS[state]
        text.append(letter, style=style)
        text.append(f" {state}: {REASON[state].meaning if state != 'selected' else 'it issues'}\n")
    return text


def _print_issues(found: "Timeline") -> None:
    columns = ("cycle", "scheduler", "block", "warp", "address", "instruction")
    print_table(columns, list(_issue_cells(found)), ("address", "instruction"))


def _issue_cells(found: "Timeline") -> Iterator[list[str]]:
    for event in found.issues:
        place = (event.start, event.scheduler, event.block, event.warp)
        yield [*map(str, place), f"{event.address:#06x}", found.texts[event.address]]
