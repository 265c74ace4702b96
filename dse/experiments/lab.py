"""Predicted points and measured ones."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dse.errors import InputError
from dse.evaluation.machine_code import compile_task
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Outcome
from dse.runners.base import Runner
from search_spaces import Point, Space, load_space
from simcore import read_kernel
from simcore.machine_code.sass import Instruction, decode
from simcore.validation import Measurement, read_measurements

ROOT = Path(__file__).parents[2]
#: Measured figures, in a checkout.
SILICON = ROOT / "tests" / "silicon"
#: The GPUs that were measured.
MEASURED = ("h200", "h100-sxm")
#: Files of a GPU's measurements that experiments may look at; the validation set is not among them.
FILES = ("experiments_second.jsonl.gz", "experiments.jsonl.gz", "catalog.jsonl.gz", "families.jsonl.gz")
SPACES = Path(__file__).parent / "spaces"


@dataclass(frozen=True)
class Predicted:
    """A point on a GPU.

    Attributes:
        gpu: in words.
        point: the parameters.
        metrics: as a trial's.
    """

    gpu: str
    point: Point
    metrics: Mapping[str, Any]

    @property
    def time_us(self) -> float:
        """The predicted time."""
        return float(self.metrics["time_us"])

    @property
    def shares(self) -> dict[str, float]:
        """Each stall reason's share of the warps' time, without the cycles in which they issue; largest first."""
        stalls = {
            name.removeprefix("stall_"): warps
            for name, warps in self.metrics.items()
            if name.startswith("stall_")
        }
        return _shares(stalls)


class Lab:
    """Where experiments run.

    Args:
        runner: evaluates points.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def predict(self, space: Space, points: Iterable[Point], gpus: Sequence[str]) -> list[Predicted]:
        """Predict points on GPUs, in that order.

        Raises:
            InputError: a point cannot be simulated.
        """
        asked = [(gpu, point) for gpu in gpus for point in points]
        tasks = [
            dataclasses.replace(task_for(space, point, gpu), point_hash=str(place))
            for place, (gpu, point) in enumerate(asked)
        ]
        self._runner.submit(tasks)
        outcomes: list[Outcome] = []
        while self._runner.in_flight:
            outcomes += self._runner.results(1.0)
        for outcome in outcomes:
            if outcome.state == "failed":
                gpu, point = asked[int(outcome.point_hash)]
                raise InputError(f"{space.name} on {gpu}, {dict(point)}: {outcome.message}")
        found = {int(outcome.point_hash): outcome.metrics for outcome in outcomes}
        return [Predicted(gpu, point, found[place]) for place, (gpu, point) in enumerate(asked)]


def own_space(name: str) -> Space:
    """A space that belongs to an experiment."""
    return load_space(SPACES / name)


def space_of_the_repository(path: str) -> Space:
    """A space outside the package.

    Raises:
        InputError: this is no checkout.
    """
    if not (ROOT / path).is_dir():
        raise InputError(f"{path} is not here; this experiment needs a checkout of the repository")
    return load_space(ROOT / path)


def instructions(space: Space, point: Point, gpu: str) -> list[Instruction]:
    """The machine code of a point."""
    kernel = read_kernel(*compile_task(task_for(space, point, gpu)))
    return list(decode(kernel.code, kernel.architecture))


def measured(gpu: str, space: str) -> dict[Any, float]:
    """The measured times of a space's points, by `key`; empty if none were measured."""
    return {point: each.time_us for point, each in _measured(gpu).get(space, {}).items()}


def measured_shares(gpu: str, space: str) -> dict[Any, dict[str, float]]:
    """The measured `Predicted.shares` of a space's points, by `key`; of those without counters they are empty."""
    return {point: _shares(each.stalls) for point, each in _measured(gpu).get(space, {}).items()}


def key(point: Mapping[str, Any]) -> Any:
    """A point as a key."""
    return tuple(sorted((name, str(value)) for name, value in point.items()))


@cache
def _measured(gpu: str) -> dict[str, dict[Any, Measurement]]:
    found: dict[str, dict[Any, Measurement]] = {}
    for path in (SILICON / gpu / name for name in reversed(FILES)):
        if path.is_file():
            for each in read_measurements(path).measurements:
                found.setdefault(each.family, {})[key(each.parameters)] = each
    return found


def _shares(stalls: Mapping[str, float]) -> dict[str, float]:
    waiting = {name: warps for name, warps in stalls.items() if name != "selected"}
    total = sum(waiting.values()) or 1.0
    return {name: warps / total for name, warps in sorted(waiting.items(), key=lambda item: -item[1])}
