"""Limits for one point, and the description of a lost evaluation."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PointLimits:
    """Limits for the evaluation of one point.

    Attributes:
        seconds: wall clock; beyond it the point fails as `TimeLimit`. Not a property of the point: on a faster
            machine it may succeed, so the failure is not final.
        memory_bytes: address space in addition to that of the idle process. If an allocation beyond it raises
            MemoryError, the point fails as `MemoryLimit`; if native code crashes, as `WorkerLost`.
    """

    seconds: float = 300.0
    memory_bytes: int = 4 * 2**30


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
