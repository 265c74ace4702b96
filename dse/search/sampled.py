"""Points that an Optuna sampler chooses: one study a GPU, in memory, asked and told.

Two things differ from plain Optuna. A suggestion that breaks a constraint or was made before is replaced by
the nearest valid point that was not, so no trial is wasted. And a study is told its results in the order of
its suggestions, each at a fixed place between two of them: the same seed gives the same points on any
machine.
"""

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dse.search.base import Search, Suggestion
from dse.search.samplers import make_sampler
from dse.tasks import Point
from search_spaces import Space

if TYPE_CHECKING:
    import optuna

#: Positions in the lists of values, one a parameter.
Digits = tuple[int, ...]

RANDOM_TRIES = 200


def window(number: int) -> int:
    """How many suggestions of a study may be unanswered when its suggestion `number` is made."""
    return max(8, number // 8)


class SampledSearch(Search):
    """Suggests up to `trials` points, in turn for each GPU.

    Args:
        space: what to search.
        gpus: each gets a fair share of the trials.
        trials: how many, over all GPUs; at most the number of valid points times GPUs.
        sampler: a name of `dse.search.samplers.SAMPLERS`.
        seed: the same seed gives the same suggestions.
    """

    def __init__(self, space: Space, gpus: Sequence[str], trials: int, sampler: str, seed: int) -> None:
        self.planned = trials
        self._gpus = list(gpus)
        self._studies = {gpu: _Study(space, sampler, seed) for gpu in gpus}
        self._next_gpu = 0

    def ask(self) -> Suggestion | None:
        for turn in range(len(self._gpus)):
            position = (self._next_gpu + turn) % len(self._gpus)
            study = self._studies[self._gpus[position]]
            number = study.asked * len(self._gpus) + position
            if number < self.planned and study.can_ask():
                self._next_gpu = position + 1
                index, point = study.ask()
                return Suggestion(number, self._gpus[position], index, point)
        return None

    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        self._studies[suggestion.gpu].tell(suggestion.number // len(self._gpus), values)


class _Study:
    """One GPU's search. It begins with the space's first point, which speedups are measured against."""

    def __init__(self, space: Space, sampler: str, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._space = space
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
        """How many suggestions were made."""
        return len(self._trials)

    def can_ask(self) -> bool:
        """Whether the results that the next suggestion builds on are there."""
        return all(number in self._results for number in range(self._told, self._due()))

    def ask(self) -> tuple[int, Point]:
        """The next point and its index."""
        while self._told < self._due():
            self._tell_study(self._trials[self._told], self._results[self._told])
            self._told += 1
        trial, digits = self._suggest()
        if digits in self._seen or not self._space.is_valid(self._point(digits)):
            self._tell_study(trial, None)
            self._study.enqueue_trial(self._names(self._nearest_unexplored(digits)))
            trial, digits = self._suggest()
        self._trials.append(trial)
        self._seen.add(digits)
        point = self._point(digits)
        return self._space.index(point), point

    def tell(self, number: int, values: Sequence[float] | None) -> None:
        """Keep a result until its turn comes."""
        self._results[number] = values

    def _due(self) -> int:
        """How many results the study knows before it makes its next suggestion."""
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
        """Numbers, and `none` before them, have an order that a sampler can use; text has none."""
        if any(isinstance(value, str) for value in values):
            return int(trial.suggest_categorical(name, range(len(values))))
        return int(trial.suggest_int(name, 0, len(values) - 1))

    def _nearest_unexplored(self, digits: Digits) -> Digits:
        """A valid point that was not suggested yet: a neighbour, else any, else the first in index order."""
        for neighbour in self._neighbours(digits):
            if self._is_unexplored(neighbour):
                return neighbour
        for _ in range(RANDOM_TRIES):
            anywhere = tuple(self._random.randrange(len(values)) for _, values in self._values)
            if self._is_unexplored(anywhere):
                return anywhere
        return next(digits for digits in map(self._digits, self._points) if digits not in self._seen)

    def _neighbours(self, digits: Digits) -> list[Digits]:
        """All changes of one parameter, smallest steps first, equal ones in random order."""
        changes = [
            (abs(other - digits[place]), (*digits[:place], other, *digits[place + 1 :]))
            for place, (_, values) in enumerate(self._values)
            for other in range(len(values))
            if other != digits[place]
        ]
        self._random.shuffle(changes)
        return [neighbour for _, neighbour in sorted(changes, key=lambda change: change[0])]

    def _is_unexplored(self, digits: Digits) -> bool:
        return digits not in self._seen and self._space.is_valid(self._point(digits))

    def _point(self, digits: Digits) -> Point:
        return {name: values[digit] for (name, values), digit in zip(self._values, digits, strict=True)}

    def _digits(self, point: Point) -> Digits:
        return tuple(values.index(point[name]) for name, values in self._values)

    def _names(self, digits: Digits) -> dict[str, int]:
        return {name: digit for (name, _), digit in zip(self._values, digits, strict=True)}
