"""Constants that lanes load from different addresses, as measured (micro/front_end/constant_lookups)."""

from pathlib import Path

import pytest

from simcore.simulation import simulate
from simcore.validation.pairing import pair
from simcore.validation.reading import read_measurements

MEASURED = Path(__file__).parents[3] / "silicon" / "h200" / "constant_lookups.jsonl.gz"


def cycles_of_a_round(**parameters: int) -> tuple[float, float]:
    """Measured and predicted cycles from one round of lookups to the next."""
    measured = read_measurements(MEASURED).measurements
    long, short = (
        next(m for m in measured if dict(m.parameters) == parameters | {"rounds": rounds})
        for rounds in (192, 64)
    )
    recipes = [pair([point], None)[0].recipe for point in (long, short)]
    predicted = [simulate(**recipe.launch("h200")).time_us for recipe in recipes if recipe is not None]
    return (long.time_us - short.time_us) * 1980 / 128, (predicted[0] - predicted[1]) * 1980 / 128


@pytest.mark.parametrize("words", [1, 2, 8, 32])
def test_a_warp_waits_for_one_word_after_the_other(words: int) -> None:
    measured, predicted = cycles_of_a_round(WORDS=words, STRIDE=1, TWO=0, warps=1)
    assert predicted == pytest.approx(measured, rel=0.05)


@pytest.mark.parametrize(("words", "stride"), [(2, 1), (8, 1), (8, 16), (32, 16)])
def test_the_warps_of_an_sm_share_its_rate_for_words(words: int, stride: int) -> None:
    measured, predicted = cycles_of_a_round(WORDS=words, STRIDE=stride, TWO=1, warps=16)
    assert predicted == pytest.approx(measured, rel=0.05)
