"""What programs read, what they leave, and sums by which the latter is compared; numpy alone, for GPU machines."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

THREADS, BLOCKS = 64, 2
INPUTS = 8
"""Words that each thread reads."""
VARIABLES = 2
"""Of each type; what a thread puts out."""
TYPES = "uiUIfd"
OUTPUTS = VARIABLES * len(TYPES)
SPECIAL = 32
"""Threads that put out the value of a special function, which is compared within its error."""

CELLS = 8
"""Words of global memory that each kind of atomic acts on: 8 of 32 bits or 4 of 64."""
ATOMICS = ("Add", "Min", "Max", "And", "Or", "Xor", "Inc", "Dec")
WIDE_ATOMICS = ("Add", "Min", "Max", "And", "Or", "Xor")
ATOMIC_WORDS = (len(ATOMICS) + len(WIDE_ATOMICS) + 1) * CELLS
"""The last are of float, and start as zeros."""

_CORNERS = np.array([0, 1, 2, 31, 255, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF], np.uint32)
_SHIFTS = np.array([0, 0, 8, 24], np.uint32)
_SEVENTH = (1 << 16) // 7

Outputs = NDArray[np.uint64]
Words = NDArray[np.uint32]
Reals = NDArray[np.float32]


class Results(NamedTuple):
    """What a program leaves.

    Attributes:
        out: [thread, variable] bits, widened.
        cells: the words that atomics act on.
        special: the values of its special function.
    """

    out: Outputs
    cells: Words
    special: Reals

    @property
    def arrays(self) -> "list[NDArray[Any]]":
        """In the order of a kernel's arguments, which begin with its inputs."""
        return [self.out, self.cells, self.special]


def inputs(seed: int) -> Words:
    """What the program of a seed reads: random words, with corner cases and small numbers among them."""
    raw = np.random.PCG64(seed).random_raw(THREADS * BLOCKS * INPUTS)
    words, choice = raw.astype(np.uint32), (raw >> np.uint64(32)).astype(np.uint32)
    shifted = words >> _SHIFTS[choice & 3]
    is_corner = (choice >> 16) < _SEVENTH
    return np.asarray(np.where(is_corner, _CORNERS[choice >> 2 & 7], shifted), np.uint32)


def empty() -> Results:
    """What a launch starts from."""
    cells = np.arange(ATOMIC_WORDS, dtype=np.uint32) * np.uint32(0x9E37_79B9)
    cells[-CELLS:] = 0
    out = np.zeros((THREADS * BLOCKS, OUTPUTS), np.uint64)
    return Results(out, cells, np.zeros(SPECIAL, np.float32))


def sums(out: Outputs) -> Words:
    """A sum of each thread's variables, and of each variable over the threads: where they differ, a word does."""
    odd = (np.arange(out.size, dtype=np.uint64) * np.uint64(0x9E37_79B9_7F4A_7C15)) | np.uint64(1)
    mixed = (out ^ (out >> np.uint64(29))) * odd.reshape(out.shape)
    by_thread, by_variable = mixed.sum(1, dtype=np.uint64), mixed.sum(0, dtype=np.uint64)
    return (np.concatenate([by_thread, by_variable]) >> np.uint64(32)).astype(np.uint32)
