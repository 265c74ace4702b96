"""A real MLflow tracking server on SQLite that can be killed, stopped, continued and started again."""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep

from mlflow import MlflowClient
from mlflow.entities import Run

START_S = 90


class Server:
    """A server on a free port of this machine.

    Args:
        folder: where its database and its artifacts are.
        flags: more of `mlflow server`'s.
        environment: variables that it gets besides ours.
    """

    def __init__(self, folder: Path, *flags: str, environment: Mapping[str, str] | None = None) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.folder = folder
        self.uri = f"http://127.0.0.1:{self.port}"
        self._flags = flags
        self._environment = {
            **os.environ,
            "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
            **(environment or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Server":
        return self.launch().wait()

    def launch(self) -> "Server":
        where = ["--backend-store-uri", f"sqlite:///{self.folder}/server.db", "--port", str(self.port)]
        where += ["--artifacts-destination", str(self.folder / "files"), "--workers", "1"]
        command = [sys.executable, "-m", "mlflow", "server", *where, *self._flags]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=self._environment,
                cwd=self.folder,
            )
        return self

    def wait(self) -> "Server":
        assert self._process
        deadline = monotonic() + START_S
        while not self._answers():
            assert self._process.poll() is None, (self.folder / "server.log").read_text()[-2000:]
            assert monotonic() < deadline, "MLflow does not start"
            sleep(0.1)
        return self

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        assert self._process
        self._process.wait()

    def signal(self, number: int) -> None:
        assert self._process
        os.killpg(self._process.pid, number)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.uri}/health", timeout=1):
                return True
        except (urllib.error.URLError, OSError):
            return False


def read_runs(uri: str) -> tuple[dict[str, Run], dict[str, Run]]:
    """Parents by run name and children by `dse.trial`, as MLflow tells them."""
    client = MlflowClient(uri)
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    runs = list(client.search_runs(experiments, max_results=5000))
    children = [run for run in runs if "dse.trial" in run.data.tags]
    by_trial = {run.data.tags["dse.trial"]: run for run in children}
    assert len(by_trial) == len(children), "a trial was written twice"
    parents = {run.info.run_name: run for run in runs if run not in children}
    assert len(parents) + len(children) == len(runs), "a sweep was written twice"
    return parents, by_trial
