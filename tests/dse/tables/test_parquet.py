"""A sweep's table in a Parquet file."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dse.evaluation.tasks import Outcome
from dse.store import Store, SweepSpec, Trial
from dse.tables.parquet import write_parquet, write_rows

SPEC = SweepSpec(
    name="dot",
    space_yaml="",
    source="",
    gpus=("h200",),
    parameters={"unroll": (1, 2), "cap": (None, 32), "tile": ("auto", 8), "cycles": (1, 0.5)},
)


def trial(index: int) -> Trial:
    point = {name: values[index % 2] for name, values in SPEC.parameters.items()}
    complete = Outcome(
        f"{index}",
        "complete",
        metrics={"time_us": 0.1 * index, "cycles": 9.0, "regime": "latency", "advice": ["x"]},
    )
    failed = Outcome(f"{index}", "failed", "LaunchError", "why")
    return Trial(index, "h200", index, point, failed if index == 3 else complete)


def test_every_trial_is_a_row_with_typed_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dse.tables.parquet.ROW_GROUP", 4)
    store = Store.open(tmp_path / "dse.db")
    sweep = store.create_sweep(SPEC).id
    store.record(sweep, [trial(index) for index in range(10)])
    path = tmp_path / "results.parquet"
    assert write_parquet(store.stream_trials(sweep, batch=3), path, SPEC) == 10
    table = pq.read_table(path)
    assert pq.ParquetFile(path).num_row_groups == 3
    kinds = {field.name: str(field.type) for field in table.schema}
    assert [kinds[name] for name in ("unroll", "cap", "tile", "cycles", "metrics.cycles", "regime")] == [
        *("int64", "string", "string", "double", "double", "string")
    ]
    rows = table.to_pylist()
    assert [row["point_index"] for row in rows] == list(range(10))
    assert [row["time_us"] for row in rows[:5]] == [0.0, 0.1, 0.2, None, 0.4]
    assert (rows[0]["cap"], rows[0]["tile"], rows[1]["cap"], rows[1]["tile"]) == ("none", "auto", "32", "8")
    assert (rows[3]["state"], rows[3]["reason"], json.loads(rows[0]["advice"])) == (
        *("failed", "LaunchError", ["x"]),
    )


def test_a_sweep_without_trials_is_a_table_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    assert write_parquet([], path, replace(SPEC, parameters={})) == 0
    assert pq.read_table(path).num_rows == 0


def test_rows_of_any_kind_are_written_with_what_has_parts_as_json() -> None:
    file = BytesIO()
    write_rows(
        [{"gpu": "h200", "advice": ["x"]}, {"gpu": "b200", "time_us": 1.5}],
        file,
        ["gpu", "time_us", "advice"],
    )
    assert pq.read_table(file).to_pylist() == [
        {"gpu": "h200", "time_us": None, "advice": '["x"]'},
        {"gpu": "b200", "time_us": 1.5, "advice": None},
    ]
