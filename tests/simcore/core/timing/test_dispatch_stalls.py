"""How warps wait where reads of registers do not fit, as measured (benchmarks/silicon/micro/core/register_traffic)."""

import pytest

from testing import silicon_data

SHARED_LOAD, GLOBAL_LOAD, SPECIAL = 1, 4, 8


@pytest.mark.parametrize("op", [SHARED_LOAD, GLOBAL_LOAD, SPECIAL])
@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_a_warp_whose_stall_count_has_run_out_is_held_by_the_dispatcher(gpu: str, op: int) -> None:
    measured, predicted = silicon_data.stalls("register_traffic", gpu, op=op, mix=8, reads=3, block_size=512)
    for reason in ("wait", "dispatch_stall"):
        assert predicted[reason] == pytest.approx(measured[reason], abs=0.25 if op == SPECIAL else 0.15)
