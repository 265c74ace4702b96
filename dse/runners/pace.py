"""How long points take of late, by which runners decide how many to send ahead."""

import math

from dse.evaluation.tasks import Outcome

#: Weight of the latest point in the running mean.
LATEST = 0.1


class Pace:
    """A running mean of the seconds per point.

    Args:
        seconds: assumed before the first point.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def note(self, outcome: Outcome) -> None:
        """Take note of a point that was evaluated."""
        self.seconds += LATEST * (outcome.compile_s + outcome.simulate_s - self.seconds)

    def points_in(self, seconds: float) -> int:
        """The number of points that fill a time."""
        return math.ceil(seconds / max(self.seconds, 1e-6))
