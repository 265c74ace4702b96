"""What a sweep looks like in MLflow: its parent run, a child run for each trial, its files."""

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from mlflow import MlflowClient

from dse.cli.terminal.reports import mlflow_lines
from dse.store import Store, SweepState
from dse.tracking import MlflowTracker, sqlite_runs
from dse.tracking.question import add_question
from dse.tracking.views import TAG
from testing.mlflow_server import read_runs
from testing.tracked_sweeps import SOURCE, SPACE, spec, trial


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
        "speedup": 1.0,
        "ties/within": 0.1,
        "ties/from_us": pytest.approx(100 / 1.1),
        "ties/to_us": pytest.approx(110.0),
        "occupancy/achieved": 0.5,
        "stall/long_scoreboard": 3.25,
        "utilisation/fp32": 0.25,
    }
    assert complete.info.run_name == "h200 unroll=4"
    assert complete.data.tags["dse.number"] == "0"
    note = complete.data.tags["mlflow.note.content"]
    assert (
        "100 µs, 1.00x the space's first point, GPU profile derived (ties within 10%), regime latency" in note
    )
    assert note.startswith("trial 0 on h200: **unroll=4")
    assert "`dse explain" in note
    assert "- unroll more" in note
    assert "| long_scoreboard | 100% |" in note
    assert "LaunchError: why" in failed.data.tags["mlflow.note.content"]
    assert complete.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert complete.data.tags["dse.kernel"] == "dot"
    assert complete.data.tags["dse.regime"] == "latency"
    assert complete.info.status == "FINISHED"
    assert complete.info.end_time - complete.info.start_time == 750
    assert failed.info.status == "FAILED"
    assert (failed.data.tags["dse.state"], failed.data.tags["dse.reason"]) == ("failed", "LaunchError")
    assert failed.data.tags["dse.message"] == "LaunchError: why"
    assert failed.data.metrics == {}


def test_the_files_of_a_space_are_those_of_its_run(store: Store, tmp_path: Path) -> None:
    files = {"scale.cubin": "AQID", "data/x.npy": "BAUG"}
    asked = replace(spec(2), source="", source_file="scale.cubin", headers={"a/b.cuh": "// b"}, files=files)
    add_question(tmp_path, store.create_sweep(asked))
    assert (tmp_path / "scale.cubin").read_bytes() == b"\1\2\3"
    assert (tmp_path / "data/x.npy").read_bytes() == b"\4\5\6"
    assert (tmp_path / "a/b.cuh").read_text() == "// b"
    assert "AQID" not in (tmp_path / "sweep.json").read_text()


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
    asked = {"dse.gpus": "h200, a100-80gb", "dse.sampler": "exhaustive", "dse.seed": "0"}
    assert parent.data.tags.items() >= asked.items()
    assert parent.data.tags["dse.state"] == "finished"
    note = parent.data.tags["mlflow.note.content"]
    assert "| h200 | unroll=4 register_cap=none | 99 | 1 of 1 | derived |" in note
    assert "| a100-80gb | unroll=4 register_cap=none | 100 | 1 of 1 | derived |" in note
    assert "ties: within 10% (derived) of the best" in note
    assert "| GPU and workload | the ties share | take | because |" in note


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
    assert table.column("advice").to_pylist() == ['["unroll more"]', None]


def test_a_file_that_cannot_be_made_keeps_no_other_back(store: Store, uri: str, tmp_path: Path) -> None:
    sweep = store.create_sweep(replace(spec(1), source="no kernel")).id
    store.record(sweep, [trial(0)])
    store.change_state(sweep, "running", "finished")
    MlflowTracker(uri, store).sync(sweep)
    (note,) = tmp_path.rglob("sass/h200.missing.txt")
    assert note.read_text().startswith("sass/h200.sass cannot be created: ")
    assert {path.name for path in tmp_path.rglob("plots/*")} == {
        "parameters.png",
        "progress.png",
        "stalls.png",
    }


def test_a_trial_waits_for_its_baseline(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(3)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(2)])
    assert tracker.sync(sweep) == 0
    store.record(sweep, [trial(0)])
    assert tracker.sync(sweep) == 2
    metrics = read_runs(uri)[1][f"{sweep}/h200/2"].data.metrics
    assert metrics["speedup"] == pytest.approx(100 / 98)


def test_an_mlflow_of_another_major_version_gets_runs_without_a_view(
    store: Store, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_runs, "version", lambda name: "4.0.1")
    sweep = store.create_sweep(spec(1)).id
    store.record(sweep, [trial(0)])
    assert MlflowTracker(uri, store).sync(sweep) == 1
    page = store.sweep(sweep).mlflow_page
    assert page is not None
    assert "searchFilter=tags.%60mlflow.parentRunId%60" in page
    experiment = MlflowClient(uri).get_experiment_by_name("dot")
    assert experiment is not None
    assert not [key for key in experiment.tags if key.startswith(TAG)]
    said = mlflow_lines(f"http://127.0.0.1:5000/{page}", None, trials=100)
    assert "without columns and charts" in said
    assert "Load more" not in said
    assert "the 100 best runs at first" in mlflow_lines(
        "http://127.0.0.1:5000/#/experiments/1", None, trials=101
    )


def test_spaces_of_one_kernel_name_are_told_apart(store: Store, uri: str) -> None:
    tracker = MlflowTracker(uri, store)
    for source in ("// one", "// another"):
        sweep = store.create_sweep(replace(spec(1), source=source)).id
        store.record(sweep, [trial(0)])
        tracker.sync(sweep)
    parents, children = read_runs(uri)
    spaces = {run.data.tags["dse.space"] for run in parents.values()}
    assert len(spaces) == 2
    assert {run.data.tags["dse.space"] for run in children.values()} == spaces


def test_an_extended_sweep_runs_again(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(1)).id
    tracker = MlflowTracker(uri, store)
    states: tuple[SweepState, ...] = ("finished", "running", "finished")
    for index, state in enumerate(states):
        store.take(sweep)
        store.record(sweep, [trial(index)])
        store.change_state(sweep, "running", state)
        tracker.sync(sweep)
        (parent,) = read_runs(uri)[0].values()
        assert parent.info.status == state.upper()
    assert parent.data.tags["dse.results"] == "3 complete, 0 failed"


def test_an_extension_leaves_the_runs_that_there_are(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(2)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(0), trial(1)])
    tracker.sync(sweep)
    before, shown = read_runs(uri)
    page = store.sweep(sweep).mlflow_page
    values = {"unroll": (1, 2, 4), "register_cap": (None, 64)}
    asked = replace(spec(3), gpus=(*spec(2).gpus, "b200"), parameters=values)
    store.extend(store.sweep(sweep), asked, anew=True, managed=False)
    store.record(sweep, [replace(trial(2, "b200"), point_index=0)])
    assert tracker.sync(sweep) == 1
    parents, children = read_runs(uri)
    assert {name: run.info.run_id for name, run in parents.items()} == {
        name: run.info.run_id for name, run in before.items()
    }
    (parent,) = parents.values()
    assert parent.data.tags["dse.gpus"] == "h200, a100-80gb, b200"
    assert store.sweep(sweep).mlflow_page == page
    assert set(children) == {*shown, f"{sweep}/b200/2"}
    for name, run in shown.items():
        assert children[name].info.run_id == run.info.run_id


def test_the_ui_command_opens_this_mlflow(store: Store) -> None:
    command = MlflowTracker("sqlite:////data/mlflow.db", store).address.ui_command
    assert command == "mlflow ui --workers 1 --backend-store-uri sqlite:////data/mlflow.db"
