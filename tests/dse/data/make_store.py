"""Make a database of the schema that the checked-out program has, to test that later ones upgrade it.

    python tests/dse/data/make_store.py tests/dse/data/store_0001.db

Run from a checkout of the commit whose schema is wanted (`store_0001.db` is of fc17e9f). It uses only what the
`Store` had from its beginning: three sweeps, one of them with workloads and one that maximises, which share
results, hold failures of both kinds, and are shown in MLflow in part.
"""

import sqlite3
import sys
from pathlib import Path
from typing import Any

from dse.store import NewTrial, ResultRecord, Store, SweepSpec

SOURCE = 'extern "C" __global__ void dot() {}\n'
PARAMETERS = {"unroll": (1, 2, 4), "n": (512, 1024)}
GPUS = ("h200", "a100-80gb")


def make(path: Path) -> None:
    """Write the database at a path, which must not exist yet."""
    store = Store.open(path)
    plain = SweepSpec("dot", "kernel: dot\n", SOURCE, GPUS, PARAMETERS, planned=12)
    loaded = SweepSpec("dot", "kernel: dot\n", SOURCE, GPUS, PARAMETERS, ("n",), planned=12, trials=12)
    maximal = SweepSpec(
        "axpy", "kernel: axpy\n", SOURCE, ("h200",), PARAMETERS, objectives=(("maximize", "ipc"),), planned=6
    )
    for spec, source, count in ((plain, "new", 6), (loaded, "known", 4), (maximal, "new", 6)):
        sweep: Any = store.create_sweep(spec)
        sweep_id = getattr(sweep, "id", sweep)
        store.record(sweep_id, [trial(spec.name, gpu, i, source) for gpu in spec.gpus for i in range(count)])
    store.set_state(1, "finished")
    store.set_state(2, "stopped")
    store.set_mlflow_run(1, "a" * 32)
    store.set_trial_runs(1, {("h200", 0): "b" * 32}, logged=True)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")


def trial(kernel: str, gpu: str, index: int, source: Any) -> NewTrial:
    """A trial by formula: point 2 lost its worker, point 3 cannot be launched."""
    parameters = {"unroll": (1, 2, 4)[index % 3], "n": (512, 1024)[index // 3]}
    point_hash = f"{kernel}-{gpu}-{index}"
    if index in (2, 3):
        reason = ("WorkerLost", "LaunchError")[index - 2]
        result = ResultRecord(point_hash, "failed", reason, f"{reason} said why", simulate_s=0.25)
    else:
        metrics = {"time_us": 10.0 - index, "ipc": 1.0 + index / 4, "stall_wait": 0.5, "advice": ["unroll"]}
        result = ResultRecord(point_hash, "complete", metrics=metrics, compile_s=0.5, simulate_s=0.25)
    return NewTrial(index, gpu, index, parameters, result, source)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
