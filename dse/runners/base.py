"""The interface between sweeps and the runners that evaluate their points.

A runner takes tasks and returns outcomes, in any order, exactly one per task: a point that cannot be evaluated
gives a failed outcome, never an exception. Sweeps decide what to evaluate next, runners how to distribute it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from types import TracebackType
from typing import Self

from dse.errors import DseError
from dse.evaluation.tasks import Outcome, Task

Evaluate = Callable[[Task], Outcome]


class RunnerError(DseError):
    """The workers cannot be started, or are gone; a new runner may be able to start them again.

    Tasks in flight were not evaluated.
    """


class Runner(ABC):
    """Evaluates tasks.

    Args:
        evaluate: turns a task into an outcome; must be picklable if tasks leave the process.
    """

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of tasks evaluated concurrently."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Number of submitted tasks that keeps every worker busy until more can be submitted."""

    @property
    @abstractmethod
    def in_flight(self) -> int:
        """Number of tasks submitted whose outcomes have not been returned yet."""

    @abstractmethod
    def submit(self, batch: Sequence[Task]) -> None:
        """Accept tasks without blocking."""

    def expect(self, points: int) -> None:  # noqa: B027  # most runners need not
        """So many more tasks will come soon: workers may get ready for them."""

    def set_spare(self, wanted: bool) -> None:  # noqa: B027  # those without processes cannot
        """Have a worker more than there are cores, while tasks that take long hold the others up; or no longer."""

    @abstractmethod
    def recall(self) -> list[Task]:
        """Take back the tasks that no worker has begun, for others to go first."""

    @abstractmethod
    def drop(self, point_hashes: Collection[str]) -> None:
        """Forget these tasks, of which nobody wants the outcomes any more; who evaluates one of them ends that."""

    @abstractmethod
    def results(self, timeout: float) -> list[Outcome]:
        """The outcomes since the last call; waits up to `timeout` seconds for the first one.

        Raises:
            RunnerError: the workers are gone for good.
        """

    @abstractmethod
    def shutdown(self) -> None:
        """Drop tasks in flight and free the workers; may be called twice."""

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
    """The task's outcome; an exception raised by `evaluate` fails only this point."""
    try:
        return evaluate(task)
    except Exception as error:
        return Outcome.of_error(task.point_hash, error)
