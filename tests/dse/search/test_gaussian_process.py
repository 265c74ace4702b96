"""What the surrogate knows: a process conditioned row by row, fitted by a search of ours, agrees with the textbook."""

import numpy as np
import pytest

from dse.search.gaussian_process import Covariance, Process, fitted
from dse.search.minimum import minimum

RANDOM = np.random.default_rng(5)
PLACES = RANDOM.random((40, 3))
ROWS = [(task, int(point)) for point in RANDOM.permutation(40)[:12] for task in (0, 1)]
VALUES = np.array([np.sin(4 * PLACES[point, 0]) + 0.1 * task for task, point in ROWS])
COVARIANCE = Covariance(np.array([9.0, 1.0, 0.3]), noise=1e-3, likeness=0.8)


def _matern(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    distance = np.sqrt(5 * ((some[:, None] - others[None]) ** 2 @ COVARIANCE.weights))
    return np.asarray((1 + distance + distance**2 / 3) * np.exp(-distance))


def _textbook(task: int, known: int) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances, of 1, of a task's candidates: universal kriging with a mean for each task."""
    tasks = np.array([row[0] for row in ROWS])
    places = PLACES[[row[1] for row in ROWS]]
    alike = np.where(tasks[:, None] == tasks, 1.0, COVARIANCE.likeness)
    matrix = _matern(places, places) * alike + COVARIANCE.noise * np.eye(len(ROWS))
    across = _matern(places, PLACES) * np.where(tasks == task, 1.0, COVARIANCE.likeness)[:, None]
    variances = 1 - (across * np.linalg.solve(matrix, across)).sum(axis=0)
    first, design = matrix[:known, :known], (tasks[:known, None] == [0, 1]).astype(float)
    weighted = design.T @ np.linalg.inv(first)
    means = np.linalg.solve(weighted @ design, weighted @ VALUES[:known])
    rest = np.linalg.solve(first, VALUES[:known] - design @ means)
    return means[task] + rest @ across[:known], variances


@pytest.mark.parametrize("begun", [0, 1, 10])
@pytest.mark.parametrize("task", [0, 1])
def test_rows_at_once_or_one_after_another_say_what_the_textbook_says(begun: int, task: int) -> None:
    process = Process(COVARIANCE, [PLACES, PLACES.copy()])
    if begun:
        process.begin(ROWS[:begun])
        process.predict(task, VALUES[:begun])
    for row in ROWS[begun:]:
        process.add(*row)
    means, deviations = process.predict(task, VALUES[:16])
    expected, variances = _textbook(task, 16)
    assert means == pytest.approx(expected, abs=1e-3)
    scale = (deviations**2 / variances).mean()
    assert deviations**2 == pytest.approx(scale * variances, abs=2e-3 * scale)


def test_without_results_nothing_but_the_distance_to_the_rows_is_known() -> None:
    process = Process(COVARIANCE, [PLACES])
    process.add(0, 7)
    means, deviations = process.predict(0, np.zeros(0))
    assert not means.any()
    assert deviations.argmin() == 7
    assert process.telling(0, np.arange(40)).argmax() != 7


def test_a_fit_finds_which_coordinate_matters_and_that_tasks_are_alike() -> None:
    tasks = np.array([row[0] for row in ROWS])
    places = PLACES[[row[1] for row in ROWS]]
    centred = VALUES - np.array([VALUES[tasks == task].mean() for task in (0, 1)])[tasks]
    found = fitted(Covariance.prior(3), places, tasks, centred)
    assert found.weights[0] > 3 * max(found.weights[1:])
    assert found.likeness > Covariance.prior(3).likeness
    apart = fitted(Covariance.prior(3), places, tasks, np.where(tasks == 0, centred, -centred))
    assert apart.likeness < Covariance.prior(3).likeness


def test_a_minimum_lies_within_the_bounds() -> None:
    def valley(place: np.ndarray) -> tuple[float, np.ndarray]:
        """Rosenbrock's, whose minimum is at 1, 1."""
        x, y = place
        slope = np.array([-2 * (1 - x) - 400 * x * (y - x**2), 200 * (y - x**2)])
        return float((1 - x) ** 2 + 100 * (y - x**2) ** 2), slope

    start, low = np.array([-1.2, 1.0]), np.array([-2.0, -2.0])
    assert minimum(valley, start, low, np.array([2.0, 2.0]), 100, 1e-9) == pytest.approx([1, 1], abs=1e-3)
    bounded = minimum(valley, start, low, np.array([0.5, 2.0]), 100, 1e-9)
    assert bounded == pytest.approx([0.5, 0.25], abs=1e-3)
