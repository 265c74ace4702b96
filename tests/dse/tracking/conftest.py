"""A store in a file, and a new MLflow in another."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dse.store import Store
from dse.tracking.connecting import connect
from testing.mlflow_server import Server


@pytest.fixture(scope="session")
def empty_mlflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new MLflow database: making one takes a second, copying it does not."""
    path = tmp_path_factory.mktemp("mlflow") / "mlflow.db"
    connect(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An MLflow server; a test that kills it starts it again."""
    server = Server(tmp_path_factory.mktemp("server"), "--allowed-hosts", "127.0.0.1:*").start()
    yield server
    server.kill()


@pytest.fixture
def uri(tmp_path: Path, empty_mlflow: Path) -> str:
    for part in empty_mlflow.parent.glob("mlflow.db*"):
        shutil.copy(part, tmp_path)
    return f"sqlite:///{tmp_path}/mlflow.db"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "dse.db")
