"""A sync that broke off, and an MLflow that is out of order for a while."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from mlflow import MlflowClient

from dse.store import Store
from dse.tracking import MlflowTracker, TrackingError
from dse.tracking.client_runs import ClientRuns
from dse.tracking.runs import ChildRun, Runs
from dse.tracking.sqlite_runs import SqliteRuns
from testing.mlflow_server import read_runs
from testing.tracked_sweeps import spec, trial


def crash_after_creating(store: Store, runs: Runs, sweep: int, children: list[ChildRun]) -> None:
    """The runs exist in MLflow, empty; the store never heard of them."""
    runs.create(runs.experiment("dot"), children)


def crash_after_storing_ids(store: Store, runs: Runs, sweep: int, children: list[ChildRun]) -> None:
    """The runs exist in MLflow, empty; the store knows them as begun."""
    ids = runs.create(runs.experiment("dot"), children)
    store.outbox.set_children(
        sweep, {("h200", index): run_id for index, run_id in enumerate(ids)}, logged=False
    )


def crash_after_content(store: Store, runs: Runs, sweep: int, children: list[ChildRun]) -> None:
    """The runs are whole in MLflow; the store knows them as begun."""
    ids = runs.create(runs.experiment("dot"), children)
    store.outbox.set_children(
        sweep, {("h200", index): run_id for index, run_id in enumerate(ids)}, logged=False
    )
    runs.finish(dict(zip(ids, children, strict=True)))


@pytest.mark.parametrize("crash", [crash_after_creating, crash_after_storing_ids, crash_after_content])
@pytest.mark.parametrize("kind", [ClientRuns, SqliteRuns])
def test_a_sync_after_a_crash_completes_every_run_once(
    store: Store,
    uri: str,
    kind: Callable[[str], Runs],
    crash: Callable[[Store, Runs, int, list[ChildRun]], None],
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
            tags={
                "dse.trial": f"{sweep}/h200/{index}",
                "dse.gpu": "h200",
                "dse.number": str(index),
                "mlflow.parentRunId": parent_id,
            },
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


def test_what_remains_of_an_interrupted_file_is_not_used(store: Store, tmp_path: Path) -> None:
    half = tmp_path / "half.db"
    with closing(sqlite3.connect(half, isolation_level=None)) as other:
        other.execute("CREATE TABLE t (x)")
        other.executemany("INSERT INTO t VALUES (?)", [("before" * 500,)] * 200)
        other.execute("PRAGMA cache_size = 1")  # so that the journal is written before the end
        other.execute("BEGIN")
        other.execute("UPDATE t SET x = replace(x, 'before', 'middle')")
        for end in ("", "-journal"):
            shutil.copy(f"{half}{end}", tmp_path / f"mlflow.db.new{end}")
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    sweep = store.create_sweep(spec(1)).id
    store.record(sweep, [trial(0)])
    MlflowTracker(uri, store).sync(sweep)
    assert len(read_runs(uri)[1]) == 1


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
