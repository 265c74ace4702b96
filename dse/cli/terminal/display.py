"""Progress of a running sweep: a live display, or plain lines if there is no terminal.

Both go to standard error, so that standard output has only results.
"""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from itertools import islice
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dse.tables.text import duration, microseconds, variant

if TYPE_CHECKING:
    from dse.coordination.progress import Progress

#: Seconds between lines that say something new, and between those that do not.
LINE_INTERVAL_S = 5.0
QUIET_INTERVAL_S = 10.0
#: Number of best variants in a line.
BEST_IN_A_LINE = 3
#: Time after which workers with a compiled simulator have started.
QUICK_START_S = 12.0
#: Refresh rate of the live display; refreshing costs CPU time that workers could use.
DRAWS_PER_SECOND = 4


class Display(AbstractContextManager["Display"], ABC):
    """Shows the progress of one sweep; a context manager for the duration of the run."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._title = title

    @abstractmethod
    def update(self, progress: "Progress") -> None:
        """Show the progress; may be called at any rate."""

    @abstractmethod
    def say(self, message: str) -> None:
        """Show a message immediately."""


def open_display(console: Console, title: str) -> Display:
    """The display for this kind of console."""
    return LiveDisplay(console, title) if console.is_terminal else LineDisplay(console, title)


class LiveDisplay(Display):
    """A bar, the counts, and the best variant of each GPU, drawn in place."""

    def __init__(self, console: Console, title: str) -> None:
        super().__init__(console, title)
        self._live = Live(console=console, refresh_per_second=DRAWS_PER_SECOND, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def update(self, progress: "Progress") -> None:
        bar = ProgressBar(total=max(progress.total, 1), completed=progress.done, width=40)
        head = Table.grid(padding=(0, 1))
        head.add_row(Text(self._title, style="bold"), bar, Text(_counts(progress)))
        best = Table.grid(padding=(0, 2))
        for trial in progress.best.values():
            time = microseconds(trial.metrics["time_us"])
            best.add_row(Text(trial.gpu, style="cyan"), Text(time, style="green"), variant(trial.parameters))
        self._live.update(Group(head, best))

    def say(self, message: str) -> None:
        self._console.print(Text(message))


class LineDisplay(Display):
    """A line when something has changed, at most every few seconds, and otherwise now and then."""

    def __init__(self, console: Console, title: str) -> None:
        super().__init__(console, title)
        self._printed_at = float("-inf")
        self._latest: Progress | None = None
        self._printed: Progress | None = None

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._latest and self._latest != self._printed:
            self._print(self._latest)

    def update(self, progress: "Progress") -> None:
        self._latest = progress
        printed = self._printed
        is_new = printed is None or (progress.done, progress.is_queued) != (printed.done, printed.is_queued)
        if monotonic() - self._printed_at >= (LINE_INTERVAL_S if is_new else QUIET_INTERVAL_S):
            self._print(progress)

    def say(self, message: str) -> None:
        self._console.print(Text(message), soft_wrap=True)

    def _print(self, progress: "Progress") -> None:
        self._printed, self._printed_at = progress, monotonic()
        best = [
            f"{trial.gpu} {microseconds(trial.metrics['time_us'])} ({variant(trial.parameters)})"
            for trial in islice(progress.best.values(), BEST_IN_A_LINE)
        ]
        if len(progress.best) > BEST_IN_A_LINE:
            best.append(f"{len(progress.best) - BEST_IN_A_LINE} more")
        self.say(f"{self._title}: {_counts(progress)}" + (f"; best {'; '.join(best)}" if best else ""))


def _starting(elapsed_s: float) -> str:
    """What the workers do before the first result; those that are slow to start are compiling."""
    if elapsed_s < QUICK_START_S:
        return "starting the workers"
    return f"compiling the simulator for this processor, once, about a minute: {duration(elapsed_s)} so far"


def _counts(progress: "Progress") -> str:
    parts = [f"{progress.done}/{progress.total} done"]
    if progress.known:
        parts.append(f"{progress.known} known before")
    parts += [f"{progress.failed} failed", *([f"{progress.running} running"] if progress.running else [])]
    if progress.is_queued:
        parts.append("queued: starts when `dse serve` or `dse coordinate` takes it up")
    if progress.rate > 0:
        left = duration((progress.total - progress.done) / progress.rate)
        parts += [f"{progress.rate:.1f}/s", f"{left} left"]
    elif progress.running and not progress.evaluated:
        parts.append(_starting(progress.elapsed_s))
    return ", ".join(parts)
