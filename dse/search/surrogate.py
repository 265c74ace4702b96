"""The default sampler: a Gaussian process over all valid points asks where the improvement to expect is greatest.

The points of a study, a GPU with a workload, are all enumerated, so nothing is asked for that is invalid or was before.
The first of a study is the middle of its space, then come points that tell most of the others; once three results are
known, each is the one with the greatest expected improvement (Jones, Schonlau & Welch 1998) of the logarithm of the
objective. Results of all studies are learnt together, so a variant that is good on one GPU is tried early on the
others.
"""

from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dse.search.chooser import Chooser, Study
from dse.search.features import candidates
from dse.search.gaussian_process import Covariance, Process, Vector, fitted
from dse.search.settings import EarlierResult
from dse.store.records import signs
from search_spaces import Point, Space, Value

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

#: Results before the covariance is fitted, and by how much they must grow until it is fitted again.
FIRST_FIT, GROWTH = 3, 1.3
#: Results that the covariance is fitted to, and that the process knows: the better half, and others.
FITTED, KNOWN = 96, 512
#: Points that a design is to tell of.
REFERENCES = 48
#: Digits of the expected improvement's logarithm that count: equals go by their order.
DIGITS = 6
#: Losses against the best below which differences count less, and above which they do not count, as a logarithm.
LOSS, MOST_LOST = 0.1, 20.0
#: Beside a weighted sum, how much the worst of several objectives counts (Knowles 2006).
AUGMENTATION = 0.05


class Surrogate(Chooser):
    """Chooses points of several studies by what is known of all.

    Args:
        studies: the studies; all of one space.
        directions: `minimize` or `maximize`, for each objective.
        seed: decides where to begin, between several objectives, and which results are learnt of too many.
        earlier: results of earlier sweeps, of which those at candidates of these studies are learnt.
    """

    def __init__(
        self,
        studies: Sequence[Study],
        directions: Sequence[str],
        seed: int,
        earlier: Sequence[EarlierResult] = (),
    ) -> None:
        everyone = candidates(studies)
        random = np.random.default_rng(seed)
        self._places = [each.places for each in everyone]
        self._starts = [each.middle(random) for each in everyone]
        self._free = [np.ones(len(study.points), bool) for study in studies]
        self._signs = np.array(signs(directions))
        self._seed = seed
        self._rows: list[tuple[int, int]] = []
        self._results: list[tuple[float, ...]] = []
        self._process = Process(Covariance.prior(self._places[0].shape[1]), self._places)
        self._learnt: list[int] = []
        self._next_fit = FIRST_FIT
        self._learn_earlier(studies[0], earlier)

    def choose(self, study: int) -> int | None:
        free = self._free[study]
        if not free.any():
            return None
        if free.all():
            return self._starts[study]
        with _one_thread().limit(limits=1):  # for matrices this small, more only wait for each other
            return self._best(study, free)

    def _best(self, study: int, free: NDArray[np.bool_]) -> int:
        """The candidate with the greatest expected improvement."""
        if len(self._results) >= self._next_fit:
            self._fit()
            self._next_fit = ceil(len(self._results) * GROWTH)
        if len(self._results) < FIRST_FIT:
            return self._telling(study)
        known = [row for row in self._learnt if row < len(self._results)]
        values = self._values()[known]
        means, deviations = self._process.predict(study, values)
        own = values[[self._rows[row][0] == study for row in known]]
        best = own.min() if len(own) else means[free].min()
        score = (best - means) / deviations
        some = _undominated(score, deviations, free)
        gain = np.round(_log_improvement(score[some], deviations[some]), DIGITS)
        return int(some[np.argmax(gain)])

    def note(self, study: int, candidate: int) -> None:
        self._free[study][candidate] = False
        self._remember(study, candidate)

    def _remember(self, study: int, candidate: int) -> None:
        self._learnt.append(len(self._rows))
        self._rows.append((study, candidate))
        self._process.add(study, candidate)

    def learn(self, values: Sequence[float] | None) -> None:
        self._results.append(tuple(values) if values is not None else (np.nan,) * len(self._signs))

    def _learn_earlier(self, study: Study, earlier: Sequence[EarlierResult]) -> None:
        """Learn results of other sweeps, each of whose studies is a task like the others."""
        if not earlier:
            return
        places = {_variant(study.space, point): place for place, point in enumerate(study.points)}
        tasks: dict[str, int] = {}
        for result in earlier:
            candidate = places.get(_variant(study.space, result.parameters))
            if candidate is None:
                continue
            if result.study not in tasks:
                tasks[result.study] = len(self._places)
                self._places.append(self._places[0])
            self._remember(tasks[result.study], candidate)
            self.learn(result.values)

    def _telling(self, study: int) -> int:
        """The point whose result would tell most of the others."""
        random = np.random.default_rng([self._seed, len(self._rows)])
        count = len(self._places[study])
        some = np.sort(random.choice(count, min(count, REFERENCES), replace=False))
        gain = np.round(self._process.telling(study, some), DIGITS)
        return int(np.argmax(np.where(self._free[study], gain, -np.inf)))

    def _fit(self) -> None:
        """Fit the covariance to some of the results, and condition on as many as are affordable."""
        values, count = self._values(), len(self._results)
        tasks = self._tasks(count)
        some = self._some(values, FITTED)
        places = np.array([self._places[study][point] for study, point in (self._rows[row] for row in some)])
        covariance = fitted(
            self._process.covariance, places, tasks[some], _centred(values[some], tasks[some])
        )
        self._process = Process(covariance, self._places)
        self._learnt = [*self._some(values, KNOWN), *range(count, len(self._rows))]
        self._process.begin([self._rows[row] for row in self._learnt])

    def _some(self, values: Vector, count: int) -> list[int]:
        """At most that many results: half of them the best, the others from anywhere; in their order."""
        if len(values) <= count:
            return list(range(len(values)))
        order = np.argsort(values, kind="stable")
        random = np.random.default_rng([self._seed, len(values)])
        others = random.choice(order[count // 2 :], count - count // 2, replace=False)
        return sorted(int(row) for row in (*order[: count // 2], *others))

    def _values(self) -> Vector:
        """What is minimised, of each result: logarithms; failed points are as bad as the worst."""
        results = np.array(self._results).reshape(-1, len(self._signs))
        if not np.isfinite(results).any():
            return np.zeros(len(results))
        if len(self._signs) == 1:
            values = _worst_for_missing(self._signs[0] * _logarithms(results[:, 0]))
            return _stretched(values, self._tasks(len(values)))
        return self._one_of_several(results)

    def _one_of_several(self, results: NDArray[np.float64]) -> Vector:
        """Several objectives in one, with weights that differ from choice to choice (ParEGO)."""
        random = np.random.default_rng([self._seed, len(self._rows)])
        weights = random.dirichlet(np.ones(len(self._signs)))
        columns = [
            _scaled(_worst_for_missing(sign * _logarithms(column)), self._tasks(len(results)))
            for sign, column in zip(self._signs, results.T, strict=True)
        ]
        weighted = weights * np.stack(columns, axis=1)
        return np.asarray(weighted.max(axis=1) + AUGMENTATION * weighted.sum(axis=1))

    def _tasks(self, count: int) -> NDArray[np.intp]:
        return np.array([study for study, _ in self._rows[:count]])


@cache
def _one_thread() -> "ThreadpoolController":
    """What limits the threads of the libraries for linear algebra."""
    import scipy.linalg  # noqa: F401, so that its library is found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _variant(space: Space, point: Point) -> tuple[Value, ...]:
    return tuple(point.get(name) for name in space.parameters if name not in space.workload)


def _undominated(score: Vector, deviations: Vector, free: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The free candidates of which none is known that is both more promising and less certain."""
    found = np.flatnonzero(free)
    promising = found[np.argmax(score[found])]
    found = found[deviations[found] >= deviations[promising]]
    uncertain = found[np.argmax(deviations[found])]
    return np.asarray(found[score[found] >= score[uncertain]])


def _log_improvement(score: Vector, deviations: Vector) -> Vector:
    """The logarithm of the expected improvement, of candidates that lie so many deviations below the best."""
    from scipy.special import log_ndtr, ndtr

    near = score > -5  # beyond, what is expected is the difference of two numbers that are all but equal
    found = np.empty_like(score)
    some = score[near]
    density = np.exp(-(some**2) / 2) / np.sqrt(2 * np.pi)
    found[near] = np.log(np.maximum(some * ndtr(some) + density, 1e-300))
    found[~near] = log_ndtr(score[~near])
    return found + np.log(deviations)


def _logarithms(column: Vector) -> Vector:
    known = column[np.isfinite(column)]
    return np.log(column) if len(known) and known.min() > 0 else column


def _worst_for_missing(column: Vector) -> Vector:
    return np.where(np.isfinite(column), column, np.nanmax(column))


def _stretched(values: Vector, tasks: NDArray[np.intp]) -> Vector:
    """The logarithm of what each loses against its task's best, so that differences among good points count most."""
    best = np.full(tasks.max(initial=0) + 1, np.inf)
    np.minimum.at(best, tasks, values)
    lost = values - best[tasks]
    return np.asarray(np.log(np.expm1(np.minimum(lost, MOST_LOST)) + LOSS))


def _centred(values: Vector, tasks: NDArray[np.intp]) -> Vector:
    means = {task: values[tasks == task].mean() for task in np.unique(tasks)}
    return np.asarray(values - np.array([means[task] for task in tasks]))


def _scaled(values: Vector, tasks: NDArray[np.intp]) -> Vector:
    """From 0 to 1 within each task."""
    scaled = np.zeros(len(values))
    for task in np.unique(tasks):
        own = values[tasks == task]
        scaled[tasks == task] = (own - own.min()) / max(np.ptp(own), 1e-12)
    return scaled
