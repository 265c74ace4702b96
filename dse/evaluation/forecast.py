"""How long the points of a space take, from a few from all over it that are evaluated for that."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import process_time

import simcore
from dse.errors import WrongOutput
from dse.evaluation.evaluate import prepare, timed_launch
from dse.evaluation.outputs import check_outputs
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Task
from search_spaces import Space, SpaceError
from simcore.errors import SimcoreError

#: Points that are evaluated, and core seconds after which no further one is.
POINTS, ENOUGH_S = 3, 20.0


@dataclass(frozen=True)
class Forecast:
    """What a space takes.

    Attributes:
        point_s: core seconds of a point.
        compared_s: how many of them its outputs take, which are executed and compared.
        points: how many there are on all GPUs; None if there are too many to count.
        tried: how many were evaluated.
    """

    point_s: float
    compared_s: float
    points: int | None
    tried: int


def forecast(space: Space, points: int | None) -> Forecast | None:
    """The forecast of a space of so many points; None if none of those that were tried can be evaluated."""
    prepare()
    took = list(_measured(space))
    if not took:
        return None
    return Forecast(
        median(simulated + compared for simulated, compared in took),
        median(compared for _, compared in took),
        points * len(space.gpus) if points is not None else None,
        len(took),
    )


def _measured(space: Space) -> Iterator[tuple[float, float]]:
    """The core seconds of the simulation and of the comparison of each point that is tried."""
    began = process_time()
    for point in space.sample(POINTS, seed=0):
        try:
            yield _seconds(task_for(space, point, space.gpus[0]))
        except (SpaceError, SimcoreError, WrongOutput):
            continue
        if process_time() - began > ENOUGH_S:
            return


def _seconds(task: Task) -> tuple[float, float]:
    began = process_time()
    simcore.simulate(**timed_launch(task))
    simulated = process_time()
    check_outputs(task)
    return simulated - began, process_time() - simulated
