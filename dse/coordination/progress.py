"""How far a sweep is, and how fast."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from dse.store import Trial
from search_spaces import Value

#: GPU name and the values of the workload parameters: what has a best variant of its own.
Case = tuple[str, tuple[Value, ...]]


@dataclass(frozen=True)
class Progress:
    """How far a sweep is.

    Attributes:
        total: trials there will be.
        complete, failed: recorded trials, by state.
        known: those of them that needed no evaluation now.
        running: points submitted for evaluation.
        best: for each GPU and workload, the best trial so far by the first objective.
        elapsed_s: seconds since the run began.
        busy_s: seconds that cores spent in compiling and simulating.
        rate: points evaluated a second of wall clock; 0 when not known. See `RateMeter`.
        is_queued: whether nobody has taken the sweep up yet.
    """

    total: int
    complete: int = 0
    failed: int = 0
    known: int = 0
    running: int = 0
    best: Mapping[Case, Trial] = field(default_factory=dict)
    elapsed_s: float = 0.0
    busy_s: float = 0.0
    rate: float = 0.0
    is_queued: bool = False

    @property
    def done(self) -> int:
        """Trials recorded, complete or failed."""
        return self.complete + self.failed

    @property
    def evaluated(self) -> int:
        """Trials that needed an evaluation."""
        return self.done - self.known


class RateMeter:
    """Points evaluated a second of wall clock, from when the first that it sees come back; before, 0.

    Starting the workers, and what others evaluated before anybody looked, count for nothing.

    Args:
        evaluated: how many points were evaluated when somebody began to look.
    """

    def __init__(self, evaluated: int = 0) -> None:
        self._first = evaluated
        self._since: float | None = None

    def rate(self, evaluated: int) -> float:
        """The rate, now that so many are evaluated."""
        now = monotonic()
        if self._since is None:
            if evaluated > self._first:
                self._first, self._since = evaluated, now
            return 0.0
        return (evaluated - self._first) / max(now - self._since, 1e-6)
