"""Files of measured times: a table as CSV or Parquet, an Optuna storage, a cache of Kernel Tuner, results in T4."""

import csv
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from dse.errors import InputError
from dse.tables.optuna_storage import is_storage, read_studies
from search_spaces.fields import plain_name
from simcore.validation import profile_of, read_measurements

#: Names of times, in a table and in a study, and a unit in microseconds.
TIME_COLUMNS = {"time_us": 1.0, "time_ns": 1e-3, "time_ms": 1e3, "time_s": 1e6}
#: The column of a table that names the GPU of a row, as the tables of a sweep do.
GPU_COLUMN = "gpu"


class MeasuredTime(NamedTuple):
    """A measured variant.

    Attributes:
        place: where it was read.
        parameters: as written.
        time_us: of one launch, in microseconds.
        kernel: its kernel, if that is said.
        gpu: the GPU that was measured, if that is said.
    """

    place: str
    parameters: Mapping[str, Any]
    time_us: float
    kernel: str | None = None
    gpu: str | None = None


def read_times(path: Path) -> list[MeasuredTime]:
    """The variants of a file with their times.

    Raises:
        InputError, MeasurementError: it is no such file; names the place.
    """
    if path.suffix == ".csv":
        return list(_of_table(path, _timed(_csv_rows(path))))
    if path.suffix == ".parquet":
        return list(_of_table(path, _timed(_parquet_rows(path))))
    if is_storage(path):
        return list(_of_storage(path))
    found = read_measurements(path)
    gpu = profile_of(found.device)
    return [
        MeasuredTime(
            each.place,
            each.parameters,
            each.time_us,
            plain_name(each.family) if each.family != path.stem else None,
            gpu,
        )
        for each in found.measurements
    ]


def _csv_rows(path: Path) -> list[tuple[str, dict[str, Any]]]:
    try:
        with path.open(newline="") as file:
            return [(f"{path}:{line}", row) for line, row in enumerate(csv.DictReader(file), 2)]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {_why(error)}") from error


def _parquet_rows(path: Path) -> list[tuple[str, dict[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(path).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read: {_why(error)}") from error
    return [(f"{path}: row {i}", row) for i, row in enumerate(rows)]


def _why(error: Exception) -> str:
    """What is wrong, without the path, which Python repeats."""
    return str(getattr(error, "strerror", None) or error)


def _timed(rows: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """The rows that have a time: a failed trial has none."""
    timed = [each for each in rows if any(each[1].get(name) not in (None, "") for name in TIME_COLUMNS)]
    return timed or rows  # without any time, the column is missing, which is said of the first row


def _of_table(path: Path, rows: list[tuple[str, dict[str, Any]]]) -> Iterator[MeasuredTime]:
    columns = list(rows[0][1]) if rows else []
    column = _time_among(columns, f"{path}: needs one column of times")
    for place, row in rows:
        told = {name: value for name, value in row.items() if name not in (column, GPU_COLUMN)}
        time = _positive(row[column], f"{place}: {column}") * TIME_COLUMNS[column]
        yield MeasuredTime(place, told, time, gpu=row.get(GPU_COLUMN))


def _of_storage(path: Path) -> Iterator[MeasuredTime]:
    """The complete trials of a storage's studies, which say the unit by the name of their metric."""
    for study in read_studies(path):
        place = f"{path}: {study.name}"
        metric = _time_among(study.metrics, f"{place}: set_metric_names has to name one of its values")
        for number, parameters, values in study.trials:
            said = f"{place}, trial {number}"
            time = _positive(values[study.metrics.index(metric)], f"{said}: {metric}") * TIME_COLUMNS[metric]
            yield MeasuredTime(said, parameters, time, gpu=study.gpu)


def _time_among(names: list[str], otherwise: str) -> str:
    times = [name for name in TIME_COLUMNS if name in names]
    if len(times) != 1:
        raise InputError(f"{otherwise}, called {' or '.join(TIME_COLUMNS)}")
    return times[0]


def _positive(value: object, what: str) -> float:
    try:
        time = float(str(value))
    except ValueError:
        time = float("nan")
    if not isfinite(time) or time <= 0:
        raise InputError(f"{what} is {value!r}; write a positive number")
    return time
