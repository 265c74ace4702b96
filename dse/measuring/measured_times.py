"""A file of measured times, read as variants of a sweep: CSV, a cache of Kernel Tuner, or results in T4."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from dse.answers.cases import Case, CaseKey, Variant, variant_of
from dse.errors import InputError
from dse.store import SweepSpec
from dse.tables.text import shown, variant
from search_spaces import Value
from search_spaces.errors import known_or_closest
from search_spaces.fields import plain_name
from simcore.validation import profile_of, read_measurements

#: The columns of times in a CSV, in microseconds.
TIME_COLUMNS = {"time_us": 1.0, "time_ns": 1e-3, "time_ms": 1e3, "time_s": 1e6}
#: Measured and predicted times are never this far apart: the unit is another one.
MOST_APART = 30.0


class MeasuredTime(NamedTuple):
    """A measured variant: where it was read, its parameters as written, its time, and its kernel if that is said."""

    place: str
    parameters: Mapping[str, Any]
    time_us: float
    kernel: str | None = None


def read_times(path: Path) -> tuple[Sequence[MeasuredTime], str | None]:
    """The variants of a file with their times, and the GPU that it names, if any.

    Raises:
        InputError, MeasurementError: it is no such file; names the place.
    """
    if path.suffix == ".csv":
        return _read_csv(path), None
    found = read_measurements(path)
    times = [
        MeasuredTime(
            each.place,
            each.parameters,
            each.time_us,
            plain_name(each.family) if each.family != path.stem else None,
        )
        for each in found.measurements
    ]
    return times, profile_of(found.device)


def match_times(
    path: Path, spec: SweepSpec, cases: Mapping[CaseKey, Case], gpu: str | None
) -> dict[CaseKey, dict[Variant, float]]:
    """The measured times in microseconds of a file, by case and variant.

    Args:
        path: the file.
        spec: the sweep that it belongs to.
        cases: its complete trials.
        gpu: the GPU that was measured; None for the one that the file names, or the sweep's only one.

    Raises:
        InputError, MeasurementError: the file belongs to another kernel, or to none of the sweep's variants; names
            the place and the fix.
    """
    times, named = read_times(path)
    kernels = [*dict.fromkeys(each.kernel for each in times if each.kernel is not None)]
    if kernels and spec.name not in kernels:
        measures = ", ".join(kernels)
        raise InputError(
            f"{path}: measures {measures}, and the sweep is about {spec.name}; give its own file"
        )
    if not times:
        raise InputError(f"{path}: has no measured variant")
    measured_on = _gpu(path, spec, named, gpu)
    found: dict[CaseKey, dict[Variant, float]] = {}
    for each in (each for each in times if each.kernel in (None, spec.name)):
        point = _point(each, spec)
        key = CaseKey(measured_on, tuple(point[name] for name in spec.workload))
        case, measured = cases.get(key), variant_of(spec, point)
        if case is None or measured not in case.trials:
            raise InputError(
                f"{each.place}: the sweep has no complete trial of {variant(point)} on {measured_on}; "
                "remove it, or extend the sweep"
            )
        found.setdefault(key, {})[measured] = each.time_us
    _check_unit(path, found, cases)
    return found


def _read_csv(path: Path) -> list[MeasuredTime]:
    try:
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    columns = list(rows[0]) if rows else []
    times = [name for name in TIME_COLUMNS if name in columns]
    if len(times) != 1:
        raise InputError(f"{path}: needs one column of times, called {' or '.join(TIME_COLUMNS)}")
    (column,) = times
    return [_csv_row(f"{path}:{line}", row, column) for line, row in enumerate(rows, 2)]


def _csv_row(place: str, row: Mapping[str, str], column: str) -> MeasuredTime:
    try:
        time = float(row[column])
    except (TypeError, ValueError):
        time = float("nan")
    if not isfinite(time) or time <= 0:
        raise InputError(f"{place}: {column} is {row[column]!r}; write a positive number")
    return MeasuredTime(
        place, {name: text for name, text in row.items() if name != column}, time * TIME_COLUMNS[column]
    )


def _gpu(path: Path, spec: SweepSpec, named: str | None, asked: str | None) -> str:
    """The GPU of the sweep that was measured."""
    known = asked or (spec.gpus[0] if len(spec.gpus) == 1 else named)
    if known is None:
        raise InputError(
            f"{path}: does not say which GPU it measured; name one with --gpu: {', '.join(spec.gpus)}"
        )
    if known not in spec.gpus:
        raise InputError(f"{path}: {known} was measured, and the sweep has {', '.join(spec.gpus)}")
    return known


def _point(measured: MeasuredTime, spec: SweepSpec) -> dict[str, Value]:
    """The parameters as values of the sweep; those with a single value may be left out."""
    return {
        name: values[0]
        if name not in measured.parameters and len(values) == 1
        else _value(measured, name, values)
        for name, values in spec.parameters.items()
    }


def _value(measured: MeasuredTime, name: str, values: Sequence[Value]) -> Value:
    if name not in measured.parameters:
        columns = known_or_closest(name, [*measured.parameters])
        raise InputError(f"{measured.place}: has no {name}, which the sweep's variants differ in; {columns}")
    text = shown(measured.parameters[name])
    for value in values:
        if text in (shown(value), f"{value}.0"):
            return value
    listed = ", ".join(map(shown, values))
    raise InputError(
        f"{measured.place}: {name} is {text}, and the sweep has {listed}; remove it, or extend the sweep"
    )


def _check_unit(
    path: Path, found: Mapping[CaseKey, Mapping[Variant, float]], cases: Mapping[CaseKey, Case]
) -> None:
    """Refuse times in another unit than the file says."""
    ratios: Iterable[float] = (
        time / cases[key].trials[each].score for key, times in found.items() for each, time in times.items()
    )
    ratio = median(ratios)
    if not 1 / MOST_APART < ratio < MOST_APART:
        raise InputError(
            f"{path}: the measured times are {ratio:.3g} times the predicted ones, so their unit is another one; "
            f"a CSV says it in the name of its column, {', '.join(TIME_COLUMNS)}, and a tuner's file has milliseconds"
        )
