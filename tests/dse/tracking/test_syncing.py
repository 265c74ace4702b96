"""Syncing a sweep again: only what is new is written, once, quietly and cheaply."""

import logging
from pathlib import Path
from time import process_time

import pytest
from mlflow import MlflowClient

from dse.store import Store
from dse.tracking import MlflowTracker
from dse.tracking.runs import ChildRun, MlflowRuns, SqliteRuns
from testing.mlflow_server import read_runs
from testing.tracked_sweeps import spec, trial


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


def test_sweeps_of_one_number_in_two_stores_stay_apart(store: Store, uri: str, tmp_path: Path) -> None:
    other = Store.open(tmp_path / "other-dse.db")
    for each in (store, other):
        each.record(each.create_sweep(spec(1)).id, [trial(0)])
        assert MlflowTracker(uri, each).sync(1) == 1
    assert store.sweep(1).mlflow_run_id != other.sweep(1).mlflow_run_id


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
