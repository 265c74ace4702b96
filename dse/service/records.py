"""What the service answers with: pages, and where a sweep is; small frozen records, which also travel as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from dse.store import SweepCounts, SweepRecord
from dse.store.records import ACTIVE, SweepState

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A part of a list.

    Attributes:
        items: the part.
        offset: how many come before it.
        total: how many there are in all.
    """

    items: Sequence[Item]
    offset: int
    total: int


@dataclass(frozen=True)
class SweepStatus:
    """Where a sweep is.

    Attributes:
        id: its name for people: what its submitter chose, or what was made from its content or number.
        name: the kernel.
        state: queued, running, stopped, finished or failed.
        error: why it failed.
        total: trials it holds when nothing stops it.
        counts: the recorded ones, by state and source.
        search: `exhaustive`, or the sampler's name.
        owner: the name of the token that submitted it; None without tokens.
    """

    id: str
    name: str
    state: SweepState
    error: str | None
    total: int
    counts: SweepCounts
    search: str
    gpus: tuple[str, ...]
    priority: int
    owner: str | None
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, record: SweepRecord, counts: SweepCounts) -> "SweepStatus":
        """The status of a stored sweep."""
        return cls(
            id=record.key,
            name=record.name,
            state=record.state,
            error=record.error,
            total=record.spec.total,
            counts=counts,
            search=record.spec.sampler,
            gpus=record.spec.gpus,
            priority=record.priority,
            owner=record.owner,
            created_at=record.created_at,
            finished_at=record.finished_at,
        )

    @property
    def is_active(self) -> bool:
        """Whether it is yet to change by itself."""
        return self.state in ACTIVE


@dataclass(frozen=True)
class SpaceSummary:
    """A space that sweeps can name.

    Attributes:
        name: what a request calls it.
        origin: `catalog`, or `uploaded`.
        owner: the name of the token that uploaded it; None without tokens, and of the catalog's.
        kernel, parameters, workload, gpus, points: as in its `SpaceOutline`.
    """

    name: str
    origin: str
    owner: str | None
    kernel: str
    parameters: Mapping[str, Sequence[int | float | str | None]]
    workload: Sequence[str]
    gpus: Sequence[str]
    points: int | None


@dataclass(frozen=True)
class GpuSummary:
    """A GPU that sweeps can name.

    Attributes:
        label: whether its figures are calibrated, derived or extrapolated.
    """

    name: str
    architecture: str
    sms: int
    label: str
