"""Progress of work that is not a sweep: how many of how many are done, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

#: Seconds between two lines of progress where there is no terminal.
INTERVAL_S = 10.0


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that is told how many of how many are done, with the time left; without a terminal, a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(Text(title), soft_wrap=True)
        yield _Lines(console).tell
        return
    columns = TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class _Lines:
    """Progress in lines, with an estimate from the rate so far."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = self._told = monotonic()

    def tell(self, done: int, total: int) -> None:
        """Print how many of how many are done, unless that was said less than ten seconds ago."""
        now = monotonic()
        if not done or now - self._told < INTERVAL_S:
            return
        self._told = now
        left = (now - self._began) * (total - done) / done
        self._console.print(f"{done:,} of {total:,}, about {left:,.0f} s left", soft_wrap=True)
