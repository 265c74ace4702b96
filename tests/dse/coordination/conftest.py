"""A store, and a request for a small space on two GPUs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dse.requests.request import Request
from dse.requests.spaces import SpaceFiles
from dse.store import Store
from search_spaces import load_space
from testing.coordinating import GPUS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "dse.db")
    yield store
    store.close()


@pytest.fixture
def request_(space_file: Path) -> Request:
    return Request(space=SpaceFiles.of(load_space(space_file)), gpus=GPUS)
