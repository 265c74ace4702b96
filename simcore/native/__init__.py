"""Kernels translated to machine code of this processor, 32 lanes in vector registers, to execute whole grids.

The interpreter (`simcore.core.execution`) is the reference: a stretch leaves to it whatever it does not know, one
instruction at a time, and both give the same bits. So nothing here decides what an instruction means for a prediction.
"""

from simcore.native.access import make_usual_ones
from simcore.native.compiled import Stretch, stretch_of
from simcore.native.target import QUICKLY, WELL
from simcore.native.vectors import ROW_ALIGNMENT

__all__ = ["QUICKLY", "ROW_ALIGNMENT", "WELL", "Stretch", "make_usual_ones", "stretch_of"]
