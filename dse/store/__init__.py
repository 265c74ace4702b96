"""Every sweep and every result in one SQL database: the truth that all else is written from."""

from dse.store.errors import (
    FilterError,
    KeyRefused,
    OrderError,
    StoreError,
    StoreUnavailable,
    SweepChanged,
    SweepExists,
    SweepNotFound,
    SweepReplanned,
    TokenRefused,
)
from dse.store.records import (
    DETERMINISTIC_FAILURES,
    NewTrial,
    ResultRecord,
    Scope,
    SpaceRecord,
    SweepCounts,
    SweepRecord,
    SweepSpec,
    SweepState,
    TokenRecord,
    TrialRecord,
)
from dse.store.schema.models import METRIC_COLUMNS, METRIC_TYPES, STALL_REASONS
from dse.store.store import Store

__all__ = [
    "DETERMINISTIC_FAILURES",
    "METRIC_COLUMNS",
    "METRIC_TYPES",
    "STALL_REASONS",
    "FilterError",
    "KeyRefused",
    "NewTrial",
    "OrderError",
    "ResultRecord",
    "Scope",
    "SpaceRecord",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "SweepChanged",
    "SweepCounts",
    "SweepExists",
    "SweepNotFound",
    "SweepRecord",
    "SweepReplanned",
    "SweepSpec",
    "SweepState",
    "TokenRecord",
    "TokenRefused",
    "TrialRecord",
]
