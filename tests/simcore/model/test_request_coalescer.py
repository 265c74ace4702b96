"""Requests of several SMs for the same lines: what L2 gives then, as a profile says and as measured.

Measured by benchmarks/silicon/micro/l2/raster on an H200.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Buffer, compile_cuda, load_gpu
from simcore.model.occupancy import occupancy
from simcore.model.request_coalescer import coalesced_cost
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare
from testing import silicon_data

GPU = load_gpu("h200")


BLOCKS = 1024


def cost(in_a_row: float, distance: int = 0, far_apart: float = 0.0) -> float:
    """Of blocks of a launch in one wave, of which some at a distance read a share at the same time."""
    launch = prepare(
        LaunchRequest(
            cubin=compile_cuda('extern "C" __global__ void k(float* x) { x[blockIdx.x] = 1; }', "h200"),
            grid=BLOCKS,
            block=128,
            arguments=[Buffer("float32", BLOCKS)],
            gpu="h200",
        )
    ).launch
    room = occupancy(GPU, 128, 32, 0)
    others = np.array([distance] if distance else [], np.int64), np.full((int(distance > 0), 1), far_apart)
    (found,) = coalesced_cost(GPU, launch, room, GPU.sms, np.array([in_a_row]), *others)
    return float(found)


SHARES = st.floats(0, 1)


@settings(max_examples=25, deadline=None)
@given(SHARES, st.integers(1, BLOCKS), SHARES)
def test_sms_that_read_together_wait_no_longer_than_one_by_itself(
    in_a_row: float, distance: int, far_apart: float
) -> None:
    least = min(GPU.l2_coalesced_cost, *GPU.l2_coalesced_costs_apart)
    assert least <= cost(in_a_row, distance, far_apart) <= 1.0


def test_sms_that_never_read_in_step_wait_as_long_as_one_by_itself() -> None:
    assert cost(0.0) == cost(0.0, 16, 0.0) == 1.0


@pytest.mark.parametrize("power", range(1, 8))
def test_costs_are_those_of_the_profile(power: int) -> None:
    assert cost(1.0) == GPU.l2_coalesced_cost
    assert cost(0.0, BLOCKS >> power, 1.0) == GPU.l2_coalesced_costs_apart[power - 1]


@pytest.mark.parametrize("readers", [1, 2])
@pytest.mark.parametrize("apart", [0, 1])
def test_two_blocks_in_a_row_get_their_lines_at_the_rate_of_an_h200(readers: int, apart: int) -> None:
    """Without the coalescer those of two readers would take 7.0 us as well."""
    measured, predicted = silicon_data.times(
        "hot_slices", "h200", loads=27, warps=24, apart=apart, readers=readers
    )
    assert predicted == pytest.approx(measured, rel=0.1)


@pytest.mark.parametrize("group", [4, 16, 132])
def test_blocks_that_read_in_step_are_as_fast_as_on_an_h200(group: int) -> None:
    measured, predicted = silicon_data.times(
        "read_together", "h200", group=group, apart=0, block_size=1024, megabytes=24
    )
    assert predicted == pytest.approx(measured, rel=0.1)


def test_blocks_that_each_begin_elsewhere_do_not_read_in_step() -> None:
    measured, predicted = silicon_data.times("shared_reads", "h200", who=1, block_size=1024, megabytes=24)
    assert predicted == pytest.approx(measured, rel=0.1)


@pytest.mark.parametrize("tiles", [48, 96])
@pytest.mark.parametrize("group", [4, 16, 48])
def test_the_loads_of_a_matrix_product_are_as_fast_as_on_an_h200(tiles: int, group: int) -> None:
    """Rows and columns of tiles read the same panels at the same time: L2 alone would take a fifth to a half longer."""
    measured, predicted = silicon_data.times(
        "l2_reuse", "h200", tiles=tiles, group=group, shared_kib=0, panel_kib=128
    )
    assert predicted == pytest.approx(measured, rel=0.2)
