"""What blocks touch is found without timing them, where that does not depend on time."""

from typing import Any

import numpy as np
import pytest

from simcore.session.request import LaunchRequest, TimingRequest
from simcore.session.session import prepare
from simcore.session.timing import run_launch
from simcore.session.touched import touched_in_any_order
from testing.silicon_data import measured, smallest_of_each
from testing.tiny_kernels import two_blocks


@pytest.mark.parametrize("gpu", ["h200", "a100-80gb"])
def test_it_is_what_the_timed_sm_touches(gpu: str) -> None:
    found = 0
    for point in smallest_of_each(measured("families"), 2e6)[::4]:
        run = run_launch(TimingRequest(**point.launch(gpu)))
        demand = touched_in_any_order(run.session, run.blocks)
        if demand is None:
            continue
        foreseen, timed = demand.footprint, run.sm.footprint
        assert (foreseen.seen == timed.seen).all(), point
        assert (foreseen.touched == timed.touched).all(), point
        assert (foreseen.written == timed.written).all(), point
        assert (foreseen.read == timed.read).all(), point
        assert (demand.fetched <= run.sm.fetched)[foreseen.written == 0].all(), point
        found += 1
    assert found > 3


@pytest.mark.parametrize(
    ("body", "depends"),
    [
        ("x[threadIdx.x] += y[threadIdx.x];", False),
        ("x[y[threadIdx.x] & 63] = 1;", False),
        ("x[x[threadIdx.x] & 63] = 1;", True),
        ("x[clock() & 63] = 1;", True),
        ("atomicAdd(x + threadIdx.x, 1);", True),
        ("x[atomicAdd(s, 1) & 63] = 1;", True),
        (
            "int a[64]; for (int i = 0; i < 64; ++i) a[i * threadIdx.x & 63] = y[i]; x[threadIdx.x] = a[threadIdx.x];",
            True,
        ),
    ],
)
def test_what_depends_on_time_is_left_to_timing(body: str, depends: bool) -> None:
    source = (
        f'extern "C" __global__ void k(int* x, const int* __restrict__ y) {{ __shared__ int s[64]; {body} }}'
    )
    session = prepare(LaunchRequest(**_launch(source)))
    assert (touched_in_any_order(session, np.arange(2)) is None) == depends


def test_what_ends_early_is_left_to_timing() -> None:
    source = 'extern "C" __global__ void k(int* x, const int* y) { x[threadIdx.x + 64] = y[0]; }'
    assert touched_in_any_order(prepare(LaunchRequest(**_launch(source))), np.arange(2)) is None


def _launch(source: str) -> dict[str, Any]:
    return two_blocks(source, [np.zeros(64, np.int32), np.zeros(64, np.int32)])
