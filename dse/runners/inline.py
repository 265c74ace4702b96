"""Evaluation in this process, one point at a time: for debugging, small jobs and tests."""

from collections import deque
from collections.abc import Collection, Sequence

from dse.evaluation.evaluate import evaluate
from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Evaluate, Runner, evaluate_safely


class InlineRunner(Runner):
    """Evaluates one task in each call of `results`."""

    def __init__(self, evaluate: Evaluate = evaluate) -> None:
        super().__init__(evaluate)
        self._queue: deque[Task] = deque()

    @property
    def workers(self) -> int:
        return 1

    @property
    def capacity(self) -> int:
        return 1

    @property
    def in_flight(self) -> int:
        return len(self._queue)

    def submit(self, batch: Sequence[Task]) -> None:
        self._queue.extend(batch)

    def recall(self) -> list[Task]:
        recalled = list(self._queue)
        self._queue.clear()
        return recalled

    def drop(self, point_hashes: Collection[str]) -> None:
        self._queue = deque(task for task in self._queue if task.point_hash not in point_hashes)

    def results(self, timeout: float) -> list[Outcome]:
        if not self._queue:
            return []
        return [evaluate_safely(self._evaluate, self._queue.popleft())]

    def shutdown(self) -> None:
        self._queue.clear()
