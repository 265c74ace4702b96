"""How long a launch lasts whose blocks wait for the clock, and by how much longer where it stores, as on an H200."""

from itertools import product

import pytest

from simcore import simulate
from testing.silicon_data import point_of


def times(stores: int, wait: int, blocks: int) -> tuple[float, float]:
    """As measured and as predicted, µs."""
    point = point_of("last_stores", "last_stores", stores=stores, wait=wait, blocks=blocks)
    return point.time_us, simulate(**point.recipe.launch("h200")).time_us


@pytest.mark.parametrize(("stores", "wait", "blocks"), list(product((0, 1, 2), (1000, 16000), (1, 132))))
def test_a_launch_waits_for_the_clock_as_long_as_measured(stores: int, wait: int, blocks: int) -> None:
    measured, predicted = times(stores, wait, blocks)
    assert predicted == pytest.approx(measured, abs=0.2)


def test_a_launch_that_stores_lasts_longer_whenever_it_does() -> None:
    """Before its blocks wait, as well as behind that."""
    (_, none), (_, first), (_, last) = (times(stores, 16000, 132) for stores in (0, 1, 2))
    assert 0.1 < first - none < 0.25
    assert last == pytest.approx(first, abs=0.02)
