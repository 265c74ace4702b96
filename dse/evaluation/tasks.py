"""What travels between a sweep and the places where its points are evaluated: tasks out, outcomes back.

A `Task` carries everything its evaluation needs, so a worker reads neither space nor store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from search_spaces import Argument, Launch

Value = int | float | str | None
#: A variant: a value for each parameter.
Point = Mapping[str, Value]


@dataclass(frozen=True)
class Task:
    """One point on one GPU, ready to be evaluated anywhere.

    Attributes:
        point_hash: hex digest of everything that decides the result.
        kernel: the kernel's name in the source.
        source: text of the CUDA source.
        file_name: the source's path from its space's folder, which compiler messages show.
        defines: macros.
        register_cap: the most registers a thread may use; None leaves it to the compiler.
        launch: grid, block and dynamic shared memory.
        arguments: the kernel's arguments, in order.
        gpu: GPU name.
        headers: texts that the source may include, by path from the space's folder.
    """

    point_hash: str
    kernel: str
    source: str
    file_name: str
    defines: Mapping[str, Value]
    register_cap: int | None
    launch: "Launch"
    arguments: "tuple[Argument, ...]"
    gpu: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What an evaluation found.

    Attributes:
        point_hash: the task's.
        state: `complete`, or `failed` with `reason` and `message`.
        reason: the error's class name.
        message: the error's text.
        metrics: by name; `stall_<reason>` are warps stalled per issue-active cycle, times are in
            microseconds.
        compile_s, simulate_s: seconds this took.
    """

    point_hash: str
    state: Literal["complete", "failed"]
    reason: str | None = None
    message: str | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    compile_s: float = 0.0
    simulate_s: float = 0.0

    @classmethod
    def failure(cls, point_hash: str, reason: str, message: str, seconds: float = 0.0) -> "Outcome":
        """A failed point; `seconds` are what the failing step took."""
        return cls(point_hash, "failed", reason, message, simulate_s=seconds)
