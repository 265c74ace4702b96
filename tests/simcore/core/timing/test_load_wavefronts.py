"""Loads that hit L1, of 512 draws of where lanes lie, as measured (benchmarks/silicon/micro/l1/load_wavefronts)."""

import pytest

from testing.silicon_data import times


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_wide_loads_pass_the_banks_by_halves_and_quarters_of_a_warp(gpu: str, width: int) -> None:
    measured, predicted = times("load_wavefronts", gpu, counted=0, bytes=width, first_shape=0)
    assert predicted == pytest.approx(measured, rel=0.1)
