"""The records of the store: small frozen dataclasses, never live database objects."""

import hashlib
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple

from dse.evaluation.tasks import Outcome, OutcomeState
from dse.notebooks import html_table
from search_spaces import Point, Value
from search_spaces.fields import DEFAULT_SOURCE
from search_spaces.metrics import UserMetrics
from simcore.diagnosis.units import regime_in_words

#: A sweep that is `stopping` is stored as `running`, with the request to stop: see `shown_state`.
SweepState = Literal["queued", "running", "stopping", "stopped", "finished", "failed"]
#: Sweeps in these states have not ended.
ACTIVE: tuple[SweepState, ...] = ("queued", "running", "stopping")
TrialSource = Literal["new", "known"]
Scope = Literal["read", "submit", "admin"]
#: Place of a trial in its sweep: GPU name and point index.
Place = tuple[str, int]
#: Metrics of a trial in a notebook.
MAIN_METRICS = (
    *("time_us", "cycles", "ipc", "achieved_occupancy", "registers_per_thread", "code_bytes"),
    *("regime", "bottleneck", "label"),
)
#: Fields of a specification that digests and the database keep in a separate mapping.
EXTRA_FIELDS = ("source_file", "headers", "sampler_asked")
#: The same, but only where there are any, so that sweeps without them keep their digest.
ADDED_FIELDS = ("files", "metrics", "values", "search", "profiles")


@dataclass(frozen=True)
class SweepSpec:
    """The specification of a sweep: sufficient to run it on another machine.

    Attributes:
        name: the space's kernel.
        space_yaml: text of the space file.
        source: text of the kernel's source file.
        gpus: GPU names, in the requested order.
        parameters: every parameter's values, overrides applied, in file order.
        workload: the parameters that describe the problem size; each workload has its own best variant.
        objectives: (direction, metric) pairs, direction `minimize` or `maximize`; the first ranks the trials.
        sampler: `exhaustive`, or the name of the sampler that chooses the points.
        seed: seed of the sampler.
        trials: maximum number of trials; None means every valid point.
        timeout_s: seconds of wall clock; None means no limit.
        total: number of trials over all GPUs if nothing stops the sweep.
        source_file: name of the source in compiler messages.
        headers: texts of the files that the source includes, by their names there.
        sampler_asked: the requested sampler, even if the search is exhaustive; None if not given.
        files: the space's .npy files and its source if that is a binary, by name, in base64.
        metrics: metrics of the user's own: expressions, by name.
        values: the space's named expressions, if there are such metrics.
        search: settings of the search that differ from the defaults, as `dse.search.SearchSettings` stores them.
        profiles: for each GPU with a name of somebody's own, the known GPU with overrides that it stands for.
    """

    name: str
    space_yaml: str
    source: str
    gpus: tuple[str, ...]
    parameters: Mapping[str, tuple[Value, ...]]
    workload: tuple[str, ...] = ()
    objectives: tuple[tuple[str, str], ...] = (("minimize", "time_us"),)
    sampler: str = "exhaustive"
    seed: int = 0
    trials: int | None = None
    timeout_s: float | None = None
    total: int = 0
    source_file: str = DEFAULT_SOURCE
    headers: Mapping[str, str] = field(default_factory=dict)
    sampler_asked: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Any]:
        """The fields in the form of digests and the database: `total` is `planned`, newer ones are in `extra`."""
        asked = asdict(self)
        asked["planned"] = asked.pop("total")
        asked["extra"] = {name: asked.pop(name) for name in EXTRA_FIELDS}
        added = {name: asked.pop(name) for name in ADDED_FIELDS}
        asked["extra"] |= {name: value for name, value in added.items() if value}
        return asked

    @property
    def question(self) -> str:
        """The hex digest of the request; without `total`, which follows from the rest."""
        asked = self.asked
        del asked["planned"]
        return _digest(asked)

    @cached_property
    def space_digest(self) -> str:
        """The hex digest of the space and its files, which tells apart versions of a kernel with one name."""
        return _digest([self.space_yaml, self.source, self.source_file, dict(self.headers), dict(self.files)])

    @property
    def is_exhaustive(self) -> bool:
        """Whether every valid point is tried."""
        return self.sampler == "exhaustive"

    @cached_property
    def user_metrics(self) -> UserMetrics:
        """The metrics of the user's own."""
        return UserMetrics(self.metrics, self.values)

    @property
    def signs(self) -> list[float]:
        """By what the values of the objectives are multiplied so that lower is better; a score needs no sign."""
        return signs(direction for direction, _ in self.objectives)

    @property
    def ratio_in_words(self) -> str:
        """The ratio by which trials are behind the best: `time over the best`, `the best over gflops`."""
        direction, metric = self.objectives[0]
        if direction == "maximize":
            return f"the best over {metric}"
        return f"{'time' if metric == 'time_us' else metric} over the best"

    def machine(self, gpu: str) -> str:
        """What one of its GPUs is: a known one, with overrides perhaps."""
        return self.profiles.get(gpu, gpu)

    def made_from(self, gpu: str) -> str:
        """The known GPU that one of its GPUs is made from, which is itself for one without overrides."""
        return self.machine(gpu).partition(",")[0]

    @property
    def described_gpus(self) -> str:
        """The GPUs, those with a name of somebody's own with what they stand for."""
        return ", ".join(
            f"{gpu} ({self.profiles[gpu]})" if gpu in self.profiles else gpu for gpu in self.gpus
        )

    @property
    def workloads(self) -> list[dict[str, Value]]:
        """Every combination of the workload parameters' values; a single empty one without workload."""
        combinations = product(*(self.parameters[name] for name in self.workload))
        return [dict(zip(self.workload, values, strict=True)) for values in combinations]

    def workload_of(self, parameters: Point) -> dict[str, Value]:
        """The workload of a point."""
        return {name: parameters[name] for name in self.workload}

    def chosen_of(self, parameters: Point) -> dict[str, Value]:
        """What a search chooses of a point: all but its workload."""
        return {name: value for name, value in parameters.items() if name not in self.workload}


def signs(directions: Iterable[str]) -> list[float]:
    """By what values are multiplied so that lower is better."""
    return [1.0 if direction == "minimize" else -1.0 for direction in directions]


def metric_label(name: str, parameters: Container[str]) -> str:
    """The name of a metric in a row that also has these parameters."""
    return f"metrics.{name}" if name in parameters else name


def shown_state(state: SweepState, stop_requested: bool) -> SweepState:
    """The state that people see: a running sweep that was asked to stop is stopping, until its points are done."""
    return "stopping" if state == "running" and stop_requested else state


def workload_key(names: Sequence[str], parameters: Point) -> str:
    """The workload of a point as text, as in `trials.workload`."""
    return json.dumps([parameters[name] for name in names])


@dataclass(frozen=True)
class SweepOutline:
    """What a list of sweeps shows of one: the columns of its row, and the names of its GPUs and parameters.

    Attributes:
        id, key, priority, owner, error, mlflow_page: as of a `SweepRecord`.
        name: the kernel.
        state: as people see it (`shown_state`).
        total: number of trials planned.
        sampler: `exhaustive`, or the sampler's name.
    """

    id: int
    key: str
    name: str
    state: SweepState
    error: str | None
    total: int
    sampler: str
    gpus: tuple[str, ...]
    parameters: tuple[str, ...]
    priority: int
    owner: str | None
    created_at: datetime
    finished_at: datetime | None
    mlflow_page: str | None


@dataclass(frozen=True)
class SweepRecord:
    """One sweep as stored.

    Attributes:
        id: its number, the primary key.
        key: its public id: chosen by the user, or the number as text.
        mlflow_page: path of its runs in MLflow's web interface; None if it is not exported.
        managed: whether the coordinator runs it; otherwise the process that created it does.
        priority: determines its share of the workers.
        stop_requested: whether it is to be stopped.
        owner: the name of the token that created it.
        revision: increases when it is replanned; trials belong to one revision.
        error: why it failed.
    """

    id: int
    key: str
    state: SweepState
    spec: SweepSpec
    created_at: datetime
    finished_at: datetime | None
    mlflow_run_id: str | None
    mlflow_page: str | None = None
    managed: bool = False
    priority: int = 0
    stop_requested: bool = False
    owner: str | None = None
    revision: int = 0
    error: str | None = None

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.spec.name

    @property
    def outline(self) -> SweepOutline:
        """What a list of sweeps shows of it."""
        return SweepOutline(
            self.id,
            self.key,
            self.name,
            shown_state(self.state, self.stop_requested),
            self.error,
            self.spec.total,
            self.spec.sampler,
            self.spec.gpus,
            tuple(self.spec.parameters),
            self.priority,
            self.owner,
            self.created_at,
            self.finished_at,
            self.mlflow_page,
        )


@dataclass(frozen=True)
class Trial:
    """One variant on one GPU in a sweep, with its result.

    Attributes:
        number: position in the order in which the sweep chose its points, from 0.
        gpu: GPU name.
        point_index: the point's index in its space.
        parameters: the variant.
        result: the outcome of the evaluation, or the stored one.
        source: `new` if this sweep evaluated it, `known` if the store already had it.
        user_metrics: the values of the sweep's own metrics; the store calculates those that it keeps.
        same_code_as: the number of the sweep's first trial with the same machine code, launch and arguments on the same
            GPU, and so the same result; None if it is that one itself. The store finds it.
    """

    number: int
    gpu: str
    point_index: int
    parameters: Point
    result: Outcome
    source: TrialSource = "new"
    user_metrics: Mapping[str, float] = field(default_factory=dict)
    same_code_as: int | None = None

    def __repr__(self) -> str:
        return f"Trial({self.number}, {self.gpu!r}, {dict(self.parameters)}, {self._found})"

    def _repr_html_(self) -> str:
        """The variant and the main metrics as a table, for notebooks."""
        metrics = {name: self.metrics[name] for name in MAIN_METRICS if name in self.metrics}
        rows = [
            (name, str(round(value, 4) if isinstance(value, float) else value))
            for name, value in (*self.parameters.items(), *metrics.items())
        ]
        caption = f"trial {self.number} on {self.gpu}: {self._found}"
        return html_table(caption, ("parameter or metric", "value"), rows)

    @property
    def _found(self) -> str:
        """The result in a few words."""
        if self.state == "failed":
            return f"failed: {self.reason}"
        return f"{self.time_us:.4g} µs" if self.time_us is not None else self.state

    @property
    def place(self) -> Place:
        """GPU name and point index."""
        return self.gpu, self.point_index

    @property
    def entry(self) -> tuple[str, int]:
        """GPU name and number, which stay when the sweep is extended."""
        return self.gpu, self.number

    @property
    def state(self) -> OutcomeState:
        """`complete`, or `failed` with `reason` and `message`."""
        return self.result.state

    @property
    def reason(self) -> str | None:
        """The error's class name; None if complete."""
        return self.result.reason

    @property
    def message(self) -> str | None:
        """The error's text; None when complete."""
        return self.result.message

    @property
    def metrics(self) -> Mapping[str, Any]:
        """By name: `time_us`, `ipc`, `stall_<reason>`, ..., and the sweep's own; empty when failed."""
        return {**self.result.metrics, **self.user_metrics}

    @property
    def time_us(self) -> float | None:
        """Predicted time in microseconds; None when failed."""
        return self.metrics.get("time_us")

    @property
    def regime(self) -> str | None:
        """The kind of bottleneck: latency, bandwidth, compute or synchronization; None when failed."""
        return self.metrics.get("regime")

    @property
    def limit(self) -> str | None:
        """The regime with the unit or queue that it is the limit of, as in `bandwidth (L2)`; None when failed."""
        if self.regime is None:
            return None
        metrics = self.metrics
        used, issue_active = metrics.get("utilisation") or {}, metrics.get("issue_active") or 0.0
        return regime_in_words(self.regime, str(metrics.get("bottleneck")), issue_active, used)

    @property
    def stalls(self) -> dict[str, float]:
        """Warps in each of Nsight Compute's stall reasons per issue-active cycle, largest first."""
        prefix = "stall_"
        stalls = {
            name.removeprefix(prefix): float(value)
            for name, value in self.metrics.items()
            if name.startswith(prefix) and value is not None
        }
        return dict(sorted(stalls.items(), key=lambda item: -item[1]))

    @property
    def advice(self) -> tuple[str, ...]:
        """Suggested optimisations."""
        return tuple(self.metrics.get("advice", ()))


@dataclass(frozen=True, kw_only=True, repr=False)
class TrialRecord(Trial):
    """A trial as stored.

    Attributes:
        sweep_id: the number of its sweep.
        mlflow_run_id: its run in MLflow; None if it has none.
        score: the sweep's first objective, negated if maximised, so that lower is better; None if failed.
    """

    sweep_id: int
    mlflow_run_id: str | None
    score: float | None = None


class VariantRecord(NamedTuple):
    """What the comparison of all variants needs of a complete trial; there may be millions.

    Attributes:
        number: position in the order in which the sweep chose its points.
        score: the sweep's first objective, negated if maximised, so that lower is better.
        registers: per thread; None if unknown.
        code_bytes: size of the machine code; None if unknown.
        occupancy: the theoretical one; None if unknown.
        local_bytes: of local memory per thread; None if unknown.
        others: the values of the further objectives, if the sweep has several; None if unknown.
        same_code_as: the number of the sweep's first trial with the same simulation; None for that one.
    """

    gpu: str
    point_index: int
    number: int
    parameters: Point
    score: float
    registers: int | None = None
    code_bytes: int | None = None
    occupancy: float | None = None
    local_bytes: int | None = None
    others: tuple[float | None, ...] = ()
    same_code_as: int | None = None

    @property
    def code(self) -> int:
        """The number of the sweep's first trial with the same machine code, launch and arguments."""
        return self.number if self.same_code_as is None else self.same_code_as

    @property
    def place(self) -> Place:
        """GPU name and point index."""
        return self.gpu, self.point_index


@dataclass(frozen=True)
class SweepCounts:
    """Numbers of recorded trials of a sweep.

    Attributes:
        complete, failed: by state.
        new, known: by source; both pairs add up to `done`.
        failures: number of failed trials by reason, most frequent first.
    """

    complete: int
    failed: int
    new: int
    known: int
    failures: Mapping[str, int]

    @property
    def done(self) -> int:
        """All recorded trials."""
        return self.complete + self.failed


@dataclass(frozen=True)
class TokenRecord:
    """An access token.

    Attributes:
        name: unique; a revoked token's name is not reused.
        digest: hex SHA-256 of its secret.
        scopes: some of `read`, `submit` and `admin`.
        revoked_at: time of revocation.
    """

    name: str
    digest: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True)
class SpaceRecord:
    """An uploaded space.

    Attributes:
        name: the kernel's name, or one chosen by the client.
        yaml: text of the space file.
        source: text of the kernel's source file, called `source_file`.
        headers: texts of the headers it includes, by file name.
        owner: the name of the token that uploaded it.
        outline: its summary for lists of spaces, so that listing does not parse it.
        created_at: when it was last saved; set by the store.
        files: its .npy files and its source if that is a binary, by name, in base64.
    """

    name: str
    yaml: str
    source: str
    source_file: str
    headers: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None
    outline: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The hex digest of the name and the files."""
        files = [dict(self.files)] if self.files else []
        return _digest([self.name, self.yaml, self.source, self.source_file, dict(self.headers), *files])


@dataclass(frozen=True)
class GpuRecord:
    """An uploaded profile of a GPU.

    Attributes:
        name: its name in requests.
        yaml: text of the profile.
        words: the same as a known GPU with overrides, by which sweeps know it.
        owner: the name of the token that uploaded it.
    """

    name: str
    yaml: str
    words: str
    owner: str | None = None


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
