"""Enumeration is exact, ordered and lazy: held against a brute-force filter of the whole product."""

import itertools
import json
import time
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search_spaces import Point, Space, SpaceError, Value, parse_space

#: A space and its valid points; None where there are none.
Case = tuple[Space, list[Point]] | None
MACROS = ["A", "B", "C", "D", *(f"P{number}" for number in range(64))]
SOURCE = f'extern "C" __global__ void k(float* out) {{ use({", ".join(MACROS)}); }}'
RULES = [
    "a % b == 0",
    "a + c > d",
    "b * d <= area",
    "a != 2",
    "c == 1 or d == 1",
    "a <= b",
    "double >= 4",
    "area > 1",
]


def make_space(
    parameters: Mapping[str, Sequence[Value]],
    constraints: Sequence[str],
    values: Mapping[str, str] | None = None,
) -> Space:
    text = {
        "kernel": "k",
        "parameters": parameters,
        "gpu": ["h200"],
        "constraints": constraints,
        "values": values or {},
        "launch": {"grid": 1, "block": 32},
    }
    return parse_space(json.dumps(text), SOURCE)


lists = st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True)


@st.composite
def spaces(draw: st.DrawFn) -> Case:
    """A space with valid points, and its valid points by brute force."""
    parameters = {name: draw(lists) for name in "abcd"}
    constraints = draw(st.lists(st.sampled_from(RULES), max_size=4, unique=True))
    values = {"double": "a + c", "area": "double * b - 1"}
    valid: list[Point] = []
    for combination in itertools.product(*parameters.values()):
        point = dict(zip(parameters, combination, strict=True))
        names = {**point, "double": point["a"] + point["c"]}
        names["area"] = names["double"] * names["b"] - 1
        if all(eval(rule, {}, names) for rule in constraints):
            valid.append(point)
    if not valid:
        with pytest.raises(SpaceError, match="no point satisfies"):
            make_space(parameters, constraints, values)
        return None
    return make_space(parameters, constraints, values), valid


@given(spaces())
@settings(deadline=None)
def test_points_are_those_of_brute_force_in_index_order(case: Case) -> None:
    if case is None:
        return
    space, valid = case
    assert list(space.points()) == valid
    assert space.count() == len(valid)
    indices = [space.index(point) for point in valid]
    assert indices == sorted(indices)
    assert [space.point(index) for index in indices] == valid
    assert [space.is_valid(space.point(index)) for index in range(space.size)].count(True) == len(valid)


@given(spaces())
@settings(deadline=None)
def test_index_and_point_are_inverse_over_the_whole_product(case: Case) -> None:
    if case is None:
        return
    space, _ = case
    assert [space.index(space.point(index)) for index in range(space.size)] == list(range(space.size))


@given(spaces(), st.data())
@settings(deadline=None)
def test_neighbours_are_the_valid_points_one_parameter_away(case: Case, data: st.DataObject) -> None:
    if case is None:
        return
    space, valid = case
    point = data.draw(st.sampled_from(valid))

    def steps(other: Point) -> list[int]:
        lists = space.parameters
        return [abs(lists[name].index(other[name]) - lists[name].index(point[name])) for name in lists]

    one_away = [other for other in valid if sum(step > 0 for step in steps(other)) == 1]
    adjacent = [other for other in one_away if max(steps(other)) == 1]
    by_index = space.index
    assert sorted(space.neighbours(point), key=by_index) == one_away
    assert sorted(space.neighbours(point, "adjacent"), key=by_index) == adjacent


@given(spaces(), st.integers(0, 20), st.integers(0, 5))
@settings(deadline=None)
def test_a_sample_is_distinct_valid_and_repeatable(case: Case, n: int, seed: int) -> None:
    if case is None:
        return
    space, valid = case
    sample = space.sample(n, seed)
    assert len(sample) == min(n, len(valid))
    assert len({space.index(point) for point in sample}) == len(sample)
    assert all(space.is_valid(point) for point in sample)
    assert space.sample(n, seed) == sample


TEN = list(range(10))


@pytest.mark.parametrize(
    "constraints",
    [
        ["p0 == 9 and p11 == 9"],
        ["p11 == 9"],
        ["p0 + p11 == 18"],
        ["total == 108"],
    ],
)
def test_the_first_point_of_a_huge_space_comes_at_once(constraints: list[str]) -> None:
    parameters = {f"p{position}": TEN for position in range(12)}
    parts = {f"p{position}": [9] for position in range(2, 11)} if "total == 108" in constraints else {}
    total = {"total": " + ".join(parameters)}
    start = time.perf_counter()
    space = make_space({**parameters, **parts}, constraints, total)
    first = next(iter(space.points()))
    assert time.perf_counter() - start < 2
    assert (first["p11"], space.is_valid(first)) == (9, True)


def test_a_huge_space_is_counted_and_sampled_without_walking_it() -> None:
    parameters = {f"p{position}": TEN for position in range(12)}
    space = make_space(parameters, ["p0 < p11", "p3 % 2 == 0"])
    assert space.size == 10**12
    assert space.count() == 45 * 5 * 10**9
    assert all(space.is_valid(point) for point in space.sample(20, seed=1))


def test_a_sample_of_rare_points_is_exact() -> None:
    space = make_space({"a": list(range(300)), "b": list(range(300))}, ["a == 7", "b % 100 == 3"])
    assert {point["b"] for point in space.sample(9, seed=0)} == {3, 103, 203}


def test_questions_about_other_points_are_refused() -> None:
    space = make_space({"a": [1, 2], "b": [1, 2]}, [])
    with pytest.raises(SpaceError, match="points 0 to 3"):
        space.point(4)
    with pytest.raises(SpaceError, match="a = 5 is not one of 1, 2"):
        space.index({"a": 5, "b": 1})
    with pytest.raises(SpaceError, match="has no b"):
        space.is_valid({"a": 1})
    with pytest.raises(SpaceError, match="unknown parameter aa; did you mean a"):
        space.launch({"a": 1, "b": 1, "aa": 1})
    with pytest.raises(SpaceError, match="use hamming or adjacent"):
        space.neighbours({"a": 1, "b": 1}, "near")  # type: ignore[arg-type]


def test_a_constraint_that_fails_names_itself_and_the_point() -> None:
    with pytest.raises(SpaceError, match=r"constraints\[0\]: `b % a` divides by zero.*a = 0, b = 1"):
        make_space({"a": [0, 1], "b": [1, 2]}, ["b % a == 0"])
