"""When bursts of memory instructions issue, as measured (benchmarks/silicon/micro/l1/issue_cadence)."""

import numpy as np
import pytest

from testing import silicon_data
from testing.cadence import LONGEST, measured_cycles, point_of, predicted_burst

LOAD, SHARED_LOAD, SHARED_STORE, SHUFFLE, SPECIAL, SHARED_LOAD_BEHIND_SPECIAL = 0, 7, 9, 10, 14, 16


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("operation", [LOAD, SHARED_LOAD, SHARED_STORE, SHUFFLE, SPECIAL])
def test_a_burst_issues_as_places_in_the_queues_become_free(operation: int, warps: int) -> None:
    point = _point(operation, warps)
    measured = np.array(measured_cycles(point)[1:])
    simulated = np.array(predicted_burst(point, LONGEST))
    both = min(len(measured), len(simulated))
    away = (simulated - simulated[0])[:both] - (measured - measured[0])[:both]
    assert np.abs(away).mean() <= 3.1


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_a_shared_load_does_not_wait_for_a_place_in_the_queue_to_the_adu(gpu: str) -> None:
    alone, followed = (
        measured_cycles(_point(operation, 1, gpu)) for operation in (SPECIAL, SHARED_LOAD_BEHIND_SPECIAL)
    )
    assert alone[5] - alone[4] == 5  # there are four places
    assert followed[4] - followed[3] < 2
    point = _point(SHARED_LOAD_BEHIND_SPECIAL, 1, gpu)
    *_, fourth, behind = predicted_burst(point, 5, gpu)
    assert behind - fourth < 2
    *_, fourth, fifth, _sixth, _behind = predicted_burst(point, 7, gpu)
    assert fifth - fourth == 5


def _point(operation: int, warps: int, gpu: str = silicon_data.GPU) -> silicon_data.Measured:
    return point_of("cadence_adu" if operation >= SPECIAL else "cadence", operation, warps, gpu)
