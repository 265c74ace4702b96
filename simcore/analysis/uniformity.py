"""Which blocks of a grid may execute a different number of instructions than the first one.

Control flow can differ between blocks only through inputs that differ between them: their indices, the contents of
global memory, the SM that they run on and its clock. If control flow depends on none of these, all blocks behave
the same.
"""

import numpy as np

from simcore.analysis import slicing
from simcore.core import isa
from simcore.lowering.effects import DIFFERS, SAME_IN_ALL_BLOCKS, Effects
from simcore.lowering.program import Program


def blocks_that_differ(program: Program, grid: tuple[int, int, int]) -> int:
    """How many blocks, starting with the first, must be examined; the rest of the grid repeats them.

    One if control flow depends on nothing that differs between blocks, a row (or a plane) of the grid if it depends
    only on the x index (or on x and y), and otherwise all.
    """
    executed = np.flatnonzero(slicing.for_counting(program) == isa.EXECUTE)
    axes = max((_differs(program.effects[i]) for i in executed), default=SAME_IN_ALL_BLOCKS)
    return int(np.prod(grid[:axes]))


def _differs(effect: Effects) -> int:
    """How an instruction's result may differ between blocks, as a number of grid axes."""
    return DIFFERS if isa.SPACE_GLOBAL in effect.memory_reads else effect.block
