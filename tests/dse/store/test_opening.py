"""Opening a store: paths, URLs, several processes at once, and what is no store."""

import multiprocessing
from pathlib import Path

import pytest

from dse.store import Store, StoreError
from testing.dot_sweeps import SPEC


def test_paths_and_urls_open_the_same_store(tmp_path: Path) -> None:
    sweep = Store.open(tmp_path / "made" / "dse.db").create_sweep(SPEC).id
    assert Store.open(f"sqlite:///{tmp_path}/made/dse.db").sweep(sweep).name == "dot"


def test_processes_may_open_a_new_store_at_once(empty: str) -> None:
    with multiprocessing.get_context("fork").Pool(6) as pool:
        ids = pool.map(_open_and_create, [empty] * 6, chunksize=1)
    assert sorted(ids) == [1, 2, 3, 4, 5, 6]


def _open_and_create(url: str) -> int:
    return Store.open(url).create_sweep(SPEC).id


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dse.db").write_text("something else, and long enough to be read as a header" * 4)
    with pytest.raises(StoreError, match=r"dse\.db cannot be opened: file is not a database"):
        Store.open(tmp_path / "dse.db")


def test_a_store_that_answers_says_so(store: Store) -> None:
    store.ping()
