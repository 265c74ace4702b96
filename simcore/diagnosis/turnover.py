"""How fast blocks follow each other on an SM: blocks of little work leave its warp slots empty between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from simcore.diagnosis.units import NEAR_PEAK, busiest
from simcore.diagnosis.waves import Waves

NOTABLE_GAP = 0.1
"""The share of a block slot's time between two blocks from which it is reported."""

FEWER_BLOCKS = "Give each thread more work in fewer blocks: a grid-stride loop, or several elements a thread."


@dataclass(frozen=True)
class Turnover:
    """The blocks that one SM runs, one after another in each of its block slots.

    Attributes:
        waves: the grid's.
        cycles: of the launch.
        gap: cycles from a block's end to its successor's first instruction.
        retire_interval: cycles between the ends of two blocks on one SM, at the fastest.
    """

    waves: Waves
    cycles: int
    gap: float
    retire_interval: float

    @property
    def ending(self) -> float:
        """The rate at which blocks end, as a share of the fastest possible."""
        return self.waves.on_busiest_sm * self.retire_interval / self.cycles

    @property
    def empty(self) -> float:
        """The share of its time in which a block slot waits for its next block."""
        slots = min(self.waves.per_sm, self.waves.on_busiest_sm)
        successors = self.waves.on_busiest_sm / slots - 1
        return successors * self.gap / self.cycles


def retirement_advice(turnover: Turnover) -> Iterator[str]:
    """What to do where blocks end as fast as they can, so that nothing else limits the kernel."""
    if turnover.ending >= NEAR_PEAK:
        yield (
            f"Blocks end at {turnover.ending:.0%} of the rate at which the GPU can end them, one in "
            f"{turnover.retire_interval:.0f} cycles on each SM. {FEWER_BLOCKS}"
        )


def gap_advice(turnover: Turnover, issue_active: float, utilisation: Mapping[str, float]) -> Iterator[str]:
    """What the time between two blocks of a slot costs, unless a unit is busy all the same.

    Args:
        turnover: of the launch.
        issue_active: share of cycles in which a scheduler issues, 0 to 1.
        utilisation: share of each unit's peak, 0 to 1.
    """
    limited = turnover.ending >= NEAR_PEAK or busiest(issue_active, utilisation)[1] >= NEAR_PEAK
    if not limited and turnover.empty >= NOTABLE_GAP:
        yield (
            f"A block slot is empty for {turnover.empty:.0%} of the time: {turnover.gap:.0f} cycles pass from a "
            f"block's end to its successor's first instruction. {FEWER_BLOCKS}"
        )
