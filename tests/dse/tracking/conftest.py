"""A store in a file, and a new MLflow in another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dse.store import Store
from dse.tracking import sqlite_file
from testing.mlflow_server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An MLflow server; a test that kills it starts it again."""
    server = Server(tmp_path_factory.mktemp("server"), "--allowed-hosts", "127.0.0.1:*").start()
    yield server
    server.kill()


@pytest.fixture
def uri(tmp_path: Path) -> str:
    sqlite_file.make(tmp_path / "mlflow.db")
    return f"sqlite:///{tmp_path}/mlflow.db"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "dse.db")
