"""`dse serve` as a team runs it: a process of its own, asked by the command line, killed at the worst moments."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import httpx
import psutil
import pytest

from dse import Client
from dse.runners.inline import InlineRunner
from testing.small_space import SOURCE, SPACE

DSE = [sys.executable, "-m", "dse"]
#: The first start in an installation compiles the simulator.
PATIENCE_S = 600


class Server:
    """A running `dse serve`."""

    def __init__(self, home: Path, *options: str) -> None:
        self._process = subprocess.Popen(
            [*DSE, "serve", "--home", str(home), "--port", "0", *options], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        line = self._process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        self.url = found[0]

    def dse(self, *arguments: object) -> str:
        """What a command prints that asks this server."""
        environment = {**os.environ, "DSE_SERVER": self.url}
        ran = subprocess.run(
            [*DSE, *map(str, arguments)], capture_output=True, text=True, timeout=120, env=environment
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def status(self, sweep: str) -> dict[str, object]:
        answer: dict[str, object] = json.loads(self.dse("status", sweep, "-o", "json"))
        return answer

    @property
    def has_ray(self) -> bool:
        """Whether a process of Ray runs for it."""
        family = psutil.Process(self._process.pid).children(recursive=True)
        return any("raylet" in " ".join(child.cmdline()) for child in family)

    def kill_coordinator(self) -> None:
        for child in psutil.Process(self._process.pid).children():
            if "coordinate" in child.cmdline():
                child.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(60)


@contextmanager
def serving(home: Path, *options: str) -> Iterator[Server]:
    server = Server(home, *options)
    try:
        yield server
    finally:
        server.end()


def wait_until_done(server: Server, sweep: str, done: int) -> dict[str, object]:
    deadline = monotonic() + PATIENCE_S
    while True:
        with httpx.Client(base_url=server.url, timeout=30) as http:
            status = http.get(f"/api/v1/sweeps/{sweep}").json()
        counts = status["counts"]
        if counts["complete"] + counts["failed"] >= done and (
            done < status["total"] or status["state"] == "finished"
        ):
            return status  # type: ignore[no-any-return]
        assert monotonic() < deadline, status
        sleep(0.1)


@pytest.mark.parametrize("workers", ["--ray", "--no-ray"])
def test_a_sweep_survives_kills_of_the_coordinator_and_of_the_server(tmp_path: Path, workers: str) -> None:
    """Whatever is killed, the rows are those of a run that nobody touched, byte for byte."""
    home, space = tmp_path / "home", tmp_path / "scale"
    space.mkdir()
    (space / "kernel.cu").write_text(SOURCE)
    (space / "space.yaml").write_text(SPACE.replace("[64, 128, 256, 512]", "[64, 128]"))
    server = Server(home, workers)
    submitted = json.loads(server.dse("submit", space, "--gpu", "a100-80gb", "--id", "killed", "-o", "json"))
    assert submitted == {"id": "killed"}
    total = int(str(server.status("killed")["total"]))
    wait_until_done(server, "killed", total // 4)
    assert server.has_ray == (workers == "--ray")
    server.kill_coordinator()
    wait_until_done(server, "killed", total // 2)
    server.kill()
    with serving(home, workers) as again:
        wait_until_done(again, "killed", total)
        status = again.status("killed")
        assert (status["state"], status["done"], status["failed"]) == ("finished", total, 0)
        rows = again.dse("results", "killed", "-o", "csv")
        assert "MLflow is up to date for 1 sweep(s)" in again.dse("mlflow", "sync")
        assert "MLflow:\n  no link: the runs are not exported yet, or in a file" in again.dse(
            "watch", "killed"
        )
        assert again.dse("db", "check", "--home", home).endswith("/dse.db is intact\n")
    quiet = Client(tmp_path / "quiet", partial(InlineRunner), tracking=False)
    quiet.submit(space, ["a100-80gb"], id="quiet").wait()
    environment = {**os.environ, "DSE_HOME": str(tmp_path / "quiet")}
    undisturbed = subprocess.run(
        [*DSE, "results", "quiet", "-o", "csv"], capture_output=True, text=True, env=environment
    )
    assert rows == undisturbed.stdout
    assert rows.count("\n") == total + 1


def test_the_stream_of_a_sweep_ends_when_the_server_ends(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-coordinator") as server:
        server.dse("submit", "dot", "--gpu", "h200", "--id", "queued")
        with httpx.stream("GET", f"{server.url}/api/v1/sweeps/queued/events", timeout=60) as events:
            lines = events.iter_lines()
            assert next(lines) == "event: status"
            server.end()
            assert "event: status" not in list(lines)  # raises if the connection breaks off


def create_token(home: str, name: str) -> str:
    """The secret of a new token."""
    made = subprocess.run(
        [*DSE, "token", "create", name, "--scope", "submit", "--home", home], capture_output=True, text=True
    )
    return made.stdout.strip()


def asked(url: str, token: str, *arguments: str) -> str:
    """What a command prints that asks a server with a token."""
    environment = {**os.environ, "DSE_SERVER": url, "DSE_TOKEN": token}
    ran = subprocess.run([*DSE, *arguments], capture_output=True, text=True, timeout=120, env=environment)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_server_that_others_can_reach_needs_a_token(tmp_path: Path) -> None:
    home = str(tmp_path)
    refused = subprocess.run(
        [*DSE, "serve", "--home", home, "--host", "0.0.0.0", "--port", "0"], capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert f"dse token create NAME --scope admin --home {home}" in refused.stderr
    secret = "a secret of the administrator's choice"
    environment = {**os.environ, "DSE_ADMIN_TOKEN": secret}
    process = subprocess.Popen(
        [*DSE, "serve", "--home", home, "--host", "0.0.0.0", "--port", "0", "--no-coordinator"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        assert process.stdout
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        assert secret not in line
        assert httpx.get(f"{found[0]}/api/v1/gpus").status_code == 401
        with_token = httpx.get(f"{found[0]}/api/v1/gpus", headers={"Authorization": f"Bearer {secret}"})
        assert with_token.status_code == 200
        assert secret not in Path(home, "dse.db").read_bytes().decode("latin-1")
        tokens = {"ann": secret, "bob": create_token(home, "bob")}
        for name, token in tokens.items():
            asked(found[0], token, "submit", "dot", "--gpu", "h200", "--id", f"of-{name}")
        synced = asked(found[0], tokens["bob"], "mlflow", "sync", "--again")
        assert "sweep of-ann (dot): 0 trials, left alone: sweep of-ann is not yours; ask admin" in synced
        assert "sweep of-bob (dot): 0 trials, 0 runs written" in synced
        assert "MLflow is up to date for 1 sweep(s)" in synced
    finally:
        process.terminate()
        process.wait(60)


def test_a_server_says_at_its_start_whether_mlflow_responds(tmp_path: Path, unused_port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as there:
        for port, answer in (
            (unused_port, ", which does not respond yet: runs are written"),
            (there.getsockname()[1], "\n"),
        ):
            process = subprocess.Popen(
                [*DSE, "serve", "--home", str(tmp_path), "--port", "0", "--no-coordinator"],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "DSE_MLFLOW": f"http://me:secret@127.0.0.1:{port}"},
            )
            try:
                assert process.stdout
                process.stdout.readline()
                line = process.stdout.readline()
                assert line.startswith(f"exporting runs to MLflow at http://127.0.0.1:{port}{answer}")
            finally:
                process.terminate()
                process.wait(60)


def test_tokens_are_made_listed_and_revoked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSE_HOME", str(tmp_path))

    def token(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*DSE, "token", *arguments], capture_output=True, text=True)

    assert f"no tokens yet in sqlite:///{tmp_path}/dse.db" in token("list").stdout
    created = token("create", "ann", "--scope", "submit")
    assert f"token ann is in sqlite:///{tmp_path}/dse.db" in created.stderr
    secret = created.stdout.strip()
    assert secret.startswith("dse_")
    assert json.loads(token("list", "-o", "json").stdout)[0]["name"] == "ann"
    assert secret not in token("list", "-o", "json").stdout
    assert token("create", "ann").returncode == 2
    assert token("create", "bob", "--scope", "everything").returncode == 2
    assert token("revoke", "ann").returncode == 0
    assert json.loads(token("list", "-o", "json").stdout)[0]["revoked"]
    assert token("revoke", "nobody").returncode == 2
