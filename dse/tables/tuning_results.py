"""A sweep on one GPU in the T4 format of autotuning results, with predicted times in milliseconds.

Format: https://github.com/odgaard/TuningSchema, version 1.0.0, as Kernel Tuner writes it.
"""

import json
from collections.abc import Iterable
from typing import Any, TextIO

from dse.store import SweepSpec, TrialRecord

VERSION = "1.0.0"
#: Why a variant has no time, by the name of our error.
_INVALIDITY = {
    "CompileError": "compile",
    "TimeLimit": "timeout",
    "CycleLimitExceeded": "timeout",
    "WrongOutput": "correctness",
}


def write_results(trials: Iterable[TrialRecord], sink: TextIO, spec: SweepSpec, gpu: str) -> int:
    """Write the trials of one GPU; returns their number."""
    results = [_result(trial, spec) for trial in trials]
    metadata = {"timeunit": "milliseconds", "kernel_name": spec.name, "device_name": gpu}
    json.dump({"schema_version": VERSION, "metadata": metadata, "results": results}, sink, indent=1)
    return len(results)


def _result(trial: TrialRecord, spec: SweepSpec) -> dict[str, Any]:
    result, time = trial.result, trial.time_us
    reason = _INVALIDITY.get(str(trial.reason), "runtime")
    return {
        "configuration": {name: trial.parameters[name] for name in spec.parameters},
        "times": {
            "compilation": result.compile_s * 1000,
            "benchmark": result.simulate_s * 1000,
            "framework": 0,
            "search_algorithm": 0,
            "validation": 0,
            "runtimes": [] if time is None else [time / 1000],
        },
        "invalidity": "correct" if trial.state == "complete" else reason,
        "correctness": int(reason != "correctness"),
        "measurements": [] if time is None else _measurements(trial, time),
        "objectives": ["time"],
    }


def _measurements(trial: TrialRecord, time_us: float) -> list[dict[str, Any]]:
    own = [{"name": name, "value": value, "unit": ""} for name, value in trial.user_metrics.items()]
    return [{"name": "time", "value": time_us / 1000, "unit": "ms"}, *own]
