"""Messages between a sweep and its workers: tasks and outcomes.

A `Task` contains everything that its evaluation needs, so workers access neither space nor store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from search_spaces import Argument, Expectation, Launch, Value

OutcomeState = Literal["complete", "failed"]


@dataclass(frozen=True)
class Limits:
    """What a space allows the evaluation of one of its points; None leaves it to others.

    Attributes:
        seconds: wall clock.
        memory_bytes: in addition to the idle process.
        cycles: of an SM; None means the simulator's own.
    """

    seconds: float | None = None
    memory_bytes: int | None = None
    cycles: int | None = None


@dataclass(frozen=True)
class Task:
    """The evaluation of one point on one GPU.

    Attributes:
        point_hash: hex digest of everything that determines the result.
        kernel: the kernel's name in the source.
        source: text of the CUDA source.
        file_name: path of the source relative to the space's folder, shown in compiler messages.
        defines: macros.
        register_cap: maximum registers per thread; None leaves the choice to the compiler.
        launch: grid, block and dynamic shared memory.
        arguments: the kernel's arguments, in order.
        gpu: GPU name.
        headers: texts of the headers, by path relative to the space's folder.
        options: compiler options.
        variables: contents of the kernel's `__constant__` and `__device__` variables.
        cold: whether the launch starts with empty caches.
        bounds: `error` if every access must lie in a buffer, `warn` if a read beside one gives zero.
        expectation: what the kernel must compute; None if its output is not checked.
        baseline: the task of the first variant, if the output must be as that one's.
        files: contents of the files that the task needs, by path relative to the space's folder.
        limits: what the evaluation may take.
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
    options: tuple[str, ...] = ()
    variables: tuple[Argument, ...] = ()
    cold: bool = False
    bounds: Literal["error", "warn"] = "error"
    expectation: Expectation | None = None
    baseline: "Task | None" = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    limits: Limits = Limits()


@dataclass(frozen=True)
class Outcome:
    """The outcome of evaluating one point on one GPU; the same for every sweep that contains the point.

    Attributes:
        point_hash: the task's.
        state: `complete`, or `failed` with `reason` and `message`.
        reason: the error's class name.
        message: the error's text.
        metrics: by name: those of `dse.store.METRIC_COLUMNS`, and any other JSON values that the evaluation reports;
            `stall_<reason>` are warps stalled per issue-active cycle, times are in microseconds.
        compile_s, simulate_s: core seconds.
        simulation: digest of all that the simulation depended on, such as the machine code; points with the same one
            are simulated once. None if the point failed.
        final: of a failure, whether the point would fail in the same way every time; set where the error is caught.
        simulator_version, compiler_version: versions that determined the result; set when the outcome is recorded.
    """

    point_hash: str
    state: OutcomeState
    reason: str | None = None
    message: str | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    compile_s: float = 0.0
    simulate_s: float = 0.0
    simulation: str | None = None
    final: bool = False
    simulator_version: str = ""
    compiler_version: str = ""

    @classmethod
    def failure(
        cls, point_hash: str, reason: str, message: str, seconds: float = 0.0, *, final: bool = False
    ) -> "Outcome":
        """A failed point; `seconds` is the duration of the failed step."""
        return cls(point_hash, "failed", reason, message, simulate_s=seconds, final=final)

    @classmethod
    def of_error(
        cls, point_hash: str, error: Exception, seconds: float = 0.0, *, final: bool = False
    ) -> "Outcome":
        """The failure of a point whose evaluation raised an error."""
        return cls.failure(point_hash, type(error).__name__, str(error), seconds, final=final)

    @property
    def is_known(self) -> bool:
        """Whether evaluating the point again would give the same outcome; not so if its worker was lost."""
        return self.state == "complete" or self.final
