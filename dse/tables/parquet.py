"""Parquet files: of a sweep, one row per trial for any number of trials; and of a few arbitrary rows.

The rows of a sweep are streamed in batches, so its columns and their types are fixed beforehand:
a parameter's by its values, a metric's by its column in the store. Columns are those of `TrialRecord.row`, except that
all other reported values are in one column, `extra`, as JSON.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from dse.store import METRIC_TYPES, SweepSpec, TrialRecord
from dse.store.records import metric_label
from dse.tables.text import flat, worded
from search_spaces import Value

#: Rows in memory at once.
ROW_GROUP = 5000

_ARROW_TYPES = {int: pa.int64(), float: pa.float64(), str: pa.string()}


def write_parquet(trials: Iterable[TrialRecord], sink: Path | BinaryIO, spec: SweepSpec) -> int:
    """Write the trials of a sweep, as from `Store.stream_trials`; returns their number."""
    schema, written = _schema(spec), 0
    metrics = {name: metric_label(name, spec.parameters) for name in METRIC_TYPES}
    with pq.ParquetWriter(sink, schema) as writer:
        for group in _groups(trials):
            rows = [_row(trial, metrics) for trial in group]
            columns = [_column([row.get(field.name) for row in rows], field.type) for field in schema]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            written += len(rows)
    return written


def write_rows(rows: Sequence[Mapping[str, Any]], sink: BinaryIO, columns: Sequence[str]) -> None:
    """Write a few rows; columns have the type of their values, structured values become JSON."""
    cells = {name: pa.array([flat(row.get(name)) for row in rows]) for name in columns}
    pq.write_table(pa.table(cells), sink)


def _groups(trials: Iterable[TrialRecord]) -> Iterator[Sequence[TrialRecord]]:
    remaining = iter(trials)
    return iter(lambda: list(islice(remaining, ROW_GROUP)), [])


def _schema(spec: SweepSpec) -> pa.Schema:
    fields = [("number", pa.int64()), ("gpu", pa.string()), ("point_index", pa.int64())]
    fields += [(name, _parameter_type(values)) for name, values in spec.parameters.items()]
    fields += [(name, pa.string()) for name in ("state", "reason", "message")]
    fields.append(("same_code_as", pa.int64()))
    fields += [(name, pa.float64()) for name in spec.metrics]
    fields += [
        (metric_label(name, spec.parameters), _ARROW_TYPES[kind]) for name, kind in METRIC_TYPES.items()
    ]
    return pa.schema([*fields, ("extra", pa.string())])


def _parameter_type(values: Sequence[Value]) -> pa.DataType:
    """The narrowest type for all values: integers, floats or text; text if numbers are mixed with text or `none`."""
    kinds = {type(worded(value)) for value in values}
    if kinds <= {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


def _row(trial: TrialRecord, metrics: Mapping[str, str]) -> dict[str, Any]:
    result = trial.result
    extra = {name: value for name, value in result.metrics.items() if name not in metrics}
    return {
        "number": trial.number,
        "gpu": trial.gpu,
        "point_index": trial.point_index,
        **{name: worded(value) for name, value in trial.parameters.items()},
        "state": result.state,
        "reason": result.reason,
        "message": result.message,
        "same_code_as": trial.same_code_as,
        **trial.user_metrics,
        **{column: result.metrics.get(name) for name, column in metrics.items()},
        "extra": json.dumps(extra),
    }


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_string(kind):
        return pa.array([None if value is None else str(value) for value in values], kind)
    return pa.array(values, kind)
