"""What a person may say about a search beside its sampler: options, points to begin with, and when to stop."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from search_spaces import Point, Value


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a search that does not try every point.

    Attributes:
        options: the sampler's own, by name.
        patience: results of a study without a better one after which it stops; None for no such limit.
        first: points to begin with, each on every GPU; without workload parameters, at every workload.
        kept: points that an extended sweep had tried before, by GPU; they come before all others.
        earlier: results of earlier sweeps to learn from, of the same parameters and objectives.
    """

    options: Mapping[str, Value | bool] = field(default_factory=dict)
    patience: int | None = None
    first: Sequence[Point] = ()
    kept: Mapping[str, Sequence[Point]] = field(default_factory=dict)
    earlier: Sequence["EarlierResult"] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "SearchSettings":
        """The settings in a specification."""
        earlier = [EarlierResult(**each) for each in stored.get("earlier", ())]
        return cls(**{**stored, "earlier": earlier})

    @property
    def stored(self) -> dict[str, Any]:
        """As in a specification: what differs from the defaults."""
        return {name: value for name, value in asdict(self).items() if value}

    def first_of(self, workload: Point, *gpus: str) -> list[Point]:
        """The points to begin with at a workload, on some GPUs."""
        kept = (point for gpu in gpus for point in self.kept.get(gpu, ()))
        return [
            {**workload, **point}
            for point in (*kept, *self.first)
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
