"""The rules of turns run what a few lanes of an H100 did in its order."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulator.few_lanes.comparison import AGAIN, alike, excess, steps_of
from benchmarks.simulator.few_lanes.kernels import cubin

MEASURED = Path(__file__).parents[1] / "silicon" / "h100-sxm" / "flow_traces" / "few_lanes.npz"


@pytest.mark.parametrize("kernel", ["inner", "two", "three"])
def test_parts_of_a_few_lanes_run_in_the_order_measured(kernel: str) -> None:
    notes = np.load(MEASURED)[f"{kernel}_few_notes"][:100].astype(np.int64)
    assert alike(steps_of(cubin(kernel), "k"), notes) == len(notes)


@pytest.mark.parametrize("kernel", ["inner", "two", "three"])
def test_it_takes_longer_where_an_amended_barrier_lets_lanes_go(kernel: str) -> None:
    notes = list(np.load(MEASURED)[f"{kernel}_few_notes"].astype(np.int64))
    longer = excess(steps_of(cubin(kernel), "k"), notes)
    assert len(longer[1]) > 10
    assert min(longer[1]) >= AGAIN > 2 * np.median(longer[0])
