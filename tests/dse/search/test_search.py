"""What a search promises: valid points, each at most once, the same for a seed, whatever arrives first."""

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.search import (
    EXHAUSTIVE,
    EarlierResult,
    Search,
    SearchSettings,
    Suggestion,
    caution,
    plan_search,
    start_search,
)
from dse.search.sampled import window
from dse.search.samplers import SAMPLERS, check_sampler
from dse.store import SweepSpec
from search_spaces import Space, parse_space

GPUS = ("a100-80gb", "h100-sxm", "b200")
INSTALLED = [name for name in SAMPLERS if name not in ("cmaes", "gp")]

SOURCE = 'extern "C" __global__ void k(int n) { use(A, C, P0, P1, P2, P3, P4, P5); }'
SPACE = """
kernel: k
parameters:
  a: [1, 2, 3, 4, 5, 6]
  register_cap: [none, 32, 64, 128]
  c: [row, column, tile]
gpu: [a100-80gb]
constraints: ["a % 2 == 0 or a == 3"]
launch: {grid: 1, block: 32}
arguments: [{name: n, type: int32, value: 1}]
objectives: [minimize time_us]
"""
SPACE_OF_TWO_OBJECTIVES = SPACE.replace("[minimize time_us]", "[minimize time_us, maximize ipc]")


def make_space(text: str = SPACE) -> Space:
    return parse_space(text, SOURCE)


def search_for(space: Space, gpus: Sequence[str], *, seed: int = 0, **budget: Any) -> Search:
    """The search that is planned for a budget."""
    return start_search(space, gpus, plan_search(space, gpus, **budget), seed)


def value(suggestion: Suggestion) -> float | None:
    """A time with its minimum at a = 4, c = tile; one kind of point fails."""
    a, c = suggestion.point["a"], suggestion.point["c"]
    return None if a == 2 else abs(int(a or 0) - 4) + (0.0 if c == "tile" else 2.0)


def drain(search: Search, order: Callable[[list[Suggestion]], Suggestion] | None = None) -> list[Suggestion]:
    """All suggestions; as soon as the search waits, one result is told, which `order` picks."""
    asked: list[Suggestion] = []
    waiting: list[Suggestion] = []
    while True:
        suggestion = search.ask()
        if suggestion:
            asked.append(suggestion)
            waiting.append(suggestion)
        elif waiting:
            told = order(waiting) if order else waiting[0]
            waiting.remove(told)
            result = value(told)
            search.tell(told, None if result is None else [result])
        else:
            return asked


def keys(suggestions: Sequence[Suggestion]) -> list[tuple[int, str, int]]:
    return sorted((suggestion.number, suggestion.gpu, suggestion.index) for suggestion in suggestions)


def test_without_a_limit_every_point_is_explored_on_every_gpu_in_index_order() -> None:
    space = make_space()
    plan, search = plan_search(space, GPUS), search_for(space, GPUS)
    suggestions = drain(search)
    indices = [space.index(point) for point in space.points()]
    assert plan.search == EXHAUSTIVE
    assert plan.total == len(suggestions) == 3 * len(indices)
    assert [suggestion.number for suggestion in suggestions] == list(range(plan.total))
    for gpu in GPUS:
        assert [suggestion.index for suggestion in suggestions if suggestion.gpu == gpu] == indices


def test_values_may_be_as_large_as_an_argument() -> None:
    space = make_space(SPACE.replace("launch:", 'values: {huge: "18446744073709551615 - 0 * a"}\nlaunch:'))
    assert len(drain(search_for(space, GPUS[:1], trials=6, sampler="surrogate"))) == 6


@pytest.mark.parametrize(
    ("trials", "timeout_s", "expected"),
    [
        (None, None, EXHAUSTIVE),
        (48, None, "surrogate"),
        (144, None, EXHAUSTIVE),
        (143, None, "surrogate"),
        (None, 9, "surrogate"),
    ],
)
def test_the_budget_decides_between_all_points_and_a_sampler(
    trials: int | None, timeout_s: float | None, expected: str
) -> None:
    space = make_space()
    assert space.count() == 48
    assert plan_search(space, GPUS, trials, timeout_s).search == expected


@pytest.mark.parametrize("sampler", INSTALLED)
def test_samplers_suggest_valid_points_once_with_fair_shares(sampler: str) -> None:
    space = make_space()
    search = search_for(space, GPUS, trials=100, sampler=sampler, seed=3)
    suggestions = drain(search)
    assert len(suggestions) == 100
    assert all(space.is_valid(suggestion.point) for suggestion in suggestions)
    assert all(space.index(suggestion.point) == suggestion.index for suggestion in suggestions)
    assert len({(suggestion.gpu, suggestion.index) for suggestion in suggestions}) == 100
    assert len({suggestion.number for suggestion in suggestions}) == 100
    shares = [sum(suggestion.gpu == gpu for suggestion in suggestions) for gpu in GPUS]
    assert shares == [34, 33, 33]


@pytest.mark.parametrize("sampler", INSTALLED)
def test_a_sampler_reaches_every_point_in_the_end(sampler: str) -> None:
    space = make_space()
    search = search_for(space, GPUS[:1], timeout_s=60, sampler=sampler)
    assert {suggestion.index for suggestion in drain(search)} == {space.index(p) for p in space.points()}


@pytest.mark.parametrize("sampler", INSTALLED)
@settings(max_examples=5, deadline=None)
@given(shuffle=st.integers(0, 1000))
def test_suggestions_do_not_depend_on_the_order_of_results(sampler: str, shuffle: int) -> None:
    space, picks = make_space(), random.Random(shuffle)
    in_order = drain(search_for(space, GPUS[:2], trials=60, sampler=sampler, seed=1))
    shuffled = drain(search_for(space, GPUS[:2], trials=60, sampler=sampler, seed=1), picks.choice)
    assert keys(in_order) == keys(shuffled)


def test_seeds_differ_and_more_trials_begin_with_the_same_points() -> None:
    space = make_space()

    def suggested(trials: int, seed: int) -> list[tuple[int, str, int]]:
        return keys(drain(search_for(space, GPUS, trials=trials, seed=seed)))

    assert suggested(40, seed=1) != suggested(40, seed=2)
    assert suggested(100, seed=1)[:40] == suggested(40, seed=1)


@pytest.mark.parametrize("sampler", INSTALLED)
def test_the_first_point_of_the_space_is_among_the_first_four_on_every_gpu(sampler: str) -> None:
    space = make_space()
    suggestions = drain(search_for(space, GPUS, trials=30, seed=5, sampler=sampler))
    first = space.index(next(space.points()))
    assert {s.gpu for s in suggestions[:12] if s.index == first} == set(GPUS)


def test_every_workload_is_searched_on_its_own_with_a_fair_share() -> None:
    space = make_space(SPACE.replace("gpu:", "workload: c\ngpu:"))
    suggestions = drain(search_for(space, GPUS[:2], trials=40, seed=5))
    shares = Counter((s.gpu, s.point["c"]) for s in suggestions)
    assert sorted(shares.values()) == [6, 6, 7, 7, 7, 7]
    assert len({(s.gpu, s.index) for s in suggestions}) == 40
    assert all(space.index(s.point) == s.index for s in suggestions)
    firsts = [space.index(next(space.at_workload(workload).points())) for workload in space.workloads()]
    assert Counter(s.index for s in suggestions[:24] if s.index in firsts) == Counter(firsts * 2)


def test_a_search_of_a_space_without_end_begins_at_once() -> None:
    parameters = "".join(f"  p{place}: {list(range(100))}\n" for place in range(6))
    text = f"kernel: k\nparameters:\n{parameters}{SPACE[SPACE.index('gpu:') :]}"
    space = make_space(re.sub("constraints.*", "", text))
    plan = plan_search(space, GPUS, timeout_s=1.0)
    search = start_search(space, GPUS, plan, seed=0)
    assert plan.total == 2**31 - 1
    assert [search.ask().number for _ in range(6)] == list(range(6))  # type: ignore[union-attr]
    with pytest.raises(InputError, match="set --trials or --timeout"):
        plan_search(space, GPUS)


def test_tpe_finds_the_optimum_of_a_smooth_space_in_half_of_it() -> None:
    suggestions = drain(search_for(make_space(), GPUS[:1], trials=24, seed=0))
    assert any(value(suggestion) == 0 for suggestion in suggestions)


def test_two_objectives_are_searched_too() -> None:
    space = make_space(SPACE_OF_TWO_OBJECTIVES)
    search = search_for(space, GPUS[:1], trials=20, sampler="nsga2")
    for _ in range(20):
        suggestion = search.ask()
        assert suggestion is not None
        search.tell(suggestion, [1.0, 2.0])
    assert search.ask() is None


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"sampler": "tpee"}, "did you mean 'tpe'"),
        ({"sampler": "magic"}, "surrogate, tpe, random, nsga2"),
        ({"trials": 2}, "leaves a GPU without any; give at least 3, one for each GPU"),
    ],
)
def test_requests_that_cannot_work_are_refused(request_: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_search(make_space(), GPUS, **request_)  # type: ignore[arg-type]


def test_a_sampler_of_one_objective_refuses_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dse.search.samplers.find_spec", lambda package: object())
    with pytest.raises(InputError, match="supports one objective, but the space has 2"):
        check_sampler("cmaes", objectives=2)


def test_points_to_begin_with_come_first_at_every_workload() -> None:
    space = make_space(SPACE.replace("gpu:", "workload: c\ngpu:"))
    wanted = {"a": 4, "register_cap": 64}
    for sampler in ("surrogate", "tpe"):
        search = search_for(
            space, GPUS[:1], trials=30, sampler=sampler, settings=SearchSettings(first=[wanted])
        )
        begun = [search.ask() for _ in range(3)]
        assert [suggestion and suggestion.point for suggestion in begun] == [
            {**wanted, "c": word} for word in ("row", "column", "tile")
        ]


def test_patience_ends_a_study_that_finds_nothing_better() -> None:
    space = make_space()
    patient = search_for(space, GPUS[:1], settings=SearchSettings(patience=12), seed=2)
    suggestions = drain(patient)
    found = [value(suggestion) for suggestion in suggestions]
    best = min(time for time in found if time is not None)
    assert len(suggestions) < 48
    assert 12 <= len(found) - 1 - found.index(best) <= 12 + window(len(found), studies=1)
    assert keys(suggestions) == keys(
        drain(search_for(space, GPUS[:1], settings=SearchSettings(patience=12), seed=2))
    )


def test_a_result_of_an_earlier_sweep_is_learnt() -> None:
    space = make_space()
    everything = [
        EarlierResult("h200", point, [float(int(point["a"] or 0) != 3) + 1.0]) for point in space.points()
    ]
    search = search_for(space, GPUS[:1], trials=20, settings=SearchSettings(earlier=everything))
    assert [s.point["a"] for s in drain(search)[1:3]] == [3, 3]


def test_points_that_cannot_be_launched_are_counted_and_not_asked_for() -> None:
    text = SPACE.replace("block: 32", "block: 256 * a")
    space = make_space(text)
    for sampler in ("surrogate", "random"):
        search = search_for(space, GPUS[:1], trials=24, sampler=sampler)
        suggestions = drain(search)
        assert {s.point["a"] for s in suggestions} == {2, 3, 4}
        [(gpu, reason)] = search.excluded
        assert gpu == GPUS[0]
        assert "1536 threads" in reason or search.excluded[gpu, reason] == 12


def test_large_spaces_are_searched_among_points_from_all_over_them() -> None:
    parameters = "".join(f"  p{place}: {list(range(8))}\n" for place in range(6))
    text = f"kernel: k\nparameters:\n{parameters}{SPACE[SPACE.index('gpu:') :]}"
    space = make_space(re.sub("constraints.*", "", text))
    search = search_for(space, GPUS[:1], trials=40)
    best = float("inf")
    for _ in range(40):
        suggestion = search.ask()
        assert suggestion is not None
        time = 1.0 + sum(abs(int(value or 0) - 5) for value in suggestion.point.values())
        best = min(best, time)
        search.tell(suggestion, [time])
    assert best <= 5.0  # among random points, one in 600 is as good


@pytest.mark.parametrize(
    ("sampler", "options", "message"),
    [
        ("tpe", {"n_startup": 5}, "no option 'n_startup'; did you mean 'n_startup_trials'"),
        ("surrogate", {"beta": 1}, "'surrogate' has no options"),
        ("nsga2", {"population_size": 1}, "refuses its options: .*population_size"),
    ],
)
def test_options_that_a_sampler_does_not_have_are_refused(
    sampler: str, options: dict[str, bool | int | float | str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        plan_search(make_space(), GPUS, 60, sampler=sampler, settings=SearchSettings(options))


@pytest.mark.parametrize(
    ("sampler", "trials", "options", "expected"),
    [
        ("tpe", 60, {}, "60 trials are 10 for each of 6 studies: all random; 180 would let tpe learn"),
        ("tpe", 60, {"n_startup_trials": 5}, None),
        ("tpe", 66, {}, None),
        ("nsga2", 66, {}, "11 for each of 6 studies"),
        ("random", 60, {}, None),
        ("surrogate", 60, {}, None),
        (
            "surrogate",
            12,
            {},
            "12 trials are 2 for each GPU and workload: too few to know the best of them; 30 would",
        ),
    ],
)
def test_a_budget_that_leaves_every_study_at_random_says_so(
    sampler: str, trials: int, options: dict[str, int], expected: str | None
) -> None:
    spec = SweepSpec(
        name="k",
        space_yaml="",
        source="",
        gpus=GPUS,
        parameters={"n": (64, 512), "a": (1, 2, 3)},
        workload=("n",),
        sampler=sampler,
        total=trials,
        search=SearchSettings(options).stored,
    )
    message = caution(spec)
    assert message is None if expected is None else expected in (message or "")
