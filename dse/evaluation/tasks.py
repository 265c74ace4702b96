"""What travels between a sweep and the places where its points are evaluated: tasks out, outcomes back.

A `Task` carries everything its evaluation needs, so a worker reads neither space nor store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from search_spaces import Argument, Launch, Value

OutcomeState = Literal["complete", "failed"]


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
    launch: Launch
    arguments: tuple[Argument, ...]
    gpu: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What an evaluation says of one point on one GPU; the same for every sweep that holds the point.

    Attributes:
        point_hash: the task's.
        state: `complete`, or `failed` with `reason` and `message`.
        reason: the error's class name.
        message: the error's text.
        metrics: by name: those of `dse.store.METRIC_COLUMNS`, and anything else the evaluation reports, which must be
            JSON; `stall_<reason>` are warps stalled per issue-active cycle, times are in microseconds.
        compile_s, simulate_s: seconds one core spent.
        final: of a failure, whether the point fails so every time; who catches the error says it.
        simulator_version, compiler_version: what was asked; whoever records the outcome fills them in.
    """

    point_hash: str
    state: OutcomeState
    reason: str | None = None
    message: str | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    compile_s: float = 0.0
    simulate_s: float = 0.0
    final: bool = False
    simulator_version: str = ""
    compiler_version: str = ""

    @classmethod
    def failure(
        cls, point_hash: str, reason: str, message: str, seconds: float = 0.0, *, final: bool = False
    ) -> "Outcome":
        """A failed point; `seconds` are what the failing step took."""
        return cls(point_hash, "failed", reason, message, simulate_s=seconds, final=final)

    @classmethod
    def of_error(
        cls, point_hash: str, error: Exception, seconds: float = 0.0, *, final: bool = False
    ) -> "Outcome":
        """The failure of a point whose evaluation raised an error."""
        return cls.failure(point_hash, type(error).__name__, str(error), seconds, final=final)

    @property
    def is_known(self) -> bool:
        """Whether evaluating the point again would say the same; a lost worker says nothing about a point."""
        return self.state == "complete" or self.final
