"""Sectors and words of a line, a bit each."""

from simcore.core.geometry import SECTOR_MASK, SECTOR_WORDS, SECTORS
from simcore.core.isa import FULL_MASK
from simcore.core.jit import jit_inline, lowest_bit


@jit_inline()
def sectors_of(words):
    """The sectors, a bit each, that hold some of a line's words, a bit each."""
    sectors = 0
    for sector in range(SECTORS):
        sectors |= (1 if words >> (SECTOR_WORDS * sector) & SECTOR_MASK else 0) << sector
    return sectors


@jit_inline()
def count_of(sectors):
    """The number of sectors of a line, a bit each."""
    return (sectors & 1) + (sectors >> 1 & 1) + (sectors >> 2 & 1) + (sectors >> 3)


@jit_inline()
def whole_sectors(words):
    """The sectors, a bit each, that a line's words, a bit each, fill."""
    sectors = 0
    for sector in range(SECTORS):
        sectors |= (1 if words >> (SECTOR_WORDS * sector) & SECTOR_MASK == SECTOR_MASK else 0) << sector
    return sectors


@jit_inline()
def is_whole(words):
    """Whether the words fill their sectors."""
    return whole_sectors(words) == sectors_of(words)


@jit_inline()
def is_end_of_a_row(words):
    """Whether the words, at least one, are neighbours and not all of their line."""
    in_place = words >> lowest_bit(words)
    return words != FULL_MASK and in_place & (in_place + 1) == 0
