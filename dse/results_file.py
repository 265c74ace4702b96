"""A sweep's table as a Parquet file: one row a trial, the columns of `TrialRecord.row`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from dse.store import TrialRecord


def write_parquet(trials: Sequence[TrialRecord], path: Path) -> None:
    """Write the trials; lists and mappings become JSON, and a column of mixed kinds becomes text."""
    rows = [trial.row() for trial in trials]
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    pq.write_table(pa.table(columns), path)


def write_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], file: BinaryIO) -> None:
    """Write rows with these columns."""
    table = list(rows)
    pq.write_table(pa.table({name: _column([row.get(name) for row in table]) for name in columns}), file)


def _column(values: Sequence[Any]) -> pa.Array:
    cells = [json.dumps(value) if isinstance(value, list | dict) else value for value in values]
    try:
        return pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if cell is None else str(cell) for cell in cells])
