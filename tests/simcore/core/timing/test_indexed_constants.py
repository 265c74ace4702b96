"""Constants that uniform registers index, as measured (benchmarks/silicon/micro/front_end/indexed_constants)."""

import pytest

from testing.silicon_data import times

GPUS = ("h200", "h100-sxm")


@pytest.mark.parametrize(
    ("stride", "span", "warps", "within"),
    [
        pytest.param(1, 2048, 1, 0.1, id="each line once"),
        pytest.param(1, 448, 1, 0.12, id="lines of one set, more than it has ways"),
        pytest.param(27, 16, 1, 0.06, id="sixteen lines by the same index"),
        pytest.param(16, 448, 4, 0.18, id="sixteen lines that move: known lines by a new index"),
        pytest.param(16, 448, 16, 0.06, id="the same, four warps a scheduler"),
        pytest.param(27, 7168, 32, 0.06, id="the same, eight, farther apart"),
    ],
)
@pytest.mark.parametrize("gpu", GPUS)
def test_a_warp_waits_for_a_line_by_an_index_that_its_cache_has_not(
    gpu: str, stride: int, span: int, warps: int, within: float
) -> None:
    point = {"stride": stride, "span": span, "groups": 1, "arithmetic": 1, "warps": warps}
    measured, predicted = times("indexed_constants", gpu, **point)
    assert predicted == pytest.approx(measured, rel=within)
