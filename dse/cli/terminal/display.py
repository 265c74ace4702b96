"""Progress of a running sweep: a live display, or plain lines if there is no terminal.

Both go to standard error, so that standard output has only results.
"""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from itertools import islice
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dse.cli.terminal.forecast import in_words, total_s
from dse.tables.text import duration, microseconds, variant
from simcore.compilation import EXPECTATION, Compilation, compilation

if TYPE_CHECKING:
    from dse.coordination.progress import Progress

#: Seconds between lines that say something new, and between those that do not.
LINE_INTERVAL_S = 5.0
QUIET_INTERVAL_S = 10.0
#: The share of the time so far that passes between lines, and the most seconds.
SHARE_BETWEEN, MOST_BETWEEN_S = 0.1, 60.0
#: Seconds of a run before which it says how long it takes, and after which what can be asked of it meanwhile; once.
LONG_RUN_S = 20.0
#: Number of new best variants in a line.
BEST_IN_A_LINE = 3
#: Lines of a failure's message; a compiler's go on.
FAILURE_LINES = 4
#: Refresh rate of the live display; refreshing costs CPU time that workers could use.
DRAWS_PER_SECOND = 4


class Display(AbstractContextManager["Display"], ABC):
    """Shows the progress of one sweep; a context manager for the duration of the run.

    Args:
        title: what each line begins with.
        meanwhile: said once in a long run, when there are results; empty if there is nothing to say.
    """

    def __init__(self, console: Console, title: str, meanwhile: str = "") -> None:
        self._console = console
        self._title = title
        self._meanwhile = meanwhile
        self._began = monotonic()
        self._expects_compilation = False
        self._is_foretold = False
        self._has_told_failure = False

    def update(self, progress: "Progress") -> None:
        """Show the progress; may be called at any rate."""
        found = compilation() if _is_before_results(progress) else None
        if found and not self._expects_compilation:
            self._expects_compilation = True
            self.say(EXPECTATION)
        self._show(progress, found)
        if progress.first_failure and not self._has_told_failure:
            self._has_told_failure = True
            self.say(f"first failure: {_beginning(progress.first_failure)}")
        if not self._is_foretold and progress.forecast and progress.workers:
            self._is_foretold = True
            if total_s(progress.forecast, progress.workers) > LONG_RUN_S:
                self.say(in_words(progress.forecast, progress.workers))
        if self._meanwhile and progress.complete and monotonic() - self._began > LONG_RUN_S:
            self.say(self._meanwhile)
            self._meanwhile = ""

    @abstractmethod
    def _show(self, progress: "Progress", found: Compilation | None) -> None:
        """Show the progress, and how far a compilation is that the workers wait for."""

    def _state(self, progress: "Progress", found: Compilation | None) -> str:
        """The counts, and what the workers do before the first result."""
        if found:
            return f"{_counts(progress)}, {found}"
        if progress.running and _is_before_results(progress):
            return f"{_counts(progress)}, no result yet, {self._so_far()}"
        return _counts(progress)

    def _so_far(self) -> str:
        return f"{duration(monotonic() - self._began)} so far"

    @abstractmethod
    def say(self, message: str) -> None:
        """Show a message immediately."""


def open_display(console: Console, title: str, meanwhile: str = "") -> Display:
    """The display for this kind of console; the arguments are those of `Display`."""
    kind = LiveDisplay if console.is_terminal else LineDisplay
    return kind(console, title, meanwhile)


class LiveDisplay(Display):
    """A bar, the counts, and the best variant of each GPU, drawn in place."""

    def __init__(self, console: Console, title: str, meanwhile: str = "") -> None:
        super().__init__(console, title, meanwhile)
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

    def _show(self, progress: "Progress", found: Compilation | None) -> None:
        bar = ProgressBar(total=max(progress.total, 1), completed=progress.done, width=40)
        head = Table.grid(padding=(0, 1))
        head.add_row(Text(self._title, style="bold"), bar, Text(self._state(progress, found)))
        best = Table.grid(padding=(0, 2))
        for trial in progress.best.values():
            time = microseconds(trial.metrics["time_us"])
            best.add_row(Text(trial.gpu, style="cyan"), Text(time, style="green"), variant(trial.parameters))
        self._live.update(Group(head, best))

    def say(self, message: str) -> None:
        self._console.print(Text(message))


class LineDisplay(Display):
    """A line when something has changed, at most every few seconds, and otherwise now and then; rarer in long runs."""

    def __init__(self, console: Console, title: str, meanwhile: str = "") -> None:
        super().__init__(console, title, meanwhile)
        self._printed_at = float("-inf")
        self._latest: _Seen | None = None
        self._printed: _Seen | None = None
        self._line = ""

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._latest and self._latest != self._printed:
            self._print(self._latest)

    def _show(self, progress: "Progress", found: Compilation | None) -> None:
        seen = self._latest = _Seen(progress, found)
        is_new = self._printed is None or seen.news != self._printed.news
        least = LINE_INTERVAL_S if is_new else QUIET_INTERVAL_S
        rarer = min(SHARE_BETWEEN * (monotonic() - self._began), MOST_BETWEEN_S)
        if monotonic() - self._printed_at >= max(least, rarer):
            self._print(seen)

    def say(self, message: str) -> None:
        self._console.print(Text(message), soft_wrap=True)

    def _print(self, seen: "_Seen") -> None:
        before = self._printed.progress.best if self._printed else {}
        told = {case: trial.number for case, trial in before.items()}
        self._printed, self._printed_at = seen, monotonic()
        better = [trial for case, trial in seen.progress.best.items() if told.get(case) != trial.number]
        best = [
            f"{trial.gpu} {microseconds(trial.metrics['time_us'])} ({variant(trial.parameters)})"
            for trial in islice(better, BEST_IN_A_LINE)
        ]
        if len(better) > BEST_IN_A_LINE:
            best.append(f"{len(better) - BEST_IN_A_LINE} more")
        state = self._state(seen.progress, seen.compilation)
        line = f"{self._title}: {state}" + (f"; new best {'; '.join(best)}" if best else "")
        self.say(f"{line}, {self._so_far()}" if line == self._line else line)
        self._line = line


class _Seen(NamedTuple):
    """What a line says."""

    progress: "Progress"
    compilation: Compilation | None

    @property
    def news(self) -> tuple[int, bool, int, str | None]:
        """What is worth a line of its own."""
        parts = self.compilation.done if self.compilation else -1
        return self.progress.done, self.progress.is_queued, parts, self.progress.trouble


def _beginning(message: str) -> str:
    lines = message.splitlines()
    return "\n".join([*lines[:FAILURE_LINES], *(["..."] if len(lines) > FAILURE_LINES else [])])


def _is_before_results(progress: "Progress") -> bool:
    return progress.done < progress.total and not progress.evaluated


def _counts(progress: "Progress") -> str:
    parts = [f"{progress.done}/{progress.total} done"]
    if progress.known:
        parts.append(f"{progress.known} known before")
    parts += [f"{progress.failed} failed", *([f"{progress.running} in flight"] if progress.running else [])]
    if progress.is_queued:
        parts.append("queued: starts when `dse serve` or `dse coordinate` takes it up")
    if progress.rate > 0:
        parts.append(_pace(progress.rate))
        if left := progress.total - progress.done:
            parts.append(f"about {duration(left / progress.rate)} left")
    if progress.trouble:
        parts.append(progress.trouble)
    return ", ".join(parts)


def _pace(rate: float) -> str:
    """Points per second, or per minute where that is below 1."""
    return f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"
