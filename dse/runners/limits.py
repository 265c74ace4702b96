"""Limits for one point, and the description of a lost evaluation."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from dse.evaluation.tasks import Task

#: What a point may take where neither its space nor the runner says.
SECONDS = 300.0
MEMORY_BYTES = 4 * 2**30


class Allowance(NamedTuple):
    """What one point may take.

    Attributes:
        seconds: wall clock; beyond it the point fails as `TimeLimit`.
        memory_bytes: address space in addition to that of the idle process. If an allocation beyond it raises
            MemoryError, the point fails as `MemoryLimit`; if native code crashes, as `WorkerLost`.
    """

    seconds: float
    memory_bytes: int


@dataclass(frozen=True)
class PointLimits:
    """The most that a runner allows any point; None leaves it to the space, and to `SECONDS` and `MEMORY_BYTES`.

    Neither is a property of the point: on another machine it may succeed, so such a failure is not final.
    """

    seconds: float | None = None
    memory_bytes: int | None = None

    def allow(self, task: Task) -> Allowance:
        """What a task may take: as its space asks, but no more than the runner allows."""
        seconds = [limit for limit in (task.limits.seconds, self.seconds) if limit is not None]
        memory = [limit for limit in (task.limits.memory_bytes, self.memory_bytes) if limit is not None]
        return Allowance(min(seconds, default=SECONDS), min(memory, default=MEMORY_BYTES))


@dataclass(frozen=True)
class Loss:
    """Why a point has no outcome.

    Attributes:
        reason: reason of the failure, if the point is not retried.
        message: details.
        is_certain: whether a retry would have the same result, as with an exceeded limit.
        is_foreign: whether the process may have been killed from outside, so that the point is not to blame.
    """

    reason: Literal["TimeLimit", "MemoryLimit", "WorkerLost"]
    message: str
    is_certain: bool = False
    is_foreign: bool = False
