"""Query objects: frozen, created where a user asks and passed through unchanged."""

from dataclasses import dataclass

from dse.errors import InputError
from dse.store.records import Place, SweepState


@dataclass(frozen=True)
class SweepQuery:
    """Selects the sweeps that meet all given conditions.

    Attributes:
        states: in one of these; empty means in any.
        name: of this kernel.
        owner: submitted with this token.
        limit: maximum number to return; None means all.
        offset: number to skip at the beginning.
        newest_first: newest first instead of oldest first.
    """

    states: tuple[SweepState, ...] = ()
    name: str | None = None
    owner: str | None = None
    limit: int | None = None
    offset: int = 0
    newest_first: bool = False


@dataclass(frozen=True)
class TrialQuery:
    """Selects trials of a sweep.

    Attributes:
        filter: for example `params.unroll >= 4 and metrics.time_us < 10`; see `dse.store.filters`.
        order_by: names, each with an optional `asc` or `desc`, such as `metrics.time_us desc, number`; missing values
            come last. Ties, and everything without it, are in point order: GPU, then point index.
        limit: maximum number to return; None means all.
        offset: number to skip at the beginning.
        after: only trials after this place in point order, for stable paging through a running sweep.

    Raises:
        InputError: `after` is combined with an order or an offset.
    """

    filter: str | None = None
    order_by: str | None = None
    limit: int | None = None
    offset: int = 0
    after: Place | None = None

    def __post_init__(self) -> None:
        if self.after and (self.order_by or self.offset):
            raise InputError("after cannot be combined with order_by or offset", "after")


#: Every sweep, earliest first.
ALL_SWEEPS = SweepQuery()
#: Every trial, in point order.
ALL_TRIALS = TrialQuery()
