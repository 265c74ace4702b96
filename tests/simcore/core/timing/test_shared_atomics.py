"""Atomics on shared memory take the time that they took on an H200 (benchmarks/silicon/micro/l1/compare_and_store)."""

import pytest

from testing.silicon_data import instructions, times

ADD, ADD_DOUBLE, EXCHANGE, COMPARE, EXCHANGE_64, COMPARE_64 = range(6)
"""`kind` of compare_and_store."""


@pytest.mark.parametrize("kind", [EXCHANGE, COMPARE, EXCHANGE_64, COMPARE_64])
@pytest.mark.parametrize(("together", "apart"), [(1, 1), (1, 4), (2, 2), (8, 1), (32, 1)])
@pytest.mark.parametrize("warps", [1, 16])
def test_a_bank_works_on_its_lanes_one_by_one(kind: int, together: int, apart: int, warps: int) -> None:
    """On one word or on several, twice as long where it compares."""
    measured, predicted = times(
        "shared_atomics", "h200", kind=kind, together=together, apart=apart, warps=warps, own=1
    )
    assert predicted == pytest.approx(measured, rel=0.12)


@pytest.mark.parametrize("kind", [ADD, ADD_DOUBLE])
@pytest.mark.parametrize(("together", "apart"), [(1, 1), (1, 4), (2, 2), (8, 1), (32, 1)])
@pytest.mark.parametrize("warps", [1, 16])
def test_lanes_that_meet_add_in_attempts(kind: int, together: int, apart: int, warps: int) -> None:
    measured, predicted = times(
        "shared_atomics", "h200", kind=kind, together=together, apart=apart, warps=warps, own=1
    )
    assert predicted == pytest.approx(measured, rel=0.07)


@pytest.mark.parametrize("bins", [16, 64, 2048])
@pytest.mark.parametrize(("warps", "off"), [(1, 0.03), (8, 0.12), (32, 0.08)])
def test_floats_are_added_to_random_words(bins: int, warps: int, off: float) -> None:
    """Half to nine tenths of the time were missing when lanes failed for words alone, and not for banks."""
    measured, predicted = times("shared_atomics", "h200", bins=bins, apart=1, warps=warps)
    assert predicted == pytest.approx(measured, rel=off)


@pytest.mark.parametrize("lanes", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("both", [0, 1])
def test_lanes_come_together_as_fast_as_measured(lanes: int, both: int) -> None:
    """Behind a branch that none, all, half, one or all but four take (benchmarks/silicon/micro/core/divergence)."""
    measured, predicted = times("divergence", "h200", lanes=lanes, both=both, length=32, block_size=32)
    assert predicted == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize("bins", [16, 64, 2048])
@pytest.mark.parametrize("warps", [1, 8, 32])
def test_warps_that_meet_try_again_as_often_as_measured(bins: int, warps: int) -> None:
    """187 instead of 47 instructions an addition by 32 warps on 16 words."""
    measured, predicted = instructions("shared_atomics", "h200", bins=bins, apart=1, warps=warps)
    assert predicted == pytest.approx(measured, rel=0.06)
