"""Which points are given up because their evaluation is lost again and again."""

from collections import defaultdict

from dse.evaluation.tasks import Outcome, Task
from dse.runners.limits import Loss

#: Processes that a point may take with it.
DEATHS_TO_FAIL = 2
#: A kill from outside can hit any point, but one that is hit this often may well draw it.
KILLS_TO_FAIL = 5


class Quarantine:
    """Counts the losses of each point."""

    def __init__(self) -> None:
        self._losses: defaultdict[str, list[Loss]] = defaultdict(list)

    def blame(self, task: Task, loss: Loss) -> Outcome | None:
        """The failure of a point that was lost, or None when it deserves another attempt."""
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
        """The point has its outcome."""
        self._losses.pop(point_hash, None)
