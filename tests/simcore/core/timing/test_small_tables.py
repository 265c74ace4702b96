"""Words of tables that all SMs read, from L2 and through L1, as measured (benchmarks/silicon/micro: l2/small_tables,
l1/random_words)."""

import pytest

from testing.silicon_data import times

GPUS = ("h200", "h100-sxm")


@pytest.mark.parametrize("table_kb", [16, 64, 128, 256, 1024])
@pytest.mark.parametrize("gpu", GPUS)
def test_lone_words_of_few_lines_wait_for_busy_slices(gpu: str, table_kb: int) -> None:
    measured, predicted = times("small_tables", gpu, table_kb=table_kb, group=1, steps=64)
    assert predicted == pytest.approx(measured, rel=0.12)


@pytest.mark.parametrize("gpu", GPUS)
def test_whole_lines_do_not(gpu: str) -> None:
    measured, predicted = times("small_tables", gpu, table_kb=16, group=32, steps=64)
    assert predicted == pytest.approx(measured, rel=0.12)


@pytest.mark.parametrize("table_kb", [16, 64, 128])
@pytest.mark.parametrize("gpu", GPUS)
def test_a_table_that_l1_holds_comes_there_as_slowly(gpu: str, table_kb: int) -> None:
    point = {"table_kb": table_kb, "group": 1, "unroll": 1, "warps": 32, "steps": 128}
    measured, predicted = times("random_words", gpu, **point)
    assert predicted == pytest.approx(measured, rel=0.08)
