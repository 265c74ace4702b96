"""Constants that lanes load from different addresses, as measured (micro/front_end/constant_lookups)."""

import pytest

from testing.silicon_data import times


def cycles_of_a_round(**parameters: int) -> tuple[float, float]:
    """Measured and predicted cycles from one round of lookups to the next."""
    (long, predicted_long), (short, predicted_short) = (
        times("constant_lookups", "h200", rounds=rounds, **parameters) for rounds in (192, 64)
    )
    return (long - short) * 1980 / 128, (predicted_long - predicted_short) * 1980 / 128


@pytest.mark.parametrize("words", [1, 2, 8, 32])
def test_a_warp_waits_for_one_word_after_the_other(words: int) -> None:
    measured, predicted = cycles_of_a_round(WORDS=words, STRIDE=1, TWO=0, warps=1)
    assert predicted == pytest.approx(measured, rel=0.05)


@pytest.mark.parametrize(("words", "stride"), [(2, 1), (8, 1), (8, 16), (32, 16)])
def test_the_warps_of_an_sm_share_its_rate_for_words(words: int, stride: int) -> None:
    measured, predicted = cycles_of_a_round(WORDS=words, STRIDE=stride, TWO=1, warps=16)
    assert predicted == pytest.approx(measured, rel=0.05)
