"""Shared loads that bring two registers at once, as measured (benchmarks/silicon/micro/l1/broadcast_reads)."""

from typing import Any

import pytest

from simcore import SimulationResult, simulate
from testing import silicon_data

GPUS = ("h200", "h100-sxm")
BROADCAST: dict[str, Any] = {
    "reads": 1,
    "same": 32,
    "apart": 1,
    "uniform": 0,
    "from_l1": 0,
    "block_size": 1024,
}
EACH_ITS_OWN = BROADCAST | {"same": 1, "apart": 32}


def prediction(**parameters: int) -> SimulationResult:
    point = next(p for p in silicon_data.measured("broadcast_reads") if p.record["parameters"] == parameters)
    return simulate(**point.launch())


@pytest.mark.parametrize("mix", [8, 12, 16, 24])
@pytest.mark.parametrize(("width", "off"), [(4, 0.02), (8, 0.05), (16, 0.14)])
@pytest.mark.parametrize("gpu", GPUS)
def test_pairs_cost_the_scheduler_cycles(gpu: str, width: int, off: float, mix: int) -> None:
    measured, predicted = silicon_data.times("broadcast_reads", gpu, width=width, mix=mix, **BROADCAST)
    assert predicted == pytest.approx(measured, rel=off)


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("gpu", GPUS)
def test_registers_that_come_one_by_one_cost_little(gpu: str, width: int) -> None:
    measured, predicted = silicon_data.times("broadcast_reads", gpu, width=width, mix=16, **EACH_ITS_OWN)
    assert predicted == pytest.approx(measured, rel=0.05)


def test_warps_wait_for_pairs_where_the_scheduler_is_busy() -> None:
    pairs, own = prediction(width=8, mix=8, **BROADCAST), prediction(width=8, mix=8, **EACH_ITS_OWN)
    assert pairs.stalls["short_scoreboard"] > 3.0 * own.stalls["short_scoreboard"]
    assert pairs.time_us > 1.02 * own.time_us  # measured 1.05
