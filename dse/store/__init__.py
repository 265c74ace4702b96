"""All sweeps and results in one SQL database, the source of truth."""

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
from dse.store.queries import SweepQuery, TrialQuery
from dse.store.records import (
    GpuRecord,
    Scope,
    SpaceRecord,
    SweepCounts,
    SweepRecord,
    SweepSpec,
    SweepState,
    TokenRecord,
    Trial,
    TrialRecord,
    VariantRecord,
)
from dse.store.schema.models import METRIC_COLUMNS, METRIC_TYPES, STALL_REASONS
from dse.store.store import Store

__all__ = [
    "METRIC_COLUMNS",
    "METRIC_TYPES",
    "STALL_REASONS",
    "FilterError",
    "GpuRecord",
    "KeyRefused",
    "OrderError",
    "Scope",
    "SpaceRecord",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "SweepChanged",
    "SweepCounts",
    "SweepExists",
    "SweepNotFound",
    "SweepQuery",
    "SweepRecord",
    "SweepReplanned",
    "SweepSpec",
    "SweepState",
    "TokenRecord",
    "TokenRefused",
    "Trial",
    "TrialQuery",
    "TrialRecord",
    "VariantRecord",
]
