"""The records of the store: small frozen dataclasses, never live database objects."""

from dse.store.records.specification import SweepSpec, metric_label, signs, workload_key
from dse.store.records.sweeps import ACTIVE, SweepCounts, SweepOutline, SweepRecord, SweepState, shown_state
from dse.store.records.tokens import Scope, TokenRecord
from dse.store.records.trials import Place, Trial, TrialRecord, TrialSource, VariantRecord
from dse.store.records.uploads import GpuRecord, SpaceRecord

__all__ = [
    "ACTIVE",
    "GpuRecord",
    "Place",
    "Scope",
    "SpaceRecord",
    "SweepCounts",
    "SweepOutline",
    "SweepRecord",
    "SweepSpec",
    "SweepState",
    "TokenRecord",
    "Trial",
    "TrialRecord",
    "TrialSource",
    "VariantRecord",
    "metric_label",
    "shown_state",
    "signs",
    "workload_key",
]
