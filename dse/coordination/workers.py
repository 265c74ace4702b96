"""The runner of a coordinator: started when there is a point to evaluate, and replaced when it is lost."""

import logging
from collections.abc import Callable, Sequence

from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Runner, RunnerError

#: Runners that may be lost in a row, without a result from any, before the coordinator gives up.
LOST_RUNNERS = 3

log = logging.getLogger(__name__)


class Workers:
    """One runner after the other; what a lost one had, the next one gets.

    Args:
        start_runner: makes a runner.
    """

    def __init__(self, start_runner: Callable[[], Runner]) -> None:
        self._start_runner = start_runner
        self._runner: Runner | None = None
        self._out: dict[str, Task] = {}
        self._lost_runners = 0

    @property
    def capacity(self) -> int:
        """Points that keep the runner busy; one will do to find out whether a runner is needed."""
        return self._runner.capacity if self._runner else 1

    @property
    def in_flight(self) -> int:
        """Points that were submitted and have not come back."""
        return self._runner.in_flight if self._runner else 0

    def submit(self, batch: Sequence[Task]) -> None:
        """Hand over tasks, each of another point."""
        self._runner = self._runner or self._start_runner()
        self._out |= {task.point_hash: task for task in batch}
        self._runner.submit(batch)

    def results(self, timeout_s: float) -> list[Outcome]:
        """What has come back, after up to `timeout_s` seconds; nothing when the runner was lost, and replaced.

        Raises:
            RunnerError: one runner after the other is lost.
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
        for outcome in outcomes:
            del self._out[outcome.point_hash]
        return outcomes

    def shutdown(self) -> None:
        """Drop what is in flight and free the workers; the next task starts others."""
        if self._runner:
            self._runner.shutdown()
            self._runner = None
        self._out.clear()

    def _replace(self, lost: Runner, error: RunnerError) -> None:
        self._lost_runners += 1
        if self._lost_runners > LOST_RUNNERS:
            raise error
        log.warning("the workers are lost (%s); starting new ones", error)
        lost.shutdown()
        self._runner = self._start_runner()
        self._runner.submit(list(self._out.values()))
