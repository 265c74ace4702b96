"""Opening a store: paths, URLs, several processes at once, and what is no store."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dse.store import Store, StoreError, StoreUnavailable
from testing.dot_sweeps import SPEC


def test_paths_and_urls_open_the_same_store(tmp_path: Path) -> None:
    sweep = Store.open(tmp_path / "made" / "dse.db").create_sweep(SPEC).id
    assert Store.open(f"sqlite:///{tmp_path}/made/dse.db").sweep(sweep).name == "dot"


OPEN_AND_CREATE = """
import sys
from dse.store import Store
from testing.dot_sweeps import SPEC
print(Store.open(sys.argv[1]).create_sweep(SPEC).id)
"""


def test_processes_may_open_a_new_store_at_once(empty: str) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_AND_CREATE, empty],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    ids = [process.communicate(timeout=120)[0] for process in started]
    assert sorted(map(int, ids)) == [1, 2, 3, 4, 5, 6]


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dse.db").write_text("something else, and long enough to be read as a header" * 4)
    with pytest.raises(StoreError, match=r"dse\.db cannot be opened: file is not a database"):
        Store.open(tmp_path / "dse.db")


@pytest.mark.parametrize("scheme", ["postgres", "mysql", "mysqlite", "postgresql+psycho"])
def test_a_database_of_another_kind_is_refused(scheme: str) -> None:
    with pytest.raises(
        StoreError, match=rf"results cannot be stored in {re.escape(scheme)}; write sqlite:///PATH or"
    ):
        Store.open(f"{scheme}://nowhere/dse")


def test_a_ping_raises_where_the_database_does_not_answer_and_only_there(
    store: Store, unused_port: int
) -> None:
    store.ping()
    with pytest.raises(StoreUnavailable, match="the database does not respond"):
        Store(f"postgresql+psycopg://nobody@127.0.0.1:{unused_port}/dse").ping()
