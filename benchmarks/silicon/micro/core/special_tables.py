"""Find the tables of the special function unit in what it gives (`special_values.py`).

    python -m benchmarks.silicon.micro.core.special_tables tests/silicon/h100-sxm/special_values TABLES.csv

The unit interpolates in intervals: c0 + c1 x + c2 x^2, of which the square leaves out the partial products of its
lowest columns. Oberman and Siu have the method (A High-Performance Area-Efficient Multifunction Interpolator, ARITH
2005).
For each interval a linear program finds real coefficients under which no result is off; integers near them are then
tried until every result of the interval comes out.
"""

import csv
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

INTERVALS = {"rcp": 128, "rsqrt": 64, "sqrt": 64, "ex2": 64, "lg2": 64, "sin": 64}
"""Of a binade of arguments; RCP has twice as many as the others."""

BINADE = 1 << 23
OFFSET_BITS, RESULT_BITS = 17, 41
"""Of an offset in its interval; of a result, which is a whole number of 2^-41."""
LOST_COLUMNS = 19
"""Of the squarer. Numbers from 15 to 20 were tried, here and on 16 bits."""
NEAR = (0, 1, 2, 4, 8)
"""How far from the real coefficients integers are looked for."""
MOST = 6000
"""Constraints that the linear program begins with."""


def measured(folder: Path, function: str) -> Floats:
    """The results, from 2^-32 on, in the order of their arguments."""
    with lzma.open(folder / f"{function}.npy.xz") as file:
        return np.cumsum(np.load(file), dtype=np.int32).view(np.float32).astype(np.float64)


def bounds(results: Floats) -> tuple[Ints, Ints]:
    """The least and the greatest whole number of 2^-RESULT_BITS that is cut off to each result."""
    ulp = np.exp2(np.floor(np.log2(np.maximum(results, 2.0**-RESULT_BITS))) - 23)
    least = np.ceil(results * 2.0**RESULT_BITS).astype(np.int64)
    return least, np.maximum(np.ceil((results + ulp) * 2.0**RESULT_BITS).astype(np.int64) - 1, least)


def square(offsets: Ints) -> Ints:
    """In 2^OFFSET_BITS, without the partial products of the lowest columns; those of two bits count twice."""
    lost = np.zeros_like(offsets)
    for bit in range((LOST_COLUMNS + 1) // 2):
        set_bits = offsets >> bit & 1
        lost += set_bits << 2 * bit
        for other in range(bit + 1, LOST_COLUMNS - 1 - bit):
            lost += (set_bits & offsets >> other) << (bit + other + 1)
    return (offsets * offsets - lost) >> OFFSET_BITS


def coefficients(least: Ints, greatest: Ints, offsets: Ints) -> tuple[int, int, int]:
    """Integers with which each result is in its bounds."""
    squares = square(offsets)
    _, slope, curve = _real(least, greatest, offsets, squares)
    for near in NEAR:
        for c1 in range(round(slope) - near, round(slope) + near + 1):
            for c2 in range(round(curve) - near, round(curve) + near + 1):
                rest = c1 * offsets + c2 * squares
                c0 = int((least - rest).max())
                if c0 <= (greatest - rest).min():
                    return c0, c1, c2
    raise ValueError("no integers fit")


def _real(least: Ints, greatest: Ints, offsets: Ints, squares: Ints) -> tuple[float, float, float]:
    """Real coefficients by which the bounds are missed least; constraints are added until no other one is missed."""
    scale = 2.0**OFFSET_BITS
    columns = np.stack([np.ones(len(offsets)), offsets / scale, squares / scale], axis=1)
    low, high = (least - least[0]) / scale, (greatest - least[0]) / scale
    steps = np.flatnonzero(np.diff(least))
    used = np.union1d([0, len(offsets) - 1], np.union1d(steps, steps + 1))
    used = used[:: max(len(used) // MOST, 1)]
    while True:
        lower = np.column_stack([-columns[used], -np.ones(len(used))])
        upper = np.column_stack([columns[used], -np.ones(len(used))])
        limits = np.concatenate([-low[used], high[used]])
        found = linprog([0, 0, 0, 1], np.vstack([lower, upper]), limits, bounds=[(None, None)] * 4).x
        missed = np.maximum(low - columns @ found[:3], columns @ found[:3] - high)
        worst = np.setdiff1d(np.argsort(missed)[-300:], used)
        if not len(worst) or missed[worst].max() <= found[3] + 1e-7:
            return found[0], found[1], found[2]
        used = np.union1d(used, worst)


def rows(folder: Path) -> Iterator[tuple[str, int, int, int, int]]:
    """Function, interval and coefficients of all tables. The result for 1 is left out where it is no result of them."""
    for function, count in INTERVALS.items():
        results = measured(folder, function)
        width = BINADE // count
        offsets = np.arange(width, dtype=np.int64) * (1 << OFFSET_BITS) // width
        for interval in range(len(results) // width):
            first = interval == 0 and function in ("rsqrt", "lg2")
            own = slice(interval * width + first, (interval + 1) * width)
            yield function, interval, *coefficients(*bounds(results[own]), offsets[first:])


def main() -> None:
    """Find and write."""
    folder, output = (Path(argument) for argument in sys.argv[1:])
    with output.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("function", "interval", "c0", "c1", "c2"))
        for row in rows(folder):
            writer.writerow(row)
            file.flush()


if __name__ == "__main__":
    main()
