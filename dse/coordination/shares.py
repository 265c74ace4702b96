"""Worker usage of each run, and which runs wait for which points."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from time import monotonic

from dse.coordination.sweep_run import SweepRun

#: Estimated core seconds per point before the first result of a sweep.
FIRST_GUESS_S = 0.05
#: Seconds on the workers after which a point is charged before it is answered.
LONG_S = 2.0
#: Seconds on the workers after which a sweep says that it waits for a point, and again each time that these pass.
QUIET_S = 30


@dataclass(eq=False)
class Share:
    """A run and its usage of the workers.

    Attributes:
        used: core seconds so far, including the coordinator's own, divided by the weight of the sweep; the run
            with the least is served next.
        mean_s: mean core seconds per point.
        is_slow: whether its latest point took long, or ran into a limit.
        stops_at: deadline for stopping on the monotonic clock; None while the run is active.
        reported_trouble: what the store says of why nothing goes on.
    """

    run: SweepRun
    used: float
    mean_s: float = FIRST_GUESS_S
    is_slow: bool = False
    stops_at: float | None = None
    reported_trouble: str | None = None

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
        self._sweeps: dict[str, set[int]] = {}

    def add(self, point_hash: str, share: Share) -> bool:
        """Register a share for a point; returns whether the point must still be submitted."""
        is_new = point_hash not in self._shares
        self._shares.setdefault(point_hash, []).append(share)
        self._since.setdefault(point_hash, monotonic())
        self._sweeps.setdefault(point_hash, set()).add(share.run.id)
        return is_new

    def sweeps_of(self, point_hash: str) -> set[int]:
        """The numbers of the sweeps that have sent a point, also of those that were stopped since."""
        return self._sweeps[point_hash]

    def take(self, point_hash: str) -> list[Share]:
        """Remove a point whose outcome arrived; returns the shares that waited for it."""
        del self._since[point_hash], self._sweeps[point_hash]
        return self._shares.pop(point_hash)

    def longest_s(self, share: Share | None = None) -> float:
        """For how many seconds the oldest point, of a share or of all, has been on the workers."""
        now = monotonic()
        points = self._since.items()  # the oldest first
        mine = (since for point, since in points if share is None or share in self._shares[point])
        return now - next(mine, now)

    def number(self, shares: Collection[Share]) -> int:
        """The number of points on the workers that one of these shares waits for."""
        return sum(any(share in shares for share in each) for each in self._shares.values())

    def trouble_of(self, share: Share) -> str | None:
        """What a share waits for, in words; None if its points are answered soon."""
        now = monotonic()
        late = takewhile(lambda point: now - point[1] >= QUIET_S, self._since.items())  # the oldest first
        mine = [since for point_hash, since in late if share in self._shares[point_hash]]
        if not mine:
            return None
        seconds = int((now - mine[0]) / QUIET_S) * QUIET_S
        points = "1 point has" if len(mine) == 1 else f"{len(mine)} points have"
        return f"{points} not been answered for long: the first is on the workers for {seconds:,} s or more"

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

    def take_alone(self, share: Share) -> list[str]:
        """Remove the points that no other share waits for; returns them."""
        alone = [point_hash for point_hash, shares in self._shares.items() if shares == [share]]
        for point_hash in alone:
            self.take(point_hash)
        return alone

    def has(self, share: Share) -> bool:
        """Whether a point of a share is on the workers."""
        return any(share in shares for shares in self._shares.values())

    def clear(self) -> None:
        """Forget all points on the workers."""
        self._shares.clear()
        self._since.clear()
        self._sweeps.clear()
