"""Trials: a variant on a GPU with its result, as people and as comparisons need it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dse.evaluation.tasks import Outcome, OutcomeState
from dse.notebooks import html_table
from search_spaces import Point
from simcore.diagnosis.units import regime_in_words

TrialSource = Literal["new", "known"]
#: Place of a trial in its sweep: GPU name and point index.
Place = tuple[str, int]
#: Metrics of a trial in a notebook.
MAIN_METRICS = (
    *("time_us", "cycles", "ipc", "achieved_occupancy", "registers_per_thread", "code_bytes"),
    *("regime", "bottleneck", "label"),
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
