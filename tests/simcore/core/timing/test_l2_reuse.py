"""What L2 keeps of the lines that all SMs touch: as a plain model says, and as measured.

Measured by benchmarks/silicon/micro/l2/random_lines and raster on an H200.
"""

from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.core.l2_replay import (
    ACCESS_LINE_SHIFT,
    HOME_SHIFT,
    SECTORS_SHIFT,
    SET_SHIFT,
    STAYS_SHIFT,
    WRITE_SHIFT,
    empty_places,
    replay,
)
from simcore.session.sampled_l2 import brings
from simcore.simulation import simulate
from simcore.validation.measurement import Measurement
from simcore.validation.pairing import pair
from simcore.validation.reading import read_measurements

SILICON = Path(__file__).parents[3] / "silicon"
MEASURED = pair(read_measurements(SILICON / "h200" / "l2_reuse.jsonl.gz").measurements, None)

LINES, SETS = 12, 2
Access = tuple[int, int, bool, int]


class Side:
    """Sectors of the lines of each set that were used last."""

    def __init__(self, ways: int) -> None:
        self.ways = ways
        self.sets = [OrderedDict[int, int]() for _ in range(SETS)]

    def of(self, line: int) -> OrderedDict[int, int]:
        """The lines of its set."""
        return self.sets[line % SETS]

    def use(self, line: int) -> int:
        """The sectors that were there."""
        lines = self.of(line)
        sectors = lines.pop(line, 0)
        if len(lines) == self.ways:
            lines.popitem(last=False)
        lines[line] = sectors
        return sectors


def brought(accesses: list[Access], home: list[int], stays: list[bool], ways: int) -> list[float]:
    """Bytes of each line that DRAM brings, two sectors at a time."""
    sides, missed = [Side(ways), Side(ways)], [0.0] * LINES
    for line, sectors, is_write, own in accesses:
        far = home[line]
        if is_write:
            for side in (far, own) if stays[line] else (own,):
                sides[side].use(line)
                sides[side].of(line)[line] |= sectors
            continue
        before = sides[own].use(line)
        missing = sectors & ~before
        if missing:
            known = before if own == far else sides[far].of(line).get(line, 0)
            fetched = sum(pair_of for pair_of in (0b0011, 0b1100) if missing & pair_of & ~known)
            missed[line] += 32 * fetched.bit_count()
            if stays[line] or line in sides[far].of(line):
                sides[far].use(line)
                sides[far].of(line)[line] |= fetched
                sides[own].of(line)[line] |= sides[far].of(line)[line] & missing
            else:
                sides[own].of(line)[line] |= fetched | missing
    return missed


@settings(deadline=None)  # the first example compiles
@given(
    st.lists(st.tuples(st.integers(0, LINES - 1), st.integers(1, 15), st.booleans(), st.integers(0, 1))),
    st.lists(st.integers(0, 1), min_size=LINES, max_size=LINES),
    st.lists(st.booleans(), min_size=LINES, max_size=LINES),
    st.integers(1, 5),
)
def test_each_set_of_each_side_keeps_what_was_used_last(
    accesses: list[Access], home: list[int], stays: list[bool], ways: int
) -> None:
    shifts = (ACCESS_LINE_SHIFT, SECTORS_SHIFT, WRITE_SHIFT, 0)
    in_order = (np.array(accesses, np.int64).reshape(-1, 4) << shifts).sum(axis=1)
    places = empty_places(LINES, 2, SETS, ways, brings(1))
    sets = np.arange(LINES) % SETS
    places.state[:] = np.array(home) << HOME_SHIFT | np.array(stays, int) << STAYS_SHIFT | sets << SET_SHIFT
    replay(in_order, 0, places)
    assert places.missed.tolist() == brought(accesses, home, stays, ways)


def points(family: str, **parameters: object) -> list[Measurement]:
    return [m for m in MEASURED if m.family == family and parameters.items() <= m.parameters.items()]


@pytest.mark.parametrize("table_mb", [24, 40, 64, 128, 512])
def test_a_table_read_at_random_comes_from_dram_in_part(table_mb: int) -> None:
    (point,) = points("random_lines", table_mb=table_mb, lanes=1, skew=1, blocks=8448)
    assert point.recipe is not None
    result = simulate(**point.recipe.launch("h200"))
    moved = point.counters["dram__bytes_read.sum"] + point.counters["dram__bytes_write.sum"]
    assert result.dram_bytes == pytest.approx(moved, rel=0.1, abs=2e7)
    assert result.time_us == pytest.approx(point.time_us, rel=0.1)


def test_the_order_of_tiles_decides_what_dram_brings() -> None:
    """Strips of 1, 4, 16 and 48 rows of tiles: each less than the one before, on the GPU and here."""
    found = []
    for point in points("raster", tiles=96, shared_kib=100, panel_kib=512):
        assert point.recipe is not None
        read = point.counters["dram__bytes_read.sum"]
        result = simulate(**point.recipe.launch("h200"))
        assert result.dram_bytes == pytest.approx(read, rel=0.4, abs=1e8)
        found.append((point.parameters["group"], read, result.dram_bytes))
    assert [group for group, _, _ in found] == [1, 4, 16, 48]
    for column in (1, 2):
        amounts = [row[column] for row in found]
        assert amounts == sorted(amounts, reverse=True)
