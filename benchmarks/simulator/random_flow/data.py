"""What a program reads and leaves; numpy alone, for GPU machines."""

import numpy as np
from numpy.typing import NDArray

WARPS = 4
"""Each is a block of its own."""
LANES = 32
NOTES = 512
"""That a warp can leave: a place, and the lanes that were there. The last is written again when there are more."""

Words = NDArray[np.uint32]


def inputs(seed: int) -> Words:
    """A random word for each lane."""
    return np.random.PCG64(seed).random_raw(WARPS * LANES).astype(np.uint32)


def no_notes() -> Words:
    """[warp, note, (place, lanes)] before a launch."""
    return np.zeros((WARPS, NOTES, 2), np.uint32)
