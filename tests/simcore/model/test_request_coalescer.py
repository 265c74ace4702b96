"""Requests of several SMs for the same lines: what L2 gives then, as a profile says and as measured.

Measured by benchmarks/silicon/micro/l2/raster on an H200.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import load_gpu
from simcore.model.request_coalescer import coalesced_cost
from testing import silicon_data

GPU = load_gpu("h200")


@given(st.floats(1, 132))
def test_sms_that_read_together_wait_no_longer_than_one_by_itself(sms: float) -> None:
    alone, together = coalesced_cost(GPU, np.array([1.0, sms]))
    assert alone == 1.0 >= together >= min(GPU.l2_coalesced_costs)


@pytest.mark.parametrize("power", range(1, 8))
def test_costs_are_those_of_the_profile(power: int) -> None:
    assert coalesced_cost(GPU, np.array([2.0**power])) == GPU.l2_coalesced_costs[power - 1]


@pytest.mark.parametrize("tiles", [48, 96])
@pytest.mark.parametrize("group", [4, 16, 48])
def test_the_loads_of_a_matrix_product_are_as_fast_as_on_an_h200(tiles: int, group: int) -> None:
    """Rows and columns of tiles read the same panels at the same time: L2 alone would take a fifth to a half longer."""
    measured, predicted = silicon_data.times(
        "l2_reuse", "h200", tiles=tiles, group=group, shared_kib=0, panel_kib=128
    )
    assert predicted == pytest.approx(measured, rel=0.2)
