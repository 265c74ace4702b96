"""The MLflow run of a trial."""

import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from dse.answers.tolerance import tolerance_of
from dse.store import SweepRecord, TrialRecord
from dse.tables.text import shown, variant
from dse.tracking.description import describe_trial
from dse.tracking.runs import ChildRun

#: Maximum length of a failure's message in a tag; MLflow's limit is 8,000.
MESSAGE_LIMIT = 1000
#: Maximum length of a run's name.
NAME_LIMIT = 250
#: Digits of a space's digest.
SPACE_DIGITS = 8
#: The tag that MLflow shows as a run's description.
NOTE = "mlflow.note.content"

_STATUS = {"complete": "FINISHED", "failed": "FAILED"}
#: The names of metrics in MLflow, which groups charts by the prefix before a slash.
_METRIC_NAMES = {
    "achieved_occupancy": "occupancy/achieved",
    "theoretical_occupancy": "occupancy/theoretical",
    "blocks_per_sm": "occupancy/blocks_per_sm",
    "registers_per_thread": "registers",
    "time_low_us": "interval/low_us",
    "time_high_us": "interval/high_us",
    **{
        name: f"memory/{name}"
        for name in ("dram_bytes", "l2_bytes", "local_bytes_per_thread", "shared_bytes_per_block")
    },
}


def child_run(
    sweep: SweepRecord, parent_run_id: str, trial: TrialRecord, baseline: TrialRecord | None
) -> ChildRun:
    """A trial's run: start times follow the trials' order, durations are the compute time.

    Args:
        sweep: its sweep.
        parent_run_id: the sweep's run.
        trial: the trial.
        baseline: what its speedup is relative to; None if that was not tried.
    """
    speedup = _speedup(trial, baseline)
    result = trial.result
    start_ms = milliseconds(sweep.created_at) + trial.number
    tags = {
        "dse.sweep": sweep.key,
        "dse.trial": f"{sweep.key}/{trial.gpu}/{trial.number}",
        "dse.number": str(trial.number),
        "dse.gpu": trial.gpu,
        "dse.kernel": sweep.name,
        "dse.parameters": ", ".join(sweep.spec.parameters),
        "dse.space": space_tag(sweep),
        "dse.state": result.state,
        "dse.source": trial.source,
        "mlflow.parentRunId": parent_run_id,
        NOTE: describe_trial(sweep, trial, speedup),
    }
    if trial.same_code_as is not None:
        tags["dse.same_code_as"] = str(trial.same_code_as)
    failure = {"dse.reason": result.reason, "dse.message": (result.message or "")[:MESSAGE_LIMIT]}
    words = {f"dse.{name}": value for name, value in result.metrics.items() if isinstance(value, str)}
    return ChildRun(
        name=f"{trial.gpu} {variant(trial.parameters, sweep.spec.parameters)}".rstrip()[:NAME_LIMIT],
        status=_STATUS[result.state],
        start_ms=start_ms,
        end_ms=start_ms + math.ceil(1000 * (result.compile_s + result.simulate_s)),
        tags={**tags, **{key: value for key, value in (words | failure).items() if value}},
        parameters={"gpu": trial.gpu, **{name: shown(value) for name, value in trial.parameters.items()}},
        metrics={
            metric_name(name): float(value) for name, value in _metrics(trial, speedup) if _is_number(value)
        },
    )


def space_tag(sweep: SweepRecord) -> str:
    """What tells apart the runs of spaces whose kernels have one name, and so share an experiment."""
    return sweep.spec.space_digest[:SPACE_DIGITS]


def _speedup(trial: TrialRecord, baseline: TrialRecord | None) -> float | None:
    if baseline is None or baseline.time_us is None or not trial.time_us:
        return None
    return baseline.time_us / trial.time_us


def _metrics(trial: TrialRecord, speedup: float | None) -> Iterator[tuple[str, Any]]:
    """The metrics of a trial by name, with its speedup and the times that would be ties with it."""
    metrics = trial.metrics
    yield from metrics.items()
    for group in ("utilisation", "memory"):
        for name, value in (metrics.get(group) or {}).items():
            yield f"{group}/{name}", value
    yield "speedup", speedup
    if trial.time_us is not None:
        tolerance = tolerance_of("time_us", str(metrics.get("label")))
        yield "ties/within", tolerance
        yield "ties/from_us", trial.time_us / (1 + tolerance)
        yield "ties/to_us", trial.time_us * (1 + tolerance)


def best_name(sweep: SweepRecord, trial: TrialRecord) -> str:
    """The parent's metric for a winner, such as `best_time_us/h200` or, with a workload, `.../n 512`."""
    workload = sweep.spec.workload_of(trial.parameters)
    words = [f"{name} {shown(value)}" for name, value in workload.items()]
    gpu = trial.gpu.replace(",", " ").replace("=", " ")  # which MLflow does not allow in a metric's name
    return "/".join([f"best_{sweep.spec.objectives[0][1]}", gpu, *words])


def metric_name(name: str) -> str:
    """A metric's name in MLflow."""
    if name.startswith("stall_"):
        return f"stall/{name.removeprefix('stall_')}"
    return _METRIC_NAMES.get(name, name)


def milliseconds(time: datetime) -> int:
    """Milliseconds since 1970."""
    return int(1000 * time.timestamp())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
