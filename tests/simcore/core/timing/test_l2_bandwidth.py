"""L2's bandwidth for reads past L1, writes and both, as measured (benchmarks/silicon/micro/l2/mixed_bandwidth)."""

import pytest

from simcore import simulate
from testing.silicon_data import measured


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_reads_past_l1_and_writes_share_the_way_to_l2(gpu: str) -> None:
    wide = [
        point
        for point in measured("mixed_bandwidth", gpu)
        if point.measurement.parameters["width"] == 16 and point.measurement.parameters["block_size"] == 1024
    ]
    assert len(wide) == 11
    for point in wide:
        predicted = simulate(**point.recipe.launch(gpu)).time_us
        assert predicted == pytest.approx(point.time_us, rel=0.15), point.measurement.parameters
