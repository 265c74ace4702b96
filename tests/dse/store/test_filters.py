"""The filter language: what it selects, and how it shows the place of a mistake."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import ColumnElement

from dse.store import FilterError, Store, TrialQuery
from dse.store.filters import parse_filter
from search_spaces import Point
from testing.dot_sweeps import SPEC, failure, indices, trial


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("params.unroll >= 2 and metrics.time_us < 8", {4, 5, 7, 8, 10}),
        ("params.unroll = 4", {2, 5, 8, 11}),
        ("unroll = 4 and time_us < 8", {5, 8}),
        ("params.unroll in (1, 4) AND NOT params.layout = 'row'", {6, 8, 9, 11}),
        ("params.register_cap = none", {0, 2, 4, 6, 8, 10}),
        ("params.register_cap != 32", {0, 2, 4, 6, 8, 10}),
        ("params.register_cap > 16 and number <= 3", {1, 3}),
        ("params.layout like 'col%' and point_index < 8", {6, 7}),
        ("params.layout != 'row'", {6, 7, 8, 9, 10, 11}),
        ("(params.unroll = 1 or params.unroll = 2) and number > 8", {9, 10}),
        ("state = 'failed'", {11}),
        ('reason = "LaunchError"', {11}),
        ("metrics.time_us is null", {11}),
        ("metrics.time_us >= 9.5e0 and gpu = 'h200' and source = 'new'", {0}),
        ("gpu in ('h200', 'b200') and metrics.stall_wait is not null", set()),
        ("gpu not like 'h%'", set()),
        ("gpu like 'H%'", set()),
        ("gpu ilike 'H2%' and number = 3", {3}),
        ("params.mixed = 8 or params.mixed = 'auto'", {0, 1, 3, 4, 6, 7, 9, 10}),
        ("params.mixed > 8", {2, 5, 8, 11}),
        ("number < 99999999999999999999 and number > 10", {11}),
    ],
)
def test_filters_select(store: Store, sweep: int, filter: str, expected: set[int]) -> None:
    store.record(sweep, [trial(index) for index in range(11)])
    store.record(sweep, [trial(11, outcome=failure("x", "LaunchError"))])
    assert set(indices(store, sweep, filter)) == expected


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("params.gpu.l2_bytes > 40e6", {0, 2}),
        ("params.gpu.l2_bytes = 26214400", {1, 3}),
        ("params.gpu.l2_bytes = '50MB'", {0, 2}),
        ("params.gpu.l2_bytes in (1, 26214400)", {1, 3}),
        ("params.gpu.sms = 132 and params.gpu.l2_bytes < 3e7", {1}),
    ],
)
def test_a_number_of_the_gpu_is_compared_without_its_unit_or_as_it_is_written(
    store: Store, filter: str, expected: set[int]
) -> None:
    sizes, sms = ("50MB", "25MB"), (132, 144)
    spec = replace(SPEC, parameters={"gpu.l2_bytes": sizes, "gpu.sms": sms})
    sweep = store.create_sweep(spec).id
    points: list[Point] = [
        {"gpu.l2_bytes": sizes[index % 2], "gpu.sms": sms[index // 2]} for index in range(4)
    ]
    store.record(sweep, [replace(trial(index), parameters=point) for index, point in enumerate(points)])
    assert set(indices(store, sweep, filter)) == expected


@pytest.mark.parametrize(
    ("filter", "message", "mark"),
    [
        ("params.unrol = 4", "no parameter 'unrol'; did you mean 'unroll'?", 0),
        ("metrics.tme_us > 1", "no metric 'tme_us'; did you mean 'time_us'?", 0),
        ("metrics.speed > 1", "no metric 'speed'; there are time_us, cycles", 0),
        ("params.x = 4", "no parameter 'x'; this sweep has unroll, register_cap, layout, mixed", 0),
        ("gpus = 'h200'", "no name 'gpus'; did you mean 'gpu'?", 0),
        ("unrol = 4", "no name 'unrol'; did you mean 'unroll'?", 0),
        ("tim_us < 4", "no name 'tim_us'; did you mean 'time_us'?", 0),
        ("color = 'red'", "no name 'color'; there are params.<name>, metrics.<name>, gpu", 0),
        ("gpu = h200", "expected a number, text in quotes", 6),
        ("gpu = 200", "gpu contains text: write it in quotes", 6),
        ("params.unroll = '4'", "params.unroll contains numbers: write one without quotes", 16),
        ("params.unroll = 'none'", "without quotes, and none without quotes, too", 16),
        ("params.unroll < none", "none can only be compared with = and !=", 20),
        ("number == 1", "equality is a single =", 8),
        ("gpu = 'h200", "this character is only allowed in quotes", 6),
        ("gpu like 4", "like takes text in quotes", 10),
        ("(gpu = 'h200'", "expected ')'", 13),
        ("gpu = 'h200' gpu = 'b200'", "expected 'and', 'or' or the end", 13),
        ("gpu", "expected one of = != < <= > >= like ilike in is after gpu", 3),
        ("number + 1 = 2", "this character is only allowed in quotes", 7),
        ("__import__('os')", "no name '__import__'", 0),
        ("and", "no name 'and'", 0),
        ("4 = params.unroll", "expected a name, such as params.unroll", 0),
    ],
)
def test_a_bad_filter_is_shown_its_place(
    store: Store, sweep: int, filter: str, message: str, mark: int
) -> None:
    with pytest.raises(FilterError) as refused:
        store.trials(sweep, TrialQuery(filter))
    problem, shown, pointer = str(refused.value).split("\n")
    assert message in problem
    assert shown == f"  {filter}"
    assert pointer == " " * (mark + 2) + "^"


@given(st.text(alphabet="gpu=<>!'\"() andortnlike.,0123-params.unroll\\;%", max_size=40))
def test_any_text_is_a_filter_or_an_error(text: str) -> None:
    try:
        condition = parse_filter(text, SPEC)
    except FilterError as error:
        problem, shown, pointer = str(error).split("\n")
        assert problem
        assert shown == f"  {text}"
        assert 2 <= pointer.index("^") <= len(shown)
    else:
        assert isinstance(condition, ColumnElement)
