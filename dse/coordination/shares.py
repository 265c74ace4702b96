"""Worker usage of each run, and which runs wait for which points."""

from dataclasses import dataclass
from time import monotonic

from dse.coordination.sweep_run import SweepRun

#: Estimated core seconds per point before the first result of a sweep.
FIRST_GUESS_S = 0.05
#: Seconds on the workers after which a point is charged before it is answered.
LONG_S = 2.0


@dataclass(eq=False)
class Share:
    """A run and its usage of the workers.

    Attributes:
        used: core seconds so far, including the coordinator's own, divided by the weight of the sweep; the run
            with the least is served next.
        mean_s: mean core seconds per point.
        stops_at: deadline for stopping on the monotonic clock; None while the run is active.
    """

    run: SweepRun
    used: float
    mean_s: float = FIRST_GUESS_S
    stops_at: float | None = None

    def charge(self, seconds: float) -> None:
        """Charge core seconds."""
        self.used += seconds / self.weight

    @property
    def weight(self) -> float:
        """The share of the workers, relative to that of a sweep without priority."""
        return float(2.0**self.run.record.priority)

    def correct(self, seconds: float) -> None:
        """Replace a charge at the mean by the measured core seconds."""
        self.charge(seconds - self.mean_s)
        self.mean_s += 0.1 * (seconds - self.mean_s)


class Waiting:
    """The points on the workers, each with the shares that wait for it."""

    def __init__(self) -> None:
        self._shares: dict[str, list[Share]] = {}
        self._since: dict[str, float] = {}

    def add(self, point_hash: str, share: Share) -> bool:
        """Register a share for a point; returns whether the point must still be submitted."""
        is_new = point_hash not in self._shares
        self._shares.setdefault(point_hash, []).append(share)
        self._since.setdefault(point_hash, monotonic())
        return is_new

    def take(self, point_hash: str) -> list[Share]:
        """Remove a point whose outcome arrived; returns the shares that waited for it."""
        del self._since[point_hash]
        return self._shares.pop(point_hash)

    def longest_s(self) -> float:
        """For how many seconds the oldest point has been on the workers."""
        return monotonic() - next(iter(self._since.values()), monotonic())

    def owed(self, share: Share) -> float:
        """What a share has used of the workers that is not charged yet: by points that take long."""
        now, seconds = monotonic(), 0.0
        for point_hash, since in self._since.items():  # the oldest first
            if now - since <= LONG_S:
                break
            if share in self._shares[point_hash]:
                seconds += now - since
        return seconds / share.weight

    def drop(self, share: Share) -> None:
        """Remove a share from all points; the points stay on the workers."""
        for point_hash, shares in self._shares.items():
            self._shares[point_hash] = [other for other in shares if other is not share]

    def has(self, share: Share) -> bool:
        """Whether a point of a share is on the workers."""
        return any(share in shares for shares in self._shares.values())

    def clear(self) -> None:
        """Forget all points on the workers."""
        self._shares.clear()
        self._since.clear()
