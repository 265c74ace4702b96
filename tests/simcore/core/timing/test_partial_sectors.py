"""Sectors that are written in two parts, as measured by benchmarks/silicon/micro/l2/half_sectors."""

from pathlib import Path

import pytest

from simcore.simulation import simulate
from simcore.validation.measurement import Measurement
from simcore.validation.pairing import pair
from simcore.validation.reading import read_measurements

SILICON = Path(__file__).parents[3] / "silicon"
MEBIBYTE = 1 << 20


def _measured(gpu: str, reads: int, writes: int) -> Measurement:
    """The launch on 128 MB an array whose stores of 128 bits take every other half of a sector."""
    wanted = {"split": 1, "reads": reads, "writes": writes, "block_size": 256, "megabytes": 128}
    points = pair(read_measurements(SILICON / gpu / "half_sectors.jsonl.gz").measurements, None)
    (found,) = (p for p in points if p.family == "half_sectors" and dict(p.parameters) == wanted)
    return found


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
@pytest.mark.parametrize(("reads", "writes"), [(0, 2), (1, 2), (2, 1), (2, 2)])
def test_sectors_that_are_completed_soon_are_not_read(gpu: str, reads: int, writes: int) -> None:
    """One array read and two written are predicted 21 % too fast on an H100, the others within 9 %."""
    measurement = _measured(gpu, reads, writes)
    assert measurement.recipe
    result = simulate(**measurement.recipe.launch(gpu))
    assert result.time_us == pytest.approx(
        measurement.time_us, rel=0.22 if (gpu, reads, writes) == ("h100-sxm", 1, 2) else 0.15
    )
    assert result.dram_bytes <= 1.01 * (reads + writes) * 128 * MEBIBYTE
