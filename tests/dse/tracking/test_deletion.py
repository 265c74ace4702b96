"""What is deleted in MLflow comes back; what is deleted in the store goes."""

from pathlib import Path
from time import monotonic, sleep

import pytest
from mlflow import MlflowClient

from dse.store import Store
from dse.tracking import MlflowExporter, MlflowTracker, TrackingError
from testing.mlflow_server import read_runs
from testing.tracked_sweeps import spec, trial


def test_a_deleted_mlflow_is_written_again(store: Store, uri: str, tmp_path: Path) -> None:
    sweep = store.create_sweep(spec(2)).id
    store.record(sweep, [trial(0), trial(1)])
    MlflowTracker(uri, store).sync(sweep)
    other = f"sqlite:///{tmp_path}/other.db"
    assert MlflowTracker(other, store).sync(sweep) == 2
    assert len(read_runs(other)[1]) == 2


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
