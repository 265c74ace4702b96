"""The Pareto front of several objectives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.answers.cases import cases_of
from dse.answers.front import find_front, hypervolumes, pareto_front
from dse.errors import InputError
from dse.store import SweepSpec, VariantRecord

OBJECTIVES = (("minimize", "time_us"), ("maximize", "ipc"))


def spec(objectives: tuple[tuple[str, str], ...]) -> SweepSpec:
    return SweepSpec("dot", "", "", ("a", "b"), {"unroll": (1, 2, 4, 8)}, objectives=objectives)


def test_each_gpu_has_its_front_by_the_directions_of_the_objectives() -> None:
    figures: dict[str, list[tuple[float, float | None]]] = {
        "a": [(10.0, 1.0), (12.0, 2.0), (13.0, 1.5), (9.0, None)],
        "b": [(5.0, 1.0), (5.0, 2.0)],
    }
    trials = [
        VariantRecord(gpu, index, index, {"unroll": 2**index}, time, others=(ipc,))
        for gpu, each in figures.items()
        for index, (time, ipc) in enumerate(each)
    ]
    found = find_front(spec(OBJECTIVES), cases_of(spec(OBJECTIVES), trials))
    assert [trial.place for trial in found] == [("a", 0), ("a", 1), ("b", 1)]


def test_a_single_objective_has_no_front() -> None:
    with pytest.raises(
        InputError, match="needs several objectives, and this sweep only has `minimize time_us`"
    ):
        find_front(spec(OBJECTIVES[:1]), {})


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_a_front_is_what_nothing_beats(rows: list[tuple[int, int, int]]) -> None:
    values = np.array(rows, dtype=float).reshape(-1, 3)
    front = {tuple(values[row]) for row in pareto_front(values)}
    beaten = {
        one
        for one in set(map(tuple, values))
        for other in values
        if (other <= one).all() and (other < one).any()
    }
    assert front == set(map(tuple, values)) - beaten


def test_a_hypervolume_is_the_area_that_the_first_trials_dominate() -> None:
    values = np.array([[4.0, 4.0], [2.0, 3.0], [3.0, 2.0], [3.5, 3.5], [0.0, 4.0]])
    # Against (4, 4): nothing; 2 x 1; and 1 x 2 without the 1 x 1 that both dominate; what is beaten adds nothing.
    assert hypervolumes(values, [1, 2, 3, 4, 5]) == pytest.approx([0, 2 / 3, 1, 1, 1])


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30))
def test_a_hypervolume_counts_the_cells_that_are_dominated(rows: list[tuple[int, int]]) -> None:
    values = np.array(rows, dtype=float)
    worst = values.max(axis=0).astype(int)
    cells = [
        sum(
            any(one <= x and other <= y for one, other in rows[:count])
            for x in range(worst[0])
            for y in range(worst[1])
        )
        for count in range(1, len(rows) + 1)
    ]
    expected = [each / cells[-1] if cells[-1] else 1.0 for each in cells]
    assert hypervolumes(values, range(1, len(rows) + 1)) == pytest.approx(expected)
