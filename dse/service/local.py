"""The service on a store: requests are written to the store and carried out by the coordinator."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache, partial
from time import sleep
from typing import TYPE_CHECKING

from dse.answers.best import Best, find_best
from dse.answers.cases import Case, CaseKey, cases_of
from dse.answers.front import find_front
from dse.answers.portability import WITHIN, Portability, find_portable
from dse.errors import GpuNotFound, InputError, ProfileNotFound, SpaceNotFound
from dse.requests.gpus import GpuFile, check_gpu_of
from dse.requests.preflight import CHECKS, Checks
from dse.requests.request import MAX_PRIORITY, Extension, Request
from dse.requests.spaces import SpaceFiles, SpaceOutline
from dse.requests.specs import chooses_alike, content_key, keeping
from dse.requests.warm_start import warm_started
from dse.service.contract import FOLLOW_S, Service
from dse.service.records import GpuSummary, MlflowSync, Page, SpaceSummary, SweepStatus
from dse.store import (
    GpuRecord,
    SpaceRecord,
    Store,
    SweepChanged,
    SweepRecord,
    SweepSpec,
    TrialRecord,
    VariantRecord,
)
from dse.store.filters import equalities
from dse.store.queries import ALL_TRIALS, SweepQuery, TrialQuery
from dse.store.records import ACTIVE, SweepOutline
from search_spaces import catalog_names, load_space
from simcore import Gpu, gpu_names, load_gpu
from simcore.gpu_overrides import parse_gpu
from simcore.gpu_profiles import read_profile_text, with_overrides

if TYPE_CHECKING:
    from dse.tracking import MlflowTracker

#: Maximum number of concurrent extensions of one sweep that are merged.
EXTENSIONS_AT_ONCE = 10


class LocalService(Service):
    """The service on a store.

    Args:
        store: the store with the sweeps.
        checks: the checks of requests.
        owner: owner of the sweeps and spaces created.
        tracker: exports to MLflow on demand, and knows its address, for links to runs; None means no MLflow.
        has_ui: whether those who ask reach a web interface of MLflow, if that is a file.

    Attributes:
        store: the store.
    """

    def __init__(
        self,
        store: Store,
        checks: Checks = CHECKS,
        owner: str | None = None,
        tracker: "MlflowTracker | None" = None,
        has_ui: bool = True,
    ) -> None:
        self.store = store
        self._tracker = tracker
        self._has_ui = has_ui
        self._checks = checks
        self._owner = owner

    def create(self, request: Request) -> SweepStatus:
        spec = self._prepared(request)
        record = self.store.create_sweep(
            spec,
            request.id or content_key(spec),
            managed=True,
            priority=request.priority,
            owner=self._owner,
            state="queued",
        )
        return self._status(record.outline)

    def _prepared(self, request: Request) -> SweepSpec:
        """The checked specification of a request, with what it takes from an earlier sweep."""
        spec = self._checks.prepare(self._with_texts(request))
        if request.warm_start is None:
            return spec
        earlier = self.store.sweep(request.warm_start)
        trials = self.store.stream_trials(earlier.id)
        return warm_started(spec, earlier.spec, request.warm_start, trials)

    def status(self, sweep: str) -> SweepStatus:
        return self._status(self.store.sweep_outline(sweep))

    def spec(self, sweep: str) -> SweepSpec:
        return self.store.sweep(sweep).spec

    def sweep_page(self, query: SweepQuery) -> Page[SweepStatus]:
        sweeps = self.store.sweep_outlines(query)
        counts = self.store.counts_of([sweep.id for sweep in sweeps])
        items = [SweepStatus.of(sweep, counts[sweep.id], self._mlflow) for sweep in sweeps]
        return Page(items, query.offset, self.store.sweep_count(query))

    def follow(self, sweep: str) -> Iterator[SweepStatus]:
        latest: SweepStatus | None = None
        while latest is None or latest.is_active:
            status = self.status(sweep)
            if status != latest:
                yield status
            latest = status
            if latest.is_active:
                sleep(FOLLOW_S)

    def trials(self, sweep: str, query: TrialQuery = ALL_TRIALS) -> Iterator[TrialRecord]:
        return self.store.stream_trials(self.store.sweep(sweep).id, query)

    def trial_page(self, sweep: str, query: TrialQuery) -> Page[TrialRecord]:
        sweep_id = self.store.sweep(sweep).id
        trials = self.store.trials(sweep_id, query)
        return Page(trials, query.offset, self.store.trial_count(sweep_id, query.filter))

    def best(self, sweep: str, gpu: str | None = None, filter: str | None = None) -> dict[str, TrialRecord]:
        record = self.store.sweep(sweep)
        if gpu is not None:
            check_gpu_of(record.key, record.spec.gpus, gpu)
        workloads = record.spec.workloads
        if len(workloads) > 1 and not filter:
            raise InputError(
                f"sweep {sweep} has {len(workloads)} workloads, so a GPU has no one best trial: `winners` has the best "
                f"of each, a filter chooses one: {equalities(workloads[0])}"
            )
        return self.store.best(record.id, gpu, filter)

    def winners(self, sweep: str) -> list[TrialRecord]:
        return self.store.winners(self.store.sweep(sweep).id)

    def variants(self, sweep: str) -> Iterator[VariantRecord]:
        return self.store.variants(self.store.sweep(sweep).id)

    def answers(self, sweep: str) -> list[Best]:
        record = self.store.sweep(sweep)
        return find_best(record.spec, self._cases(record), partial(self.store.trials_at, record.id))

    def front(self, sweep: str) -> list[TrialRecord]:
        record = self.store.sweep(sweep)
        places = [trial.place for trial in find_front(record.spec, self._cases(record))]
        trials = {trial.place: trial for trial in self.store.trials_at(record.id, places)}
        return [trials[place] for place in places]

    def portable(
        self, sweep: str, weights: Mapping[str, float] | None = None, within: float = WITHIN
    ) -> Portability:
        record = self.store.sweep(sweep)
        return find_portable(record.spec, self._cases(record), weights, within)

    def stop(self, sweep: str) -> SweepStatus:
        record = self.store.sweep(sweep)
        if not self.store.change_state(record.id, "queued", "stopped") and record.state in ACTIVE:
            self.store.request_stop(record.id)
        return self.status(sweep)

    def resume(self, sweep: str, timeout_s: float | None = None) -> SweepStatus:
        record = self.store.sweep(sweep)
        is_on_its_way = record.managed and record.state in ACTIVE and not record.stop_requested
        if not is_on_its_way and not self._is_whole(record):
            # If a process is running it on its own, that process then drops it.
            self._ask_more(sweep, Extension(timeout_s=timeout_s))
        return self.status(sweep)

    def extend(self, sweep: str, extension: Extension) -> SweepStatus:
        if extension.asks_nothing:
            raise InputError(f"extend {sweep}: specify trials, GPUs or values")
        self._ask_more(sweep, extension)
        return self.status(sweep)

    def prioritize(self, sweep: str, priority: int) -> SweepStatus:
        if abs(priority) > MAX_PRIORITY:
            raise InputError(f"priority {priority}: must be from -{MAX_PRIORITY} to {MAX_PRIORITY}")
        self.store.set_priority(self.store.sweep(sweep).id, priority)
        return self.status(sweep)

    def sync_mlflow(self, sweep: str, again: bool = False) -> MlflowSync:
        record = self.store.sweep(sweep)
        if self._tracker is None:
            raise InputError("this process exports nothing to MLflow")
        runs = self._tracker.sync(record.id, compare=True, again=again)
        return MlflowSync(self.status(sweep), runs)

    def delete(self, sweep: str) -> None:
        self.store.delete_sweep(self.store.sweep(sweep).id)

    def spaces(self) -> list[SpaceSummary]:
        return [*_catalog(), *map(_summary, self.store.spaces())]

    def save_space(self, name: str, files: SpaceFiles) -> SpaceSummary:
        if name in catalog_names():
            raise InputError(f"{name!r} is the name of a catalog space; choose another name", "name")
        outline = asdict(self._checks.outline(files))
        record = SpaceRecord(**files.model_dump(mode="json"), name=name, owner=self._owner, outline=outline)
        return _summary(self.store.save_space(record))

    def space(self, name: str) -> SpaceFiles:
        return SpaceFiles.of(load_space(name)) if name in catalog_names() else _files(self.uploaded(name))

    def delete_space(self, name: str) -> None:
        if name in catalog_names():
            raise InputError(f"{name!r} is a catalog space, which cannot be changed", "name")
        self.uploaded(name)
        self.store.delete_space(name)

    def uploaded(self, name: str) -> SpaceRecord:
        """An uploaded space.

        Raises:
            SpaceNotFound: there is no uploaded space of that name.
        """
        if stored := self.store.space(name):
            return stored
        raise SpaceNotFound(name, [*catalog_names(), *(space.name for space in self.store.spaces())])

    def gpus(self) -> list[GpuSummary]:
        known = [GpuSummary.of(load_gpu(name)) for name in gpu_names()]
        return [*known, *map(_gpu_summary, self.store.gpus())]

    def save_gpu(self, name: str, profile: GpuFile) -> GpuSummary:
        record = GpuRecord(name, profile.yaml, profile.in_words(name), self._owner)
        self.store.save_gpu(record)
        return _gpu_summary(record)

    def gpu(self, name: str) -> GpuFile:
        return GpuFile(yaml=self.uploaded_gpu(name).yaml)

    def delete_gpu(self, name: str) -> None:
        self.uploaded_gpu(name)
        self.store.delete_gpu(name)

    def profile(self, name: str) -> Gpu:
        """A GPU of the installation or an uploaded one, with the source of each number.

        Raises:
            ProfileNotFound: there is neither.
        """
        if name in gpu_names():
            return load_gpu(name)
        if stored := self.store.gpu(name):
            return read_profile_text(stored.yaml, name)
        raise ProfileNotFound(name, [gpu.name for gpu in self.gpus()])

    def uploaded_gpu(self, name: str) -> GpuRecord:
        """An uploaded profile.

        Raises:
            GpuNotFound: there is no uploaded profile of that name.
        """
        if stored := self.store.gpu(name):
            return stored
        raise GpuNotFound(name, [gpu.name for gpu in self.store.gpus()])

    @property
    def ui_command(self) -> str | None:
        return self._tracker.address.ui_command if self._tracker and self._has_ui else None

    @property
    def _mlflow(self) -> str | None:
        """URL of MLflow's web interface."""
        if self._tracker is None:
            return None
        return self._tracker.address.ui if self._has_ui else self._tracker.address.server

    def _cases(self, record: SweepRecord) -> dict[CaseKey, Case]:
        return cases_of(record.spec, self.store.variants(record.id))

    def _status(self, sweep: SweepOutline) -> SweepStatus:
        return SweepStatus.of(sweep, self.store.counts(sweep.id), self._mlflow)

    def _is_whole(self, record: SweepRecord) -> bool:
        """Whether a sweep has finished, and evaluating any of its points again would give the same outcome."""
        return record.state == "finished" and not self.store.has_lost_points(record.id)

    def _with_texts(self, request: Request) -> Request:
        """The request with the files of an uploaded space, and with the numbers of uploaded GPUs after their names."""
        request = request.model_copy(update={"gpus": self._with_profiles(request.gpus)})
        if isinstance(request.space, SpaceFiles) or request.space in catalog_names():
            return request
        try:
            files = _files(self.uploaded(request.space))
        except SpaceNotFound as error:
            raise InputError(str(error), "/space") from None
        return request.model_copy(update={"space": files})

    def _with_profiles(self, gpus: Iterable[str]) -> tuple[str, ...]:
        """GPUs of which uploaded ones say what they stand for."""
        names = {gpu: gpu.partition(",")[0].strip() for gpu in gpus}
        found = {gpu: self.store.gpu(name) for gpu, name in names.items() if name not in gpu_names()}
        return tuple(
            f"{gpu}:{with_overrides(stored.words, parse_gpu(gpu)[1])}" if (stored := found.get(gpu)) else gpu
            for gpu in names
        )

    def _ask_more(self, sweep: str, extension: Extension, managed: bool = True) -> None:
        """Store an extended specification and queue it; the trials that the sweep has keep their numbers."""
        extension = extension.model_copy(update={"gpus": self._with_profiles(extension.gpus)})
        for attempt in range(EXTENSIONS_AT_ONCE):
            record = self.store.sweep(sweep)
            spec = self._checks.prepare_extension(record.spec, extension)
            try:
                anew = not chooses_alike(record.spec, spec)
                if anew:
                    spec = keeping(record.spec, spec, self.store.stream_trials(record.id))
                lists = None if not anew or spec.search.get("stages") else len(spec.search.get("kept", ()))
                self.store.extend(record, spec, anew=anew, managed=managed, lists=lists)
            except SweepChanged:
                if attempt == EXTENSIONS_AT_ONCE - 1:
                    raise
            else:
                return


def _files(space: SpaceRecord) -> SpaceFiles:
    return SpaceFiles(
        yaml=space.yaml,
        source=space.source,
        source_file=space.source_file,
        headers=dict(space.headers),
        files=dict(space.files),
    )


@cache
def _catalog() -> tuple[SpaceSummary, ...]:
    """The catalog, which is part of the installation."""
    outlines = {name: SpaceOutline.of(load_space(name)) for name in catalog_names()}
    return tuple(SpaceSummary(name, "catalog", None, **vars(outline)) for name, outline in outlines.items())


def _gpu_summary(gpu: GpuRecord) -> GpuSummary:
    return replace(GpuSummary.of(load_gpu(gpu.words)), name=gpu.name, words=gpu.words, owner=gpu.owner)


def _summary(space: SpaceRecord) -> SpaceSummary:
    return SpaceSummary(space.name, "uploaded", space.owner, **space.outline)
