"""Run blocks without time, and count their warp instructions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import progress, trail
from simcore.core.execution.blocks import TALLY, WATCH, run_blocks
from simcore.core.execution.families import run
from simcore.core.execution.slopes import state
from simcore.core.machine import NO_DEMAND, REPORT_STATUS, Demand, Machine


@dataclass(frozen=True, eq=False)
class Counts:
    """Warp instructions of some blocks, in their order.

    Attributes:
        executed: [block] by all of its warps.
        longest: [block] the most that one of them executed.
    """

    executed: NDArray[np.int64]
    longest: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.executed)

    def tiled(self, times: int) -> "Counts":
        """The same blocks again and again."""
        return Counts(np.tile(self.executed, times), np.tile(self.longest, times))

    @staticmethod
    def joined(parts: "Sequence[Counts]") -> "Counts":
        """The blocks of all parts."""
        return Counts(
            np.concatenate([part.executed for part in parts]),
            np.concatenate([part.longest for part in parts]),
        )


NO_COUNTS = Counts(np.zeros(0, np.int64), np.zeros(0, np.int64))


class Bounds(NamedTuple):
    """When a block is not run any further.

    Attributes:
        instructions: of the block.
        patience: of a warp's turn, after which it is watched for a loop without progress.
    """

    instructions: int
    patience: int


NO_BOUNDS = Bounds(isa.NEVER, isa.NEVER)


def run_some(
    machine: Machine,
    context: NDArray[np.int64],
    blocks: NDArray[np.int64],
    bounds: Bounds = NO_BOUNDS,
    noted: trail.Trail = trail.NONE,
    demanded: Demand = NO_DEMAND,
    compared: state.Slopes = state.NONE,
) -> Counts:
    """Run blocks, in the stretch that the context names, and count their warp instructions."""
    executed, longest = np.zeros(len(blocks), np.int64), np.zeros(len(blocks), np.int64)
    if len(blocks) and machine.report[REPORT_STATUS] == isa.OK:
        tally = np.zeros(TALLY, np.int64)
        tally[WATCH, progress.PATIENCE] = bounds.patience
        limit = bounds.instructions
        run(run_blocks, machine, tally, context, blocks, executed, longest, limit, noted, demanded, compared)
    return Counts(executed, longest)
