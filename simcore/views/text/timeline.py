"""A timeline as text: a row for each warp, a column for each cycle, a letter for each state."""

from collections.abc import Iterator, Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from simcore.diagnosis.stalls import REASON
from simcore.views.text.tables import table
from simcore.views.timeline import Event, Timeline

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
"""The letter and colour of each state; long waits are capitals."""
TICK = 10
"""Cycles between two labels of the ruler."""
HEAD = "scheduler, block, warp"


def picture(found: Timeline, width: int) -> Group:
    """Panels as wide as the page, one below the other, and a legend.

    Args:
        width: of the page, in characters.
    """
    if not found.events:
        return Group(
            f"no warp is resident in cycles {found.start:,} to {found.end - 1:,} of {found.cycles:,}"
        )
    states = {event.state for event in found.events}
    return Group(*_panels(found, width), _legend([state for state in LETTERS if state in states]))


def issue_table(found: Timeline) -> Table:
    """The issued instructions, in chronological order."""
    columns = ("cycle", "scheduler", "block", "warp", "address", "instruction")
    return table(columns, list(_issue_cells(found)), ("address", "instruction"))


def _panels(found: Timeline, page_width: int) -> Iterator[Text]:
    names = {warp: f"{warp[0]}  {warp[2]:>7}  {warp[3]:>4}  " for warp in found.warps}
    margin = max(len(HEAD) + 2, *map(len, names.values()))
    width = max((page_width - margin) // TICK, 1) * TICK
    for begin in range(found.start, found.end, width):
        end = min(begin + width, found.end)
        yield _ruler(margin, begin, end)
        for warp, events in found.warps.items():
            present = [event for event in events if event.start < end and event.end > begin]
            if present:
                yield _row(names[warp].rjust(margin), present, begin, end)
        yield Text()


def _ruler(margin: int, begin: int, end: int) -> Text:
    """Cycle numbers above their columns."""
    marks = [" "] * (end - begin + TICK)
    for cycle in range(-(-begin // TICK) * TICK, end, TICK):
        marks[cycle - begin : cycle - begin + TICK] = f"{cycle}".ljust(TICK)[:TICK]
    return Text(HEAD.ljust(margin) + "".join(marks).rstrip(), style="bold", no_wrap=True)


def _row(name: str, events: Sequence[Event], begin: int, end: int) -> Text:
    """One warp's states; blank where it is not resident."""
    text, at = Text(name, no_wrap=True), begin
    for event in events:
        first, last = max(event.start, begin), min(event.end, end)
        letter, style = LETTERS[event.state]
        text.append(" " * (first - at))
        text.append(letter * (last - first), style=style)
        at = last
    return text


def _legend(states: Sequence[str]) -> Text:
    text = Text()
    for state in states:
        letter, style = LETTERS[state]
        text.append(letter, style=style)
        text.append(f" {state}: {REASON[state].meaning if state != 'selected' else 'it issues'}\n")
    return text


def _issue_cells(found: Timeline) -> Iterator[list[str]]:
    for event in found.issues:
        place = (event.start, event.scheduler, event.block, event.warp)
        yield [*map(str, place), f"{event.address:#06x}", found.texts[event.address]]
