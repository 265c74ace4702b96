"""The columns of a sweep's table: the same for every run of it, whatever came out."""

from collections.abc import Sequence

from dse.store import METRIC_COLUMNS
from dse.store.records import metric_label

#: What differs from run to run: who evaluated a point, and the seconds it took.
TIME_COLUMNS = ("source", "compile_s", "simulate_s")
#: What evaluations report beside the metrics that have columns in the database.
EXTRA_COLUMNS = ("label", "advice", "occupancy", "utilisation")


def trial_columns(parameters: Sequence[str], times: bool = False) -> list[str]:
    """The columns of `TrialRecord.row`, for a sweep over these parameters."""
    metrics = [metric_label(name, parameters) for name in (*METRIC_COLUMNS, *EXTRA_COLUMNS)]
    place = ["number", "gpu", "point_index", *parameters, "state", "reason", "message"]
    return [*place, *metrics, *(TIME_COLUMNS if times else ())]
