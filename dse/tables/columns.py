"""The table of a sweep: columns with their types, the same for every run and every format, and rows.

A column is whole numbers, numbers or text, in CSV and JSON, in data frames and in Parquet. A parameter with numbers and
words among its values, such as `none`, is text; one that is a number of the GPU (`gpu.l2_bytes`) is a number, without
its unit. What a trial reports in parts has a column for each of them, or is JSON.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from dse.store import METRIC_TYPES, SweepSpec, Trial
from dse.store.records import metric_label
from dse.tables.text import worded
from search_spaces import Value
from search_spaces.fields import GPU_FIELD
from simcore.diagnosis.units import UNITS
from simcore.gpu_overrides import parse_number

#: The type of a column: `int`, `float` or `str`.
Kind = type
#: Columns that differ between runs: the source of a result, and the seconds that it took.
TIME_COLUMNS: Mapping[str, Kind] = {"source": str, "compile_s": float, "simulate_s": float}
#: The share of each unit's peak, and the rates of L1 and of shared memory.
_UNITS = {f"unit_{name}": name for name in UNITS if name != "issue"}
_RATES = ("l1_hit_rate", "sectors_per_load", "wavefronts_per_shared_access", "bank_conflicts")
#: Reported values other than the metrics with database columns.
EXTRA_COLUMNS: Mapping[str, Kind] = {
    **dict.fromkeys(("label", "advice", "occupancy"), str),
    **dict.fromkeys((*_UNITS, *_RATES), float),
}
#: What is reported in parts, each of which has a column.
PARTS = ("utilisation", "memory")
#: Columns that identify a trial, before its parameters; and its state, before its metrics.
_PLACE: Mapping[str, Kind] = {"number": int, "gpu": str, "point_index": int}
_STATE: Mapping[str, Kind] = {"state": str, "reason": str, "message": str, "same_code_as": int}


class TrialTable:
    """The table of a sweep.

    A metric whose name a parameter already has is called `metrics.<name>`.

    Args:
        spec: the sweep's specification.
        times: whether to add what differs between runs: whether the sweep evaluated the point itself, and the
            seconds that it took.

    Attributes:
        columns: their names, with their types.
    """

    def __init__(self, spec: SweepSpec, times: bool = False) -> None:
        parameters = {name: _kind(name, values) for name, values in spec.parameters.items()}
        metrics = {**METRIC_TYPES, **EXTRA_COLUMNS}
        self.columns: Mapping[str, Kind] = {
            **_PLACE,
            **parameters,
            **_STATE,
            **dict.fromkeys(spec.metrics, float),
            **{metric_label(name, parameters): kind for name, kind in metrics.items()},
            **(TIME_COLUMNS if times else {}),
        }

    def row(self, trial: Trial) -> dict[str, Any]:
        """A trial's value in each column, None if missing.

        A parameter's `none` is that word, since pandas drops rows with a missing value from groups and pivot tables.
        """
        result, parameters = trial.result, trial.parameters
        held: dict[str, Any] = {name: getattr(trial, name) for name in (*_PLACE, *_STATE, "source")}
        held |= {name: _cell(name, value, self.columns[name]) for name, value in parameters.items()}
        held |= {"compile_s": result.compile_s, "simulate_s": result.simulate_s}
        held |= {metric_label(name, parameters): value for name, value in _metrics(trial).items()}
        return {name: held.get(name) for name in self.columns}


def _metrics(trial: Trial) -> dict[str, Any]:
    """The metrics of a trial by the names of their columns."""
    metrics: dict[str, Any] = dict(trial.metrics)
    units, rates = (metrics.pop(name, {}) for name in PARTS)
    return {**metrics, **{column: units.get(name) for column, name in _UNITS.items()}, **rates}


def _kind(name: str, values: Sequence[Value]) -> Kind:
    """The type of a parameter's column."""
    kinds = {type(_number(name, value)) for value in values}
    if kinds <= {int}:
        return int
    return float if kinds <= {int, float} else str


def _cell(name: str, value: Value, kind: Kind) -> object:
    return str(worded(value)) if kind is str else _number(name, value)


@lru_cache(maxsize=None, typed=True)
def _number(name: str, value: Value) -> Value:
    """A number of the GPU without its unit; other values as they are."""
    if name.startswith(GPU_FIELD) and isinstance(value, str):
        return parse_number(name.removeprefix(GPU_FIELD), value)
    return value
