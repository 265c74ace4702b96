"""Caution at the beginning of a run: one point on each GPU goes first; a sweep that only fails is given up.

As long as points only fail, those go first that differ most from the ones before them: a few tell whether all will.
"""

from collections.abc import Sequence
from time import monotonic

from dse.search import Suggestion
from dse.store import Trial
from search_spaces import Space, Value

#: Seconds after which the other points of a GPU go on without the first one's answer, if no other sweep waits.
PATIENCE_S = 10.0
#: Points that fail alike, with several values of each parameter among them, before a sweep is given up.
ALIKE = 8
#: The same, whatever their values (a large space changes its first parameter late), or if the values decide whether a
#: point can be launched, which is found out at once.
MANY_ALIKE = 100
#: The failures of points that cannot be launched.
OF_VALUES = ("LaunchError", "SpaceError")
#: Points that run into a limit, or never end, before other sweeps go first.
TOO_LONG = 3
#: The failures of such points.
LIMITS = ("CycleLimitExceeded", "EndlessLoop", "TimeLimit", "MemoryLimit")


class Caution:
    """What a run has seen of its points.

    Args:
        space: the space of the sweep.
        gpus: its GPUs.
        failed_before: points that failed in earlier runs; if so many that it was given up, whoever resumed it wants
            the rest.
    """

    def __init__(self, space: Space, gpus: Sequence[str], failed_before: int = 0) -> None:
        self._is_warned = failed_before >= ALIKE
        self._seen: dict[str, set[Value]] = {
            name: set() for name, values in space.parameters.items() if len(values) > 1
        }
        self._tried: set[tuple[str, Value]] = set()
        self._untried = set(gpus)
        self._sent: dict[str, float] = {}
        self._answered: set[str] = set()
        self._failures: list[Trial] = []
        self._has_completed = False

    def holds_back(self, gpu: str, is_alone: bool) -> bool:
        """Whether the first point of a GPU is on its way, so that the others wait for its answer.

        Args:
            is_alone: whether no other sweep wants the workers.
        """
        if gpu in self._answered or gpu not in self._sent:
            return False
        return not is_alone or monotonic() - self._sent[gpu] < PATIENCE_S

    def untried_values(self, suggestion: Suggestion) -> int:
        """How many of a point's values no point on its way or before it has."""
        return len(suggestion.point.items() - self._tried)

    def send(self, suggestion: Suggestion) -> None:
        """Take note of a point on its way."""
        self._sent.setdefault(suggestion.gpu, monotonic())
        self._tried.update(suggestion.point.items())

    def take_back(self, gpu: str) -> None:
        """Take note that no point of a GPU is on its way any more."""
        self._sent.pop(gpu, None)

    def note(self, trial: Trial, is_known: bool) -> None:
        """Take note of a result; of those that were known before, only what is complete says that all is well."""
        if trial.result.state == "complete":
            self._has_completed = True
        elif is_known:
            return
        elif not self._has_completed:
            self._failures.append(trial)
            for name, values in self._seen.items():
                values.add(trial.parameters[name])
        self._answered.add(trial.gpu)
        self._untried.discard(trial.gpu)

    @property
    def is_worried(self) -> bool:
        """Whether points have only failed, so that those go first that differ most from the ones before them."""
        return bool(self._failures) and not self._has_completed

    @property
    def is_doubtful(self) -> bool:
        """Whether all that the sweep has shown are points that run into one limit, so that other sweeps go first."""
        reasons = {failure.result.reason for failure in self._failures}
        is_enough = len(self._failures) >= TOO_LONG and not self._has_completed
        return is_enough and len(reasons) == 1 and reasons <= {*LIMITS}

    @property
    def verdict(self) -> str | None:
        """Why the sweep is given up; None if it is not."""
        if self._is_warned or self._has_completed or self._untried or len(self._failures) < ALIKE:
            return None
        first = self._failures[0].result
        alike = all(failure.result.reason == first.reason for failure in self._failures)
        is_telling = first.reason not in OF_VALUES and all(len(values) > 1 for values in self._seen.values())
        if not alike or not (is_telling or len(self._failures) >= MANY_ALIKE):
            return None
        return (
            f"the first {len(self._failures)} points all failed alike, with {first.reason}: {first.message}"
        )
