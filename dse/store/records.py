"""What goes into the store and comes out of it: small frozen records, never live database objects."""

import hashlib
import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import product
from typing import Any, Literal, Protocol

Value = int | float | str | None
SweepState = Literal["queued", "running", "stopped", "finished", "failed"]
ResultState = Literal["complete", "failed"]
TrialSource = Literal["new", "known"]
Scope = Literal["read", "submit", "admin"]
#: Where a trial is in its sweep: GPU name and point index.
Place = tuple[str, int]

#: Failures that the same point gives again every time, so they are worth remembering.
DETERMINISTIC_FAILURES = frozenset(
    {
        "CompileError",
        "CycleLimitExceeded",
        "Deadlock",
        "KernelTrap",
        "LaunchError",
        "MemoryFault",
        "SpaceError",
        "UnsupportedInstruction",
    }
)


def is_known(state: str, reason: str | None) -> bool:
    """Whether evaluating a point with that result again would say the same."""
    return state == "complete" or reason in DETERMINISTIC_FAILURES


class Outcome(Protocol):
    """What an evaluation hands back; see `dse.evaluation.evaluate`."""

    @property
    def point_hash(self) -> str: ...
    @property
    def state(self) -> ResultState: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def message(self) -> str | None: ...
    @property
    def metrics(self) -> Mapping[str, Any]: ...
    @property
    def compile_s(self) -> float: ...
    @property
    def simulate_s(self) -> float: ...


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
        planned: how many trials the sweep holds when nothing stops it, over all GPUs.
        extra: anything else worth keeping; must be JSON.
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
    planned: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The hex digest of what is asked; `planned` follows from the rest, and is left out."""
        asked = {name: value for name, value in asdict(self).items() if name != "planned"}
        return _digest(asked)

    @property
    def workloads(self) -> list[dict[str, Value]]:
        """Every combination of the workload parameters' values; one, empty, of none."""
        combinations = product(*(self.parameters[name] for name in self.workload))
        return [dict(zip(self.workload, values, strict=True)) for values in combinations]

    def workload_of(self, parameters: Mapping[str, Value]) -> dict[str, Value]:
        """The workload of a point."""
        return {name: parameters[name] for name in self.workload}


def metric_label(name: str, parameters: Container[str]) -> str:
    """What a metric is called in a row that has these parameters too."""
    return f"metrics.{name}" if name in parameters else name


def workload_key(names: Sequence[str], parameters: Mapping[str, Value]) -> str:
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
class ResultRecord:
    """What the simulator said about one point on one GPU; the same for every sweep that holds the point.

    Attributes:
        point_hash: hex digest of everything that decides the result.
        state: `complete`, or `failed` with `reason` and `message`.
        reason: the error's class name.
        message: the error's text.
        metrics: by name: the columns of the `results` table (`time_us`, `stall_wait`, ...), and anything else
            the evaluation reported, which must be JSON.
        compile_s, simulate_s: seconds one core spent.
    """

    point_hash: str
    state: ResultState
    reason: str | None = None
    message: str | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    compile_s: float = 0.0
    simulate_s: float = 0.0
    simulator_version: str = ""
    compiler_version: str = ""

    @classmethod
    def from_outcome(cls, outcome: Outcome, simulator_version: str, compiler_version: str) -> "ResultRecord":
        """The record of an evaluation's outcome."""
        return cls(
            outcome.point_hash,
            outcome.state,
            outcome.reason,
            outcome.message,
            outcome.metrics,
            outcome.compile_s,
            outcome.simulate_s,
            simulator_version,
            compiler_version,
        )

    @property
    def is_known(self) -> bool:
        """Whether evaluating the point again would say the same; a lost worker says nothing about a point."""
        return is_known(self.state, self.reason)


@dataclass(frozen=True)
class NewTrial:
    """A trial to record.

    Attributes:
        number: place in the order in which the sweep chose its points, from 0.
        gpu: GPU name.
        point_index: the point's index in its space.
        parameters: the point.
        result: what the evaluation said, or what the store knew.
        source: `new` when this sweep evaluated it, `known` when the store had it already.
    """

    number: int
    gpu: str
    point_index: int
    parameters: Mapping[str, Value]
    result: ResultRecord
    source: TrialSource = "new"


@dataclass(frozen=True)
class TrialRecord:
    """One point on one GPU in one sweep, with its result.

    Attributes:
        score: the sweep's first objective with the sign that makes the lowest the best; None when it failed.
    """

    sweep_id: int
    number: int
    gpu: str
    point_index: int
    parameters: Mapping[str, Value]
    result: ResultRecord
    source: TrialSource
    mlflow_run_id: str | None
    score: float | None = None

    @property
    def place(self) -> Place:
        """GPU name and point index."""
        return self.gpu, self.point_index

    def row(self, times: bool = False) -> dict[str, Any]:
        """One flat row for a table: where and what, the parameters, the state, the metrics.

        A metric whose name a parameter already has is called `metrics.<name>`. With `times`, the row also holds
        what differs from run to run: whether the sweep evaluated the point itself, and the seconds it took.
        """
        result = self.result
        row: dict[str, Any] = {"number": self.number, "gpu": self.gpu, "point_index": self.point_index}
        row |= {**self.parameters, "state": result.state, "reason": result.reason, "message": result.message}
        for name, value in result.metrics.items():
            row[metric_label(name, self.parameters)] = value
        if times:
            row |= {"source": self.source, "compile_s": result.compile_s, "simulate_s": result.simulate_s}
        return row


@dataclass(frozen=True)
class SweepCounts:
    """How many trials of a sweep are recorded.

    Attributes:
        complete, failed: by state.
        new, known: by source; both pairs add up to `total`.
        failures: how many trials failed for each reason, most frequent first.
    """

    complete: int
    failed: int
    new: int
    known: int
    failures: Mapping[str, int]

    @property
    def total(self) -> int:
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
