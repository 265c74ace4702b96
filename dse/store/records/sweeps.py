"""Sweeps as the store has them: their states, and how many of their trials are recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from dse.store.records.specification import SweepSpec

#: A sweep that is `stopping` is stored as `running`, with the request to stop: see `shown_state`.
SweepState = Literal["queued", "running", "stopping", "stopped", "finished", "failed"]
#: Sweeps in these states have not ended.
ACTIVE: tuple[SweepState, ...] = ("queued", "running", "stopping")


def shown_state(state: SweepState, stop_requested: bool) -> SweepState:
    """The state that people see: a running sweep that was asked to stop is stopping, until its points are done."""
    return "stopping" if state == "running" and stop_requested else state


@dataclass(frozen=True)
class SweepOutline:
    """What a list of sweeps shows of one: the columns of its row, and the names of its GPUs and parameters.

    Attributes:
        id, key, priority, owner, error, mlflow_page: as of a `SweepRecord`.
        name: the kernel.
        state: as people see it (`shown_state`).
        total: number of trials planned.
        sampler: `exhaustive`, or the sampler's name.
    """

    id: int
    key: str
    name: str
    state: SweepState
    error: str | None
    total: int
    sampler: str
    gpus: tuple[str, ...]
    parameters: tuple[str, ...]
    priority: int
    owner: str | None
    created_at: datetime
    finished_at: datetime | None
    mlflow_page: str | None


@dataclass(frozen=True)
class SweepRecord:
    """One sweep as stored.

    Attributes:
        id: its number, the primary key.
        key: its public id: chosen by the user, or the number as text.
        mlflow_page: path of its runs in MLflow's web interface; None if it is not exported.
        managed: whether the coordinator runs it; otherwise the process that created it does.
        priority: determines its share of the workers.
        stop_requested: whether it is to be stopped.
        owner: the name of the token that created it.
        revision: increases when it is replanned; trials belong to one revision.
        error: why it failed.
    """

    id: int
    key: str
    state: SweepState
    spec: SweepSpec
    created_at: datetime
    finished_at: datetime | None
    mlflow_run_id: str | None
    mlflow_page: str | None = None
    managed: bool = False
    priority: int = 0
    stop_requested: bool = False
    owner: str | None = None
    revision: int = 0
    error: str | None = None

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.spec.name

    @property
    def outline(self) -> SweepOutline:
        """What a list of sweeps shows of it."""
        return SweepOutline(
            self.id,
            self.key,
            self.name,
            shown_state(self.state, self.stop_requested),
            self.error,
            self.spec.total,
            self.spec.sampler,
            self.spec.gpus,
            tuple(self.spec.parameters),
            self.priority,
            self.owner,
            self.created_at,
            self.finished_at,
            self.mlflow_page,
        )


@dataclass(frozen=True)
class SweepCounts:
    """Numbers of recorded trials of a sweep.

    Attributes:
        complete, failed: by state.
        new, known: by source; both pairs add up to `done`.
        failures: number of failed trials by reason, most frequent first.
    """

    complete: int
    failed: int
    new: int
    known: int
    failures: Mapping[str, int]

    @property
    def done(self) -> int:
        """All recorded trials."""
        return self.complete + self.failed
