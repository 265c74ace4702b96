"""A sweep on one GPU as a cache of Kernel Tuner, which its simulation mode replays: predicted times in milliseconds.

Format: Kernel Tuner's `process_cache` (https://github.com/KernelTuner/kernel_tuner).
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from dse.store import SweepSpec, TrialRecord

#: Kernel Tuner's words for variants without a time, by the name of our error.
COMPILATION_FAILED, FAILED = "CompilationFailedConfig", "RuntimeFailedConfig"
_COMPILING = ("CompileError",)


def write_cache(
    trials: Iterable[TrialRecord], sink: TextIO, spec: SweepSpec, gpu: str, problem_size: Sequence[str]
) -> int:
    """Write the trials of one GPU; returns their number. The problem size is that of the tuning problem in T1."""
    head = {
        "device_name": gpu,
        "kernel_name": spec.name,
        "problem_size": problem_size,
        "tune_params_keys": list(spec.parameters),
        "tune_params": {name: list(values) for name, values in spec.parameters.items()},
        "objective": "time",
    }
    sink.write(json.dumps(head)[:-1] + ',\n"cache": {')
    written = 0
    for trial in trials:
        sink.write(",\n" if written else "\n")
        sink.write(f"{json.dumps(_key(spec, trial))}: {json.dumps(_entry(spec, trial))}")
        written += 1
    sink.write("}\n}\n")
    return written


def _key(spec: SweepSpec, trial: TrialRecord) -> str:
    return ",".join(str(trial.parameters[name]) for name in spec.parameters)


def _entry(spec: SweepSpec, trial: TrialRecord) -> dict[str, Any]:
    result = trial.result
    if trial.time_us is None:
        time: object = COMPILATION_FAILED if trial.reason in _COMPILING else FAILED
    else:
        time = trial.time_us / 1000
    return {
        **{name: trial.parameters[name] for name in spec.parameters},
        "time": time,
        "times": [time] if isinstance(time, float) else [],
        "compile_time": result.compile_s * 1000,
        "benchmark_time": result.simulate_s * 1000,
        "verification_time": 0,
        "strategy_time": 0,
        "framework_time": 0,
    }
