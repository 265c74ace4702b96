"""L2's bandwidth for reads past L1, writes and both, as measured (benchmarks/silicon/micro/l2/mixed_bandwidth)."""

from pathlib import Path

import pytest

from simcore.simulation import simulate
from simcore.validation.pairing import pair
from simcore.validation.reading import read_measurements

SILICON = Path(__file__).parents[3] / "silicon"


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_reads_past_l1_and_writes_share_the_way_to_l2(gpu: str) -> None:
    measured = read_measurements(SILICON / gpu / "mixed_bandwidth.jsonl.gz")
    wide = [
        m for m in measured.measurements if m.parameters["width"] == 16 and m.parameters["block_size"] == 1024
    ]
    assert len(wide) == 11
    for point in wide:
        recipe = pair([point], None)[0].recipe
        assert recipe is not None
        predicted = simulate(**recipe.launch(gpu)).time_us
        assert predicted == pytest.approx(point.time_us, rel=0.15), point.parameters
