"""The trials of a sweep as columns: what orders and compares a million of them in a second.

A row of `trials` and one of `results` are a kilobyte and two searches; a number in a column is eight bytes. Columns are
kept in parts of `PART` trials, by their numbers; what is not yet in a part is read from the rows.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Text, cast, delete, func, select

from dse.store.database.retrying import retried
from dse.store.parts.sweeps import SweepStore
from dse.store.records import SweepSpec
from dse.store.schema.models import METRIC_COLUMNS, METRIC_TYPES
from dse.store.schema.tables import RESULTS, SWEEPS, TRIAL_COLUMNS, TRIAL_COUNTS, TRIALS
from search_spaces import Point, Value

if TYPE_CHECKING:
    import pyarrow as pa

#: Trials in a part.
PART = 20_000
#: The columns of every part beside parameters and metrics.
PLACE = {name: TRIALS.c[name] for name in ("gpu", "point_index", "number", "score")}
#: The column with the first trial of the same simulation.
SAME_CODE = "same_code_as"
_TYPES: Mapping[type, str] = {int: "int64", float: "float64", str: "string"}


@dataclass(frozen=True)
class _Column:
    """A column: what is read of each row, and how that becomes its value."""

    source: ColumnElement[Any]
    type: str
    value: Callable[[Any], Any] | None = None


class ColumnStore(SweepStore):
    """The part of the store for trials as columns."""

    @retried
    def columns(self, sweep_id: int, names: Sequence[str]) -> "pa.Table":
        """Columns of all recorded trials of a sweep, in no particular order.

        Args:
            sweep_id: number of the sweep.
            names: `gpu`, `point_index`, `number`, `score`, `same_code_as`, `metrics.<name>`, or `params.<name>`, which
                has the place of the parameter's value among those of the sweep.

        Raises:
            SweepNotFound: there is no such sweep.
        """
        import pyarrow as pa

        self.keep_columns(sweep_id)
        names = list(dict.fromkeys(names))
        spec = self.sweep(sweep_id).spec
        with self._engine.connect() as connection:
            kept = _kept(connection, sweep_id)
            query = select(TRIAL_COLUMNS.c.content).where(TRIAL_COLUMNS.c.sweep_id == sweep_id)
            stored = {
                name: connection.scalars(
                    query.where(TRIAL_COLUMNS.c.name == name).order_by(TRIAL_COLUMNS.c.first)
                )
                for name in names
                if kept
            }
            parts = [
                pa.table(dict(zip(names, map(_unpacked, contents), strict=True)))
                for contents in zip(*stored.values(), strict=True)
            ]
            every = _columns(spec)
            wanted = {name: every[name] for name in names}
            parts += [_read(connection, wanted, sweep_id, gap) for gap in _gaps(sorted(kept))]
        return pa.concat_tables(parts)

    @retried
    def keep_columns(self, sweep_id: int) -> None:
        """Keep the columns of the parts that are whole; of a sweep that has ended, those of the last one, too."""
        sweep = self.sweep(sweep_id)
        for first in self._unkept(sweep_id, has_ended=sweep.finished_at is not None):
            columns = _columns(sweep.spec)
            with self._writer.begin() as connection:
                # Results are replaced by who shares the sweep's lock.
                connection.execute(select(SWEEPS.c.id).where(SWEEPS.c.id == sweep_id).with_for_update())
                part = _read(connection, columns, sweep_id, range(first, first + PART))
                place = {"sweep_id": sweep_id, "first": first, "trials": part.num_rows}
                of_part = (TRIAL_COLUMNS.c.sweep_id == sweep_id) & (TRIAL_COLUMNS.c.first == first)
                connection.execute(delete(TRIAL_COLUMNS).where(of_part))
                rows = [{**place, "name": name, "content": _packed(part[name])} for name in part.column_names]
                connection.execute(TRIAL_COLUMNS.insert(), rows)

    def _unkept(self, sweep_id: int, has_ended: bool) -> list[int]:
        """The first numbers of the parts to keep."""
        with self._engine.connect() as connection:
            kept = _kept(connection, sweep_id)
            counted = select(func.coalesce(func.sum(TRIAL_COUNTS.c.trials), 0))
            done = connection.execute(counted.where(TRIAL_COUNTS.c.sweep_id == sweep_id)).scalar_one()
            if done < PART or done - sum(kept.values()) < (1 if has_ended else PART):
                return []
            part = TRIALS.c.number // PART
            recorded = select(part, func.count()).where(TRIALS.c.sweep_id == sweep_id).group_by(part)
            found = {number * PART: trials for number, trials in connection.execute(recorded)}
        return [
            first
            for first, trials in sorted(found.items())
            if kept.get(first) != trials and (trials == PART or has_ended)
        ]


def is_column(name: str) -> bool:
    """Whether an order may name a column of this name; parameters' values have an order of their own."""
    return name in PLACE or name.startswith("metrics.")


def parameter_columns(spec: SweepSpec) -> list[str]:
    """The names of the columns with the parameters."""
    return [f"params.{name}" for name in spec.parameters]


def points(spec: SweepSpec, columns: "pa.Table") -> list[Point]:
    """The point of each row of columns with all parameters; GPUs share theirs."""
    _, rows, which = np.unique(columns["point_index"], return_index=True, return_inverse=True)
    values = (
        [known[place] for place in columns[name].to_numpy()[rows].tolist()]
        for name, known in zip(parameter_columns(spec), spec.parameters.values(), strict=True)
    )
    shared = [dict(zip(spec.parameters, point, strict=True)) for point in zip(*values, strict=True)]
    return [shared[place] for place in which.tolist()]


def _kept(connection: Connection, sweep_id: int) -> dict[int, int]:
    """The number of trials in each part that is kept, by its first number."""
    query = select(TRIAL_COLUMNS.c.first, TRIAL_COLUMNS.c.trials)
    rows = connection.execute(
        query.where(TRIAL_COLUMNS.c.sweep_id == sweep_id, TRIAL_COLUMNS.c.name == "number")
    )
    return {row.first: row.trials for row in rows}


def _gaps(kept: Sequence[int]) -> Iterator[range]:
    """The numbers that are in no part; the last stretch has no end that matters."""
    start = 0
    for first in kept:
        if first > start:
            yield range(start, first)
        start = first + PART
    yield range(start, 2**31 - 1)


def _columns(spec: SweepSpec) -> dict[str, _Column]:
    """Every column of a sweep, by name."""
    columns = {name: _Column(source, _TYPES[source.type.python_type]) for name, source in PLACE.items()}
    columns[SAME_CODE] = _Column(TRIALS.c.same_code_as, "int64")
    texts: dict[str, dict[str, Value]] = {}  # GPUs share their points

    def code(name: str, values: Sequence[Value]) -> Callable[[str], int]:
        places = {value: place for place, value in enumerate(values)}

        def place(text: str) -> int:
            if text not in texts:
                texts[text] = json.loads(text)
            return places[texts[text][name]]

        return place

    parameters = cast(TRIALS.c.parameters, Text)
    for name, values in spec.parameters.items():
        columns[f"params.{name}"] = _Column(parameters, "int32", code(name, values))
    for name in METRIC_COLUMNS:
        columns[f"metrics.{name}"] = _Column(RESULTS.c[name], _TYPES[METRIC_TYPES[name]])
    for name in spec.metrics:
        columns[f"metrics.{name}"] = _Column(TRIALS.c.user_metrics, "float64", partial(_own, name))
    return columns


def _own(name: str, values: Mapping[str, float] | None) -> float | None:
    """A trial's value of one of the sweep's own metrics."""
    return (values or {}).get(name)


def _read(
    connection: Connection, columns: Mapping[str, _Column], sweep_id: int, numbers: range
) -> "pa.Table":
    """The columns of the trials with these numbers, from the rows."""
    import pyarrow as pa

    sources = list(dict.fromkeys(column.source for column in columns.values()))
    query = select(*sources).join_from(TRIALS, RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash)
    query = query.where(
        TRIALS.c.sweep_id == sweep_id, TRIALS.c.number >= numbers.start, TRIALS.c.number < numbers.stop
    )
    rows = connection.execute(query).all()
    read = dict(zip(sources, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(sources, ())
    made = {}
    for name, column in columns.items():
        values = read[column.source]
        made[name] = pa.array([*map(column.value, values)] if column.value else values, column.type)
    return pa.table(made)


def _packed(values: "pa.ChunkedArray") -> bytes:
    """An array as bytes."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    table = pa.table({"values": values})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _unpacked(content: bytes) -> "pa.ChunkedArray":
    import pyarrow as pa

    return pa.ipc.open_stream(content).read_all()["values"]
