"""Which blocks of a grid may execute another number of instructions than the first one.

Control flow can differ between blocks only through what the blocks do not have in common: their indices, the
contents of global memory, the SM that they run on and its clock. When none of these is among the instructions
that control flow depends on, all blocks do the same.
"""

import numpy as np

from simcore.analysis import slicing
from simcore.core import isa
from simcore.lowering.effects import DIFFERS, SAME_IN_ALL_BLOCKS, Effects
from simcore.lowering.program import Program


def blocks_that_differ(program: Program, grid: tuple[int, int, int]) -> int:
    """How many blocks, from the first on, must be looked at; the rest of the grid repeats them.

    One when control flow depends on nothing that differs between blocks, a row (or a plane) of the grid when
    it depends on the x index (or on x and y) alone, and otherwise all.
    """
    executed = np.flatnonzero(slicing.for_counting(program) == isa.EXECUTE)
    axes = max((_differs(program.effects[i]) for i in executed), default=SAME_IN_ALL_BLOCKS)
    return int(np.prod(grid[:axes]))


def _differs(effect: Effects) -> int:
    """How an instruction's result may differ between blocks, as a number of the grid's axes."""
    return DIFFERS if isa.SPACE_GLOBAL in effect.memory_reads else effect.block
