"""How long the points of a space take, from a few of each GPU and workload that are evaluated for that."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from time import process_time

import simcore
from dse.errors import WrongOutput
from dse.evaluation.evaluate import prepare, timed_launch
from dse.evaluation.outputs import check_outputs
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Task
from search_spaces import Space, SpaceError, Value
from simcore.errors import SimcoreError

#: Points that are evaluated at least, pairs of GPU and workload at most, core seconds after which no other one is.
POINTS, PAIRS, ENOUGH_S = 3, 12, 20.0


@dataclass(frozen=True)
class Forecast:
    """What a space takes.

    Attributes:
        point_s: core seconds of a point, the mean over GPUs and workloads.
        compared_s: how many of them its outputs take, which are executed and compared.
        points: how many there are on all GPUs; None if there are too many to count.
        tried: how many were evaluated.
        range_s: core seconds of a point on the GPU and workload that take least, and most; None if there is one pair.
    """

    point_s: float
    compared_s: float
    points: int | None
    tried: int
    range_s: tuple[float, float] | None = None


@dataclass(frozen=True)
class Failure:
    """A point that was tried in vain.

    Attributes:
        gpu: the GPU.
        point: the values of the parameters.
        error: why.
    """

    gpu: str
    point: Mapping[str, Value]
    error: Exception


def forecast(space: Space, points: int | None) -> tuple[Forecast | None, list[Failure]]:
    """The forecast for so many points on all GPUs, None if none that was tried can be evaluated; and what failed."""
    prepare()
    failures: list[Failure] = []
    took = [pair for pair in _measured(space, failures.append) if pair]
    if not took:
        return None, failures
    means = [fmean(simulated + compared for simulated, compared in pair) for pair in took]
    compared = fmean(fmean(compared for _, compared in pair) for pair in took)
    tried = sum(len(pair) for pair in took)
    range_s = (min(means), max(means)) if len(means) > 1 else None
    return Forecast(fmean(means), compared, points, tried, range_s), failures


def _measured(space: Space, failed: Callable[[Failure], None]) -> Iterator[list[tuple[float, float]]]:
    """The core seconds of the simulation and of the comparison of each point that is tried, by GPU and workload.

    Args:
        failed: is told of each point that failed.
    """
    pairs = list(product(space.workloads(), space.gpus))
    pairs = pairs[:: -(-len(pairs) // PAIRS)]
    began = process_time()
    for workload, gpu in pairs:
        some = space.at_workload(workload).sample(-(-POINTS // len(pairs)), seed=0)
        took: list[tuple[float, float]] = []
        for point in some:
            try:
                took.append(_seconds(task_for(space, point, gpu)))
            except (SpaceError, SimcoreError, WrongOutput) as error:
                failed(Failure(gpu, point, error))
                continue
            if process_time() - began > ENOUGH_S:
                yield took
                return
        yield took


def _seconds(task: Task) -> tuple[float, float]:
    began = process_time()
    simcore.simulate(**timed_launch(task))
    simulated = process_time()
    check_outputs(task)
    return simulated - began, process_time() - simulated
