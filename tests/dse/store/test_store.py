"""What every store does, on SQLite and on PostgreSQL."""

import math
import multiprocessing
import re
import shutil
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import ColumnElement, create_engine, make_url, text

from dse.home import Home
from dse.store import (
    METRIC_COLUMNS,
    STALL_REASONS,
    FilterError,
    KeyRefused,
    NewTrial,
    ResultRecord,
    SpaceRecord,
    Store,
    StoreError,
    SweepChanged,
    SweepCounts,
    SweepExists,
    SweepNotFound,
    SweepReplanned,
    SweepSpec,
    SweepState,
    TokenRefused,
)
from dse.store.check import problems
from dse.store.filters import parse_filter
from dse.store.schema.models import Base

SPEC = SweepSpec(
    name="dot",
    space_yaml="kernel: dot\n",
    source='extern "C" __global__ void dot() {}\n',
    gpus=("h200", "a100-80gb"),
    parameters={
        "unroll": (1, 2, 4),
        "register_cap": (None, 32),
        "layout": ("row", "column"),
        "mixed": ("auto", 8, 16.5),
    },
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
        "mixed": ("auto", 8, 16.5)[index % 3],
    }
    return NewTrial(index, gpu, index, parameters, outcome or result(f"{gpu}-{index}", 10.0 - index), source)


@pytest.fixture
def sweep(store: Store) -> int:
    return store.create_sweep(SPEC).id


def indices(store: Store, sweep: int, filter: str, order_by: str | Sequence[str] | None = None) -> list[int]:
    return [found.point_index for found in store.trials(sweep, filter, order_by)]


# Opening


def test_home_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSE_HOME", str(tmp_path / "here"))
    home = Home.from_environment().create()
    assert home.root.is_dir()
    assert home.store_url == tmp_path / "here" / "dse.db"
    assert home.mlflow_uri == f"sqlite:///{tmp_path}/here/mlflow.db"
    monkeypatch.delenv("DSE_HOME")
    assert Home.from_environment().root == Path.home() / ".dse"


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that nobody has opened yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/dse.db"
    return str(request.getfixturevalue("postgres_url"))


def test_the_migrations_make_what_the_models_say(empty: str) -> None:
    Store.open(empty).close()
    engine = create_engine(empty)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_paths_and_urls_open_the_same_store(tmp_path: Path) -> None:
    sweep = Store.open(tmp_path / "made" / "dse.db").create_sweep(SPEC).id
    assert Store.open(f"sqlite:///{tmp_path}/made/dse.db").sweep(sweep).name == "dot"


def test_processes_may_open_a_new_store_at_once(empty: str) -> None:
    with multiprocessing.get_context("fork").Pool(6) as pool:
        ids = pool.map(_open_and_create, [empty] * 6, chunksize=1)
    assert sorted(ids) == [1, 2, 3, 4, 5, 6]


def _open_and_create(url: str) -> int:
    return Store.open(url).create_sweep(SPEC).id


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
    store.change_state(sweep, "running", "finished")
    finished = store.sweep(sweep)
    assert finished.state == "finished"
    assert finished.finished_at is not None
    assert finished.finished_at >= finished.created_at
    longer = replace(SPEC, trials=50, timeout_s=1.5, planned=50)
    store.extend(finished, longer, anew=False, managed=False)
    extended = store.sweep(sweep)
    assert extended.spec == longer
    assert (extended.state, extended.managed, extended.finished_at) == ("running", False, None)
    assert extended.revision == finished.revision


def test_an_extension_of_a_sweep_that_has_changed_is_refused(store: Store, sweep: int) -> None:
    before = store.sweep(sweep)
    store.extend(before, replace(SPEC, trials=50, planned=50), anew=False, managed=True)
    after = store.sweep(sweep)
    for anew in (False, True):
        with pytest.raises(SweepChanged, match="was changed meanwhile"):
            store.extend(before, replace(SPEC, trials=40, planned=40), anew=anew, managed=True)
    assert store.sweep(sweep) == after


def test_a_missing_sweep_is_named(store: Store) -> None:
    for use in (
        store.sweep,
        store.trials,
        store.best,
        store.delete_sweep,
        lambda sweep: store.take(sweep),
    ):
        with pytest.raises(SweepNotFound, match="no sweep 7; `dse list` shows"):
            use(7)


def test_deleting_a_sweep_keeps_what_it_learned(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0)])
    store.delete_sweep(sweep)
    assert store.sweeps() == []
    assert store.counts(sweep).total == 0
    assert set(store.known(["h200-0"])) == {"h200-0"}


def test_a_key_names_a_sweep(store: Store) -> None:
    named = store.create_sweep(SPEC, "night-1", managed=True, priority=3, owner="ann", state="queued")
    assert (named.key, named.managed, named.priority, named.owner) == ("night-1", True, 3, "ann")
    assert (named.state, named.stop_requested, named.finished_at) == ("queued", False, None)
    numbered = store.create_sweep(SPEC)
    assert (numbered.key, numbered.managed, numbered.state) == (str(numbered.id), False, "running")
    for key in ("night-1", named.id):
        assert store.sweep(key) == named
    with pytest.raises(SweepNotFound):  # a number that was deleted never means another sweep
        store.sweep(str(named.id))


@pytest.mark.parametrize("key", ["", "-night", "a b", "../up", "a" * 101, "a\n", "é", "a/b", "a\0"])
def test_a_key_that_is_no_name_is_refused(store: Store, key: str) -> None:
    with pytest.raises(KeyRefused, match="1 to 100 letters, digits, dots, dashes and underscores"):
        store.create_sweep(SPEC, key)
    with pytest.raises(SweepNotFound):
        store.sweep(key)


def test_asking_the_same_again_finds_the_sweep(store: Store) -> None:
    first = store.create_sweep(SPEC, "night", owner="ann")
    assert store.create_sweep(replace(SPEC, planned=7), "night", priority=9, owner="bob") == first
    store.extend(first, replace(SPEC, trials=50, planned=50), anew=False, managed=False)
    extended = store.sweep("night")
    assert store.create_sweep(SPEC, "night") == extended
    assert store.create_sweep(extended.spec, "night") == extended
    with pytest.raises(SweepExists, match="sweep night exists and asks another question"):
        store.create_sweep(replace(SPEC, seed=1), "night")
    assert store.sweep_count() == 1


def test_a_number_that_somebody_chose_as_a_key_is_not_given_again(store: Store) -> None:
    chosen = store.create_sweep(SPEC, "2")
    numbered = store.create_sweep(SPEC)
    assert (numbered.id, numbered.key) == (2, "2-1")
    assert store.sweep("2") == chosen
    assert store.sweep(2) == numbered


def test_clients_that_create_the_same_at_once_make_one_sweep(store: Store) -> None:
    with ThreadPoolExecutor(50) as clients:
        created = list(clients.map(lambda _: store.create_sweep(SPEC, "night"), range(50)))
        numbered = list(clients.map(lambda _: store.create_sweep(SPEC), range(50)))
    assert {sweep.id for sweep in created} == {created[0].id}
    assert len({sweep.key for sweep in numbered}) == 50
    assert store.sweep_count() == 51


def test_sweeps_are_listed_by_what_they_are(store: Store) -> None:
    for number in range(6):
        spec = replace(SPEC, name=("dot", "axpy")[number % 2])
        state: SweepState = "queued" if number < 3 else "running"
        store.create_sweep(spec, managed=number > 0, owner=("ann", None)[number // 3], state=state)

    def listed(**conditions: Any) -> list[int]:
        found = [sweep.id for sweep in store.sweeps(**conditions)]
        assert store.sweep_count(**conditions) == len(found)
        return found

    assert listed(states=["queued"], managed=True) == [2, 3]
    assert listed(states=["queued", "running"]) == [1, 2, 3, 4, 5, 6]
    assert listed(states=[]) == []
    assert listed(name="axpy") == [2, 4, 6]
    assert listed(owner="ann", name="dot") == [1, 3]
    assert [sweep.id for sweep in store.sweeps(limit=2, offset=1, newest_first=True)] == [5, 4]
    assert [sweep.id for sweep in store.sweeps(offset=4)] == [5, 6]


def test_a_sweep_is_stopped_and_queued_again(store: Store) -> None:
    sweep = store.create_sweep(SPEC, managed=True, state="queued")
    store.take(sweep.id)
    store.request_stop(sweep.id)
    assert store.sweep(sweep.id).stop_requested
    store.change_state(sweep.id, "running", "stopped")
    stopped = store.sweep(sweep.id)
    assert stopped.finished_at is not None
    store.extend(stopped, SPEC, anew=False, managed=True)
    store.set_priority(sweep.id, 5)
    assert store.sweep(sweep.id) == replace(sweep, priority=5)


def test_a_sweep_with_another_question_finds_what_it_knew(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0), trial(1)])
    store.outbox.set_parent(sweep, "a" * 32)
    wider = replace(SPEC, gpus=("h200", "a100-80gb", "b200"), planned=36)
    before = store.sweep(sweep)
    store.extend(before, wider, anew=True, managed=True)
    assert store.sweep(sweep).spec == wider
    with pytest.raises(SweepReplanned):
        store.record(sweep, [trial(2)], before.revision)
    assert store.sweep(sweep).mlflow_run_id is None
    assert store.trials(sweep) == []
    assert store.counts(sweep).total == 0
    assert set(store.known(["h200-0", "h200-1"])) == {"h200-0", "h200-1"}
    store.record(sweep, [replace(trial(0), source="known")])
    assert store.counts(sweep).known == 1


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


def test_what_json_and_text_cannot_hold_is_missing(store: Store, sweep: int) -> None:
    odd = result("a", cycles=math.inf, ipc=math.nan, shares=[0.5, math.nan], most={"warps": -math.inf})
    broken = replace(failure("b", "CompileError"), message="line 1\0\ud800 \u00b5")
    store.record(sweep, [trial(0, outcome=odd), trial(1, outcome=broken)])
    first, second = store.trials(sweep)
    assert first.result.metrics == {"time_us": 1.0, "shares": [0.5, None], "most": {"warps": None}}
    assert second.result.message == "line 1? \u00b5"


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
    other = store.create_sweep(SPEC).id
    store.record(other, [trial(0, outcome=store.known(["h200-0"])["h200-0"], source="known")])
    assert store.trials(other)[0].result == store.trials(sweep)[0].result
    assert (store.counts(other).new, store.counts(other).known) == (0, 1)


def test_a_lost_worker_says_nothing_about_a_point(store: Store, sweep: int) -> None:
    lost, refused = failure("a", "WorkerLost"), failure("b", "LaunchError")
    store.record(sweep, [trial(0, outcome=lost), trial(1, outcome=refused)])
    assert store.known(["a", "b"]) == {"b": refused}
    assert [found.result for found in store.trials(sweep)] == [lost, refused]
    store.record(sweep, [trial(0, outcome=result("a")), trial(1, outcome=result("b"))])
    assert [found.result.state for found in store.trials(sweep)] == ["complete", "failed"]


def test_every_sweep_shows_the_result_that_replaced_a_lost_one(store: Store, sweep: int) -> None:
    fastest = replace(SPEC, objectives=(("maximize", "ipc"),), workload=("unroll",))
    other = store.create_sweep(fastest).id
    for each, source in ((sweep, "new"), (other, "known")):
        store.record(each, [trial(0, outcome=failure("a", "WorkerLost"), source=source), trial(1)])
    store.record(store.create_sweep(SPEC).id, [trial(5, outcome=result("a", 3.0, ipc=2.0))])
    for each, source in ((sweep, "new"), (other, "known")):
        counts = store.counts(each)
        assert (counts.complete, counts.failed, counts.failures) == (2, 0, {})
        assert (counts.new, counts.known) == ((2, 0) if source == "new" else (1, 1))
        assert indices(store, each, "state = 'complete' and metrics.ipc = 2") == [0]
        assert indices(store, each, "", "number") == [0, 1]
    assert store.best(sweep)["h200"].score == 3.0
    assert [(best.point_index, best.score) for best in store.winners(other)] == [(0, -2.0)]


def test_a_lost_worker_may_be_lost_in_another_way(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0, outcome=failure("a", "WorkerLost"))])
    store.record(sweep, [trial(0, outcome=failure("a", "MemoryLimit"))])
    assert store.counts(sweep).failures == {"MemoryLimit": 1}
    assert store.trials(sweep)[0].result.reason == "MemoryLimit"


def test_writers_of_the_same_points_at_once_agree(store: Store) -> None:
    sweeps = [store.create_sweep(SPEC).id for _ in range(4)]

    def write(writer: int) -> None:
        for start in range(0, 60, 10):
            outcomes = [
                result(f"{i}") if (i + writer) % 4 else failure(f"{i}", "WorkerLost") for i in range(60)
            ]
            indices = range(start + 9, start - 1, -1) if writer % 2 else range(start, start + 10)
            store.record(sweeps[writer], [trial(i, outcome=outcomes[i]) for i in indices])

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    assert [store.counts(sweep).complete for sweep in sweeps] == [60] * 4
    assert [store.trial_count(sweep, "state = 'complete'") for sweep in sweeps] == [60] * 4


def test_trials_of_a_sweep_that_is_gone_are_refused(store: Store) -> None:
    with pytest.raises(SweepNotFound):
        store.record(7, [trial(0)])
    assert store.known(["h200-0"]) == {}


def test_thousands_of_hashes_are_looked_up_and_stored_fast(store: Store, sweep: int) -> None:
    trials = [trial(index, gpu) for gpu in SPEC.gpus for index in range(2000)]
    started = process_time()
    for start in range(0, len(trials), 200):
        store.record(sweep, trials[start : start + 200])
    assert len(trials) / (process_time() - started) > 2000  # results a second of this process's own time
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


def test_trials_come_a_page_at_a_time(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index, gpu) for index in range(25) for gpu in SPEC.gpus])
    whole = store.trials(sweep)
    assert [
        found for start in range(0, 50, 7) for found in store.trials(sweep, limit=7, offset=start)
    ] == whole
    assert store.trials(sweep, offset=45) == whole[45:]
    assert list(store.stream_trials(sweep, batch=7)) == whole
    assert list(store.stream_trials(sweep, batch=25)) == whole
    unrolled = store.trials(sweep, "params.unroll = 4")
    assert list(store.stream_trials(sweep, "params.unroll = 4", batch=3)) == unrolled
    assert (store.trial_count(sweep), store.trial_count(sweep, "params.unroll = 4")) == (50, len(unrolled))
    with pytest.raises(SweepNotFound):
        store.stream_trials(7)
    with pytest.raises(FilterError):
        store.trial_count(sweep, "params.x = 1")


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
    ("filter", "message", "mark"),
    [
        ("params.unrol = 4", "no parameter 'unrol'; this sweep has unroll, register_cap, layout, mixed", 0),
        ("metrics.speed > 1", "no metric 'speed'; there are time_us, cycles", 0),
        ("gpus = 'h200'", "no name 'gpus'; there are params.<name>, metrics.<name>, gpu", 0),
        ("gpu = h200", "expected a number, text in quotes", 6),
        ("gpu = 200", "gpu holds text: write it in quotes", 6),
        ("params.unroll = '4'", "params.unroll holds numbers: write one without quotes", 16),
        ("params.unroll < none", "none compares with = and != alone", 20),
        ("number == 1", "equality is a single =", 8),
        ("gpu = 'h200", "this cannot stand outside of quotes", 6),
        ("gpu like 4", "like takes text in quotes", 10),
        ("(gpu = 'h200'", "expected ')'", 13),
        ("gpu = 'h200' gpu = 'b200'", "expected 'and', 'or' or the end", 13),
        ("gpu", "expected one of = != < <= > >= like ilike in is after gpu", 3),
        ("number + 1 = 2", "this cannot stand outside of quotes", 7),
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


def test_pages_by_a_metric_are_those_of_the_whole_order(
    store: Store, sweep: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = [result(f"{i}", i % 3, ipc=i % 5 + 0.5) if i % 4 else failure(f"{i}", "X") for i in range(40)]
    for each in (store.create_sweep(SPEC).id, sweep):
        store.record(each, [trial(i, SPEC.gpus[i % 2], outcome) for i, outcome in enumerate(outcomes)])
    monkeypatch.setattr("dse.store.parts.trials.MANY_TRIALS", 10)
    for order in (
        "metrics.ipc desc",
        "metrics.ipc",
        "metrics.time_us desc, metrics.ipc",
        "reason, number desc",
    ):
        whole = indices(store, sweep, "number > 2", order)
        pages = [store.trials(sweep, "number > 2", order, limit=7, offset=at) for at in range(0, 40, 7)]
        assert [found.point_index for page in pages for found in page] == whole


def test_the_best_of_each_gpu_is_the_lowest_index_of_equals(store: Store, sweep: int) -> None:
    times = {0: 3.0, 1: 1.0, 2: 1.0}
    for gpu in SPEC.gpus:
        store.record(sweep, [trial(i, gpu, result(f"{gpu}{i}", time)) for i, time in times.items()])
    store.record(sweep, [trial(3, "h200", failure("x", "MemoryFault"))])
    assert {gpu: best.point_index for gpu, best in store.best(sweep).items()} == {"h200": 1, "a100-80gb": 1}
    assert list(store.best(sweep, "h200")) == ["h200"]
    assert store.best(sweep, "b200") == {}


def test_every_workload_has_a_winner_on_every_gpu(store: Store) -> None:
    sweep = store.create_sweep(replace(SPEC, workload=("unroll", "layout"))).id
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
    sweep = store.create_sweep(spec).id
    store.record(sweep, [trial(i, outcome=result(f"{i}", ipc=ipc)) for i, ipc in enumerate((1.0, 3.0, 2.0))])
    store.record(sweep, [trial(3, outcome=failure("x", "LaunchError"))])
    assert store.best(sweep)["h200"].point_index == 1
    assert indices(store, sweep, "", "metrics.ipc desc") == [1, 2, 0, 3]
    assert indices(store, sweep, "", "metrics.ipc") == [0, 2, 1, 3]


def test_counts_add_up(store: Store, sweep: int) -> None:
    outcomes = [result("a"), result("b"), failure("c", "LaunchError"), failure("d", "CompileError")]
    store.record(sweep, [trial(i, outcome=outcome) for i, outcome in enumerate(outcomes)])
    store.record(sweep, [trial(4, outcome=failure("e", "CompileError"), source="known")])
    counts = store.counts(sweep)
    assert (counts.complete, counts.failed, counts.total) == (2, 3, 5)
    assert (counts.new, counts.known) == (4, 1)
    assert list(counts.failures.items()) == [("CompileError", 2), ("LaunchError", 1)]


def test_a_row_keeps_apart_a_parameter_and_a_metric_of_one_name(store: Store) -> None:
    sweep = store.create_sweep(SweepSpec("dot", "", "", ("h200",), {"cycles": (7,)})).id
    store.record(sweep, [NewTrial(0, "h200", 0, {"cycles": 7}, result("a", cycles=900.0))])
    row = store.trials(sweep)[0].row()
    assert (row["cycles"], row["metrics.cycles"], row["time_us"], row["state"]) == (7, 900.0, 1.0, "complete")


def test_views_answer_plain_sql(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index, gpu) for index in range(3) for gpu in SPEC.gpus])
    fastest = store.create_sweep(replace(SPEC, objectives=(("maximize", "time_us"),)), "slow").id
    store.record(fastest, [trial(index) for index in range(3)])
    engine = create_engine(make_url(store.url))
    with engine.connect() as connection:
        columns = set(connection.execute(text("SELECT * FROM trials_wide")).keys())
        best = "SELECT key, kernel, gpu, point_index, time_us FROM best_per_gpu ORDER BY key, gpu"
        assert [tuple(row) for row in connection.execute(text(best))] == [
            ("1", "dot", "a100-80gb", 2, 8.0),
            ("1", "dot", "h200", 2, 8.0),
            ("slow", "dot", "h200", 0, 10.0),
        ]
    engine.dispose()
    assert {*METRIC_COLUMNS, "key", "state", "message", "score", "compile_s", "simulate_s"} <= columns


DOCUMENTED = (Path(__file__).parents[3] / "docs" / "store.md").read_text()


@pytest.mark.parametrize("statement", re.findall(r"```sql\n(.*?);\n```", DOCUMENTED, re.DOTALL))
def test_the_documented_queries_answer(store: Store, statement: str) -> None:
    sweep = store.create_sweep(SPEC, "7").id
    store.record(sweep, [trial(index, gpu) for index in range(3) for gpu in SPEC.gpus])
    store.record(sweep, [trial(3, outcome=failure("x", "LaunchError"))])
    engine = create_engine(make_url(store.url))
    with engine.connect() as connection:
        assert connection.execute(text(statement)).all()
    engine.dispose()


# Tokens and spaces


def test_a_token_is_found_by_its_digest_until_it_is_revoked(store: Store) -> None:
    ann = store.create_token("ann", ["submit", "read"], "1" * 64)
    assert ann.scopes == ("read", "submit")
    store.create_token("bob", ["admin"], "2" * 64)
    assert store.token_by_digest("1" * 64) == ann
    assert store.token_by_digest("3" * 64) is None
    store.revoke_token("ann")
    store.revoke_token("ann")
    assert store.token_by_digest("1" * 64) is None
    assert [(token.name, token.revoked_at is None) for token in store.tokens()] == [
        ("ann", False),
        ("bob", True),
    ]
    with pytest.raises(TokenRefused, match="'ann' exists or existed"):
        store.create_token("ann", ["read"], "3" * 64)
    with pytest.raises(TokenRefused, match="read, submit, admin"):
        store.create_token("eve", ["root"], "3" * 64)  # type: ignore[list-item]
    with pytest.raises(TokenRefused, match="no token is named 'eve'"):
        store.revoke_token("eve")


def test_a_name_means_the_newest_space_of_that_name(store: Store) -> None:
    old = store.save_space(SpaceRecord("dot", "kernel: dot", "// old", "kernel.cu", {"a.h": "int a;"}, "ann"))
    new = store.save_space(replace(old, source="// new", owner=None))
    store.save_space(replace(old, name="axpy"))
    assert store.space("dot") == new
    assert store.space(old.digest) is None
    assert store.space("gemm") is None
    assert [(space.name, space.source) for space in store.spaces()] == [("axpy", "// old"), ("dot", "// new")]
    store.save_space(old)
    found = store.space("dot")
    assert found is not None
    assert (found.digest, found.headers) == (old.digest, {"a.h": "int a;"})


def test_a_store_that_answers_says_so(store: Store) -> None:
    store.ping()


# Checking


def test_a_check_finds_what_is_not_whole(tmp_path: Path) -> None:
    path = tmp_path / "dse.db"
    with pytest.raises(StoreError, match="no database at"):
        problems(path)
    store = Store.open(path)
    sweep = store.create_sweep(SPEC, "night").id
    store.record(sweep, [trial(0), trial(1), trial(2, outcome=failure("x", "LaunchError"))])
    assert problems(path) == []
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE trial_counts SET trials = 7 WHERE state = 'complete'")
        connection.execute("UPDATE trials SET score = 0 WHERE point_index = 1")
        connection.execute("DELETE FROM results WHERE point_hash = 'x'")
    assert [problem.partition(" of trials refers")[0] for problem in problems(path)] == [
        "row 3",
        "sweep night: 2 trials are complete new, and 7 are counted",
        "sweep night: 2 trials differ from their results",
    ]
    (tmp_path / "text.db").write_text("something else, and long enough to be read as a header" * 4)
    with pytest.raises(StoreError, match=r"text\.db cannot be read: file is not a database"):
        problems(tmp_path / "text.db")
    shutil.copy(Path(__file__).parents[1] / "data" / "store_0001.db", tmp_path / "old.db")
    (problem,) = problems(tmp_path / "old.db")
    assert re.fullmatch(
        r"its schema is 0001, and the newest is \d+; `dse db upgrade` brings it there", problem
    )


def test_a_check_of_postgresql_finds_the_same(postgres_url: str) -> None:
    (problem,) = problems(postgres_url)
    assert problem.startswith("its schema is empty, and the newest is")
    store = Store.open(postgres_url)
    store.record(store.create_sweep(SPEC).id, [trial(0), trial(1)])
    store.close()
    assert problems(postgres_url) == []


# Older schemas


def test_a_database_of_the_first_schema_is_upgraded_whole(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[1] / "data" / "store_0001.db", tmp_path / "dse.db")
    store = Store.open(tmp_path / "dse.db")
    first, second, third = store.sweeps()
    assert [sweep.key for sweep in (first, second, third)] == ["1", "2", "3"]
    assert [sweep.state for sweep in (first, second, third)] == ["finished", "stopped", "running"]
    assert not any(sweep.managed or sweep.stop_requested or sweep.priority for sweep in store.sweeps())
    assert [store.counts(sweep.id) for sweep in store.sweeps()] == [
        SweepCounts(8, 4, 12, 0, {"LaunchError": 2, "WorkerLost": 2}),
        SweepCounts(4, 4, 0, 8, {"LaunchError": 2, "WorkerLost": 2}),
        SweepCounts(4, 2, 6, 0, {"LaunchError": 1, "WorkerLost": 1}),
    ]
    assert [len(store.trials(sweep.id)) for sweep in store.sweeps()] == [12, 8, 6]
    assert store.trials(1, "gpu = 'h200'", limit=1)[0].mlflow_run_id == "b" * 32
    assert [child.logged for child in store.outbox.children(1).values()] == [True]
    assert [(best.gpu, best.point_index, best.score) for best in store.winners(1)] == [
        ("h200", 5, 5.0),
        ("a100-80gb", 5, 5.0),
    ]
    assert [(best.gpu, best.parameters["n"], best.point_index) for best in store.winners(2)] == [
        ("h200", 512, 1),
        ("a100-80gb", 512, 1),
    ]
    assert [(best.point_index, best.score) for best in store.winners(3)] == [(5, -2.25)]
    found = NewTrial(2, "h200", 2, {"unroll": 4, "n": 512}, result("dot-h200-2", 0.5))
    store.record(2, [found])
    assert [store.counts(sweep.id).complete for sweep in store.sweeps()] == [9, 5, 4]
    assert [best.point_index for best in store.winners(2)] == [2, 1]
    assert store.create_sweep(SPEC).key == "4"


def test_one_coordinator_holds_the_lock_until_it_is_released(store: Store) -> None:
    asked = []

    def gives_up() -> bool:
        asked.append(True)
        return True

    with store.coordinator_lock(gives_up) as first:
        assert first
        assert first()
        with store.coordinator_lock(gives_up) as second:
            assert second is None
    assert asked == [True]

    def break_off() -> None:
        with store.coordinator_lock(gives_up) as third:
            assert third
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    with store.coordinator_lock(gives_up) as fourth:
        assert fourth


def test_a_sweep_of_a_number_that_another_one_had_is_not_that_one(store: Store) -> None:
    first = store.create_sweep(SPEC, "again")
    store.delete_sweep(first.id)
    second = store.create_sweep(replace(SPEC, seed=1), "again")
    with pytest.raises((SweepReplanned, SweepNotFound)):
        store.record(first.id, [trial(0)], first.revision)
    assert store.counts(second.id).total == 0
