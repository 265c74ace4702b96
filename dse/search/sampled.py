"""Points chosen by an Optuna sampler: one in-memory study per workload and GPU, with ask and tell.

There are two differences from plain Optuna. A suggestion that violates a constraint or is a duplicate is replaced by
the nearest valid new point, so no trial is wasted. And a study is told its results in the order of
its suggestions, each at a fixed position between two of them, so the same seed gives the same points on any
machine.
"""

import random
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dse.search.base import Search, Suggestion
from dse.search.samplers import make_sampler
from search_spaces import Point, Space

if TYPE_CHECKING:
    import optuna

#: Positions in the lists of values, one per parameter.
Digits = tuple[int, ...]

RANDOM_TRIES = 200


def window(number: int) -> int:
    """Maximum number of pending suggestions of a study when its suggestion `number` is made."""
    return max(8, number // 8)


class SampledSearch(Search):
    """Suggests up to `trials` points, round-robin over workloads and GPUs.

    Args:
        space: the space.
        gpus: GPU names; each gets a fair share of the trials.
        trials: number of trials over all GPUs; at most the number of valid points times GPUs.
        sampler: a name of `dse.search.samplers.SAMPLERS`.
        seed: the same seed gives the same suggestions.
    """

    def __init__(self, space: Space, gpus: Sequence[str], trials: int, sampler: str, seed: int) -> None:
        self._space = space
        parts = [space.at_workload(workload) for workload in space.workloads()]
        self._studies = [_Study(part, gpu, sampler, seed) for part in parts for gpu in gpus]
        self._numbers = Deal(trials, [study.space.points() for study in self._studies])
        self._asked: dict[int, tuple[_Study, int]] = {}
        self._next = 0

    def ask(self) -> Suggestion | None:
        for turn in range(len(self._studies)):
            position = (self._next + turn) % len(self._studies)
            study = self._studies[position]
            if study.can_ask() and (number := self._numbers.next_of(position)) is not None:
                self._next = position + 1
                self._asked[number] = study, study.asked
                point = study.ask()
                return Suggestion(number, study.gpu, self._space.index(point), point)
        return None

    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        study, number = self._asked.pop(suggestion.number)
        study.tell(number, values)


class Deal:
    """Deals trial numbers round-robin to studies as long as each has points; lazy.

    Args:
        trials: number of trials.
        points: the points of each study; iterated no further than numbers are dealt.
    """

    def __init__(self, trials: int, points: Sequence[Iterator[object]]) -> None:
        self._hands: list[deque[int]] = [deque() for _ in points]
        self._has_points = [True] * len(points)
        self._dealing = self._deal(trials, points)

    def next_of(self, study: int) -> int | None:
        """The next number of a study; None if it has had all of its numbers."""
        hand = self._hands[study]
        while not hand and self._has_points[study] and next(self._dealing, False):
            pass
        return hand.popleft() if hand else None

    def _deal(self, trials: int, points: Sequence[Iterator[object]]) -> Iterator[bool]:
        """Deal one number, or remove one exhausted study."""
        number = 0
        while any(self._has_points):
            for study in (study for study, has_points in enumerate(self._has_points) if has_points):
                if number == trials:
                    return
                if next(points[study], None) is None:
                    self._has_points[study] = False
                else:
                    self._hands[study].append(number)
                    number += 1
                yield True


class _Study:
    """The search of one workload on one GPU.

    It starts with the first point, the baseline of speedups.
    """

    def __init__(self, space: Space, gpu: str, sampler: str, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.space = space
        self.gpu = gpu
        self._values = list(space.parameters.items())
        self._study = optuna.create_study(
            directions=[direction for direction, _ in space.objectives], sampler=make_sampler(sampler, seed)
        )
        self._random = random.Random(seed)
        self._points: Iterator[Point] = space.points()
        self._seen: set[Digits] = set()
        self._trials: list[optuna.Trial] = []
        self._results: dict[int, Sequence[float] | None] = {}
        self._told = 0
        self._study.enqueue_trial(self._names(self._digits(next(space.points()))))

    @property
    def asked(self) -> int:
        """Number of suggestions made."""
        return len(self._trials)

    def can_ask(self) -> bool:
        """Whether all results required for the next suggestion have arrived."""
        return all(number in self._results for number in range(self._told, self._due()))

    def ask(self) -> Point:
        """The next point."""
        while self._told < self._due():
            self._tell_study(self._trials[self._told], self._results[self._told])
            self._told += 1
        trial, digits = self._suggest()
        if digits in self._seen or not self.space.is_valid(self._point(digits)):
            self._tell_study(trial, None)
            self._study.enqueue_trial(self._names(self._nearest_unexplored(digits)))
            trial, digits = self._suggest()
        self._trials.append(trial)
        self._seen.add(digits)
        return self._point(digits)

    def tell(self, number: int, values: Sequence[float] | None) -> None:
        """Keep a result until its turn comes."""
        self._results[number] = values

    def _due(self) -> int:
        """Number of results that the study must know before its next suggestion."""
        return max(0, self.asked + 1 - window(self.asked))

    def _tell_study(self, trial: "optuna.Trial", values: Sequence[float] | None) -> None:
        from optuna.trial import TrialState

        if values is None:
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, list(values))

    def _suggest(self) -> tuple["optuna.Trial", Digits]:
        trial = self._study.ask()
        return trial, tuple(self._suggest_digit(trial, name, values) for name, values in self._values)

    @staticmethod
    def _suggest_digit(trial: "optuna.Trial", name: str, values: Sequence[Any]) -> int:
        """An ordinal distribution for numbers, with `none` first; a categorical one for text."""
        if any(isinstance(value, str) for value in values):
            return int(trial.suggest_categorical(name, range(len(values))))
        return int(trial.suggest_int(name, 0, len(values) - 1))

    def _nearest_unexplored(self, digits: Digits) -> Digits:
        """A valid point not suggested yet: a neighbour, else a random one, else the first in index order."""
        for neighbour in self._neighbours(digits):
            if self._is_unexplored(neighbour):
                return neighbour
        for _ in range(RANDOM_TRIES):
            anywhere = tuple(self._random.randrange(len(values)) for _, values in self._values)
            if self._is_unexplored(anywhere):
                return anywhere
        return next(digits for digits in map(self._digits, self._points) if digits not in self._seen)

    def _neighbours(self, digits: Digits) -> list[Digits]:
        """All changes of one parameter, smallest steps first, ties in random order."""
        changes = [
            (abs(other - digits[place]), (*digits[:place], other, *digits[place + 1 :]))
            for place, (_, values) in enumerate(self._values)
            for other in range(len(values))
            if other != digits[place]
        ]
        self._random.shuffle(changes)
        return [neighbour for _, neighbour in sorted(changes, key=lambda change: change[0])]

    def _is_unexplored(self, digits: Digits) -> bool:
        return digits not in self._seen and self.space.is_valid(self._point(digits))

    def _point(self, digits: Digits) -> Point:
        return {name: values[digit] for (name, values), digit in zip(self._values, digits, strict=True)}

    def _digits(self, point: Point) -> Digits:
        return tuple(values.index(point[name]) for name, values in self._values)

    def _names(self, digits: Digits) -> dict[str, int]:
        return {name: digit for (name, _), digit in zip(self._values, digits, strict=True)}
