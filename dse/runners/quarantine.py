"""Gives up points whose evaluation is lost repeatedly."""

from collections import defaultdict

from dse.evaluation.tasks import Outcome, Task
from dse.runners.limits import Loss

#: Number of processes that a point may kill.
DEATHS_TO_FAIL = 2
#: An external kill can hit any point, but a point that is hit this often probably causes it.
KILLS_TO_FAIL = 5


class Quarantine:
    """Counts the losses of each point."""

    def __init__(self) -> None:
        self._losses: defaultdict[str, list[Loss]] = defaultdict(list)

    def blame(self, task: Task, loss: Loss) -> Outcome | None:
        """The failure of a point that was lost, or None if it should be retried."""
        losses = self._losses[task.point_hash]
        losses.append(loss)
        deaths = sum(not loss.is_foreign for loss in losses)
        if loss.is_certain:
            message = loss.message
        elif deaths >= DEATHS_TO_FAIL or len(losses) >= KILLS_TO_FAIL:
            message = f"lost {len(losses)} times; the last time, {loss.message}"
        else:
            return None
        return Outcome.failure(task.point_hash, loss.reason, message)

    def forget(self, point_hash: str) -> None:
        """Forget a point that has an outcome."""
        self._losses.pop(point_hash, None)
