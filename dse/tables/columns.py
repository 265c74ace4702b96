"""A sweep's table: its columns, the same for every run of it, whatever came out; and a trial as a row of it."""

from collections.abc import Sequence
from typing import Any

from dse.store import METRIC_COLUMNS, Trial
from dse.store.records import metric_label

#: What differs from run to run: who evaluated a point, and the seconds it took.
TIME_COLUMNS = ("source", "compile_s", "simulate_s")
#: What evaluations report beside the metrics that have columns in the database.
EXTRA_COLUMNS = ("label", "advice", "occupancy", "utilisation")


#: What says which trial a row is, but for its parameters; and what became of it, but for its metrics.
_PLACE = ("number", "gpu", "point_index")
_STATE = ("state", "reason", "message")


def trial_columns(parameters: Sequence[str], times: bool = False) -> list[str]:
    """The columns of the table of a sweep over these parameters.

    A metric whose name a parameter already has is called `metrics.<name>`. With `times`, there is also what differs
    from run to run: whether the sweep evaluated the point itself, and the seconds it took.
    """
    metrics = [metric_label(name, parameters) for name in (*METRIC_COLUMNS, *EXTRA_COLUMNS)]
    return [*_PLACE, *parameters, *_STATE, *metrics, *(TIME_COLUMNS if times else ())]


def trial_row(trial: Trial, times: bool = False) -> dict[str, Any]:
    """A trial's value of each column, None where it has none; further metrics of the evaluation come last."""
    result, parameters = trial.result, trial.parameters
    held: dict[str, Any] = {name: getattr(trial, name) for name in _PLACE}
    held |= {**parameters, **{name: getattr(trial, name) for name in (*_STATE, "source")}}
    held |= {"compile_s": result.compile_s, "simulate_s": result.simulate_s}
    metrics = {metric_label(name, parameters): value for name, value in result.metrics.items()}
    columns = trial_columns(tuple(parameters), times)
    return {name: held.get(name, metrics.get(name)) for name in columns} | metrics
