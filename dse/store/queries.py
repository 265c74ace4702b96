"""What one may ask a list for: one frozen object each, made where a person asks and handed through unchanged."""

from dataclasses import dataclass

from dse.errors import InputError
from dse.store.records import Place, SweepState


@dataclass(frozen=True)
class SweepQuery:
    """Which sweeps; of each condition that is given, those that meet it.

    Attributes:
        states: in one of these; empty means in any.
        name: of this kernel.
        owner: submitted with this token.
        limit: the most to return; None means all.
        offset: how many to leave out at the beginning.
        newest_first: the latest submitted first, instead of the earliest.
    """

    states: tuple[SweepState, ...] = ()
    name: str | None = None
    owner: str | None = None
    limit: int | None = None
    offset: int = 0
    newest_first: bool = False


@dataclass(frozen=True)
class TrialQuery:
    """Which trials of a sweep.

    Attributes:
        filter: as in `params.unroll >= 4 and metrics.time_us < 10`; see `dse.store.filters`.
        order_by: names, each with an optional `asc` or `desc`, as in `metrics.time_us desc, number`; missing values
            come last. Ties, and everything without it, are in point order: GPU, then point index.
        limit: the most to return; None means all.
        offset: how many to leave out at the beginning.
        after: only the trials behind this place in point order, so that a list of a running sweep can go on.

    Raises:
        InputError: `after` is given together with an order or an offset.
    """

    filter: str | None = None
    order_by: str | None = None
    limit: int | None = None
    offset: int = 0
    after: Place | None = None

    def __post_init__(self) -> None:
        if self.after and (self.order_by or self.offset):
            raise InputError("after goes with neither order_by nor offset", "after")


#: Every sweep, earliest first.
ALL_SWEEPS = SweepQuery()
#: Every trial, in point order.
ALL_TRIALS = TrialQuery()
