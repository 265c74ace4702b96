"""Points chosen by a sampler, for several studies, one per workload and GPU, that take turns.

Nothing impossible is suggested and nothing twice. Results are learnt in the order of the suggestions, each at a fixed
position between two of them, so the same seed gives the same points on any machine.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from dse.evaluation.points import Refusals
from dse.search.base import Search, Suggestion
from dse.search.chooser import Chooser, Study
from dse.search.settings import SearchSettings
from search_spaces import Point, Space, Value

#: Points of a study that are all candidates of the sampler; of a larger space that many are drawn.
MOST_CANDIDATES, DRAWN = 2**14, 2**12
#: Attempts to draw a candidate, for each that is wanted.
ATTEMPTS = 8
#: Which trial of a study is the space's first point, the baseline of speedups, at the latest.
BASELINE = 4


def window(number: int, studies: int) -> int:
    """Maximum number of pending suggestions when suggestion `number` is made."""
    return max(3, 2 * studies, number // 8)


class SampledSearch(Search):
    """Suggests up to the planned number of points, in turn for each workload and GPU.

    Args:
        space: the space.
        gpus: GPU names; each gets a fair share of the trials.
        trials: number of trials over all GPUs.
        settings: the points to begin with, and when to stop.
        start: creates the chooser of the studies.
    """

    def __init__(
        self,
        space: Space,
        gpus: Sequence[str],
        trials: int,
        settings: SearchSettings,
        start: Callable[[Sequence[Study]], Chooser],
    ) -> None:
        self._space = space
        self._trials = trials
        self._excluded: Counter[tuple[str, str]] = Counter()
        parts = [
            (space.at_workload(workload), settings.first_of(workload, *gpus))
            for workload in space.workloads()
        ]
        pools = [_pool(part, first) for part, first in parts]
        self._studies = [
            Study(part, gpu, self._possible(part, gpu, pool))
            for (part, _), pool in zip(parts, pools, strict=True)
            for gpu in gpus
        ]
        self._studies = [study for study in self._studies if study.points]
        self._courses = [_Course(study, settings) for study in self._studies]
        self._chooser = start(self._studies)
        self._asked: list[tuple[int, int | None]] = []
        self._results: dict[int, Sequence[float] | None] = {}
        self._learnt = 0
        self._turn = 0

    @property
    def excluded(self) -> Mapping[tuple[str, str], int]:
        return self._excluded

    def ask(self) -> Suggestion | None:
        number = len(self._asked)
        due = number + 1 - window(number, len(self._studies))
        if number == self._trials or any(each not in self._results for each in range(self._learnt, due)):
            return None
        while self._learnt < due:
            self._learn()
        for turn in range(self._turn, self._turn + len(self._studies)):
            place = turn % len(self._studies)
            if (point := self._next_of(place)) is not None:
                self._turn = place + 1
                return Suggestion(number, self._studies[place].gpu, self._space.index(point), point)
        return None

    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        self._results[suggestion.number] = values

    def _learn(self) -> None:
        """Pass the oldest result that is not learnt yet on."""
        study, candidate = self._asked[self._learnt]
        values = self._results.pop(self._learnt)
        self._learnt += 1
        self._courses[study].take(values)
        if candidate is not None:
            self._chooser.learn(values)

    def _next_of(self, place: int) -> Point | None:
        """The next point of a study; None if there is none left, or if it is to stop."""
        course = self._courses[place]
        if course.is_over:
            return None
        candidate = course.next_fixed()
        if candidate is None:
            candidate = self._chooser.choose(place)
        point = next(course.others, None) if candidate is None else self._studies[place].points[candidate]
        if point is not None:
            self._asked.append((place, candidate))
            if candidate is not None:
                self._chooser.note(place, candidate)
                course.note(candidate)
        return point

    def _possible(self, space: Space, gpu: str, pool: Sequence[Point]) -> Sequence[Point]:
        """The points of a pool that can be launched on a GPU; the others are counted."""
        refusals = Refusals(space, gpu)
        possible = []
        for point in pool:
            if reason := refusals.of(point):
                self._excluded[gpu, reason] += 1
            else:
                possible.append(point)
        return possible


class _Course:
    """How far a study is: the points that are fixed, those beyond the candidates, and how long nothing was better.

    Args:
        study: the study.
        settings: the points to begin with, and the patience.
    """

    def __init__(self, study: Study, settings: SearchSettings) -> None:
        workload = {name: study.points[0][name] for name in study.space.workload}
        places = {_key(study.space, point): place for place, point in enumerate(study.points)}
        wanted = (
            _key(study.space, {**point, **workload}) for point in settings.first_of(workload, study.gpu)
        )
        self._first = list(dict.fromkeys(places[key] for key in wanted if key in places))
        self._asked = 0
        self._has_baseline = False
        self._patience = settings.patience
        self._sign = -1.0 if study.space.objectives[0][0] == "maximize" else 1.0
        self._best = float("inf")
        self._flat = 0
        self.others = self._beyond(study, set(places))

    def next_fixed(self) -> int | None:
        """The next candidate, if it is one to begin with or the baseline; None if it is to be chosen."""
        if self._first:
            return self._first.pop(0)
        return 0 if self._asked + 1 >= BASELINE and not self._has_baseline else None

    def note(self, candidate: int) -> None:
        """A candidate was asked for."""
        self._asked += 1
        self._has_baseline |= candidate == 0

    def take(self, values: Sequence[float] | None) -> None:
        """Take note of a result."""
        if values is not None and self._sign * values[0] < self._best:
            self._best, self._flat = self._sign * values[0], 0
        else:
            self._flat += 1

    @property
    def is_over(self) -> bool:
        """Whether as many results as patience allows brought nothing better."""
        return self._patience is not None and self._flat >= self._patience

    @staticmethod
    def _beyond(study: Study, candidates: set[tuple[Value, ...]]) -> Iterator[Point]:
        """The points that are no candidates, in index order; none if all are."""
        refusals = Refusals(study.space, study.gpu)
        return (
            point
            for point in study.space.points()
            if _key(study.space, point) not in candidates and not refusals.of(point)
        )


def _key(space: Space, point: Point) -> tuple[Value, ...]:
    return tuple(map(point.__getitem__, space.parameters))


def _pool(space: Space, first: Sequence[Point]) -> list[Point]:
    """A sampler's candidates: every point; of a large space the first, those wanted, and some from all over."""
    points = list(islice(space.points(), MOST_CANDIDATES + 1))
    if len(points) <= MOST_CANDIDATES:
        return points
    chance = random.Random(0)
    drawn = {space.index(point): point for point in (points[0], *first)}
    for _ in range(ATTEMPTS * DRAWN):
        if len(drawn) >= DRAWN:
            break
        point = space.point(chance.randrange(space.size))
        if space.is_valid(point):
            drawn.setdefault(space.index(point), point)
    return [drawn[index] for index in sorted(drawn)]
