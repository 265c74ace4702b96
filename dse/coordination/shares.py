"""Who has had how much of the workers, and who waits for which point."""

from dataclasses import dataclass

from dse.coordination.sweep_run import SweepRun

#: What a point is thought to take before the first of its sweep came back, in seconds.
FIRST_GUESS_S = 0.05


@dataclass(eq=False)
class Share:
    """A run and what it has had of the workers.

    Attributes:
        used: core seconds so far, the coordinator's own among them, over the sweep's weight; the run with the
            least is served next.
        mean_s: core seconds of one of its points.
        stops_at: when it stops at the latest, on the monotonic clock; None while it goes on.
    """

    run: SweepRun
    used: float
    mean_s: float = FIRST_GUESS_S
    stops_at: float | None = None

    def charge(self, seconds: float) -> None:
        """Count core seconds as used."""
        self.used += seconds / 2.0**self.run.record.priority

    def correct(self, seconds: float) -> None:
        """What was charged as the mean took so long in truth."""
        self.charge(seconds - self.mean_s)
        self.mean_s += 0.1 * (seconds - self.mean_s)


class Waiting:
    """The points that the workers have, each with the shares that wait for it."""

    def __init__(self) -> None:
        self._shares: dict[str, list[Share]] = {}

    def add(self, point_hash: str, share: Share) -> bool:
        """Let a share wait for a point; whether the workers have yet to get it."""
        is_new = point_hash not in self._shares
        self._shares.setdefault(point_hash, []).append(share)
        return is_new

    def take(self, point_hash: str) -> list[Share]:
        """Who waited for a point, which has come back."""
        return self._shares.pop(point_hash)

    def drop(self, share: Share) -> None:
        """A share waits no more; the workers keep its points."""
        for point_hash, shares in self._shares.items():
            self._shares[point_hash] = [other for other in shares if other is not share]

    def has(self, share: Share) -> bool:
        """Whether the workers have a point of a share."""
        return any(share in shares for shares in self._shares.values())

    def clear(self) -> None:
        """The workers have nothing any more."""
        self._shares.clear()
