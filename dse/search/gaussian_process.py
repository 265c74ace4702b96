"""A Gaussian process over a list of points, for several tasks that resemble each other.

A task is a GPU with a workload. What is seen of one task says something about the same variants of the others: the
covariance of two points of different tasks is that within a task times a correlation, which is learnt (intrinsic
coregionalization: Bonilla, Chai & Williams 2007). The covariance within a task is Matérn's of order 5/2 with a length
for each coordinate. Each task has a mean of its own (generalised least squares). Lengths, noise and correlation
maximise the likelihood times a prior that expects longer lengths the more coordinates there are (Hvarfner, Hellsten &
Nardi 2024).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Indices = NDArray[np.intp]

_ROOT_5 = np.sqrt(5.0)
#: Smallest variance that a conditional may have, of 1.
_LEAST_VARIANCE = 1e-10
#: Median and spread of the logarithm of noise: measured and predicted times are not quite smooth.
_NOISE, _NOISE_SPREAD = np.log(1e-3), 2.0
#: Spread of the logarithm of a length.
_LENGTH_SPREAD = 1.0
#: Spread of the logit of the correlation about its median, 0.9.
_LIKENESS, _LIKENESS_SPREAD = np.log(9.0), 1.5
_ITERATIONS = 15
_BOUNDS = {"weight": (-12.0, 6.0), "noise": (-14.0, 0.0), "likeness": (-4.0, 7.0)}


@dataclass(frozen=True)
class Covariance:
    """The covariance of two points.

    Attributes:
        weights: of each coordinate, the inverse square of its length.
        noise: variance of a result about the process.
        likeness: the correlation of two tasks.
    """

    weights: Vector
    noise: float
    likeness: float

    @classmethod
    def prior(cls, coordinates: int) -> "Covariance":
        """What is assumed before anything is known."""
        return cls.of(_median(coordinates))

    @classmethod
    def of(cls, theta: Vector) -> "Covariance":
        """Of the logarithms that are fitted."""
        return cls(np.exp(theta[:-2]), float(np.exp(theta[-2])), float(1 / (1 + np.exp(-theta[-1]))))

    @property
    def theta(self) -> Vector:
        """The logarithms that are fitted."""
        logit = np.log(self.likeness / (1 - self.likeness))
        return np.concatenate([np.log(self.weights), [np.log(self.noise), logit]])

    def between(self, some: Matrix, others: Matrix) -> Matrix:
        """Of two lists of points of one task."""
        scale = np.sqrt(self.weights)
        left, right = some * scale, others * scale
        distance = (-2 * left) @ right.T  # and from here on in place: the matrix may be large
        distance += (left**2).sum(axis=1)[:, None]
        distance += (right**2).sum(axis=1)
        np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance)
        distance *= _ROOT_5
        decay = np.exp(-distance)
        rest = distance / 3
        rest += 1
        rest *= distance
        rest += 1
        return np.asarray(decay * rest)

    def of_tasks(self, some: Indices, others: Indices) -> Matrix:
        """The factor for the tasks of two lists of points."""
        return np.where(some[:, None] == others[None], 1.0, self.likeness)


def fitted(covariance: Covariance, places: Matrix, tasks: Indices, values: Vector) -> Covariance:
    """The most probable covariance, from that one on; each task's values have mean zero."""
    from scipy.optimize import minimize

    squares = (places[:, None, :] - places[None]) ** 2
    alike = tasks[:, None] == tasks[None]
    several = not alike.all()
    bounds = [_BOUNDS["weight"]] * places.shape[1] + [_BOUNDS["noise"], _BOUNDS["likeness"]]
    found = minimize(
        _loss,
        covariance.theta,
        args=(squares, alike, several, values, _median(places.shape[1])),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": _ITERATIONS},
    )
    return Covariance.of(found.x)


def _median(coordinates: int) -> Vector:
    weight = -2 * np.log(0.5 * np.sqrt(coordinates))
    return np.concatenate([np.full(coordinates, weight), [_NOISE, _LIKENESS]])


def _loss(
    theta: Vector,
    squares: NDArray[np.float64],
    alike: NDArray[np.bool_],
    several: bool,
    values: Vector,
    median: Vector,
) -> tuple[float, Vector]:
    """The negative logarithm of the posterior, whose variance is at its optimum, and its gradient."""
    covariance, count = Covariance.of(theta), len(values)
    distance = _ROOT_5 * np.sqrt(squares @ covariance.weights)
    decay = np.exp(-distance)
    factor = np.where(alike, 1.0, covariance.likeness)
    within = (1 + distance + distance**2 / 3) * decay
    matrix = within * factor
    matrix[np.diag_indices(count)] += covariance.noise
    root = np.linalg.cholesky(matrix)
    inverse_root = np.linalg.inv(root)
    inverse = inverse_root.T @ inverse_root
    alpha = inverse @ values
    variance = max(float(values @ alpha) / count, 1e-12)
    away = (theta - median) / _spread(len(theta))
    loss = 0.5 * count * np.log(variance) + np.log(np.diag(root)).sum() + 0.5 * away @ away

    pull = np.outer(alpha, alpha) / variance - inverse
    slope = pull * factor * (-5 / 6) * (1 + distance) * decay
    of_weights = np.einsum("ij,ijk->k", slope, squares) * covariance.weights
    of_noise = np.trace(pull) * covariance.noise
    likeness = covariance.likeness
    of_likeness = (pull * within)[~alike].sum() * likeness * (1 - likeness) if several else 0.0
    gradient = -0.5 * np.concatenate([of_weights, [of_noise, of_likeness]]) + away / _spread(len(theta))
    return float(loss), gradient


def _spread(size: int) -> Vector:
    return np.concatenate([np.full(size - 2, 2 * _LENGTH_SPREAD), [_NOISE_SPREAD, _LIKENESS_SPREAD]])


@dataclass
class Process:
    """A Gaussian process conditioned on rows, one after another, and what it says of every candidate of each task.

    A row without a result narrows what is known of its surroundings, and moves no mean (the kriging believer:
    Ginsbourger, Le Riche & Carraro 2010). Rows with a result come first.

    Args:
        covariance: of the points.
        candidates: the coordinates of each task's points.
    """

    covariance: Covariance
    candidates: list[Matrix]
    _tasks: list[int] = field(default_factory=list)
    _points: list[int] = field(default_factory=list)
    _root: Matrix = field(default_factory=lambda: np.zeros((0, 0)))
    _rows: dict[int, "_Explained"] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self._tasks)

    def begin(self, rows: Sequence[tuple[int, int]]) -> None:
        """Condition on the first rows, tasks and points, at once."""
        self._tasks, self._points = [task for task, _ in rows], [point for _, point in rows]
        places, tasks = self._places(slice(None)), np.array(self._tasks)
        matrix = self.covariance.between(places, places) * self.covariance.of_tasks(tasks, tasks)
        matrix[np.diag_indices(self.size)] += self.covariance.noise
        self._root = np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)

    def add(self, task: int, point: int) -> None:
        """Condition on a point."""
        old, here = self.size, self._place(task, point)
        root = np.zeros((max(64, 2 * old), max(64, 2 * old))) if old == len(self._root) else self._root
        if root is not self._root:
            root[:old, :old] = self._root[:old, :old]
            self._root = root
        if old:
            across = self._between_rows(slice(0, old), task, here)
            root[old, :old] = _solved(root[:old, :old], across)
        left = 1 + self.covariance.noise - root[old, :old] @ root[old, :old]
        root[old, old] = np.sqrt(max(float(left), _LEAST_VARIANCE))
        self._tasks.append(task)
        self._points.append(point)

    def predict(self, task: int, values: Vector) -> tuple[Vector, Vector]:
        """Means and standard deviations of a task's candidates; `values` are the results of the first rows."""
        explained = self._explained(task)
        known = len(values)
        if not known:
            return np.zeros(len(self.candidates[task])), np.sqrt(explained.variance())
        root = self._root[:known, :known]
        tasks = np.array(self._tasks[:known])
        present = np.unique(tasks)
        design = (tasks[:, None] == present[None]).astype(float)
        whitened = _solved(root, np.column_stack([values, design]))
        means = np.linalg.lstsq(whitened[:, 1:], whitened[:, 0], rcond=None)[0]
        residual = whitened[:, 0] - whitened[:, 1:] @ means
        scale = max(float(residual @ residual) / known, 1e-8)
        own = np.flatnonzero(present == task)
        mean = float(means[own[0]]) if len(own) else 0.0
        return mean + explained.mean(residual), np.sqrt(explained.variance() * scale)

    def telling(self, task: int, references: Indices) -> Vector:
        """By how much each candidate's result would narrow what is unknown of some of them, together."""
        places, explained = self.candidates[task], self._explained(task)
        unknown = self.covariance.between(places, places[references]) - explained.shared(references)
        return np.asarray((unknown**2).sum(axis=1) / (explained.variance() + self.covariance.noise))

    def _explained(self, task: int) -> "_Explained":
        """What the rows explain of a task's candidates, brought up to date."""
        explained = self._rows.setdefault(task, _Explained(len(self.candidates[task])))
        old = explained.size
        if old < self.size:
            across = self._across(task, slice(old, self.size))
            explained.extend(across, self._root[old : self.size, : self.size])
        return explained

    def _across(self, task: int, rows: slice) -> Matrix:
        """The covariance of rows with a task's candidates."""
        factor = self.covariance.of_tasks(np.array(self._tasks[rows]), np.array([task]))
        return np.asarray(self.covariance.between(self._places(rows), self.candidates[task]) * factor)

    def _between_rows(self, rows: slice, task: int, place: Matrix) -> Vector:
        factor = self.covariance.of_tasks(np.array(self._tasks[rows]), np.array([task]))
        return np.asarray((self.covariance.between(self._places(rows), place) * factor)[:, 0])

    def _places(self, rows: slice) -> Matrix:
        pairs = zip(self._tasks[rows], self._points[rows], strict=True)
        return np.array([self.candidates[task][point] for task, point in pairs])

    def _place(self, task: int, point: int) -> Matrix:
        return self.candidates[task][point : point + 1]


class _Explained:
    """The whitened covariance of the rows with a task's candidates: a row of it for each, in single precision.

    Args:
        candidates: their number.
    """

    def __init__(self, candidates: int) -> None:
        self.size = 0
        self._whitened = np.zeros((64, candidates), np.float32)
        self._sum = np.zeros(candidates)

    def extend(self, across: Matrix, root: Matrix) -> None:
        """Take more rows in, of which `root` is the part of the Cholesky factor."""
        old, new = self.size, self.size + len(across)
        if new > len(self._whitened):
            grown = np.zeros((2 * new, self._whitened.shape[1]), np.float32)
            grown[:old] = self._whitened[:old]
            self._whitened = grown
        left = across - (root[:, :old].astype(np.float32) @ self._whitened[:old] if old else 0.0)
        added = _solved(root[:, old:new], left)
        self._whitened[old:new] = added
        self._sum += (added**2).sum(axis=0)
        self.size = new

    def mean(self, residual: Vector) -> Vector:
        """The mean that whitened residuals of the first rows give."""
        return np.asarray(residual.astype(np.float32) @ self._whitened[: len(residual)], dtype=np.float64)

    def shared(self, references: Indices) -> Matrix:
        """What the rows explain of the covariance of all candidates with some."""
        known = self._whitened[: self.size]
        return np.asarray(known.T @ known[:, references], dtype=np.float64)

    def variance(self) -> Vector:
        """What no row explains, of 1."""
        return np.maximum(1.0 - self._sum, _LEAST_VARIANCE)


def _solved(root: Matrix, right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The solution of a lower triangular system."""
    from scipy.linalg.lapack import dtrtrs  # for small systems a quarter of solve_triangular's time

    return np.asarray(dtrtrs(root, right, lower=1)[0])
