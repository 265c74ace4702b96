"""Which blocks of a grid may execute another number of instructions than the first one.

Control flow can differ between blocks only through what the blocks do not have in common: their indices, the
contents of global memory, the SM that they run on and its clock. When none of these is among the instructions
that control flow depends on, all blocks do the same.
"""

import numpy as np

from simcore.analysis import slicing
from simcore.core import isa
from simcore.lowering.program import Program

_GLOBAL_READS = (isa.LOAD, isa.ATOMIC, isa.COPY_TO_SHARED)
_BLOCK_INDEX = (isa.SPECIAL_CTAID_X, isa.SPECIAL_CTAID_Y, isa.SPECIAL_CTAID_Z)
_OF_THE_MOMENT = (isa.SPECIAL_CLOCK, isa.SPECIAL_SMID)


def blocks_that_differ(program: Program, grid: tuple[int, int, int]) -> int:
    """How many blocks, from the first on, must be looked at; the rest of the grid repeats them.

    One when control flow depends on nothing that differs between blocks, a row (or a plane) of the grid when
    it depends on the x index (or on x and y) alone, and otherwise all.
    """
    code = program.code[slicing.for_counting(program) == isa.EXECUTE]
    operations = code["operation"]
    special = set(code["value"][operations == isa.S2R].tolist())
    is_global = np.isin(code["space"], (isa.SPACE_GLOBAL, isa.SPACE_GENERIC))
    reads_global = np.isin(operations, _GLOBAL_READS) & is_global
    reads_clock = (operations == isa.CLOCK) & (code["value"] != 0)
    if reads_global.any() or reads_clock.any() or special.intersection(_OF_THE_MOMENT):
        axes = 3
    else:
        axes = max((axis for axis, index in enumerate(_BLOCK_INDEX, start=1) if index in special), default=0)
    return int(np.prod(grid[:axes]))
