"""The verbs of the service, which `Client` and the HTTP interface share."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import monotonic, sleep

from dse.coordination.progress import Progress, RateMeter
from dse.requests.request import Extension, Request
from dse.requests.spaces import SpaceFiles
from dse.service.records import GpuSummary, Page, SpaceSummary, SweepStatus
from dse.store import SweepSpec, TrialRecord
from dse.store.queries import ALL_SWEEPS, ALL_TRIALS, SweepQuery, TrialQuery

#: The most items of one page.
MAX_PAGE_SIZE = 1000
#: How often a sweep that somebody follows, or waits for, is looked at, in seconds.
FOLLOW_S = 0.5


class Service(ABC):
    """Everything that can be asked; sweeps are named by their id.

    Raises:
        SweepNotFound: there is no sweep of that id.
        FilterError: a filter or an order cannot be read.
        InputError, SpaceError, SimcoreError: a request cannot be carried out; nothing has changed.
    """

    @property
    def mlflow_problem(self) -> str | None:
        """Why MLflow lags behind the store, as far as this process writes it; None while it does not."""
        return None

    @property
    def ui_command(self) -> str | None:
        """The command that shows the sweeps in MLflow, where this process knows it."""
        return None

    @abstractmethod
    def create(self, request: Request) -> SweepStatus:
        """Queue a sweep; the same request again is the same sweep."""

    @abstractmethod
    def status(self, sweep: str) -> SweepStatus:
        """Where a sweep is."""

    @abstractmethod
    def spec(self, sweep: str) -> SweepSpec:
        """What a sweep was asked."""

    def sweeps(self, query: SweepQuery = ALL_SWEEPS) -> Iterator[SweepStatus]:
        """The sweeps, read as they are wanted, a page at a time."""
        left = query.limit
        while left is None or left > 0:
            size = MAX_PAGE_SIZE if left is None else min(left, MAX_PAGE_SIZE)
            items = self.sweep_page(replace(query, limit=size)).items
            yield from items
            if len(items) < size:
                return
            left = None if left is None else left - size
            query = replace(query, offset=query.offset + size)

    @abstractmethod
    def sweep_page(self, query: SweepQuery) -> Page[SweepStatus]:
        """A page of what `sweeps` reads."""

    @abstractmethod
    def follow(self, sweep: str) -> Iterator[SweepStatus]:
        """A sweep's status whenever it has changed, until it changes no more."""

    def follow_progress(self, sweep: str) -> Iterator[Progress]:
        """A sweep's progress whenever it has changed, until it changes no more."""
        began, meter = monotonic(), None
        for status in self.follow(sweep):
            winners, workload = self.winners(sweep), self.spec(sweep).workload
            meter = meter or RateMeter(status.counts.new)
            yield Progress(
                total=status.total,
                complete=status.counts.complete,
                failed=status.counts.failed,
                known=status.counts.known,
                best={(w.gpu, tuple(w.parameters[name] for name in workload)): w for w in winners},
                elapsed_s=monotonic() - began,
                is_queued=status.state == "queued",
                rate=meter.rate(status.counts.new, took_s=FOLLOW_S + _longest_s(winners)),
            )

    def wait(self, sweep: str, timeout: float | None = None) -> None:
        """Wait until a sweep changes no more, or for `timeout` seconds."""
        if timeout is None:
            for _ in self.follow(sweep):
                pass
            return
        deadline = monotonic() + timeout
        while self.status(sweep).is_active and (left_s := deadline - monotonic()) > 0:
            sleep(min(FOLLOW_S, left_s))

    @abstractmethod
    def trials(self, sweep: str, query: TrialQuery = ALL_TRIALS) -> Iterator[TrialRecord]:
        """The trials of a sweep, read as they are wanted."""

    @abstractmethod
    def trial_page(self, sweep: str, query: TrialQuery) -> Page[TrialRecord]:
        """A page of what `trials` reads."""

    @abstractmethod
    def best(self, sweep: str, gpu: str | None = None, filter: str | None = None) -> dict[str, TrialRecord]:
        """The best complete trial of each GPU, or of one, by the first objective."""

    @abstractmethod
    def winners(self, sweep: str) -> list[TrialRecord]:
        """The best complete trial of each GPU and workload."""

    @abstractmethod
    def stop(self, sweep: str) -> SweepStatus:
        """End a sweep soon; what is done is kept. One that has ended already stays as it is."""

    @abstractmethod
    def resume(self, sweep: str, timeout_s: float | None = None) -> SweepStatus:
        """Queue a sweep that has ended, for what it lacks; one that is active stays as it is."""

    @abstractmethod
    def extend(self, sweep: str, extension: Extension) -> SweepStatus:
        """Ask more of a sweep, and queue it for that."""

    @abstractmethod
    def prioritize(self, sweep: str, priority: int) -> SweepStatus:
        """Change a sweep's share of the workers, also while it runs; -10 to 10, each step doubles it."""

    @abstractmethod
    def delete(self, sweep: str) -> None:
        """Forget a sweep and its trials; the results stay known to other sweeps."""

    @abstractmethod
    def spaces(self) -> list[SpaceSummary]:
        """The spaces of the catalog and the uploaded ones."""

    @abstractmethod
    def save_space(self, name: str, files: SpaceFiles) -> SpaceSummary:
        """Keep a space, so that requests can name it; an older one of that name gives way."""

    @abstractmethod
    def space(self, name: str) -> SpaceFiles:
        """The texts of a space of the catalog, or of an uploaded one."""

    @abstractmethod
    def delete_space(self, name: str) -> None:
        """Forget an uploaded space; sweeps that named it keep its texts."""

    @abstractmethod
    def gpus(self) -> list[GpuSummary]:
        """The GPUs there are profiles of."""


def _longest_s(trials: Sequence[TrialRecord]) -> float:
    """Seconds that the slowest of some evaluations took; known ones took none."""
    seconds = (trial.result.compile_s + trial.result.simulate_s for trial in trials if trial.source == "new")
    return max(seconds, default=0.0)
