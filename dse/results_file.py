"""A sweep's table as a Parquet file: one row a trial, as `TrialRecord.row` makes them.

Batches are staged in Arrow files, each with the columns that it has, since only the last one tells which columns
there are and of what kind. So memory holds one batch, however many there are.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from dse.store.tables import chunks

#: Rows of a batch.
BATCH = 5000


def write_parquet(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write the rows; lists and mappings become JSON, and a column of mixed kinds becomes text."""
    kinds: dict[str, pa.DataType] = {}
    with TemporaryDirectory(dir=path.parent, prefix="staged-") as folder:
        staged: list[Path] = []
        for batch in chunks(rows, BATCH):
            table = _table(batch)
            for field in table.schema:
                kinds[field.name] = _common(kinds.get(field.name, pa.null()), field.type)
            staged.append(Path(folder) / str(len(staged)))
            feather.write_feather(table, staged[-1], compression="uncompressed")
        schema = pa.schema(list(kinds.items()))
        with pq.ParquetWriter(path, schema) as writer:
            for file in staged:
                writer.write_table(_conform(feather.read_table(file), schema))
                file.unlink()


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: Sequence[Any]) -> pa.Array:
    cells = [json.dumps(value) if isinstance(value, list | dict) else value for value in values]
    try:
        return pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if cell is None else str(cell) for cell in cells])


def _common(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The kind that holds the values of both: numbers may widen, all else that differs becomes text."""
    if pa.types.is_null(one) or one == other:
        return other
    if pa.types.is_null(other):
        return one
    numbers = {pa.int64(), pa.float64()}
    return pa.float64() if {one, other} == numbers else pa.string()


def _conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    present = set(table.column_names)
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in present
        else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
