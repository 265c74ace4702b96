"""The tail of a grid: blocks come in whole waves, or in turns of all SMs, and the last one may be almost empty."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor

from simcore.diagnosis.units import NEAR_PEAK, busiest
from simcore.model.occupancy import Occupancy, in_words

#: The share of an SM's time below which a tail is not reported.
NOTABLE_TAIL = 0.1
#: The units that all SMs share: an SM without blocks leaves more of them to the others.
SHARED = ("l2", "dram")


@dataclass(frozen=True)
class Waves:
    """How a grid comes to the SMs.

    Attributes:
        blocks: of the grid.
        sms: of the GPU.
        per_sm: blocks that fit on an SM at once.
    """

    blocks: int
    sms: int
    per_sm: int

    @property
    def room(self) -> int:
        """Blocks in a full wave."""
        return self.sms * self.per_sm

    @property
    def number(self) -> float:
        """Waves, the last one in part."""
        return self.blocks / self.room

    @property
    def whole(self) -> int:
        """Waves, the last one in full."""
        return ceil(self.number)

    @property
    def on_busiest_sm(self) -> int:
        """Blocks on the SM that has most."""
        return ceil(self.blocks / self.sms)


def step_between(before: Waves, after: Waves) -> str:
    """What a change of the machine makes of a grid, if not the same: `2 → 3 waves`; the time jumps there."""
    if before.whole != after.whole:
        return f"{before.whole:,} → {after.whole:,} waves"
    if before.on_busiest_sm != after.on_busiest_sm:
        return f"{before.on_busiest_sm:,} → {after.on_busiest_sm:,} blocks on the busiest SM"
    return ""


def tail_advice(
    waves: Waves, occupancy: Occupancy, issue_active: float, utilisation: Mapping[str, float]
) -> Iterator[str]:
    """What a tail costs at most, for blocks that take equally long, and which grids have none.

    Where a unit of the SM is the limit, blocks on an SM take turns at it, so time goes by blocks on the busiest SM.
    Where latency is, they run side by side, so time goes by waves. What all SMs share has no tail.

    Args:
        waves: the grid's.
        occupancy: what limits the blocks on an SM.
        issue_active: share of cycles in which a scheduler issues, 0 to 1.
        utilisation: share of each unit's peak, 0 to 1.
    """
    unit, share = busiest(issue_active, utilisation)
    is_limit = share >= NEAR_PEAK
    if is_limit and unit in SHARED:
        return
    if waves.blocks < waves.sms:
        yield (
            f"The grid has {waves.blocks:,} {_blocks(waves.blocks)} for {waves.sms} SMs, {waves.sms - waves.blocks} of "
            "which have nothing to do: use more and smaller blocks, or give each less work."
        )
    elif is_limit:
        yield from _turns(waves)
    else:
        yield from _partial_wave(waves, occupancy)


def _turns(waves: Waves) -> Iterator[str]:
    most = waves.on_busiest_sm
    idle = 1 - waves.blocks / waves.sms / most
    if idle >= NOTABLE_TAIL:
        yield (
            f"Some SMs get {most} {_blocks(most)}, the others {most - 1}: on average an SM has no work for up to "
            f"{idle:.0%} of the time. A grid of {waves.sms * (most - 1):,} or {waves.sms * most:,} blocks, or more and "
            "smaller blocks, would keep all SMs busy to the end."
        )


def _partial_wave(waves: Waves, occupancy: Occupancy) -> Iterator[str]:
    idle = 1 - waves.number / waves.whole
    if waves.whole < 2 or idle < NOTABLE_TAIL:
        return
    full = floor(waves.number)
    rest, more = waves.blocks - full * waves.room, ceil(waves.blocks / full / waves.sms) - waves.per_sm
    grids = f"{full * waves.room:,} or {waves.whole * waves.room:,} blocks"
    remedy = f"A grid of {grids} would be whole waves."
    if occupancy.theoretical < 1:
        per_sm = f"{more} more {_blocks(more)} per SM (limited by {in_words(occupancy.limiters)})"
        remedy = f"{per_sm}, or a grid of {grids}, would be whole waves."
    yield (
        f"The grid is {waves.number:.3g} waves of {waves.sms} SMs x {waves.per_sm} {_blocks(waves.per_sm)}: the last "
        f"wave has {rest:,} of {waves.room:,} blocks, which leaves up to {idle:.0%} of the room empty. "
        + remedy
    )


def _blocks(number: int) -> str:
    return "block" if number == 1 else "blocks"
