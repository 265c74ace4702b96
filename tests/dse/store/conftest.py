"""A sweep in an empty store, and a database that nobody has opened."""

from pathlib import Path

import pytest

from dse.store import Store
from testing.dot_sweeps import SPEC


@pytest.fixture
def sweep(store: Store) -> int:
    return store.create_sweep(SPEC).id


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that nobody has opened yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/dse.db"
    return str(request.getfixturevalue("postgres_url"))
