"""What one point may take, and what is known when its evaluation was lost."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PointLimits:
    """What the evaluation of one point may take before the point fails.

    Attributes:
        seconds: wall clock; beyond it the point fails as `TimeLimit`. Not a property of the point: on a faster
            machine it may succeed, so the failure is not remembered.
        memory_bytes: address space on top of what the idle process has; where an allocation beyond it ends in
            a MemoryError the point fails as `MemoryLimit`, and where native code takes it for a crash, as
            `WorkerLost`.
    """

    seconds: float = 300.0
    memory_bytes: int = 4 * 2**30


@dataclass(frozen=True)
class Loss:
    """Why a point has no outcome.

    Attributes:
        reason: what the point fails as, if it is not tried again.
        message: what is known.
        is_certain: whether trying again would only repeat it, as with a limit that was passed.
        is_foreign: whether somebody else may have killed the process, which then says nothing about the point.
    """

    reason: Literal["TimeLimit", "MemoryLimit", "WorkerLost"]
    message: str
    is_certain: bool = False
    is_foreign: bool = False
