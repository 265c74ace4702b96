"""All sweeps and results in one SQL database, the source of truth.

All but the errors are imported on first use: SQLAlchemy takes half a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
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

_NAMES = {
    "dse.store.queries": (
        "SweepQuery",
        "TrialQuery",
    ),
    "dse.store.records": (
        "GpuRecord",
        "Scope",
        "SpaceRecord",
        "SweepCounts",
        "SweepRecord",
        "SweepSpec",
        "SweepState",
        "TokenRecord",
        "Trial",
        "TrialRecord",
        "VariantRecord",
    ),
    "dse.store.schema.models": (
        "METRIC_COLUMNS",
        "METRIC_TYPES",
        "STALL_REASONS",
    ),
    "dse.store.store": ("Store",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'dse.store' has no attribute {name!r}")
