"""Sparse matrices by rows and graphs, generated from their sizes and a distribution."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from search_spaces.contents import DataPart

#: The weight of the row of rank r is r to the power of minus this: few rows have most of the nonzeros, as nodes of
#: the web have links (Broder et al., "Graph structure in the Web", 2000: 2.1 for the degrees, so 1 / 1.1 by rank).
POWER_BY_RANK = 0.9


def array_of(part: DataPart) -> NDArray[np.int64]:
    """One array: the same for the same description, and its parts fit each other."""
    offsets, columns = _rows(part.rows, part.columns, part.nonzeros, part.rows_are, part.seed)
    return offsets if part.part == "offsets" else columns


@lru_cache(maxsize=2)
def _rows(
    rows: int, columns: int, nonzeros: int, rows_are: str, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    random = np.random.Generator(np.random.PCG64(seed))
    lengths = _lengths(rows, columns, nonzeros, rows_are, random)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(rows), lengths)
    # Ascending numbers up to columns - length, each raised by its place in the row: ascending and distinct.
    drawn = np.floor(random.random(nonzeros) * (columns - lengths[row] + 1)).astype(np.int64)
    ascending = drawn[np.lexsort((drawn, row))]
    return offsets, ascending + np.arange(nonzeros) - offsets[row]


def _lengths(
    rows: int, columns: int, nonzeros: int, rows_are: str, random: np.random.Generator
) -> NDArray[np.int64]:
    """How many nonzeros each row has: `nonzeros` together, and `columns` at most in any."""
    if rows_are == "equal":
        return np.full(rows, nonzeros // rows) + (np.arange(rows) < nonzeros % rows)
    weights = np.ones(rows)
    if rows_are == "power_law":
        weights = random.permutation(np.arange(1, rows + 1) ** -POWER_BY_RANK)
    lengths = random.multinomial(nonzeros, weights / weights.sum())
    while (excess := int(np.maximum(lengths - columns, 0).sum())) > 0:
        lengths = np.minimum(lengths, columns)
        room = np.flatnonzero(lengths < columns)
        lengths[room] += random.multinomial(excess, np.full(len(room), 1 / len(room)))
    return lengths
