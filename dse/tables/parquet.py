"""Parquet files: of a sweep, one row per trial for any number of trials; and of a few arbitrary rows.

The rows of a sweep are streamed in batches; its columns and their types are those of `dse.tables.columns`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from dse.store import SweepSpec, TrialRecord
from dse.tables.columns import TrialTable
from dse.tables.text import flat

#: Rows in memory at once.
ROW_GROUP = 5000

_ARROW_TYPES = {int: pa.int64(), float: pa.float64(), str: pa.string()}


def write_parquet(
    trials: Iterable[TrialRecord], sink: Path | BinaryIO, spec: SweepSpec, times: bool = False
) -> int:
    """Write the trials of a sweep, as from `Store.stream_trials`; returns their number."""
    table, written = TrialTable(spec, times), 0
    schema = pa.schema([(name, _ARROW_TYPES[kind]) for name, kind in table.columns.items()])
    with pq.ParquetWriter(sink, schema) as writer:
        for group in _groups(trials):
            rows = [table.row(trial) for trial in group]
            arrays = [pa.array([flat(row[field.name]) for row in rows], field.type) for field in schema]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            written += len(rows)
    return written


def write_rows(rows: Sequence[Mapping[str, Any]], sink: BinaryIO, columns: Sequence[str]) -> None:
    """Write a few rows; columns have the type of their values, structured values become JSON."""
    cells = {name: pa.array([flat(row.get(name)) for row in rows]) for name in columns}
    pq.write_table(pa.table(cells), sink)


def _groups(trials: Iterable[TrialRecord]) -> Iterator[Sequence[TrialRecord]]:
    remaining = iter(trials)
    return iter(lambda: list(islice(remaining, ROW_GROUP)), [])
