"""The coordinates of a space's points for a surrogate: each from 0 to 1, so that distance says how alike they are.

Parameters count by the order of their values, `none` as the largest, and words as one coordinate each. What the space
derives from them says more than they do: threads of a block, blocks, shared bytes, and its named values, all as
logarithms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dse.search.chooser import Study
from search_spaces import Point, Space, SpaceError, Value
from search_spaces.fields import REGISTER_CAP

Coordinates = NDArray[np.float64]

#: Two coordinates that differ by less over all points are one.
ALIKE = 1e-9
#: Threads of a block in most kernels that are tuned by hand.
USUAL_THREADS = 256


@dataclass(frozen=True)
class Candidates:
    """The points of a study, in index order; the first is the baseline of speedups.

    Attributes:
        places: their coordinates, a row for each.
        threads: of a block at each point; NaN if it cannot be launched.
        caps: the register cap of each point; infinity for none.
    """

    places: Coordinates
    threads: Coordinates
    caps: Coordinates

    def middle(self, random: np.random.Generator) -> int:
        """The point to begin with, before anything is known: a central one with usual blocks and without a cap.

        Equals are drawn. Among the measured spaces of `benchmarks/search` it is better than a random point.
        """
        uncapped = np.flatnonzero(self.caps == self.caps.max())
        odd = np.nan_to_num(np.abs(np.log2(self.threads[uncapped] / USUAL_THREADS)), nan=np.inf)
        usual = uncapped[odd <= odd.min() + ALIKE]
        away = ((self.places[usual] - self.places.mean(axis=0)) ** 2).sum(axis=1)
        return int(random.choice(usual[away <= away.min() + ALIKE]))


def candidates(studies: Sequence[Study]) -> list[Candidates]:
    """The candidates of studies of one space, all with the same coordinates."""
    different = {id(study.points): study for study in studies}  # on most GPUs they are the same
    tables = {points: _table(study) for points, study in different.items()}
    distinct = _distinct(np.concatenate([table.columns for table in tables.values()]))
    found = {
        points: Candidates(
            table.columns[:, distinct] if distinct else np.zeros((len(table.columns), 1)),
            table.threads,
            _caps(different[points]),
        )
        for points, table in tables.items()
    }
    return [found[id(study.points)] for study in studies]


class _Table(NamedTuple):
    columns: Coordinates
    threads: Coordinates


def _table(study: Study) -> _Table:
    """Every coordinate of a study's points, whether it varies or not, and the threads of their blocks."""
    keys = [tuple(map(point.__getitem__, study.space.deciding)) for point in study.points]
    examples = dict(zip(keys, study.points, strict=True))
    numbers = dict(zip(examples, range(len(examples)), strict=True))
    each = np.array([_calculated(study.space, point) for point in examples.values()], float)
    calculated = np.log2(each)[[numbers[key] for key in keys]]
    return _Table(np.array([*_of_parameters(study), *_scaled(calculated)]).T, 2.0 ** calculated[:, 0])


def _distinct(columns: Coordinates) -> list[int]:
    """The columns that vary and are not alike."""
    distinct: list[int] = []
    for place, column in enumerate(columns.T):
        if np.ptp(column) > ALIKE and not any(_are_alike(column, columns[:, other]) for other in distinct):
            distinct.append(place)
    return distinct


def _of_parameters(study: Study) -> list[Coordinates]:
    return [
        np.array([places[point[name]] for point in study.points])
        for name, values in study.space.parameters.items()
        if len(values) > 1 and name not in study.space.workload
        for places in _places(values)
    ]


def _places(values: Sequence[Value]) -> list[dict[Value, float]]:
    """What each value of a parameter is in each of its coordinates."""
    if any(isinstance(value, str) for value in values):
        return [{value: float(value == word) for value in values} for word in values]
    ordered = sorted(values, key=_size)
    return [{value: place / (len(ordered) - 1) for place, value in enumerate(ordered)}]


def _size(value: Value) -> float:
    return float("inf") if value is None else float(value)


def _calculated(space: Space, point: Point) -> list[float]:
    """What the space calculates, the threads of a block first, each above zero; NaN if it has no value."""
    try:
        launch, values = space.derived(point)
    except SpaceError:
        return [math.nan] * (3 + len(space.values))
    numbers: list[float] = [math.prod(launch.block), math.prod(launch.grid), launch.dynamic_shared_bytes + 1]
    return numbers + [abs(value) + 1 if isinstance(value, int | float) else 1 for value in values]


def _scaled(table: Coordinates) -> list[Coordinates]:
    """Columns from 0 to 1; 0 for what is constant, or has no value somewhere."""
    low, width = table.min(axis=0), np.ptp(table, axis=0)
    return [
        (column - least) / (span if span > ALIKE else 1.0) if np.isfinite(span) else np.zeros(len(table))
        for column, least, span in zip(table.T, low, width, strict=True)
    ]


def _caps(study: Study) -> Coordinates:
    if REGISTER_CAP not in study.space.parameters:
        return np.full(len(study.points), math.inf)
    return np.array([_size(point[REGISTER_CAP]) for point in study.points])


def _are_alike(one: Coordinates, other: Coordinates) -> bool:
    return bool(np.abs(one - other).max() < ALIKE or np.abs(one + other - 1).max() < ALIKE)
