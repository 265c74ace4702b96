"""Progress of work that is not a sweep: how many of how many are done, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that is told how many of how many are done; without a terminal, the title alone."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(Text(title), soft_wrap=True)
    columns = TextColumn(title), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)
