"""Points chosen by a sampler, for several studies, one per workload and GPU, that take turns.

Nothing impossible is suggested and nothing twice. Results are learnt in the order of the suggestions, each at a fixed
position between two of them, so the same seed gives the same points on any machine.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from dse.evaluation.points import Refusals
from dse.search.base import Search, Suggestion, free_numbers
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


class _Asked(NamedTuple):
    """A suggestion: its study, None if nothing can be learnt from it there; its candidate, None if it is none."""

    study: int | None
    candidate: int | None


class SampledSearch(Search):
    """Suggests up to the planned number of points, in turn for each workload and GPU.

    The trials of a sweep that was extended come first, with their numbers; studies that have fewer then catch up.

    Args:
        space: the space.
        gpus: GPU names; each gets a fair share of the trials.
        trials: number of trials over all GPUs.
        settings: the trials to begin with, the points after them, and when to stop.
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
        parts = [space.at_workload(workload) for workload in space.workloads()]
        pools = [_pool(part, _wanted(part, settings)) for part in parts]
        self._studies = [
            Study(part, gpu, self._possible(part, gpu, pool))
            for part, pool in zip(parts, pools, strict=True)
            for gpu in gpus
        ]
        self._studies = [study for study in self._studies if study.points]
        self._courses = [_Course(study, settings) for study in self._studies]
        self._chooser = start(self._studies)
        self._kept = deque(settings.kept)
        self._numbers = free_numbers(settings.kept)
        self._asked: list[_Asked] = []
        self._places: dict[int, int] = {}
        self._results: dict[int, Sequence[float] | None] = {}
        self._learnt = 0

    @property
    def excluded(self) -> Mapping[tuple[str, str], int]:
        return self._excluded

    def ask(self) -> Suggestion | None:
        asked = len(self._asked)
        due = asked + 1 - window(asked, len(self._studies))
        if asked == self._trials or any(each not in self._results for each in range(self._learnt, due)):
            return None
        while self._learnt < due:
            self._learn()
        suggestion = self._next_kept() if self._kept else self._next_new()
        if suggestion:
            self._places[suggestion.number] = asked
        return suggestion

    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        self._results[self._places.pop(suggestion.number)] = values

    def _next_kept(self) -> Suggestion:
        """The next trial that the sweep has already."""
        number, gpu, point = self._kept.popleft()
        for study, course in enumerate(self._courses):
            if self._studies[study].gpu == gpu and course.is_at(point):
                self._note(study, course.candidate_at(point))
                break
        else:
            self._asked.append(_Asked(None, None))
        return Suggestion(number, gpu, self._space.index(point), point)

    def _next_new(self) -> Suggestion | None:
        """A new point of the study with the fewest; None if no study has any."""
        for place in sorted(range(len(self._studies)), key=lambda place: self._courses[place].asked):
            if (point := self._next_of(place)) is not None:
                gpu = self._studies[place].gpu
                return Suggestion(next(self._numbers), gpu, self._space.index(point), point)
        return None

    def _learn(self) -> None:
        """Pass the oldest result that is not learnt yet on."""
        study, candidate = self._asked[self._learnt]
        values = self._results.pop(self._learnt)
        self._learnt += 1
        if study is not None:
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
            self._note(place, candidate)
        return point

    def _note(self, study: int, candidate: int | None) -> None:
        """A point of a study is asked for."""
        self._asked.append(_Asked(study, candidate))
        self._courses[study].note(candidate)
        if candidate is not None:
            self._chooser.note(study, candidate)

    def _possible(self, space: Space, gpu: str, pool: Sequence[Point]) -> Sequence[Point]:
        """The points of a pool that can be launched on a GPU, the pool itself if all can; the others are counted."""
        refusals = Refusals(space, gpu)
        possible = []
        for point in pool:
            if reason := refusals.of(point):
                self._excluded[gpu, reason] += 1
            else:
                possible.append(point)
        return possible if len(possible) < len(pool) else pool


class _Course:
    """How far a study is: the points that are fixed, those beyond the candidates, and how long nothing was better.

    Args:
        study: the study.
        settings: the points to begin with, and the patience.
    """

    def __init__(self, study: Study, settings: SearchSettings) -> None:
        self._study, self._space = study, study.space
        self._workload = {name: study.points[0][name] for name in study.space.workload}
        first = map(self.candidate_at, settings.first_of(self._workload))
        self._first = list(dict.fromkeys(each for each in first if each is not None))
        self.asked = 0
        self._has_baseline = False
        self._patience = settings.patience
        self._sign = -1.0 if study.space.objectives[0][0] == "maximize" else 1.0
        self._best = float("inf")
        self._flat = 0
        self.others = self._beyond(settings)

    def is_at(self, point: Point) -> bool:
        """Whether a point has the workload of the study."""
        return all(point[name] == value for name, value in self._workload.items())

    def candidate_at(self, point: Point) -> int | None:
        """The candidate that is this point; None if none is."""
        return self._candidates.get(_key(self._space, point))

    def next_fixed(self) -> int | None:
        """The next candidate, if it is one to begin with or the baseline; None if it is to be chosen."""
        if self._first:
            return self._first[0]
        return 0 if self.asked + 1 >= BASELINE and not self._has_baseline else None

    def note(self, candidate: int | None) -> None:
        """A candidate was asked for, or a point beyond them."""
        self.asked += 1
        self._has_baseline |= candidate == 0
        if candidate in self._first:
            self._first.remove(candidate)

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

    @cached_property
    def _candidates(self) -> dict[tuple[Value, ...], int]:
        return {_key(self._space, point): place for place, point in enumerate(self._study.points)}

    def _beyond(self, settings: SearchSettings) -> Iterator[Point]:
        """The points that are no candidates and not kept, in index order; none if all are."""
        gpu = self._study.gpu
        refusals = Refusals(self._space, gpu)
        kept = {_key(self._space, each.point) for each in settings.kept if each.gpu == gpu}
        for point in self._space.points():
            key = _key(self._space, point)
            if key not in self._candidates and key not in kept and not refusals.of(point):
                yield point


def _wanted(space: Space, settings: SearchSettings) -> list[Point]:
    """The points of the space of a workload that are kept, or to begin with."""
    workload = {name: space.parameters[name][0] for name in space.workload}
    kept = (each.point for each in settings.kept)
    here = (point for point in kept if all(point[name] == value for name, value in workload.items()))
    return [*here, *settings.first_of(workload)]


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
