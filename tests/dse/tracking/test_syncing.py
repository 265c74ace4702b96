"""Syncing a sweep again: only what is new is written, once, quietly and cheaply."""

import logging
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from mlflow import MlflowClient

from dse import Client
from dse.api import create_app
from dse.errors import PermissionDenied
from dse.requests.preflight import CHECKS
from dse.store import Store
from dse.tokens import create_token
from dse.tracking import MlflowTracker, TrackingError
from dse.tracking.client_runs import ClientRuns
from dse.tracking.connecting import connect
from dse.tracking.runs import ChildRun, ExperimentDeleted
from dse.tracking.sqlite_runs import SqliteRuns
from testing.mlflow_server import read_runs
from testing.serving import serving_app
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


def test_a_server_syncs_for_those_who_ask_it(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(2), "mine", owner="ann").key
    store.record(1, [trial(index) for index in range(2)])
    app = create_app(store, CHECKS, tracker=MlflowTracker(uri, store))
    with serving_app(app) as url:
        ann, bob, eve = (
            Client(url, token=create_token(store, name, [scope])).sweep(sweep)
            for name, scope in (("ann", "submit"), ("bob", "submit"), ("eve", "read"))
        )
        assert [bob.sync_mlflow(), bob.sync_mlflow(), ann.sync_mlflow(again=True)] == [2, 0, 2]
        with pytest.raises(PermissionDenied, match="scope submit"):
            eve.sync_mlflow()
        with pytest.raises(PermissionDenied, match="not yours; ask ann"):
            bob.sync_mlflow(again=True)
        experiment = connect(uri).experiment("dot")
        MlflowClient(uri).delete_experiment(experiment)
        with pytest.raises(TrackingError, match="mlflow experiments restore"):
            ann.sync_mlflow()
    assert len(read_runs(uri)[1]) == 0


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


def test_the_shortcut_and_the_client_leave_the_same_runs(uri: str, tmp_path: Path) -> None:
    child = ChildRun(
        name="h200/0",
        status="FINISHED",
        start_ms=1000,
        end_ms=1750,
        tags={"dse.trial": "1/h200/0"},
        parameters={"unroll": "4"},
        metrics={"time_us": 1.5, "stall/wait": 0.25},
    )
    client = MlflowClient(uri)
    seen = []
    for runs in (ClientRuns(uri, tmp_path / "mlartifacts"), SqliteRuns(uri)):
        experiment = runs.experiment("dot")
        (run_id,) = runs.create(experiment, [child])
        runs.finish({run_id: child})
        run = client.get_run(run_id)
        (point,) = client.get_metric_history(run_id, "stall/wait")
        info = {name: str(value).replace(run_id, "ID") for name, value in dict(run.info).items()}
        seen.append((info, run.data.to_dictionary(), point.value, point.timestamp, point.step))
    assert seen[0] == seen[1]


def test_the_shortcut_and_the_client_do_the_same_to_a_run(uri: str, tmp_path: Path) -> None:
    (tmp_path / "files" / "plots").mkdir(parents=True)
    (tmp_path / "files" / "plots" / "note.txt").write_text("text")
    client = MlflowClient(uri)
    seen = []
    for runs in (SqliteRuns(uri), ClientRuns(uri)):
        run = runs.begin(runs.experiment("dot"), "dot sweep 1", 1000, {"dse.sweep": "1"})
        for step, best in enumerate((2.0, 1.0)):
            runs.log_metrics(run.run_id, {"best": best}, step)
        for state in ("running", "finished"):
            runs.set_tag(run.run_id, "dse.state", state)
        runs.log_files(run.run_id, tmp_path / "files")
        runs.set_status(run.run_id, "FINISHED", datetime.fromtimestamp(2, UTC))
        (found,) = runs.find(run.experiment_id, {"dse.sweep": "1", "dse.state": "finished"})
        told = client.get_run(run.run_id)
        files = [file.path for file in client.list_artifacts(run.run_id, "plots")]
        history = [(point.value, point.step) for point in client.get_metric_history(run.run_id, "best")]
        info = {name: str(value).replace(run.run_id, "ID") for name, value in dict(told.info).items()}
        seen.append((info, told.data.to_dictionary(), files, history, replace(found, run_id="ID")))
        runs.delete([run.run_id])
        assert not list(runs.find(run.experiment_id, {}))
        assert client.get_run(run.run_id).info.lifecycle_stage == "deleted"
    assert seen[0] == seen[1]


def test_a_deleted_experiment_is_named_with_the_fix(uri: str) -> None:
    experiment = SqliteRuns(uri).experiment("dot")
    MlflowClient(uri).delete_experiment(experiment)
    for runs in (SqliteRuns(uri), ClientRuns(uri)):
        assert runs.known_experiment("dot") is None
        with pytest.raises(
            ExperimentDeleted, match=f"mlflow experiments restore --experiment-id {experiment}"
        ):
            runs.experiment("dot")


def test_tables_of_an_unknown_mlflow_are_left_to_its_client(uri: str, store: Store) -> None:
    with closing(sqlite3.connect(uri.removeprefix("sqlite:///"))) as file:
        file.execute("ALTER TABLE runs RENAME COLUMN deleted_time TO trashed_at")
    assert isinstance(connect(uri), ClientRuns)


def test_a_file_of_mlflow_is_written_without_importing_mlflow(uri: str, tmp_path: Path) -> None:
    program = (
        "import sys; from dse.tracking.connecting import connect; "
        f"connect({uri!r}).experiment('dot'); print('mlflow' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_syncing_is_quiet(store: Store, uri: str, caplog: pytest.LogCaptureFixture) -> None:
    sweep = store.create_sweep(spec(300)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(0)])
    with caplog.at_level(logging.INFO):
        tracker.sync(sweep)
        store.record(sweep, [trial(index) for index in range(300)])
        tracker.sync(sweep)
    assert caplog.text == ""
