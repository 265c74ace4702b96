"""A small space on disk, an evaluation that answers at once, and empty stores on both databases."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from dse.evaluation.tasks import Outcome, Task
from dse.store import Store
from search_spaces import Space, load_space
from testing.postgres import PostgresServer
from testing.small_space import SOURCE, SPACE, Evaluate


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
        unroll, width, block = (int(str(task.defines[name])) for name in ("UNROLL", "WIDTH", "BLOCK_SIZE"))
        if width == 2:
            return Outcome.failure(
                task.point_hash, "CycleLimitExceeded", f"width {width} never ends", final=True
            )
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
