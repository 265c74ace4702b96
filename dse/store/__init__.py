"""Every sweep and every result in one SQL database: the truth that all else is written from."""

from dse.store.errors import FilterError, StoreError, SweepNotFound
from dse.store.models import METRIC_COLUMNS, STALL_REASONS
from dse.store.records import (
    DETERMINISTIC_FAILURES,
    NewTrial,
    ResultRecord,
    SweepCounts,
    SweepRecord,
    SweepSpec,
    TrialRecord,
)
from dse.store.store import Store

__all__ = [
    "DETERMINISTIC_FAILURES",
    "METRIC_COLUMNS",
    "STALL_REASONS",
    "FilterError",
    "NewTrial",
    "ResultRecord",
    "Store",
    "StoreError",
    "SweepCounts",
    "SweepNotFound",
    "SweepRecord",
    "SweepSpec",
    "TrialRecord",
]
