"""When special functions issue, as measured (benchmarks/silicon/micro/l1/issue_cadence)."""

import numpy as np
import pytest

from testing.cadence import measured_cycles, point_of, predicted_burst

LONGEST = 5  # of the bursts that are looked at

MUFU, POPC = 12, 13


@pytest.mark.parametrize("operation", [MUFU, POPC])
@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_one_instruction_may_wait_for_the_special_function_unit(gpu: str, operation: int) -> None:
    point = point_of("cadence_special", operation, 1, gpu)
    measured = np.diff(measured_cycles(point)[1 : LONGEST + 1])
    assert np.diff(predicted_burst(point, LONGEST, gpu)).tolist() == measured.tolist()
