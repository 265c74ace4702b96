"""What a person may say about a search beside its sampler: options, points to begin with, and when to stop."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from search_spaces import Point, Value


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a search that does not try every point.

    Attributes:
        options: the sampler's own, by name.
        patience: results of a study without a better one after which it stops; None for no such limit.
        first: points to begin with, each on every GPU; without workload parameters, at every workload.
        kept: trials that an extended sweep had before, in the order of their numbers; they come before all others.
        stages: what an extended sweep tried exhaustively before, oldest first: each keeps its numbers.
        earlier: results of earlier sweeps to learn from, of the same parameters and objectives.
    """

    options: Mapping[str, Value | bool] = field(default_factory=dict)
    patience: int | None = None
    first: Sequence[Point] = ()
    kept: Sequence["KeptTrial"] = ()
    stages: Sequence["Stage"] = ()
    earlier: Sequence["EarlierResult"] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "SearchSettings":
        """The settings in a specification."""
        earlier = [EarlierResult(**each) for each in stored.get("earlier", ())]
        kept = [KeptTrial(*each) for each in stored.get("kept", ())]
        stages = [Stage(**each) for each in stored.get("stages", ())]
        return cls(**{**stored, "earlier": earlier, "kept": kept, "stages": stages})

    @property
    def stored(self) -> dict[str, Any]:
        """As in a specification: what differs from the defaults."""
        stored = {**asdict(self), "kept": [[each.number, each.gpu, dict(each.point)] for each in self.kept]}
        return {name: value for name, value in stored.items() if value}

    def first_of(self, workload: Point) -> list[Point]:
        """The points to begin with at a workload."""
        return [
            {**workload, **point}
            for point in self.first
            if all(point.get(name, value) == value for name, value in workload.items())
        ]


@dataclass(frozen=True)
class EarlierResult:
    """A result of an earlier sweep.

    Attributes:
        study: names its GPU and workload; results of one are comparable.
        parameters: the point.
        values: one for each objective.
    """

    study: str
    parameters: Point
    values: Sequence[float]


class KeptTrial(NamedTuple):
    """A trial that an extended sweep has already, with its number."""

    number: int
    gpu: str
    point: Point


@dataclass(frozen=True)
class Stage:
    """What an exhaustive sweep tried before it was extended: every valid point of these values on these GPUs."""

    gpus: Sequence[str]
    parameters: Mapping[str, Sequence[Value]]

    def holds(self, gpu: str, point: Point) -> bool:
        """Whether a point on a GPU belongs to it."""
        return gpu in self.gpus and all(point[name] in values for name, values in self.parameters.items())
