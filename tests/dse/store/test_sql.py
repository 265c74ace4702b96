"""The views for plain SQL, and the documented queries."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from dse.store import METRIC_COLUMNS, Store
from testing.dot_sweeps import SPEC, failure, trial


def test_views_answer_plain_sql(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index, gpu) for index in range(3) for gpu in SPEC.gpus])
    fastest = store.create_sweep(replace(SPEC, objectives=(("maximize", "time_us"),)), "slow").id
    store.record(fastest, [trial(index) for index in range(3)])
    engine = create_engine(make_url(store.url))
    with engine.connect() as connection:
        columns = set(connection.execute(text("SELECT * FROM trials_wide")).keys())
        best = "SELECT key, kernel, gpu, point_index, time_us FROM best_per_gpu ORDER BY key, gpu"
        assert [tuple(row) for row in connection.execute(text(best))] == [
            ("1", "dot", "a100-80gb", 2, 8.0),
            ("1", "dot", "h200", 2, 8.0),
            ("slow", "dot", "h200", 0, 10.0),
        ]
    engine.dispose()
    assert {*METRIC_COLUMNS, "key", "state", "message", "score", "compile_s", "simulate_s"} <= columns


DOCUMENTED = (Path(__file__).parents[3] / "docs" / "store.md").read_text()


@pytest.mark.parametrize("statement", re.findall(r"```sql\n(.*?);\n```", DOCUMENTED, re.DOTALL))
def test_the_documented_queries_answer(store: Store, statement: str) -> None:
    sweep = store.create_sweep(SPEC, "7").id
    store.record(sweep, [trial(index, gpu) for index in range(3) for gpu in SPEC.gpus])
    store.record(sweep, [trial(3, outcome=failure("x", "LaunchError"))])
    engine = create_engine(make_url(store.url))
    with engine.connect() as connection:
        assert connection.execute(text(statement)).all()
    engine.dispose()
