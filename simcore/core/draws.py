"""What looks drawn at random, but is the same for the same number: SplitMix64."""

import numpy as np

from simcore.core.jit import entry, jit_inline

SPREAD = 0x9E37_79B9_7F4A_7C15
"""The golden ratio's bits."""

FIRST_SHIFT, FIRST, SECOND_SHIFT, SECOND, LAST_SHIFT = (
    30,
    0xBF58_476D_1CE4_E5B9,
    27,
    0x94D0_49BB_1331_11EB,
    31,
)
"""Steps after the product with these."""


@entry()
def draw(numbers, drawn):
    """Draw 64 bits for each of some numbers."""
    for i in range(numbers.size):
        drawn[i] = bits_of(numbers[i])


@jit_inline()
def bits_of(number):
    """The 64 bits of a number."""
    bits = np.uint64(number) * np.uint64(SPREAD)
    bits = (bits ^ bits >> np.uint64(FIRST_SHIFT)) * np.uint64(FIRST)
    bits = (bits ^ bits >> np.uint64(SECOND_SHIFT)) * np.uint64(SECOND)
    return bits ^ bits >> np.uint64(LAST_SHIFT)
