"""What goes into the store and comes out of it: small frozen records, never live database objects."""

import hashlib
import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import product
from typing import Any, Literal

from dse.evaluation.tasks import Outcome, OutcomeState
from search_spaces import Point, Value
from search_spaces.schema import DEFAULT_SOURCE

SweepState = Literal["queued", "running", "stopped", "finished", "failed"]
#: Sweeps in these states have not ended.
ACTIVE: tuple[SweepState, ...] = ("queued", "running")
TrialSource = Literal["new", "known"]
Scope = Literal["read", "submit", "admin"]
#: Where a trial is in its sweep: GPU name and point index.
Place = tuple[str, int]
#: Fields of a specification that digests and the database have in a mapping of their own.
EXTRA_FIELDS = ("source_file", "headers", "sampler_asked")


@dataclass(frozen=True)
class SweepSpec:
    """What was asked for: enough to run the sweep again on another machine.

    Attributes:
        name: the space's kernel.
        space_yaml: text of the space file.
        source: text of the kernel's source file.
        gpus: GPU names, in the order asked.
        parameters: every parameter's values, overrides applied, in file order.
        workload: the parameters that say how much work there is; each workload has a best variant of its own.
        objectives: (direction, metric) pairs, direction `minimize` or `maximize`; the first ranks the trials.
        sampler: who chooses the points: `exhaustive`, or the name of a sampler.
        seed: the sampler's.
        trials: the most trials to run; None means every valid point.
        timeout_s: seconds of wall clock; None means no limit.
        total: how many trials the sweep holds when nothing stops it, over all GPUs.
        source_file: the name that compiler messages give to the source.
        headers: texts of the files that the source includes, by their names there.
        sampler_asked: the sampler as it was asked for, whoever chooses the points; None when none was.
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

    @property
    def asked(self) -> dict[str, Any]:
        """The fields as digests and the database have them: `total` is `planned`, the later ones are in `extra`."""
        asked = asdict(self)
        asked["planned"] = asked.pop("total")
        asked["extra"] = {name: asked.pop(name) for name in EXTRA_FIELDS}
        return asked

    @property
    def question(self) -> str:
        """The hex digest of what is asked; `total` follows from the rest, and is left out."""
        asked = self.asked
        del asked["planned"]
        return _digest(asked)

    @property
    def workloads(self) -> list[dict[str, Value]]:
        """Every combination of the workload parameters' values; one, empty, of none."""
        combinations = product(*(self.parameters[name] for name in self.workload))
        return [dict(zip(self.workload, values, strict=True)) for values in combinations]

    def workload_of(self, parameters: Point) -> dict[str, Value]:
        """The workload of a point."""
        return {name: parameters[name] for name in self.workload}


def metric_label(name: str, parameters: Container[str]) -> str:
    """What a metric is called in a row that has these parameters too."""
    return f"metrics.{name}" if name in parameters else name


def workload_key(names: Sequence[str], parameters: Point) -> str:
    """The workload of a point as the text that `trials.workload` holds."""
    return json.dumps([parameters[name] for name in names])


@dataclass(frozen=True)
class SweepRecord:
    """One sweep as stored.

    Attributes:
        id: its number, by which the rest of the store refers to it.
        key: what people call it: an id they chose, or the number as text.
        managed: whether the coordinator runs it; otherwise the process that created it does.
        priority: which share of the workers it gets beside others.
        stop_requested: that whoever runs it is to stop it.
        owner: the name of the token that created it.
        revision: grows when it is replanned; trials of one revision have no place in another.
        error: why it failed.
    """

    id: int
    key: str
    state: SweepState
    spec: SweepSpec
    created_at: datetime
    finished_at: datetime | None
    mlflow_run_id: str | None
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


@dataclass(frozen=True)
class Trial:
    """One variant on one GPU in a sweep, with what evaluating it said.

    Attributes:
        number: place in the order in which the sweep chose its points, from 0.
        gpu: GPU name.
        point_index: the point's index in its space.
        parameters: the variant.
        result: what the evaluation said, or what the store knew.
        source: `new` when this sweep evaluated it, `known` when the store had it already.
    """

    number: int
    gpu: str
    point_index: int
    parameters: Point
    result: Outcome
    source: TrialSource = "new"

    @property
    def place(self) -> Place:
        """GPU name and point index."""
        return self.gpu, self.point_index

    @property
    def state(self) -> OutcomeState:
        """`complete`, or `failed` with `reason` and `message`."""
        return self.result.state

    @property
    def reason(self) -> str | None:
        """The error's class name; None when complete."""
        return self.result.reason

    @property
    def message(self) -> str | None:
        """The error's text; None when complete."""
        return self.result.message

    @property
    def metrics(self) -> Mapping[str, Any]:
        """By name: `time_us`, `ipc`, `stall_<reason>`, ...; empty when failed."""
        return self.result.metrics

    @property
    def time_us(self) -> float | None:
        """Predicted time in microseconds; None when failed."""
        return self.metrics.get("time_us")

    @property
    def regime(self) -> str | None:
        """What kind of limit it is: latency, bandwidth, compute or synchronization; None when failed."""
        return self.metrics.get("regime")

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
        """What to try next."""
        return tuple(self.metrics.get("advice", ()))


@dataclass(frozen=True, kw_only=True)
class TrialRecord(Trial):
    """A trial as stored.

    Attributes:
        sweep_id: the number of its sweep.
        mlflow_run_id: its run in MLflow; None when it has none.
        score: the sweep's first objective with the sign that makes the lowest the best; None when it failed.
    """

    sweep_id: int
    mlflow_run_id: str | None
    score: float | None = None


@dataclass(frozen=True)
class SweepCounts:
    """How many trials of a sweep are recorded.

    Attributes:
        complete, failed: by state.
        new, known: by source; both pairs add up to `done`.
        failures: how many trials failed for each reason, most frequent first.
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
    """Who may use the service, and for what.

    Attributes:
        name: unique for good: a revoked token's name is not given again.
        digest: hex SHA-256 of its secret.
        scopes: some of `read`, `submit` and `admin`.
        revoked_at: since when it is of no use.
    """

    name: str
    digest: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True)
class SpaceRecord:
    """A space that somebody uploaded.

    Attributes:
        name: the kernel's, or one that the client chose.
        yaml: text of the space file.
        source: text of the kernel's source file, called `source_file`.
        headers: texts of the headers it includes, by file name.
        owner: the name of the token that it came with.
        outline: what a list of spaces says of it, so that listing parses nothing.
        created_at: when it was saved last; the store sets it.
    """

    name: str
    yaml: str
    source: str
    source_file: str
    headers: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None
    outline: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None

    @property
    def digest(self) -> str:
        """The hex digest of the name and the texts."""
        return _digest([self.name, self.yaml, self.source, self.source_file, dict(self.headers)])


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
