"""An Optuna sampler as a chooser: one in-memory study per workload and GPU, with ask and tell.

A suggestion that is no candidate, or was chosen before, is replaced by the nearest candidate that was not.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.search.chooser import Chooser, Study
from search_spaces import Value

if TYPE_CHECKING:
    import optuna


class OptunaChooser(Chooser):
    """Asks an Optuna sampler for each study.

    Args:
        studies: the studies.
        directions: `minimize` or `maximize`, for each objective.
        make: creates a sampler.
    """

    def __init__(
        self,
        studies: Sequence[Study],
        directions: Sequence[str],
        make: "Callable[[], optuna.samplers.BaseSampler]",
    ) -> None:
        self._studies = [_OptunaStudy(study, directions, make()) for study in studies]
        self._asked: deque[_OptunaStudy] = deque()

    def choose(self, study: int) -> int | None:
        return self._studies[study].choose()

    def note(self, study: int, candidate: int) -> None:
        self._studies[study].note(candidate)
        self._asked.append(self._studies[study])

    def learn(self, values: Sequence[float] | None) -> None:
        self._asked.popleft().learn(values)


class _OptunaStudy:
    def __init__(
        self, study: Study, directions: Sequence[str], sampler: "optuna.samplers.BaseSampler"
    ) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._study = optuna.create_study(directions=list(directions), sampler=sampler)
        self._values = {
            name: values
            for name, values in study.space.parameters.items()
            if len(values) > 1 and name not in study.space.workload
        }
        self._digits = np.array(
            [[values.index(point[name]) for name, values in self._values.items()] for point in study.points]
        ).reshape(len(study.points), len(self._values))
        self._free = np.ones(len(study.points), bool)
        self._trial: optuna.Trial | None = None
        self._trials: deque[optuna.Trial] = deque()

    def choose(self) -> int | None:
        if not self._free.any():
            return None
        self._trial = self._study.ask()
        suggested = self._suggested(self._trial)
        nearest = np.where(self._free, np.abs(self._digits - suggested).sum(axis=1), np.inf)
        candidate = int(np.argmin(nearest))
        if nearest[candidate] > 0:
            self._fail(self._trial)
            self._trial = None
        return candidate

    def note(self, candidate: int) -> None:
        self._free[candidate] = False
        if self._trial is None:
            names = zip(self._values, self._digits[candidate].tolist(), strict=True)
            self._study.enqueue_trial(dict(names))
            self._trial = self._study.ask()
            self._suggested(self._trial)
        self._trials.append(self._trial)
        self._trial = None

    def learn(self, values: Sequence[float] | None) -> None:
        trial = self._trials.popleft()
        if values is None:
            self._fail(trial)
        else:
            self._study.tell(trial, list(values))

    def _fail(self, trial: "optuna.Trial") -> None:
        from optuna.trial import TrialState

        self._study.tell(trial, state=TrialState.FAIL)

    def _suggested(self, trial: "optuna.Trial") -> list[int]:
        return [_suggested_digit(trial, name, values) for name, values in self._values.items()]


def _suggested_digit(trial: "optuna.Trial", name: str, values: Sequence[Value]) -> int:
    """An ordinal distribution for numbers, with `none` where the space has it; a categorical one for text."""
    if any(isinstance(value, str) for value in values):
        return int(trial.suggest_categorical(name, range(len(values))))
    return int(trial.suggest_int(name, 0, len(values) - 1))
