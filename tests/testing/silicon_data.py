"""What GPUs did: the points measured by `benchmarks/silicon`, most on an H200, and how to launch the same ones here."""

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simcore import Buffer, simulate
from simcore.validation import Measurement, Recipe, read_measurements

GPU = "h200"
FILES = Path(__file__).parents[1] / "silicon"
FOLDER = FILES / GPU


@dataclass(frozen=True, repr=False)
class Measured:
    """One measured launch, and its record in the file, which has more than validation reads."""

    measurement: Measurement
    record: dict[str, Any]

    def __repr__(self) -> str:
        return f"{self.space}-{self.record['index']}"

    @property
    def space(self) -> str:
        return self.measurement.family

    @property
    def executed(self) -> int:
        """Warp instructions, as Nsight Compute counted them."""
        count = self.measurement.warp_instructions
        assert count is not None, self
        return count

    @property
    def time_us(self) -> float:
        return self.measurement.time_us

    @property
    def recipe(self) -> Recipe:
        assert self.measurement.recipe is not None, self
        return self.measurement.recipe

    def cubin(self, gpu: str = GPU) -> bytes:
        return self.recipe.cubin(gpu)

    def launch(self, gpu: str = GPU) -> dict[str, Any]:
        """Cubin, shape and buffers, as keywords of `simulate`; the file has one kernel a source."""
        return {name: value for name, value in self.recipe.launch(gpu).items() if name != "kernel"}

    def fresh_launch(self, gpu: str = GPU) -> dict[str, Any]:
        """The same with numpy arrays in place of buffers, for `execute` to write to."""
        launch = self.launch(gpu)
        del launch["cold"]
        launch["arguments"] = [
            a.materialise().copy() if isinstance(a, Buffer) else a for a in launch["arguments"]
        ]
        return launch


@cache
def measured(name: str, gpu: str = GPU) -> tuple[Measured, ...]:
    """All the points of one file, as `catalog` or `families`."""
    path = FILES / gpu / f"{name}.jsonl.gz"
    with gzip.open(path, "rt") as file:
        _, *records = map(json.loads, file)
    return tuple(Measured(m, r) for m, r in zip(read_measurements(path).measurements, records, strict=True))


def point_of(name: str, space: str, gpu: str = GPU, /, **parameters: int | None) -> Measured:
    """The one point of a space in a file that has these parameters, and perhaps others."""
    (point,) = (
        p
        for p in measured(name, gpu)
        if p.space == space and parameters.items() <= p.record["parameters"].items()
    )
    return point


def times(name: str, gpu: str, **parameters: int) -> tuple[float, float]:
    """The measured and the predicted time of the point of a file with these parameters, in microseconds."""
    point = _point(name, gpu, parameters)
    return point.time_us, simulate(**point.recipe.launch(gpu)).time_us


def instructions(name: str, gpu: str, **parameters: int) -> tuple[int, int]:
    """The measured and the predicted warp instructions of the same point."""
    point = _point(name, gpu, parameters)
    return point.executed, simulate(**point.recipe.launch(gpu)).warp_instructions


def stalls(name: str, gpu: str, **parameters: int) -> tuple[dict[str, float], dict[str, float]]:
    """The measured and the predicted warps in each state of the same point, per issue."""
    point = _point(name, gpu, parameters)
    return point.measurement.stalls, simulate(**point.recipe.launch(gpu)).stalls


def _point(name: str, gpu: str, parameters: dict[str, int]) -> Measured:
    (point,) = (p for p in measured(name, gpu) if dict(p.measurement.parameters) == parameters)
    return point


def smallest_of_each(points: Iterable[Measured], most_instructions: float) -> list[Measured]:
    """The point of each space that executes least, where that is little enough."""
    smallest: dict[str, Measured] = {}
    for point in points:
        if point.space not in smallest or point.executed < smallest[point.space].executed:
            smallest[point.space] = point
    return [p for p in smallest.values() if p.executed <= most_instructions]
