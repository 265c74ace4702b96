"""How well predictions agree: rank correlation, regret, scores of families, the dominant stall."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.validation import (
    Measurement,
    Prediction,
    order,
    rank_correlation,
    regret,
    score_families,
    summarise,
)

times = st.floats(0.5, 1e5)


pairs = st.lists(st.tuples(times, times), min_size=3, max_size=30)


def _prediction(family: str, measured: float, predicted: float, same: bool | None = True) -> Prediction:
    return Prediction(
        Measurement(family, "here", {}, measured), predicted, 1.0, 1.0, {}, same, same, same, same
    )


@given(pairs)
def test_rank_correlation_is_spearmans(pairs: list[tuple[float, float]]) -> None:
    measured, predicted = zip(*pairs, strict=True)
    expected = pd.Series(measured).rank().corr(pd.Series(predicted).rank())
    found = rank_correlation(measured, predicted)
    assert math.isnan(expected) if found is None else found == pytest.approx(expected)


@given(pairs, st.floats(0.1, 3))
def test_any_rising_function_of_the_measured_times_ranks_perfectly(
    pairs: list[tuple[float, float]], power: float
) -> None:
    measured = sorted({round(m, 3) for m, _ in pairs})
    if len(measured) >= 3:
        assert rank_correlation(measured, [m**power for m in measured]) == pytest.approx(1.0)
        assert rank_correlation(measured, [-m for m in measured]) == pytest.approx(-1.0)
        assert regret(measured, [m**power for m in measured]) == 0.0


def test_a_correlation_needs_three_points_that_differ() -> None:
    assert rank_correlation([1.0, 2.0], [1.0, 2.0]) is None
    assert rank_correlation([1.0, 2.0, 3.0], [5.0, 5.0, 5.0]) is None


def test_order_ignores_pairs_that_nobody_can_tell_apart() -> None:
    measured = [100.0, 104.0, 110.0, 200.0]
    assert order(measured, [2.0, 1.0, 3.0, 4.0]) == 1.0, "100 and 104 are a tie"
    assert order(measured, [1.0, 2.0, 4.0, 3.0]) == 0.8, "one of the five pairs that are 5 % apart is swapped"
    assert order(measured, [1.0, 1.0, 1.0, 1.0]) == 0.0, "equal predictions order nothing"
    assert order([100.0, 104.0], [1.0, 2.0]) is None


@given(pairs, st.floats(0.1, 3))
def test_order_is_kept_by_any_rising_function_of_the_measured_times(
    pairs: list[tuple[float, float]], power: float
) -> None:
    measured = [m for m, _ in pairs]
    if max(measured) >= 1.05 * min(measured):
        assert order(measured, [m**power for m in measured]) == 1.0
        assert order(measured, [-m for m in measured]) == 0.0


@given(pairs)
def test_regret_is_what_following_the_prediction_costs(pairs: list[tuple[float, float]]) -> None:
    measured, predicted = zip(*pairs, strict=True)
    picked = measured[predicted.index(min(predicted))]
    assert regret(measured, predicted) == pytest.approx(picked / min(measured) - 1)
    assert regret(measured, predicted) >= 0


def test_a_familys_score_is_over_its_variants_and_the_worst_family_comes_first() -> None:
    predictions = [
        _prediction("near", 10.0, 11.0),
        _prediction("near", 20.0, 18.0),
        _prediction("far", 10.0, 15.0, same=False),
        _prediction("far", 10.0, 10.0, same=None),
    ]
    far, near = score_families(predictions)
    assert (far.family, far.points, far.error, far.worst) == ("far", 2, 0.25, 0.5)
    assert (far.instructions, far.stall) == (0.0, 0.0), "what is not known does not count"
    assert near.error == pytest.approx(0.1)
    assert near.bias == pytest.approx(0.0)
    assert near.instructions == 1.0


def test_each_family_counts_once_over_families() -> None:
    predictions = [_prediction("one", 10.0, 9.0)] + [_prediction("many", 10.0, 13.0, None)] * 9
    mean, worst = summarise(score_families(predictions))
    assert mean.points == worst.points == 10
    assert mean.error == pytest.approx(0.2)
    assert mean.bias == pytest.approx(0.1)
    assert worst.error == pytest.approx(0.3)
    assert worst.bias == pytest.approx(0.3)
    assert mean.registers == 1.0, "the family without registers has no say"


STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"


@pytest.mark.parametrize(
    ("stalls", "dominant"),
    [
        ({"wait": 2.0, "barrier": 1.0, "selected": 9.0}, {"wait"}),
        ({"wait": 2.0, "barrier": 1.91}, {"wait", "barrier"}),
        ({"wait": 0.0, "barrier": 0.0}, set()),
        ({}, set()),
    ],
)
def test_stalls_within_five_percent_of_the_largest_are_dominant_too(
    stalls: dict[str, float], dominant: set[str]
) -> None:
    counters = {STALL.format(name): value for name, value in stalls.items()}
    assert Measurement("f", "here", {}, 1.0, counters).dominant_stalls == dominant
