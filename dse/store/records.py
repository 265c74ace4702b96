"""What goes into the store and comes out of it: small frozen records, never live database objects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import Any, Literal, Protocol

Value = int | float | str | None
SweepState = Literal["running", "stopped", "finished", "failed"]
ResultState = Literal["complete", "failed"]
TrialSource = Literal["new", "known"]
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
        "UnsupportedInstruction",
    }
)


class Outcome(Protocol):
    """What an evaluation hands back; see `dse.evaluate`."""

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
    def workloads(self) -> list[dict[str, Value]]:
        """Every combination of the workload parameters' values; one, empty, of none."""
        combinations = product(*(self.parameters[name] for name in self.workload))
        return [dict(zip(self.workload, values, strict=True)) for values in combinations]

    def workload_of(self, parameters: Mapping[str, Value]) -> dict[str, Value]:
        """The workload of a point."""
        return {name: parameters[name] for name in self.workload}


@dataclass(frozen=True)
class SweepRecord:
    """One sweep as stored."""

    id: int
    state: SweepState
    spec: SweepSpec
    created_at: datetime
    finished_at: datetime | None
    mlflow_run_id: str | None

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
        return self.state == "complete" or self.reason in DETERMINISTIC_FAILURES


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
    """One point on one GPU in one sweep, with its result."""

    sweep_id: int
    number: int
    gpu: str
    point_index: int
    parameters: Mapping[str, Value]
    result: ResultRecord
    source: TrialSource
    mlflow_run_id: str | None

    @property
    def place(self) -> Place:
        """GPU name and point index."""
        return self.gpu, self.point_index

    def row(self) -> dict[str, Any]:
        """One flat row for a table: where and what, the parameters, the state, the metrics.

        A metric whose name a parameter already has is called `metrics.<name>`.
        """
        row: dict[str, Any] = {"gpu": self.gpu, "point_index": self.point_index, **self.parameters}
        row |= {"state": self.result.state, "reason": self.result.reason, "source": self.source}
        for name, value in self.result.metrics.items():
            row[f"metrics.{name}" if name in self.parameters else name] = value
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
