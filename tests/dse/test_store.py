"""The store on real SQLite files."""

import multiprocessing
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import ColumnElement, create_engine

from dse.home import Home
from dse.store import (
    METRIC_COLUMNS,
    STALL_REASONS,
    FilterError,
    NewTrial,
    ResultRecord,
    Store,
    StoreError,
    SweepNotFound,
    SweepSpec,
)
from dse.store.filters import parse_filter
from dse.store.models import Base

SPEC = SweepSpec(
    name="dot",
    space_yaml="kernel: dot\n",
    source='extern "C" __global__ void dot() {}\n',
    gpus=("h200", "a100-80gb"),
    parameters={"unroll": (1, 2, 4), "register_cap": (None, 32), "layout": ("row", "column")},
    planned=24,
    extra={"note": "why"},
)


def result(point_hash: str, time_us: float = 1.0, **metrics: object) -> ResultRecord:
    return ResultRecord(
        point_hash, "complete", metrics={"time_us": time_us, **metrics}, compile_s=0.25, simulate_s=0.5
    )


def failure(point_hash: str, reason: str) -> ResultRecord:
    return ResultRecord(point_hash, "failed", reason, f"{reason} said why")


def trial(
    index: int, gpu: str = "h200", outcome: ResultRecord | None = None, source: str = "new"
) -> NewTrial:
    parameters = {
        "unroll": (1, 2, 4)[index % 3],
        "register_cap": (None, 32)[index % 2],
        "layout": ("row", "column")[index // 6 % 2],
    }
    return NewTrial(index, gpu, index, parameters, outcome or result(f"{gpu}-{index}", 10.0 - index), source)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "dse.db")


@pytest.fixture
def sweep(store: Store) -> int:
    return store.create_sweep(SPEC)


def indices(store: Store, sweep: int, filter: str, order_by: str | Sequence[str] | None = None) -> list[int]:
    return [found.point_index for found in store.trials(sweep, filter, order_by)]


# Opening


def test_home_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSE_HOME", str(tmp_path / "here"))
    home = Home.from_environment().create()
    assert home.root.is_dir()
    assert home.store_path == tmp_path / "here" / "dse.db"
    assert home.mlflow_uri == f"sqlite:///{tmp_path}/here/mlflow.db"
    monkeypatch.delenv("DSE_HOME")
    assert Home.from_environment().root == Path.home() / ".dse"


def test_the_migrations_make_what_the_models_say(tmp_path: Path) -> None:
    Store.open(tmp_path / "dse.db")
    with create_engine(f"sqlite:///{tmp_path}/dse.db").connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_paths_and_urls_open_the_same_store(tmp_path: Path) -> None:
    sweep = Store.open(tmp_path / "made" / "dse.db").create_sweep(SPEC)
    assert Store.open(f"sqlite:///{tmp_path}/made/dse.db").sweep(sweep).name == "dot"


def test_processes_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(6) as pool:
        ids = pool.map(_open_and_create, [str(tmp_path / "dse.db")] * 6, chunksize=1)
    assert sorted(ids) == [1, 2, 3, 4, 5, 6]


def _open_and_create(path: str) -> int:
    return Store.open(path).create_sweep(SPEC)


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dse.db").write_text("something else, and long enough to be read as a header" * 4)
    with pytest.raises(StoreError, match=r"dse\.db cannot be opened: file is not a database"):
        Store.open(tmp_path / "dse.db")


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path / "dse.db")
    with sqlite3.connect(tmp_path / "dse.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="schema 9999, which a newer version of this program wrote"):
        Store.open(tmp_path / "dse.db")


# Sweeps


def test_a_sweep_comes_back_as_it_was_stored(store: Store, sweep: int) -> None:
    record = store.sweep(sweep)
    assert record.spec == SPEC
    assert record.state == "running"
    assert record.finished_at is None
    assert store.sweeps() == [record]


def test_states_and_budgets_change(store: Store, sweep: int) -> None:
    store.set_state(sweep, "finished")
    finished = store.sweep(sweep)
    assert finished.state == "finished"
    assert finished.finished_at is not None
    assert finished.finished_at >= finished.created_at
    store.set_state(sweep, "running")
    store.set_budget(sweep, trials=50, timeout_s=1.5, planned=50)
    extended = store.sweep(sweep)
    assert (extended.spec.trials, extended.spec.timeout_s, extended.spec.planned) == (50, 1.5, 50)
    assert extended.finished_at is None


def test_a_missing_sweep_is_named(store: Store) -> None:
    for use in (
        store.sweep,
        store.trials,
        store.best,
        store.delete_sweep,
        lambda sweep: store.set_state(sweep, "stopped"),
    ):
        with pytest.raises(SweepNotFound, match="no sweep 7 in sqlite:"):
            use(7)


def test_deleting_a_sweep_keeps_what_it_learned(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0)])
    store.delete_sweep(sweep)
    assert store.sweeps() == []
    assert store.counts(sweep).total == 0
    assert set(store.known(["h200-0"])) == {"h200-0"}


# Recording


def test_a_result_comes_back_bit_for_bit(store: Store, sweep: int) -> None:
    stalls = {f"stall_{reason}": 0.1 * place for place, reason in enumerate(STALL_REASONS)}
    whole = result(
        "h", 1 / 3, cycles=123.0, regime="latency", advice=["unroll more"], occupancy={"warps": 64}, **stalls
    )
    store.record(sweep, [trial(0, outcome=whole)])
    assert store.known(["h"]) == {"h": whole}
    (stored,) = store.trials(sweep)
    assert stored.result == whole
    assert stored.parameters == trial(0).parameters


def test_recording_twice_changes_nothing(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index) for index in range(4)])
    before = store.trials(sweep)
    store.record(sweep, [trial(index) for index in range(6)])
    store.record(sweep, [trial(0, outcome=result("h200-0", 99.0), source="known")])
    assert store.trials(sweep)[:4] == before
    assert len(store.trials(sweep)) == 6


def test_a_batch_is_stored_whole_or_not_at_all(store: Store, sweep: int) -> None:
    bad = trial(1, outcome=result("h", advice=object()))
    with pytest.raises(Exception, match="not JSON serializable"):
        store.record(sweep, [trial(0), bad])
    assert store.trials(sweep) == []
    assert store.known(["h200-0"]) == {}


def test_two_sweeps_share_a_result(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0)])
    other = store.create_sweep(SPEC)
    store.record(other, [trial(0, outcome=store.known(["h200-0"])["h200-0"], source="known")])
    assert store.trials(other)[0].result == store.trials(sweep)[0].result
    assert (store.counts(other).new, store.counts(other).known) == (0, 1)


def test_a_lost_worker_says_nothing_about_a_point(store: Store, sweep: int) -> None:
    lost, refused = failure("a", "WorkerLost"), failure("b", "LaunchError")
    store.record(sweep, [trial(0, outcome=lost), trial(1, outcome=refused)])
    assert store.known(["a", "b"]) == {"b": refused}
    assert store.finished_points(sweep, "h200") == {1}
    assert [found.result for found in store.trials(sweep)] == [lost, refused]
    store.record(sweep, [trial(0, outcome=result("a")), trial(1, outcome=result("b"))])
    assert [found.result.state for found in store.trials(sweep)] == ["complete", "failed"]
    assert store.finished_points(sweep, "h200") == {0, 1}


def test_thousands_of_hashes_are_looked_up_and_stored_fast(store: Store, sweep: int) -> None:
    trials = [trial(index, gpu) for gpu in SPEC.gpus for index in range(2000)]
    started = perf_counter()
    for start in range(0, len(trials), 200):
        store.record(sweep, trials[start : start + 200])
    assert len(trials) / (perf_counter() - started) > 2000  # results a second
    known = store.known([*(new.result.point_hash for new in trials), "unknown"])
    assert len(known) == 4000


# Reading


def test_trials_come_in_point_order(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index, gpu) for index in (2, 0, 1) for gpu in SPEC.gpus])
    places = [found.place for found in store.trials(sweep)]
    assert places == [
        ("a100-80gb", 0),
        ("a100-80gb", 1),
        ("a100-80gb", 2),
        ("h200", 0),
        ("h200", 1),
        ("h200", 2),
    ]
    assert [found.place for found in store.trials(sweep, limit=2)] == places[:2]
    assert [found.place for found in store.trials_at(sweep, [("h200", 2), ("a100-80gb", 1)])] == [
        ("a100-80gb", 1),
        ("h200", 2),
    ]


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("params.unroll >= 2 and metrics.time_us < 8", {4, 5, 7, 8, 10}),
        ("params.unroll = 4", {2, 5, 8, 11}),
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
        ("number < 99999999999999999999 and number > 10", {11}),
    ],
)
def test_filters_select(store: Store, sweep: int, filter: str, expected: set[int]) -> None:
    store.record(sweep, [trial(index) for index in range(11)])
    store.record(sweep, [trial(11, outcome=failure("x", "LaunchError"))])
    assert set(indices(store, sweep, filter)) == expected


@pytest.mark.parametrize(
    ("filter", "message", "mark"),
    [
        ("params.unrol = 4", "no parameter 'unrol'; this sweep has unroll, register_cap, layout", 0),
        ("metrics.speed > 1", "no metric 'speed'; there are time_us, cycles", 0),
        ("gpus = 'h200'", "no name 'gpus'; there are params.<name>, metrics.<name>, gpu", 0),
        ("gpu = h200", "expected a number, text in quotes, or none", 6),
        ("gpu = 200", "gpu holds text: write it in quotes", 6),
        ("params.unroll = '4'", "params.unroll holds numbers: write one without quotes", 16),
        ("params.unroll < none", "none compares with = and != alone", 20),
        ("gpu = 'h200", "this is not part of the filter language", 6),
        ("gpu like 4", "like takes text in quotes", 10),
        ("(gpu = 'h200'", "expected ')'", 13),
        ("gpu = 'h200' gpu = 'b200'", "expected 'and', 'or' or the end", 13),
        ("gpu", "expected one of = != < <= > >= like ilike in is after gpu", 3),
        ("number + 1 = 2", "this is not part of the filter language", 7),
        ("__import__('os')", "no name '__import__'", 0),
        ("and", "no name 'and'", 0),
        ("4 = params.unroll", "expected a name, such as params.unroll", 0),
    ],
)
def test_a_bad_filter_is_shown_its_place(
    store: Store, sweep: int, filter: str, message: str, mark: int
) -> None:
    with pytest.raises(FilterError) as refused:
        store.trials(sweep, filter)
    problem, shown, pointer = str(refused.value).split("\n")
    assert message in problem
    assert shown == f"  {filter}"
    assert pointer == " " * (mark + 2) + "^"


@given(st.text(alphabet="gpu=<>!'\"() andortnlike.,0123-params.unroll\\;%", max_size=40))
def test_any_text_is_a_filter_or_an_error(text: str) -> None:
    try:
        condition = parse_filter(text, SPEC.parameters)
    except FilterError as error:
        problem, shown, pointer = str(error).split("\n")
        assert problem
        assert shown == f"  {text}"
        assert 2 <= pointer.index("^") <= len(shown)
    else:
        assert isinstance(condition, ColumnElement)


def test_order_sorts_with_missing_values_last(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index) for index in range(4)])
    store.record(sweep, [trial(4, outcome=failure("x", "LaunchError"))])
    assert indices(store, sweep, "", "metrics.time_us") == [3, 2, 1, 0, 4]
    assert indices(store, sweep, "", "metrics.time_us DESC") == [0, 1, 2, 3, 4]
    assert indices(store, sweep, "", ["params.register_cap", "params.unroll desc"]) == [1, 3, 2, 4, 0]
    with pytest.raises(FilterError, match="write asc or desc"):
        store.trials(sweep, order_by="gpu down")
    with pytest.raises(FilterError, match="no parameter 'x'"):
        store.trials(sweep, order_by="params.x")


def test_the_best_of_each_gpu_is_the_lowest_index_of_equals(store: Store, sweep: int) -> None:
    times = {0: 3.0, 1: 1.0, 2: 1.0}
    for gpu in SPEC.gpus:
        store.record(sweep, [trial(i, gpu, result(f"{gpu}{i}", time)) for i, time in times.items()])
    store.record(sweep, [trial(3, "h200", failure("x", "MemoryFault"))])
    assert {gpu: best.point_index for gpu, best in store.best(sweep).items()} == {"h200": 1, "a100-80gb": 1}
    assert list(store.best(sweep, "h200")) == ["h200"]
    assert store.best(sweep, "b200") == {}


def test_every_workload_has_a_winner_on_every_gpu(store: Store) -> None:
    sweep = store.create_sweep(replace(SPEC, workload=("unroll", "layout")))
    for gpu in SPEC.gpus:
        store.record(sweep, [trial(i, gpu, result(f"{gpu}{i}", 10.0 - i)) for i in range(9)])
    winners = [(best.gpu, best.parameters["unroll"], best.point_index) for best in store.winners(sweep)]
    assert winners == [
        (gpu, *best) for gpu in SPEC.gpus for best in ((1, 3), (1, 6), (2, 4), (2, 7), (4, 5), (4, 8))
    ]
    assert store.best(sweep, filter="params.unroll = 2 and params.layout = 'row'")["h200"].point_index == 4
    assert store.sweep(sweep).spec.workload == ("unroll", "layout")


def test_the_best_follows_the_objective(store: Store) -> None:
    spec = SweepSpec("dot", "", "", ("h200",), {"unroll": (1, 2)}, objectives=(("maximize", "ipc"),))
    sweep = store.create_sweep(spec)
    store.record(sweep, [trial(i, outcome=result(f"{i}", ipc=ipc)) for i, ipc in enumerate((1.0, 3.0, 2.0))])
    assert store.best(sweep)["h200"].point_index == 1


def test_counts_add_up(store: Store, sweep: int) -> None:
    outcomes = [result("a"), result("b"), failure("c", "LaunchError"), failure("d", "CompileError")]
    store.record(sweep, [trial(i, outcome=outcome) for i, outcome in enumerate(outcomes)])
    store.record(sweep, [trial(4, outcome=failure("e", "CompileError"), source="known")])
    counts = store.counts(sweep)
    assert (counts.complete, counts.failed, counts.total) == (2, 3, 5)
    assert (counts.new, counts.known) == (4, 1)
    assert list(counts.failures.items()) == [("CompileError", 2), ("LaunchError", 1)]


def test_a_row_keeps_apart_a_parameter_and_a_metric_of_one_name(store: Store) -> None:
    sweep = store.create_sweep(SweepSpec("dot", "", "", ("h200",), {"cycles": (7,)}))
    store.record(sweep, [NewTrial(0, "h200", 0, {"cycles": 7}, result("a", cycles=900.0))])
    row = store.trials(sweep)[0].row()
    assert (row["cycles"], row["metrics.cycles"], row["time_us"], row["state"]) == (7, 900.0, 1.0, "complete")


def test_views_answer_plain_sql(store: Store, sweep: int, tmp_path: Path) -> None:
    store.record(sweep, [trial(index, gpu) for index in range(3) for gpu in SPEC.gpus])
    with sqlite3.connect(tmp_path / "dse.db") as connection:
        columns = [column[1] for column in connection.execute("PRAGMA table_info(trials_wide)")]
        best = connection.execute("SELECT kernel, gpu, point_index, time_us FROM best_per_gpu ORDER BY gpu")
        assert best.fetchall() == [("dot", "a100-80gb", 2, 8.0), ("dot", "h200", 2, 8.0)]
    assert set(METRIC_COLUMNS) <= set(columns)
