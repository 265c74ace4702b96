"""What a sweep asks of the place where its points are evaluated.

A runner takes tasks and hands back outcomes, in any order, one for every task: a point that cannot be evaluated
comes back as a failed outcome, never as an exception. What to evaluate next is the sweep's business, how to
spread it is the runner's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from dse.errors import DseError
from dse.evaluation.tasks import Outcome, Task

Evaluate = Callable[[Task], Outcome]


class RunnerError(DseError):
    """There is no place to evaluate points: it cannot be started, or it is gone; a new runner may find it again.

    What was in flight was not evaluated.
    """


class Runner(ABC):
    """Evaluates tasks.

    Args:
        evaluate: what turns a task into an outcome; must be picklable where tasks leave the process.
    """

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks are evaluated at the same time."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """How many tasks, handed over at once, keep every worker busy until more can be handed over."""

    @property
    @abstractmethod
    def in_flight(self) -> int:
        """How many tasks were submitted and not yet handed back."""

    @abstractmethod
    def submit(self, batch: Sequence[Task]) -> None:
        """Take tasks and return at once."""

    @abstractmethod
    def results(self, timeout: float) -> list[Outcome]:
        """The outcomes since the last call; waits up to `timeout` seconds for the first one.

        Raises:
            RunnerError: the workers are gone for good.
        """

    @abstractmethod
    def shutdown(self) -> None:
        """Drop what is in flight and free the workers; may be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown()


def evaluate_safely(evaluate: Evaluate, task: Task) -> Outcome:
    """The task's outcome; an error that `evaluate` lets through fails this point and no other."""
    try:
        return evaluate(task)
    except Exception as error:
        return Outcome.of_error(task.point_hash, error)
