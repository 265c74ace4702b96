"""A Gaussian process over a list of points, for several tasks that resemble each other.

A task is a GPU with a workload. What is seen of one task says something about the same variants of the others: the
covariance of two points of different tasks is that within a task times a correlation, which is learnt (intrinsic
coregionalization: Bonilla, Chai & Williams 2007). The covariance within a task is Matérn's of order 5/2 with a length
for each coordinate. Each task has a mean of its own (generalised least squares). Lengths, noise and correlation
maximise the likelihood times a prior that expects longer lengths the more coordinates there are (Hvarfner, Hellsten &
Nardi 2024).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dse.search.minimum import minimum

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
#: Steps of a fit, which goes on from the one before.
_STEPS = 10
#: Gain of a step, in the logarithm of the posterior, below which a fit ends.
_LEAST_GAIN = 0.01
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

    def scaled(self, places: Matrix) -> "Scaled":
        """Points with their coordinates divided by the lengths."""
        divided = (places - 0.5) * (_ROOT_5 * np.sqrt(self.weights))
        return Scaled(divided, np.einsum("ij,ij->i", divided, divided))

    def of_tasks(self, some: Indices, others: Indices) -> Matrix:
        """The factor for the tasks of two lists of points."""
        return np.where(some[:, None] == others[None], 1.0, self.likeness)


@dataclass(frozen=True)
class Scaled:
    """Points in units in which the covariance within a task is a function of their distance alone.

    Attributes:
        places: the coordinates divided by their lengths, a row for each point.
        norms: the sum of the squares of each row.
    """

    places: Matrix
    norms: Vector

    def __getitem__(self, some: Indices | slice) -> "Scaled":
        return Scaled(self.places[some], self.norms[some])

    def followed_by(self, others: "Scaled") -> "Scaled":
        """These and more."""
        return Scaled(
            np.concatenate([self.places, others.places]), np.concatenate([self.norms, others.norms])
        )

    @property
    def single(self) -> "Scaled":
        """The same in single precision."""
        return Scaled(self.places.astype(np.float32), self.norms.astype(np.float32))

    def covariance(self, others: "Scaled") -> Matrix:
        """The covariance with each of other points of the same task."""
        distance = (
            -2 * self.places
        ) @ others.places.T  # from here on mostly in place: the matrix may be large
        distance += self.norms[:, None]
        distance += others.norms
        np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance)
        decay = np.exp(-distance)
        rest = distance * distance.dtype.type(1 / 3)
        rest += 1
        rest *= distance
        rest += 1
        rest *= decay
        return rest


def fitted(covariance: Covariance, places: Matrix, tasks: Indices, values: Vector) -> Covariance:
    """The most probable covariance, from that one on; each task's values have mean zero."""
    pairs = _Pairs.of(places, tasks)
    median, spread = _median(places.shape[1]), _spread(places.shape[1])
    low, high = np.array([_BOUNDS["weight"]] * places.shape[1] + [_BOUNDS["noise"], _BOUNDS["likeness"]]).T

    def loss(theta: Vector) -> tuple[float, Vector]:
        """The negative logarithm of the posterior, and its gradient."""
        misfit, gradient = _misfit(Covariance.of(theta), pairs, values)
        away = (theta - median) / spread
        return misfit + 0.5 * float(away @ away), gradient + away / spread

    return Covariance.of(minimum(loss, covariance.theta, low, high, _STEPS, _LEAST_GAIN))


class _Pairs(NamedTuple):
    """Each pair of different points, once.

    Attributes:
        ones: the first point of each.
        others: the second, which comes before the first.
        squares: by coordinate, the square of their difference.
        apart: whether they are of different tasks; None if no pair is.
    """

    ones: Indices
    others: Indices
    squares: Matrix
    apart: NDArray[np.bool_] | None

    @classmethod
    def of(cls, places: Matrix, tasks: Indices) -> "_Pairs":
        ones, others = np.tril_indices(len(places), -1)
        columns = np.ascontiguousarray(places.T)
        apart = tasks[ones] != tasks[others]
        squares = (columns[:, ones] - columns[:, others]) ** 2
        return cls(ones, others, squares, apart if apart.any() else None)

    def within(self, weights: Vector) -> tuple[Vector, Vector]:
        """Their covariance if they were of one task, and by how much it falls with their squared distance."""
        distance = np.sqrt((5 * weights) @ self.squares)
        decay = np.exp(-distance)
        slope = 1 + distance
        return (slope + distance**2 / 3) * decay, (5 / 6) * slope * decay

    def matrix(self, covariances: Vector, variance: float) -> Matrix:
        """The covariance matrix, of which only the lower half is filled in."""
        count = int(self.ones[-1]) + 1
        matrix = np.empty((count, count), order="F")
        matrix[self.ones, self.others] = covariances
        np.fill_diagonal(matrix, variance)
        return matrix


def _median(coordinates: int) -> Vector:
    weight = -2 * np.log(0.5 * np.sqrt(coordinates))
    return np.concatenate([np.full(coordinates, weight), [_NOISE, _LIKENESS]])


def _spread(coordinates: int) -> Vector:
    return np.concatenate([np.full(coordinates, 2 * _LENGTH_SPREAD), [_NOISE_SPREAD, _LIKENESS_SPREAD]])


def _misfit(covariance: Covariance, pairs: _Pairs, values: Vector) -> tuple[float, Vector]:
    """The negative logarithm of the likelihood, whose variance is at its optimum, and its gradient."""
    likeness, count = covariance.likeness, len(values)
    within, slope = pairs.within(covariance.weights)
    factor = 1.0 if pairs.apart is None else np.where(pairs.apart, likeness, 1.0)
    half, alpha, inverse = _inverted(pairs.matrix(within * factor, 1 + covariance.noise), values)
    variance = max(float(values @ alpha) / count, 1e-12)

    pull = alpha[pairs.ones] * alpha[pairs.others] / variance - inverse[pairs.ones, pairs.others]
    of_weights = (pairs.squares @ (pull * factor * slope)) * covariance.weights
    of_noise = -0.5 * (float(alpha @ alpha) / variance - inverse.trace()) * covariance.noise
    of_likeness = 0.0
    if pairs.apart is not None:
        of_likeness = -(pull * within)[pairs.apart].sum() * likeness * (1 - likeness)
    return 0.5 * count * np.log(variance) + half, np.concatenate([of_weights, [of_noise, of_likeness]])


def _inverted(matrix: Matrix, values: Vector) -> tuple[float, Vector, Matrix]:
    """Of a covariance matrix: half its determinant's logarithm, its inverse times values, and its inverse.

    Of the matrix and of its inverse only the lower halves are there; the matrix is overwritten.
    """
    from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

    root = dpotrf(matrix, lower=1, clean=0, overwrite_a=1)[0]
    half = float(np.log(root.diagonal()).sum())
    alpha = dpotrs(root, values, lower=1)[0]
    return half, alpha, dpotri(root, lower=1, overwrite_c=1)[0]


class Process:
    """A Gaussian process conditioned on rows, one after another, and what it says of every candidate of each task.

    A row without a result narrows what is known of its surroundings, and moves no mean (the kriging believer:
    Ginsbourger, Le Riche & Carraro 2010). Rows with a result come first.

    Args:
        covariance: of the points.
        candidates: the coordinates of each task's points.
    """

    def __init__(self, covariance: Covariance, candidates: Sequence[Matrix]) -> None:
        self.covariance = covariance
        self._candidates = candidates
        self._tasks = np.zeros(0, np.intp)
        self._rows = covariance.scaled(candidates[0][:0])
        self._root = np.zeros((0, 0))
        self._single: dict[int, Scaled] = {}
        self._known: dict[int, _Explained] = {}

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self._tasks)

    def begin(self, rows: Sequence[tuple[int, int]]) -> None:
        """Condition on the first rows, tasks and points, at once."""
        self._append(rows)
        matrix = self._rows.covariance(self._rows) * self.covariance.of_tasks(self._tasks, self._tasks)
        matrix[np.diag_indices(self.size)] += self.covariance.noise
        self._root = np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)

    def add(self, task: int, point: int) -> None:
        """Condition on a point."""
        old = self.size
        self._append([(task, point)])
        if old == len(self._root):
            root = np.zeros((max(64, 2 * old), max(64, 2 * old)))
            root[:old, :old] = self._root
            self._root = root
        if old:
            across = self._rows[:old].covariance(self._rows[old:]) * self._likeness(slice(0, old), task)
            self._root[old, :old] = _solved(self._root[:old, :old], across)[:, 0]
        left = 1 + self.covariance.noise - self._root[old, :old] @ self._root[old, :old]
        self._root[old, old] = np.sqrt(max(float(left), _LEAST_VARIANCE))

    def predict(self, task: int, values: Vector) -> tuple[Vector, Vector]:
        """Means and standard deviations of a task's candidates; `values` are the results of the first rows."""
        from scipy.linalg.lapack import dposv

        explained, known = self._explained(task), len(values)
        if not known:
            return np.zeros(len(self._candidates[task])), np.sqrt(explained.variance())
        present = np.flatnonzero(np.bincount(self._tasks[:known]))
        design = self._tasks[:known, None] == present
        whitened = _solved(self._root[:known, :known], np.column_stack([values, design]))
        ones = whitened[:, 1:]
        means = dposv(ones.T @ ones, ones.T @ whitened[:, 0])[1]
        residual = whitened[:, 0] - ones @ means
        scale = max(float(residual @ residual) / known, 1e-8)
        mean = float(means[present == task].sum())  # zero if nothing of the task is known
        return mean + explained.mean(residual), np.sqrt(explained.variance() * scale)

    def telling(self, task: int, references: Indices) -> Vector:
        """By how much each candidate's result would narrow what is unknown of some of them, together."""
        points, explained = self._points(task), self._explained(task)
        unknown = points.covariance(points[references]) - explained.shared(references)
        narrowed = np.einsum("ij,ij->i", unknown, unknown)
        return np.asarray(narrowed / (explained.variance() + self.covariance.noise))

    def _append(self, rows: Sequence[tuple[int, int]]) -> None:
        places = self.covariance.scaled(np.array([self._candidates[task][point] for task, point in rows]))
        self._tasks = np.concatenate([self._tasks, [task for task, _ in rows]])
        self._rows = self._rows.followed_by(places)

    def _points(self, task: int) -> Scaled:
        """A task's candidates, in single precision."""
        places = self._candidates[task]
        if id(places) not in self._single:
            self._single[id(places)] = self.covariance.scaled(places).single
        return self._single[id(places)]

    def _explained(self, task: int) -> "_Explained":
        """What the rows explain of a task's candidates, brought up to date."""
        if task not in self._known:
            self._known[task] = _Explained(len(self._candidates[task]))
        explained, old = self._known[task], self._known[task].size
        if old < self.size:
            across = self._rows[old:].single.covariance(self._points(task))
            across *= self._likeness(slice(old, None), task)
            explained.extend(across, self._root[old : self.size, : self.size])
        return explained

    def _likeness(self, rows: slice, task: int) -> Matrix:
        """A column of how the task of each of some rows is correlated with a task."""
        return self.covariance.of_tasks(self._tasks[rows], np.array([task]))


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
        if old:
            across -= root[:, :old].astype(np.float32) @ self._whitened[:old]
        inverse = _solved(root[:, old:new], np.eye(new - old)).astype(np.float32)
        added = np.matmul(inverse, across, out=self._whitened[old:new])
        self._sum += np.einsum("ij,ij->j", added, added)
        self.size = new

    def mean(self, residual: Vector) -> Vector:
        """The mean that whitened residuals of the first rows give."""
        return np.asarray(residual.astype(np.float32) @ self._whitened[: len(residual)], dtype=np.float64)

    def shared(self, references: Indices) -> Matrix:
        """What the rows explain of the covariance of all candidates with some."""
        known = self._whitened[: self.size]
        return np.asarray(known.T @ known[:, references])

    def variance(self) -> Vector:
        """What no row explains, of 1."""
        return np.maximum(1.0 - self._sum, _LEAST_VARIANCE)


def _solved(root: Matrix, right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The solution of a lower triangular system."""
    from scipy.linalg.lapack import dtrtrs  # for small systems a quarter of solve_triangular's time

    return np.asarray(dtrtrs(root, right, lower=1)[0])
