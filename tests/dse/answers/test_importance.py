"""The importance of parameters: an analysis of variance on a full grid, estimates where only some were tried."""

from itertools import product

import numpy as np
import pytest

from dse.answers.importance import importance

SIZES = (2, 3, 4, 5, 2)
GRID = np.array([*product(*map(range, SIZES))])
#: By value: the second parameter matters most, the last not at all.
EFFECTS = ((0.0, 0.2), (0.0, 0.5, 1.5), (0.3, 0.0, 0.1, 0.1), (0.0, 0.0, 0.4, 0.1, 0.0), (0.0, 0.0))


def logarithms(points: np.ndarray) -> np.ndarray:
    alone = sum(np.array(effects)[points[:, place]] for place, effects in enumerate(EFFECTS))
    values: np.ndarray = alone + 0.3 * (points[:, 0] == 0) * (points[:, 1] == 2)
    return values


def test_a_full_grid_is_analysed_by_the_means_of_the_values() -> None:
    found, values = importance(logarithms(GRID), [*GRID.T], is_sample=False), logarithms(GRID)
    assert found is not None
    for place, share in enumerate(found.parameters):
        means = [values[GRID[:, place] == value].mean() for value in range(SIZES[place])]
        assert share == pytest.approx(np.var(means) / values.var())
    assert sum(found.parameters) + found.together == pytest.approx(1.0)
    assert found.together > 0


def test_a_sampler_that_likes_good_values_credits_no_other_with_them() -> None:
    whole = importance(logarithms(GRID), [*GRID.T], is_sample=False)
    random = np.random.default_rng(1)
    order = np.argsort(logarithms(GRID) + random.normal(0, 0.3, len(GRID)) + 0.8 * GRID[:, 4])
    some = GRID[np.concatenate([order[:70], random.permutation(order[70:])[:30]])]
    found = importance(logarithms(some), [*some.T], is_sample=True)
    assert whole is not None
    assert found is not None
    assert sum(found.parameters) + found.together == pytest.approx(1.0)
    assert np.abs(np.subtract(found.parameters, whole.parameters)).max() < 0.1
    assert found.parameters[4] < 0.02


def test_too_few_points_say_nothing() -> None:
    some = np.random.default_rng(0).permutation(GRID)[:15]
    assert importance(logarithms(some), [*some.T], is_sample=True) is None
    assert importance(np.zeros(len(GRID)), [*GRID.T], is_sample=False) is None
