"""The times of a file that was measured, as variants of a sweep."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from dse.answers.cases import Case, CaseKey, Variant, variant_of
from dse.errors import InputError
from dse.measuring.time_files import TIME_COLUMNS, MeasuredTime, read_times
from dse.store import SweepSpec
from dse.tables.text import shown, variant
from search_spaces import Value
from search_spaces.errors import known_or_closest

#: Measured and predicted times are never this far apart: the unit is another one.
MOST_APART = 30.0


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
    times = read_times(path)
    kernels = [*dict.fromkeys(each.kernel for each in times if each.kernel is not None)]
    if kernels and spec.name not in kernels:
        measures = ", ".join(kernels)
        raise InputError(
            f"{path}: measures {measures}, and the sweep is about {spec.name}; give its own file"
        )
    if not times:
        raise InputError(f"{path}: has no measured variant")
    named = {each.gpu for each in times if each.gpu is not None}
    measured_on = _gpu(path, spec, named, gpu)
    others = named - {measured_on} if len(named) > 1 else set()
    found: dict[CaseKey, dict[Variant, float]] = {}
    for each in times:
        if each.kernel not in (None, spec.name) or each.gpu in others:
            continue
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


def _gpu(path: Path, spec: SweepSpec, named: Collection[str], asked: str | None) -> str:
    """The GPU of the sweep that was measured."""
    known = (
        asked or (spec.gpus[0] if len(spec.gpus) == 1 else None) or (min(named) if len(named) == 1 else None)
    )
    if known is None:
        says = f"measures {', '.join(sorted(named))}" if named else "does not say which GPU it measured"
        raise InputError(f"{path}: {says}; name one with --gpu: {', '.join(spec.gpus)}")
    if known not in spec.gpus:
        raise InputError(f"{path}: {known} was measured, and the sweep has {', '.join(spec.gpus)}")
    if len(named) > 1 and known not in named:
        raise InputError(f"{path}: measures {', '.join(sorted(named))}, not {known}; give its own file")
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
            f"a table says it in the name of its column, {', '.join(TIME_COLUMNS)}, and a tuner's file has milliseconds"
        )
