"""A coordinator's runner: started on demand, and replaced when it is lost."""

import logging
from collections.abc import Callable, Collection, Sequence

from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Runner, RunnerError

#: Runners that may be lost in a row without a result before the coordinator gives up.
LOST_RUNNERS = 3

log = logging.getLogger(__name__)


class Workers:
    """A runner that is replaced when lost; the next one gets the tasks in flight.

    Args:
        start_runner: creates a runner.
    """

    def __init__(self, start_runner: Callable[[], Runner]) -> None:
        self._start_runner = start_runner
        self._runner: Runner | None = None
        self._out: dict[str, Task] = {}
        self._lost_runners = 0
        #: Why there are no workers at the moment; None if there are, or nobody has needed any.
        self.trouble: str | None = None

    @property
    def count(self) -> int:
        """Number of points evaluated at the same time; 0 before the runner is started."""
        return self._runner.workers if self._runner else 0

    @property
    def capacity(self) -> int:
        """Number of points that keep the runner busy; one before the runner is started."""
        return self._runner.capacity if self._runner else 1

    @property
    def in_flight(self) -> int:
        """Number of points submitted without an outcome yet."""
        return self._runner.in_flight if self._runner else 0

    def submit(self, batch: Sequence[Task]) -> None:
        """Submit tasks, each for a different point."""
        self._runner = self._runner or self._start_runner()
        self._out |= {task.point_hash: task for task in batch}
        self._runner.submit(batch)

    def expect(self, points: int) -> None:
        """Tell the runner how many more points will come."""
        if self._runner:
            self._runner.expect(points)

    def set_spare(self, wanted: bool) -> None:
        """Have a worker more than there are cores, or not."""
        if self._runner:
            self._runner.set_spare(wanted)

    def recall(self) -> list[Task]:
        """Take back the tasks that no worker has begun."""
        recalled = self._runner.recall() if self._runner else []
        for task in recalled:
            del self._out[task.point_hash]
        return recalled

    def drop(self, point_hashes: Collection[str]) -> None:
        """Forget tasks, and end their evaluation."""
        if self._runner and point_hashes:
            self._runner.drop(point_hashes)
        for point_hash in point_hashes:
            self._out.pop(point_hash, None)

    def results(self, timeout_s: float) -> list[Outcome]:
        """Outcomes that arrive within `timeout_s` seconds; none if the runner was lost and replaced.

        Raises:
            RunnerError: too many runners in a row were lost.
        """
        if not self._runner or not self._runner.in_flight:
            return []
        try:
            outcomes = self._runner.results(timeout_s)
        except RunnerError as error:
            self._replace(self._runner, error)
            return []
        if outcomes:
            self._lost_runners = 0
            self.trouble = None
        for outcome in outcomes:
            del self._out[outcome.point_hash]
        return outcomes

    def shutdown(self) -> None:
        """Drop tasks in flight and free the workers; the next task starts new ones."""
        if self._runner:
            self._runner.shutdown()
            self._runner = None
        self._out.clear()

    def _replace(self, lost: Runner, error: RunnerError) -> None:
        self._lost_runners += 1
        if self._lost_runners > LOST_RUNNERS:
            raise error
        log.warning("the workers are gone, or never came (%s); starting new ones", error)
        self.trouble = f"no workers: {error}; starting new ones"
        lost.shutdown()
        self._runner = self._start_runner()
        self._runner.submit(list(self._out.values()))
