"""The complete trials of a sweep by case: a GPU and a workload, which has its own best variant."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dse.store.records import SweepSpec, VariantRecord
from search_spaces import Point, Value

#: The values of the parameters that are not the workload, in the order of the space.
Variant = tuple[Value, ...]


class CaseKey(NamedTuple):
    """A GPU, and the values of the workload parameters."""

    gpu: str
    workload: tuple[Value, ...]


@dataclass(frozen=True)
class Target:
    """A GPU and a workload.

    Attributes:
        gpu: GPU name.
        workload: the workload parameters' values; empty without workload.
    """

    gpu: str
    workload: Point

    def __str__(self) -> str:
        return " ".join([self.gpu, *(f"{name}={value}" for name, value in self.workload.items())])


@dataclass(frozen=True)
class Case:
    """The complete trials of one GPU and workload.

    Attributes:
        gpu: GPU name.
        workload: the workload parameters' values.
        trials: by variant.
    """

    gpu: str
    workload: Point
    trials: Mapping[Variant, VariantRecord]

    @cached_property
    def best(self) -> VariantRecord:
        """The trial with the best objective; the lowest point index among equals."""
        return min(self.trials.values(), key=lambda trial: (trial.score, trial.point_index))


def varied(spec: SweepSpec) -> tuple[str, ...]:
    """The parameters that make up a variant: all but the workload."""
    return tuple(name for name in spec.parameters if name not in spec.workload)


def variant_of(spec: SweepSpec, parameters: Point) -> Variant:
    """The variant of a point."""
    return tuple(parameters[name] for name in varied(spec))


def cases_of(spec: SweepSpec, trials: Iterable[VariantRecord]) -> dict[CaseKey, Case]:
    """The cases that have a complete trial, in the order of the sweep's GPUs and workloads."""
    found = defaultdict[tuple[str, Variant], dict[Variant, VariantRecord]](dict)
    known = dict[int, tuple[Point, Variant, Variant]]()  # by identity, since GPUs share their points
    names = varied(spec)
    for trial in trials:
        point = trial.parameters
        seen = known.get(id(point))
        if seen is None:
            workload = tuple([point[name] for name in spec.workload])
            known[id(point)] = seen = point, workload, tuple([point[name] for name in names])
        found[trial.gpu, seen[1]][seen[2]] = trial
    every = (
        (CaseKey(gpu, tuple(workload.values())), workload) for gpu in spec.gpus for workload in spec.workloads
    )
    return {key: Case(key.gpu, workload, found[key]) for key, workload in every if key in found}


def is_sample(spec: SweepSpec, cases: Mapping[CaseKey, Case]) -> bool:
    """Whether the complete trials are only some of the valid points: a sampler chose them, or others are to come."""
    completed = sum(len(case.trials) for case in cases.values())
    return not spec.is_exhaustive or completed < spec.total
