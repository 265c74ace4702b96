"""Mapping between records and table rows."""

from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import RowMapping

from dse.evaluation.tasks import Outcome
from dse.store.database.encoding import finite
from dse.store.records import (
    SpaceRecord,
    SweepRecord,
    SweepSpec,
    TokenRecord,
    Trial,
    TrialRecord,
)
from dse.store.records.specification import ADDED_FIELDS, EXTRA_FIELDS
from dse.store.schema.models import METRIC_COLUMNS

_METRICS = frozenset(METRIC_COLUMNS)
_SWEEP_COLUMNS = tuple(field.name for field in fields(SweepRecord) if field.name != "spec")


def sweep_row(spec: SweepSpec) -> dict[str, Any]:
    """The row of `sweeps` for a specification: columns for filtering, JSON for the rest."""
    asked = spec.asked
    columns = {
        name: asked.pop(name) for name in ("name", "sampler", "seed", "trials", "timeout_s", "planned")
    }
    return {**columns, "spec": asked}


def sweep_record(row: RowMapping) -> SweepRecord:
    """The record of one row of `sweeps`."""
    stored = row["spec"]
    spec = SweepSpec(
        name=row["name"],
        sampler=row["sampler"],
        seed=row["seed"],
        trials=row["trials"],
        timeout_s=row["timeout_s"],
        total=row["planned"],
        space_yaml=stored["space_yaml"],
        source=stored["source"],
        gpus=tuple(stored["gpus"]),
        parameters={name: tuple(values) for name, values in stored["parameters"].items()},
        workload=tuple(stored.get("workload", ())),
        objectives=tuple((direction, metric) for direction, metric in stored["objectives"]),
        **{name: stored["extra"][name] for name in (*EXTRA_FIELDS, *ADDED_FIELDS) if name in stored["extra"]},
    )
    return SweepRecord(
        spec=spec,
        **{column: row[column] for column in _SWEEP_COLUMNS},
    )


def result_row(result: Outcome) -> dict[str, Any]:
    """The row of `results` for a result; infinite and NaN metrics become null."""
    row = {name: finite(result.metrics.get(name)) for name in METRIC_COLUMNS}
    row |= {
        "point_hash": result.point_hash,
        "state": result.state,
        "reason": result.reason,
        "message": _storable(result.message),
        "compile_s": result.compile_s,
        "simulate_s": result.simulate_s,
        "simulation": result.simulation,
        "final": result.final,
        "simulator_version": result.simulator_version,
        "compiler_version": result.compiler_version,
        "extra": {name: value for name, value in result.metrics.items() if name not in _METRICS},
    }
    return row


def outcome(row: RowMapping) -> Outcome:
    """The record of one row of `results`."""
    metrics = {name: row[name] for name in METRIC_COLUMNS if row[name] is not None}
    return Outcome(
        point_hash=row["point_hash"],
        state=row["state"],
        reason=row["reason"],
        message=row["message"],
        metrics={**metrics, **row["extra"]},
        compile_s=row["compile_s"],
        simulate_s=row["simulate_s"],
        simulation=row["simulation"],
        final=row["final"],
        simulator_version=row["simulator_version"],
        compiler_version=row["compiler_version"],
    )


def trial_row(sweep_id: int, trial: Trial) -> dict[str, Any]:
    """The row of `trials` for a new trial, without the columns copied from its result."""
    return {
        "sweep_id": sweep_id,
        "gpu": trial.gpu,
        "point_index": trial.point_index,
        "number": trial.number,
        "parameters": dict(trial.parameters),
        "point_hash": trial.result.point_hash,
        "source": trial.source,
        "mlflow_logged": False,
    }


def trial_record(row: RowMapping) -> TrialRecord:
    """The record of one row of `trials` joined with its row of `results`."""
    return TrialRecord(
        sweep_id=row["sweep_id"],
        number=row["number"],
        gpu=row["gpu"],
        point_index=row["point_index"],
        parameters=row["parameters"],
        result=outcome(row),
        source=row["source"],
        same_code_as=row["same_code_as"],
        user_metrics=row["user_metrics"] or {},
        mlflow_run_id=row["mlflow_run_id"],
        score=row["score"],
    )


def token_record(row: RowMapping) -> TokenRecord:
    """The record of one row of `tokens`."""
    return TokenRecord(row["name"], row["digest"], tuple(row["scopes"]), row["created_at"], row["revoked_at"])


def space_row(space: SpaceRecord) -> dict[str, Any]:
    """The row of `spaces` for a space."""
    return {**asdict(space), "digest": space.digest}


def space_record(row: RowMapping) -> SpaceRecord:
    """The record of one row of `spaces`."""
    return SpaceRecord(**{field.name: row[field.name] for field in fields(SpaceRecord)})


def _storable(text: str | None) -> str | None:
    """The text without characters that databases refuse: null characters and lone surrogates."""
    return text and text.replace("\0", "").encode(errors="replace").decode()
