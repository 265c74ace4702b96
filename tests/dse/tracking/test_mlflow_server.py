"""MLflow as a server that is killed, hangs, refuses and asks for passwords; and exporters that are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep

import pytest
from mlflow import MlflowClient

from dse.store import Store
from dse.tracking import MlflowExporter, MlflowTracker, TrackingError, exporter
from testing.mlflow_server import Server, read_runs
from testing.tracked_sweeps import spec, trial

PASSWORD = "correct horse battery"
SYNC = "import sys; from dse.tracking import MlflowTracker; from dse.store import Store; \
MlflowTracker(sys.argv[1], Store.open(sys.argv[2])).sync(1)"


@pytest.fixture(scope="module", autouse=True)
def private_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server | None]:
    """One that asks for a password; it starts while the other one is tested."""
    if find_spec("flask_wtf") is None:
        yield None
        return
    secrets = {"MLFLOW_AUTH_ADMIN_PASSWORD": PASSWORD, "MLFLOW_FLASK_SERVER_SECRET_KEY": "secret"}
    server = Server(tmp_path_factory.mktemp("private"), "--app-name", "basic-auth", environment=secrets)
    yield server.launch()
    server.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, private_server: Server | None) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"), "--allowed-hosts", "127.0.0.1:*").start()
    yield server
    server.kill()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exporter that looks every moment, and requests that are given up soon."""
    monkeypatch.setattr(exporter, "INTERVAL_S", 0.2)
    monkeypatch.setattr(exporter, "LAST_DELAY_S", 1.0)
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "2")


def wait_for(condition: Callable[[], bool], timeout_s: float = 60) -> None:
    deadline = monotonic() + timeout_s
    while not condition():
        assert monotonic() < deadline
        sleep(0.02)


def check(uri: str, sweep: str, trials: int) -> None:
    """The sweep's runs are there, whole and once."""
    parents, children = read_runs(uri)
    ours = [run for tag, run in children.items() if tag.startswith(f"{sweep}/")]
    assert len(ours) == trials
    for run in ours:
        assert run.info.status == "FINISHED"
        assert run.data.metrics["time_us"] > 0
        assert run.data.params["unroll"] == "4"
    parent = parents[f"dot sweep {sweep}"]
    assert parent.info.status == "FINISHED"
    assert parent.data.tags["dse.results"] == f"{trials} complete, 0 failed"
    assert {run.data.tags["mlflow.parentRunId"] for run in ours} == {parent.info.run_id}


def test_a_server_gets_runs_and_files(store: Store, server: Server) -> None:
    sweep = store.create_sweep(spec(10), key="served").id
    store.record(sweep, [trial(index) for index in range(10)])
    store.change_state(sweep, "running", "finished")
    tracker = MlflowTracker(server.uri, store)
    assert [tracker.sync(sweep), tracker.sync(sweep)] == [10, 0]
    check(server.uri, "served", 10)
    parent = read_runs(server.uri)[0]["dot sweep served"].info.run_id
    client = MlflowClient(server.uri)
    files = {file.path for place in (None, "plots") for file in client.list_artifacts(parent, place)}
    assert files >= {"space.yaml", "kernel.cu", "sweep.json", "results.parquet", "plots/parameters.png"}
    assert tracker.ui_command() == f"open {server.uri}"


@pytest.mark.usefixtures("hurried")
def test_an_export_goes_on_after_the_server_was_killed(store: Store, server: Server) -> None:
    sweep = store.create_sweep(spec(40), key="killed").id
    store.record(sweep, [trial(index) for index in range(40)])
    export = MlflowExporter(MlflowTracker(server.uri, store), store)
    export.follow(sweep)
    export.start()
    wait_for(lambda: store.outbox.is_dirty(sweep))
    sleep(0.4)
    server.kill()
    store.change_state(sweep, "running", "finished")
    wait_for(lambda: "no server responds there" in str(export.problem))
    server.start()
    wait_for(lambda: export.problem is None and not store.outbox.behind())
    export.finish(10)
    check(server.uri, "killed", 40)


@pytest.mark.usefixtures("hurried")
def test_a_server_that_hangs_is_given_up_and_tried_again(store: Store, server: Server) -> None:
    sweep = store.create_sweep(spec(10), key="hung").id
    tracker = MlflowTracker(server.uri, store)
    tracker.sync(sweep)
    store.record(sweep, [trial(index) for index in range(10)])
    store.change_state(sweep, "running", "finished")
    server.signal(signal.SIGSTOP)
    try:
        with pytest.raises(TrackingError, match="the server timed out"):
            tracker.sync(sweep)
    finally:
        server.signal(signal.SIGCONT)
    assert tracker.sync(sweep) == 10
    check(server.uri, "hung", 10)


def test_a_server_that_checks_hosts_names_the_flag(store: Store, server: Server) -> None:
    sweep = store.create_sweep(spec(1), key="refused").id
    uri = f"http://localhost:{server.port}"
    fix = rf"start it with `mlflow server --allowed-hosts localhost:{server.port}`"
    with pytest.raises(TrackingError, match=fix):
        MlflowTracker(uri, store).sync(sweep)


def test_passwords_are_asked_for_and_never_shown(
    store: Store, private_server: Server | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if private_server is None:
        pytest.skip("MLflow's basic-auth app needs `pip install mlflow[auth]`")
    for name in ("MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"):
        monkeypatch.setenv(name, "")
    sweep = store.create_sweep(spec(1), key="private").id
    store.record(sweep, [trial(0)])
    store.change_state(sweep, "running", "finished")
    uri = private_server.wait().uri
    with pytest.raises(TrackingError, match="set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"):
        MlflowTracker(uri, store).sync(sweep)
    wrong = MlflowTracker(uri.replace("//", "//admin:not-the-password@"), store)
    with pytest.raises(TrackingError) as refused:
        wrong.sync(sweep)
    assert "not-the-password" not in f"{refused.value} {refused.value.__cause__} {wrong.ui_command()}"
    tracker = MlflowTracker(uri.replace("//", "//admin:correct%20horse%20battery@"), store)
    assert tracker.sync(sweep) == 1
    assert tracker.address.shown == uri
    check(uri, "private", 1)


def test_exporters_at_once_and_killed_leave_each_run_once(store: Store, tmp_path: Path) -> None:
    sweep = store.create_sweep(spec(300)).id
    store.record(sweep, [trial(index) for index in range(300)])
    store.change_state(sweep, "running", "finished")
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    command = [sys.executable, "-c", SYNC, uri, str(tmp_path / "dse.db")]
    first, second = (subprocess.Popen(command, env=os.environ) for _ in range(2))
    wait_for(lambda: store.outbox.is_dirty(sweep))
    sleep(0.05)
    first.kill()
    first.wait()
    assert second.wait(60) == 0
    MlflowTracker(uri, store).sync(sweep)
    check(uri, "1", 300)
