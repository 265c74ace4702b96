"""MLflow written from the store: a real MLflow on SQLite, read back through MLflow's own client."""

import logging
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic, process_time, sleep

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlflow import MlflowClient

from dse.store import NewTrial, Store
from dse.store.parts.outbox import OutboxBusy
from dse.tracking import MAX_CHILDREN, MlflowExporter, MlflowTracker, TrackingError
from dse.tracking.choice import pareto_front, spread
from dse.tracking.runs import ChildRun, MlflowRuns, SqliteRuns, connect
from testing.mlflow_server import read_runs
from testing.tracked_sweeps import GPUS, SOURCE, SPACE, spec, trial


@pytest.fixture(scope="session")
def empty_mlflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new MLflow database: making one takes a second, copying it does not."""
    path = tmp_path_factory.mktemp("mlflow") / "mlflow.db"
    runs = connect(f"sqlite:///{path}")
    runs.client.search_experiments()
    return path


@pytest.fixture
def uri(tmp_path: Path, empty_mlflow: Path) -> str:
    for part in empty_mlflow.parent.glob("mlflow.db*"):
        shutil.copy(part, tmp_path)
    return f"sqlite:///{tmp_path}/mlflow.db"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "dse.db")


def test_a_trial_becomes_a_child_run(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(2)).id
    store.record(sweep, [trial(0), trial(1, "a100-80gb", reason="LaunchError")])
    assert MlflowTracker(uri, store).sync(sweep) == 2
    parents, children = read_runs(uri)
    parent = parents[f"dot sweep {sweep}"]
    complete, failed = children[f"{sweep}/h200/0"], children[f"{sweep}/a100-80gb/1"]
    assert complete.data.params == {"gpu": "h200", "unroll": "4", "register_cap": "none"}
    assert complete.data.metrics == {
        "time_us": 100.0,
        "cycles": 1000.0,
        "registers": 32.0,
        "occupancy/achieved": 0.5,
        "stall/long_scoreboard": 3.25,
    }
    assert complete.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert complete.data.tags["dse.kernel"] == "dot"
    assert complete.data.tags["dse.regime"] == "latency"
    assert complete.info.status == "FINISHED"
    assert complete.info.end_time - complete.info.start_time == 750
    assert failed.info.status == "FAILED"
    assert (failed.data.tags["dse.state"], failed.data.tags["dse.reason"]) == ("failed", "LaunchError")
    assert failed.data.tags["dse.message"] == "LaunchError: why"
    assert failed.data.metrics == {}


def test_the_parent_shows_the_sweep(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(4)).id
    store.record(
        sweep, [trial(0), trial(1), trial(0, "a100-80gb"), trial(1, "a100-80gb", reason="LaunchError")]
    )
    tracker = MlflowTracker(uri, store)
    tracker.sync(sweep)
    (running,) = read_runs(uri)[0].values()
    assert running.info.status == "RUNNING"
    store.change_state(sweep, "running", "finished")
    tracker.sync(sweep)
    (parent,) = read_runs(uri)[0].values()
    assert parent.info.run_id == running.info.run_id == store.sweep(sweep).mlflow_run_id
    assert parent.info.status == "FINISHED"
    assert parent.data.metrics == {
        "trials/complete": 3.0,
        "trials/failed": 1.0,
        "best_time_us/h200": 99.0,
        "best_time_us/a100-80gb": 100.0,
    }
    assert parent.data.params == {"gpus": "h200, a100-80gb", "sampler": "exhaustive", "seed": "0"}
    assert parent.data.tags["dse.state"] == "finished"


def test_the_parent_holds_the_files(store: Store, uri: str, tmp_path: Path) -> None:
    sweep = store.create_sweep(spec(2)).id
    store.record(sweep, [trial(0), trial(1, reason="MemoryFault")])
    store.change_state(sweep, "running", "stopped")
    MlflowTracker(uri, store).sync(sweep)
    (parent,) = read_runs(uri)[0].values()
    assert parent.info.status == "KILLED"
    folder = tmp_path / "mlartifacts" / "dot" / parent.info.run_id / "artifacts"
    assert (folder / "space.yaml").read_text() == SPACE
    assert (folder / "kernel.cu").read_text() == SOURCE
    table = pq.read_table(folder / "results.parquet")
    assert table.column("time_us").to_pylist() == [100.0, None]
    assert table.column("reason").to_pylist() == [None, "MemoryFault"]
    assert table.column("extra").to_pylist() == ['{"advice": ["unroll more"]}', "{}"]


def test_syncing_again_writes_only_what_is_new(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(6)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(index) for index in range(4)])
    assert [tracker.sync(sweep), tracker.sync(sweep)] == [4, 0]
    store.record(sweep, [trial(index) for index in range(6)])
    assert [tracker.sync(sweep), MlflowTracker(uri, store).sync(sweep)] == [2, 0]
    client = MlflowClient(uri)
    parents, children = read_runs(uri)
    assert len(children) == 6
    for run in children.values():
        assert len(client.get_metric_history(run.info.run_id, "time_us")) == 1
    (parent,) = parents.values()
    assert len(client.get_metric_history(parent.info.run_id, "trials/complete")) == 2


def test_a_lost_worker_is_not_shown_until_its_point_is_evaluated(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(1)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(0, reason="WorkerLost")])
    assert tracker.sync(sweep) == 0
    store.record(sweep, [trial(0)])
    assert tracker.sync(sweep) == 1
    assert read_runs(uri)[1][f"{sweep}/h200/0"].info.status == "FINISHED"


def crash_after_creating(store: Store, runs: MlflowRuns, sweep: int, children: list[ChildRun]) -> None:
    """The runs exist in MLflow, empty; the store never heard of them."""
    runs.create(runs.experiment("dot"), children)


def crash_after_storing_ids(store: Store, runs: MlflowRuns, sweep: int, children: list[ChildRun]) -> None:
    """The runs exist in MLflow, empty; the store knows them as begun."""
    ids = runs.create(runs.experiment("dot"), children)
    store.outbox.set_children(
        sweep, {("h200", index): run_id for index, run_id in enumerate(ids)}, logged=False
    )


def crash_after_content(store: Store, runs: MlflowRuns, sweep: int, children: list[ChildRun]) -> None:
    """The runs are whole in MLflow; the store knows them as begun."""
    ids = runs.create(runs.experiment("dot"), children)
    store.outbox.set_children(
        sweep, {("h200", index): run_id for index, run_id in enumerate(ids)}, logged=False
    )
    runs.finish(dict(zip(ids, children, strict=True)))


@pytest.mark.parametrize("crash", [crash_after_creating, crash_after_storing_ids, crash_after_content])
@pytest.mark.parametrize("kind", [MlflowRuns, SqliteRuns])
def test_a_sync_after_a_crash_completes_every_run_once(
    store: Store,
    uri: str,
    kind: type[MlflowRuns],
    crash: Callable[[Store, MlflowRuns, int, list[ChildRun]], None],
) -> None:
    sweep = store.create_sweep(spec(4)).id
    MlflowTracker(uri, store).sync(sweep)
    store.record(sweep, [trial(index) for index in range(4)])
    parent_id = store.sweep(sweep).mlflow_run_id
    assert parent_id
    begun = [
        ChildRun(
            name=f"h200/{index}",
            status="FINISHED",
            start_ms=1000,
            end_ms=1750,
            tags={"dse.trial": f"{sweep}/h200/{index}", "mlflow.parentRunId": parent_id},
            parameters={"gpu": "h200", "unroll": "4", "register_cap": "none"},
            metrics={"time_us": 100.0 - index, "cycles": 1000.0},
        )
        for index in range(2)
    ]
    store.outbox.begin(sweep)
    crash(store, kind(uri), sweep, begun)
    MlflowTracker(uri, store).sync(sweep)
    children = read_runs(uri)[1]
    assert len(children) == 4
    for run in children.values():
        assert run.info.status == "FINISHED"
        assert run.data.metrics["cycles"] == 1000.0
        assert len(MlflowClient(uri).get_metric_history(run.info.run_id, "time_us")) == 1


def test_the_shortcut_and_the_client_leave_the_same_runs(uri: str) -> None:
    child = ChildRun(
        name="h200/0",
        status="FINISHED",
        start_ms=1000,
        end_ms=1750,
        tags={"dse.trial": "1/h200/0"},
        parameters={"unroll": "4"},
        metrics={"time_us": 1.5, "stall/wait": 0.25},
    )
    seen = []
    for runs in (MlflowRuns(uri), SqliteRuns(uri)):
        experiment = runs.experiment("dot")
        (run_id,) = runs.create(experiment, [child])
        runs.finish({run_id: child})
        runs.client.log_text(run_id, "text", "note.txt")
        run = runs.client.get_run(run_id)
        (point,) = runs.client.get_metric_history(run_id, "stall/wait")
        info = {name: str(value).replace(run_id, "ID") for name, value in dict(run.info).items()}
        seen.append((info, run.data.to_dictionary(), point.value, point.timestamp, point.step))
    assert seen[0] == seen[1]


def test_a_large_sweep_shows_an_even_sample_and_the_best(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(1600)).id
    tracker = MlflowTracker(uri, store)
    done = [trial(index, gpu, 50.0 + index % 40) for gpu in GPUS for index in range(800)]
    store.record(sweep, done[:1000])
    tracker.sync(sweep)
    assert 200 < len(read_runs(uri)[1]) < 300
    fastest = [trial(800 + place, gpu, 1.0) for place, gpu in enumerate(GPUS)]
    store.record(sweep, [*done, *fastest])
    store.change_state(sweep, "running", "finished")
    tracker.sync(sweep)
    children = read_runs(uri)[1]
    assert 350 < len(children) <= MAX_CHILDREN
    assert {f"{sweep}/h200/800", f"{sweep}/a100-80gb/801"} <= set(children)
    assert 150 < sum(run.data.params["gpu"] == "h200" for run in children.values()) < 250
    assert MlflowTracker(uri, store).sync(sweep) == 0


def test_a_deleted_mlflow_is_written_again(
    store: Store, uri: str, tmp_path: Path, empty_mlflow: Path
) -> None:
    sweep = store.create_sweep(spec(2)).id
    store.record(sweep, [trial(0), trial(1)])
    MlflowTracker(uri, store).sync(sweep)
    shutil.copy(empty_mlflow, tmp_path / "other.db")
    other = f"sqlite:///{tmp_path}/other.db"
    assert MlflowTracker(other, store).sync(sweep) == 2
    assert len(read_runs(other)[1]) == 2


def test_sweeps_of_one_number_in_two_stores_stay_apart(store: Store, uri: str, tmp_path: Path) -> None:
    other = Store.open(tmp_path / "other-dse.db")
    for each in (store, other):
        each.record(each.create_sweep(spec(1)).id, [trial(0)])
        assert MlflowTracker(uri, each).sync(1) == 1
    assert store.sweep(1).mlflow_run_id != other.sweep(1).mlflow_run_id


def test_an_extended_sweep_runs_again(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(1)).id
    tracker = MlflowTracker(uri, store)
    for index, state in enumerate(("finished", "running", "finished")):
        store.take(sweep)
        store.record(sweep, [trial(index)])
        store.change_state(sweep, "running", state)
        tracker.sync(sweep)
        (parent,) = read_runs(uri)[0].values()
        assert parent.info.status == state.upper()
    assert parent.data.tags["dse.results"] == "3 complete, 0 failed"


@pytest.mark.parametrize("place", ["http://127.0.0.1:9", "sqlite:///{folder}/broken.db"])
def test_mlflow_out_of_order_is_a_tracking_error(store: Store, tmp_path: Path, place: str) -> None:
    (tmp_path / "broken.db").write_text("not a database, and long enough to be read as a header" * 4)
    sweep = store.create_sweep(spec(1)).id
    store.record(sweep, [trial(0)])
    with pytest.raises(
        TrackingError,
        match=rf"could not be written \(.+\); nothing is lost, and `dse mlflow sync {sweep}` catches up",
    ):
        MlflowTracker(place.format(folder=tmp_path), store).sync(sweep)


def test_mlflow_back_in_order_is_caught_up(store: Store, uri: str, tmp_path: Path) -> None:
    sweep = store.create_sweep(spec(1)).id
    store.record(sweep, [trial(0)])
    good = (tmp_path / "mlflow.db").read_bytes()
    (tmp_path / "mlflow.db").write_bytes(b"broken" * 100)
    tracker = MlflowTracker(uri, store)
    with pytest.raises(TrackingError):
        tracker.sync(sweep)
    (tmp_path / "mlflow.db").write_bytes(good)
    assert tracker.sync(sweep) == 1


def test_syncing_is_quiet_and_cheap(store: Store, uri: str, caplog: pytest.LogCaptureFixture) -> None:
    sweep = store.create_sweep(spec(300)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(0)])
    with caplog.at_level(logging.INFO):
        tracker.sync(sweep)
    assert caplog.text == ""
    store.record(sweep, [trial(index) for index in range(300)])
    started = process_time()
    tracker.sync(sweep)
    assert (process_time() - started) / 300 < 3e-3  # seconds a run; MLflow's client takes 10e-3


def test_the_ui_command_opens_this_mlflow(store: Store) -> None:
    command = MlflowTracker("sqlite:////data/mlflow.db", store).ui_command()
    assert command == "mlflow ui --backend-store-uri sqlite:////data/mlflow.db"


def test_the_best_and_the_front_of_a_large_sweep_are_shown(store: Store, uri: str) -> None:
    objectives = (("minimize", "time_us"), ("maximize", "registers_per_thread"))
    sweep = store.create_sweep(replace(spec(1000), objectives=objectives)).id
    store.record(sweep, [trial(index, time_us=100.0) for index in range(1000)])
    front = [
        replace_metrics(trial(1000 + step), time_us=1.0 + step, registers_per_thread=40 + step)
        for step in range(5)
    ]
    store.record(sweep, front)
    store.change_state(sweep, "running", "finished")
    MlflowTracker(uri, store, children=100).sync(sweep)
    children = read_runs(uri)[1]
    assert {f"{sweep}/h200/{1000 + step}" for step in range(5)} <= set(children)
    assert 60 <= len(children) <= 100


def replace_metrics(new: NewTrial, **metrics: float) -> NewTrial:
    return replace(new, result=replace(new.result, metrics={**new.result.metrics, **metrics}))


def test_a_sweep_that_outgrows_its_children_is_thinned_out(
    store: Store, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSE_MLFLOW_CHILDREN", "40")
    sweep = store.create_sweep(spec(40)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(index) for index in range(40)])
    tracker.sync(sweep)
    longer = replace(spec(40), trials=400, planned=400)
    store.extend(store.sweep(sweep), longer, anew=False, managed=False)
    store.record(sweep, [trial(index) for index in range(400)])
    store.change_state(sweep, "running", "finished")
    tracker.sync(sweep)
    numbers = sorted(int(tag.rpartition("/")[2]) for tag in read_runs(uri)[1])
    assert 35 <= len(numbers) <= 40
    assert all(later - earlier < 30 for earlier, later in pairwise([0, *numbers, 399]))


def test_a_wiped_mlflow_is_written_again_while_the_sweep_runs(store: Store, uri: str, tmp_path: Path) -> None:
    sweep = store.create_sweep(spec(4)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(0), trial(1)])
    assert tracker.sync(sweep) == 2
    for part in tmp_path.glob("mlflow.db*"):
        part.unlink()
    store.record(sweep, [trial(2)])
    assert tracker.sync(sweep) == 3
    assert len(read_runs(uri)[1]) == 3


def test_what_somebody_deleted_comes_back_when_asked_for(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(2)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(0), trial(1)])
    tracker.sync(sweep)
    before = read_runs(uri)[1]
    MlflowClient(uri).delete_run(before[f"{sweep}/h200/1"].info.run_id)
    assert [tracker.sync(sweep), tracker.sync(sweep, compare=True)] == [0, 1]
    assert tracker.sync(sweep, again=True) == 2
    parents, after = read_runs(uri)
    assert len(parents) == 1
    assert not {run.info.run_id for run in before.values()} & {run.info.run_id for run in after.values()}


def test_a_deleted_sweep_takes_its_runs_along(store: Store, uri: str) -> None:
    tracker = MlflowTracker(uri, store)
    for key in ("kept", "gone", "never written"):
        sweep = store.create_sweep(spec(2), key.replace(" ", "-")).id
        store.record(sweep, [trial(0), trial(1)])
        if key != "never written":
            tracker.sync(sweep)
    store.delete_sweep(store.sweep("gone").id)
    store.delete_sweep(store.sweep("never-written").id)
    again = store.create_sweep(spec(2), "gone").id
    tracker.sync(again)
    tracker.tidy()
    parents, children = read_runs(uri)
    assert set(parents) == {"dot sweep kept", "dot sweep gone"}
    assert set(children) == {"kept/h200/0", "kept/h200/1"}
    assert store.outbox.deleted() == []


def test_runs_of_a_deleted_sweep_go_when_mlflow_is_back(store: Store, uri: str, tmp_path: Path) -> None:
    sweep = store.create_sweep(spec(1)).id
    MlflowTracker(uri, store).sync(sweep)
    store.delete_sweep(sweep)
    (tmp_path / "broken.db").write_text("not a database, and long enough to be read as a header" * 4)
    with pytest.raises(TrackingError, match=r"`dse mlflow sync` catches up"):
        MlflowTracker(f"sqlite:///{tmp_path}/broken.db", store).tidy()
    exporter = MlflowExporter(MlflowTracker(uri, store), store).start()
    deadline = monotonic() + 20
    while store.outbox.deleted() and monotonic() < deadline:
        sleep(0.05)
    exporter.finish(20)
    assert read_runs(uri) == ({}, {})


def test_a_sweep_followed_while_its_end_is_written_has_another_turn(
    store: Store, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = store.create_sweep(spec(2)).id
    store.record(sweep, [trial(0)])
    store.change_state(sweep, "running", "finished")
    tracker = MlflowTracker(uri, store)
    exporter = MlflowExporter(tracker, store)
    sync = tracker.sync

    def extended_meanwhile(sweep_id: int) -> int:
        written = sync(sweep_id)
        if store.counts(sweep_id).total == 1:
            store.record(sweep_id, [trial(1)])
            exporter.follow(sweep_id)
        return written

    monkeypatch.setattr(tracker, "sync", extended_meanwhile)
    exporter.follow(sweep)
    exporter.start()
    deadline = monotonic() + 20
    while len(read_runs(uri)[1]) < 2 and monotonic() < deadline:
        sleep(0.2)
    exporter.finish(20)
    assert len(read_runs(uri)[1]) == 2


def test_another_question_replaces_the_runs_of_the_first(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(2)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(0), trial(1)])
    tracker.sync(sweep)
    asked = replace(spec(3), gpus=("b200", "h200"))
    store.extend(store.sweep(sweep), asked, anew=True, managed=False)
    store.record(sweep, [trial(0, "b200")])
    assert tracker.sync(sweep) == 1
    parents, children = read_runs(uri)
    assert [run.data.params["gpus"] for run in parents.values()] == ["b200, h200"]
    assert set(children) == {f"{sweep}/b200/0"}


def test_a_file_that_cannot_be_made_keeps_no_other_back(store: Store, uri: str, tmp_path: Path) -> None:
    sweep = store.create_sweep(spec(1)).id
    store.record(sweep, [trial(0)])
    store.change_state(sweep, "running", "finished")
    MlflowTracker(uri, store).sync(sweep)
    (note,) = tmp_path.rglob("sass/h200.missing.txt")
    assert note.read_text().startswith("sass/h200.sass cannot be made: ")
    assert {path.name for path in tmp_path.rglob("plots/*")} == {
        "parameters.png",
        "progress.png",
        "stalls.png",
    }


def test_an_exporter_finds_what_an_earlier_one_left(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(2), managed=True).id
    store.record(sweep, [trial(0), trial(1)])
    store.change_state(sweep, "running", "finished")
    assert store.outbox.behind() == [sweep]
    exporter = MlflowExporter(MlflowTracker(uri, store), store).start()
    deadline = monotonic() + 30
    while store.outbox.behind() and monotonic() < deadline:
        sleep(0.05)
    exporter.finish(30)
    assert exporter.problem is None
    assert len(read_runs(uri)[1]) == 2


def test_only_one_exporter_writes_at_a_time(store: Store, tmp_path: Path) -> None:
    other = Store.open(tmp_path / "dse.db")
    with (
        store.outbox.lock(1),
        pytest.raises(OutboxBusy, match="another process has held"),
        other.outbox.lock(0.1),
    ):
        pass
    with other.outbox.lock(1):
        pass


@pytest.mark.parametrize(("planned", "room"), [(1_000_000, 398), (401, 398), (500, 1), (7, 20)])
def test_a_spread_is_even(planned: int, room: int) -> None:
    numbers = sorted(spread(planned, room))
    assert 0.9 * min(room, planned) <= len(numbers) <= room
    assert 0 <= numbers[0] <= numbers[-1] < planned
    if room > 100:
        assert max(later - earlier for earlier, later in pairwise(numbers)) <= 2 * planned / room + 1
        assert 0.4 < sum(number % 2 for number in numbers) / len(numbers) < 0.6


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
