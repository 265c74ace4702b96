"""The check of a whole database."""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from dse.store import Store, StoreError
from dse.store.check import problems
from testing.dot_sweeps import SPEC, failure, trial


def test_a_check_finds_what_is_not_whole(tmp_path: Path) -> None:
    path = tmp_path / "dse.db"
    with pytest.raises(StoreError, match="no database at"):
        problems(path)
    store = Store.open(path)
    sweep = store.create_sweep(SPEC, "night").id
    store.record(sweep, [trial(0), trial(1), trial(2, outcome=failure("x", "LaunchError"))])
    assert problems(path) == []
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE trial_counts SET trials = 7 WHERE state = 'complete'")
        connection.execute("UPDATE trials SET score = 0 WHERE point_index = 1")
        connection.execute("DELETE FROM results WHERE point_hash = 'x'")
    assert [problem.partition(" of trials refers")[0] for problem in problems(path)] == [
        "row 3",
        "sweep night: 2 trials are complete new, and 7 are counted",
        "sweep night: 2 trials differ from their results",
    ]
    (tmp_path / "text.db").write_text("something else, and long enough to be read as a header" * 4)
    with pytest.raises(StoreError, match=r"text\.db cannot be read: file is not a database"):
        problems(tmp_path / "text.db")
    shutil.copy(Path(__file__).parents[1] / "data" / "store_0001.db", tmp_path / "old.db")
    (problem,) = problems(tmp_path / "old.db")
    assert re.fullmatch(r"its schema is 0001, the current one is \d+; run `dse db upgrade`", problem)


def test_a_check_of_postgresql_finds_the_same(postgres_url: str) -> None:
    (problem,) = problems(postgres_url)
    assert problem.startswith("its schema is empty, the current one is")
    store = Store.open(postgres_url)
    store.record(store.create_sweep(SPEC).id, [trial(0), trial(1)])
    store.close()
    assert problems(postgres_url) == []
