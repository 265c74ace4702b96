"""The interface of the service, shared by `Client` and the HTTP API."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from time import monotonic, sleep

from dse.answers.best import Best
from dse.answers.portability import WITHIN, Portability
from dse.coordination.progress import Progress, RateMeter
from dse.requests.gpus import GpuFile
from dse.requests.request import Extension, Request
from dse.requests.spaces import SpaceFiles
from dse.requests.specs import baseline_index, restore_space
from dse.service.records import GpuSummary, MlflowSync, Page, SpaceSummary, SweepStatus
from dse.store import SweepSpec, Trial, TrialRecord, VariantRecord
from dse.store.queries import ALL_SWEEPS, ALL_TRIALS, SweepQuery, TrialQuery

#: Maximum number of items in a page.
MAX_PAGE_SIZE = 1000
#: Polling interval of a followed or awaited sweep, in seconds.
FOLLOW_S = 0.5


class Service(ABC):
    """All operations on sweeps, spaces and GPUs; sweeps are identified by their id.

    Raises:
        SweepNotFound: there is no sweep with that id.
        FilterError: a filter or an order cannot be parsed.
        InputError, SpaceError, SimcoreError: a request cannot be carried out; nothing has changed.
    """

    @property
    def mlflow_problem(self) -> str | None:
        """Why the export to MLflow by this process is behind; None if it is not."""
        return None

    @property
    def takes_objects(self) -> bool:
        """Whether sweeps run in the process that submits them, so that a sampler may be an object of it."""
        return False

    @property
    def ui_command(self) -> str | None:
        """The command that serves MLflow's file to the browser; None if MLflow is a server, or another process's."""
        return None

    @abstractmethod
    def create(self, request: Request) -> SweepStatus:
        """Queue a sweep; repeating a request returns the same sweep."""

    @abstractmethod
    def status(self, sweep: str) -> SweepStatus:
        """The status of a sweep."""

    @abstractmethod
    def spec(self, sweep: str) -> SweepSpec:
        """The specification of a sweep."""

    def sweeps(self, query: SweepQuery = ALL_SWEEPS) -> Iterator[SweepStatus]:
        """The sweeps, read lazily in pages."""
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
        """A page of `sweeps`."""

    @abstractmethod
    def follow(self, sweep: str) -> Iterator[SweepStatus]:
        """Yield a sweep's status after each change, until it has ended."""

    def follow_progress(self, sweep: str) -> Iterator[Progress]:
        """Yield a sweep's progress after each change, until it has ended."""
        meter = RateMeter(first=len(self.spec(sweep).gpus))
        for status in self.follow(sweep):
            winners, workload = self.winners(sweep), self.spec(sweep).workload
            yield Progress(
                total=status.total,
                complete=status.counts.complete,
                failed=status.counts.failed,
                known=status.counts.known,
                best={(w.gpu, tuple(w.parameters[name] for name in workload)): w for w in winners},
                is_queued=status.state == "queued",
                trouble=status.error if status.is_active else None,
                rate=meter.rate(status.counts.new),
            )

    def wait(self, sweep: str, timeout: float | None = None) -> None:
        """Wait until a sweep has ended, or for `timeout` seconds."""
        if timeout is None:
            for _ in self.follow(sweep):
                pass
            return
        deadline = monotonic() + timeout
        while self.status(sweep).is_active and (left_s := deadline - monotonic()) > 0:
            sleep(min(FOLLOW_S, left_s))

    @abstractmethod
    def trials(self, sweep: str, query: TrialQuery = ALL_TRIALS) -> Iterator[TrialRecord]:
        """The trials of a sweep, read lazily."""

    @abstractmethod
    def trial_page(self, sweep: str, query: TrialQuery) -> Page[TrialRecord]:
        """A page of `trials`."""

    @abstractmethod
    def best(self, sweep: str, gpu: str | None = None, filter: str | None = None) -> dict[str, TrialRecord]:
        """The best complete trial of each GPU, or of one, by the first objective."""

    @abstractmethod
    def winners(self, sweep: str) -> list[TrialRecord]:
        """The best complete trial of each GPU and workload."""

    @abstractmethod
    def variants(self, sweep: str) -> Iterator[VariantRecord]:
        """The complete trials of a sweep in no particular order, with the few values that comparing them needs."""

    @abstractmethod
    def answers(self, sweep: str) -> list[Best]:
        """The winners, each with the variants that the model cannot tell from it, and the one to take."""

    def baseline(self, sweep: str, trial: Trial) -> Trial | None:
        """The baseline of a trial: the space's first valid point of its workload, on its GPU.

        None if that point was not tried, or failed.
        """
        index = baseline_index(restore_space(self.spec(sweep)), trial.parameters)
        first = TrialQuery(f"gpu = '{trial.gpu}' and point_index = {index}", limit=1)
        return next((each for each in self.trials(sweep, first) if each.state == "complete"), None)

    def speedup(self, sweep: str, trial: Trial) -> float | None:
        """How many times faster a trial is than its baseline."""
        baseline = self.baseline(sweep, trial)
        if baseline is None or baseline.time_us is None or trial.time_us is None:
            return None
        return baseline.time_us / trial.time_us

    @abstractmethod
    def front(self, sweep: str) -> list[TrialRecord]:
        """The Pareto front of each GPU and workload, for sweeps with several objectives."""

    @abstractmethod
    def portable(
        self, sweep: str, weights: Mapping[str, float] | None = None, within: float = WITHIN
    ) -> Portability:
        """One variant for all GPUs and workloads, and sets of a few."""

    @abstractmethod
    def stop(self, sweep: str) -> SweepStatus:
        """Stop a sweep soon; completed trials are kept. No effect if it has ended."""

    @abstractmethod
    def resume(self, sweep: str, timeout_s: float | None = None) -> SweepStatus:
        """Queue an ended sweep again to complete it; no effect if it is active."""

    @abstractmethod
    def extend(self, sweep: str, extension: Extension) -> SweepStatus:
        """Extend a sweep and queue it."""

    @abstractmethod
    def prioritize(self, sweep: str, priority: int) -> SweepStatus:
        """Change a sweep's priority, even while it runs; -10 to 10, each step doubles its share of the workers."""

    @abstractmethod
    def sync_mlflow(self, sweep: str, again: bool = False) -> MlflowSync:
        """Export to MLflow what is missing of a sweep, or everything again, and restore what was deleted there.

        Raises:
            TrackingError: MLflow is down, or refuses the export.
        """

    @abstractmethod
    def delete(self, sweep: str) -> None:
        """Delete a sweep and its trials; the results remain available to other sweeps."""

    @abstractmethod
    def spaces(self) -> list[SpaceSummary]:
        """All spaces: those of the catalog and uploaded ones."""

    @abstractmethod
    def save_space(self, name: str, files: SpaceFiles) -> SpaceSummary:
        """Store a space under a name; replaces an older one of that name."""

    @abstractmethod
    def space(self, name: str) -> SpaceFiles:
        """The files of a catalog or an uploaded space."""

    @abstractmethod
    def delete_space(self, name: str) -> None:
        """Delete an uploaded space; sweeps that use it keep their copy."""

    @abstractmethod
    def gpus(self) -> list[GpuSummary]:
        """The available GPU profiles: those of the installation and uploaded ones."""

    @abstractmethod
    def save_gpu(self, name: str, profile: GpuFile) -> GpuSummary:
        """Store a GPU's profile under a name; replaces an older one of that name."""

    @abstractmethod
    def gpu(self, name: str) -> GpuFile:
        """The text of an uploaded profile."""

    @abstractmethod
    def delete_gpu(self, name: str) -> None:
        """Delete an uploaded profile; sweeps that use it keep its numbers."""
