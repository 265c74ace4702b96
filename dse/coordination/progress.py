"""Progress and rate of a sweep."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from dse.evaluation.forecast import Forecast
from dse.store import Trial
from search_spaces import Value

#: Points evaluated after the first ones before a rate is known.
LEAST_RATED = 4
#: GPU name and the values of the workload parameters; each such case has its own best variant.
Case = tuple[str, tuple[Value, ...]]


@dataclass(frozen=True)
class Progress:
    """Progress of a sweep.

    Attributes:
        total: number of trials planned.
        complete, failed: recorded trials, by state.
        known: recorded trials that needed no evaluation.
        running: points submitted for evaluation.
        best: for each GPU and workload, the best trial so far by the first objective.
        busy_s: core seconds spent compiling and simulating.
        forecast: what the whole sweep takes; None until a point after the first of each GPU and worker is evaluated.
        workers: points evaluated at the same time; 0 if unknown.
        rate: points evaluated per second of wall clock; 0 if unknown. See `RateMeter`.
        is_queued: whether no coordinator has taken up the sweep yet.
        trouble: why nothing goes on at the moment; None if it does.
        first_failure: what the first trial that failed in this process reports, with its reason; None without any.
        excluded: how many points of each GPU a sampler never asks for, by the reason why they are impossible.
    """

    total: int
    complete: int = 0
    failed: int = 0
    known: int = 0
    running: int = 0
    best: Mapping[Case, Trial] = field(default_factory=dict)
    busy_s: float = 0.0
    forecast: Forecast | None = None
    workers: int = 0
    rate: float = 0.0
    is_queued: bool = False
    trouble: str | None = None
    first_failure: str | None = None
    excluded: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Recorded trials, complete or failed."""
        return self.complete + self.failed

    @property
    def evaluated(self) -> int:
        """Trials that needed an evaluation."""
        return self.done - self.known


class RateMeter:
    """Points evaluated per second of wall clock; known points do not count.

    The first points do not either: one of each GPU goes ahead alone, without a comparison of its outputs.

    Args:
        first: how many of these points.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._began: float | None = None
        self._before = 0

    def rate(self, evaluated: int) -> float:
        """The rate so far; 0 until enough points have been evaluated.

        Args:
            evaluated: points evaluated so far, including those before the meter.
        """
        if self._began is None and evaluated >= self._first:
            self._began, self._before = monotonic(), evaluated
        if self._began is None or evaluated < self._before + LEAST_RATED:
            return 0.0
        return (evaluated - self._before) / max(monotonic() - self._began, 1e-6)
