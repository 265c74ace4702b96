"""The table of a sweep: columns, the same for every run regardless of its results, and rows."""

from collections.abc import Iterable
from typing import Any

from dse.store import METRIC_COLUMNS, Trial
from dse.store.records import metric_label
from dse.tables.text import worded

#: Columns that differ between runs: the source of a result, and the seconds that it took.
TIME_COLUMNS = ("source", "compile_s", "simulate_s")
#: Reported values other than the metrics with database columns.
EXTRA_COLUMNS = ("label", "advice", "occupancy", "utilisation", "memory")


#: Columns that identify a trial, before its parameters; and its state, before its metrics.
_PLACE = ("number", "gpu", "point_index")
_STATE = ("state", "reason", "message", "same_code_as")


def trial_columns(parameters: Iterable[str], own: Iterable[str] = (), times: bool = False) -> list[str]:
    """The columns of the table of a sweep.

    A metric whose name a parameter already has is called `metrics.<name>`.

    Args:
        parameters: the names of the sweep's parameters.
        own: those of its own metrics.
        times: whether to add what differs between runs: whether the sweep evaluated the point itself, and the
            seconds that it took.
    """
    parameters = tuple(parameters)
    metrics = [metric_label(name, parameters) for name in (*METRIC_COLUMNS, *EXTRA_COLUMNS)]
    return [*_PLACE, *parameters, *_STATE, *own, *metrics, *(TIME_COLUMNS if times else ())]


def trial_row(trial: Trial, own: Iterable[str] = (), times: bool = False) -> dict[str, Any]:
    """A trial's value in each column, None if missing; other reported metrics come last.

    A parameter's `none` is that word, since pandas drops rows with a missing value from groups and pivot tables.
    """
    result, parameters = trial.result, trial.parameters
    held: dict[str, Any] = {name: getattr(trial, name) for name in _PLACE}
    held |= {name: worded(value) for name, value in parameters.items()}
    held |= {name: getattr(trial, name) for name in (*_STATE, "source")}
    held |= {"compile_s": result.compile_s, "simulate_s": result.simulate_s}
    metrics = {metric_label(name, parameters): value for name, value in trial.metrics.items()}
    columns = trial_columns(parameters, own, times)
    return {name: held.get(name, metrics.get(name)) for name in columns} | metrics
