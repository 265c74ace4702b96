"""The Pareto front of several objectives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.answers.cases import cases_of
from dse.answers.front import find_front, pareto_front
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
