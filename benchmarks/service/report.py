"""How long the report of a large sweep takes, and how large it is.

    python -m benchmarks.service.report [--trials 1000000] [--database URL]

The trials are made by a formula: four GPUs, four workloads, four parameters, two objectives. Without a URL the database
is a new SQLite file; one that holds such a sweep already is read as it is.
"""

import hashlib
import tempfile
from itertools import product
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.figures import console, machine, parser, peak_mib
from dse.evaluation.tasks import Outcome
from dse.report.page import write_report
from dse.service import LocalService
from dse.store import Store, SweepNotFound, SweepSpec, Trial

KEY = "large"
#: Recorded in one transaction.
FILL = 1000
GPUS = ("a100-80gb", "b200", "h100-sxm", "h200")
#: How much faster than the first each GPU is.
SPEED = dict(zip(GPUS, (1.0, 2.6, 1.6, 1.9), strict=True))
PARAMETERS = {
    "n": (256, 512, 1024, 2048),
    "unroll": tuple(range(1, 26)),
    "width": tuple(range(1, 26)),
    "stages": tuple(range(1, 11)),
    "block_size": tuple(range(64, 704, 64)),
}
SOURCE = """extern "C" __global__ void scale(float* data)
{
    for (int i = 0; i < UNROLL; ++i) data[threadIdx.x + i * BLOCK_SIZE] *= WIDTH + STAGES;
}
"""
SPACE = """kernel: scale
source: kernel.cu
parameters: {parameters}
workload: [n]
gpu: [{gpus}]
launch: {{grid: n, block: block_size}}
arguments: [{{name: data, type: float32, elements: 65536}}]
objectives: [minimize time_us, minimize registers_per_thread]
"""
SPEC = SweepSpec(
    name="scale",
    space_yaml=SPACE.format(
        parameters={name: list(values) for name, values in PARAMETERS.items()}, gpus=", ".join(GPUS)
    ),
    source=SOURCE,
    gpus=GPUS,
    parameters=PARAMETERS,
    workload=("n",),
    objectives=(("minimize", "time_us"), ("minimize", "registers_per_thread")),
    total=len(GPUS) * 250_000,
)


def trial(index: int, gpu: str, place: int, point: dict[str, int]) -> Trial:
    """A trial by formula."""
    point_hash = hashlib.sha256(f"{gpu}/{place}".encode()).hexdigest()
    if place % 50 == 0:
        failed = Outcome.failure(point_hash, "LaunchError", "1024 threads at most", final=True)
        return Trial(index, gpu, place, dict(point), failed)
    noise = int(point_hash[:6], 16) / 2**24
    registers = 24 + 2 * point["unroll"] + point["stages"]
    slow = 1 + abs(point["unroll"] - 8) / 8 + abs(point["width"] - 4) / 4 + point["stages"] / 20
    time_us = point["n"] * (slow + 64 / point["block_size"] + noise / 10) / SPEED[gpu]
    metrics = {
        "time_us": time_us,
        "cycles": 1500 * time_us,
        "warp_instructions": 1000 * point["n"] * point["unroll"],
        "ipc": 1 / slow,
        "issue_active": 0.25 / slow,
        "achieved_occupancy": 32 / registers,
        "theoretical_occupancy": min(1.0, 32 // (registers // 8) / 8),
        "registers_per_thread": registers,
        "code_bytes": 128 * (8 + point["unroll"]),
        "dram_bytes": 1e4 * point["n"],
        "l2_bytes": 2e4 * point["n"],
        "regime": "latency",
        "bottleneck": "long_scoreboard",
        "label": "calibrated",
        "stall_selected": 1.0,
        "stall_long_scoreboard": 4 * slow,
        "stall_wait": 1 + noise,
    }
    return Trial(index, gpu, place, dict(point), Outcome(point_hash, "complete", metrics=metrics))


def fill(store: Store, count: int) -> None:
    """Record the sweep, with this many trials."""
    sweep = store.create_sweep(SPEC, KEY, state="running").id
    names = tuple(PARAMETERS)
    points = (dict(zip(names, values, strict=True)) for values in product(*PARAMETERS.values()))
    trials: list[Trial] = []
    for place, point in enumerate(points):
        for gpu in GPUS:
            trials.append(trial(len(GPUS) * place + GPUS.index(gpu), gpu, place, point))
        if len(trials) >= min(FILL, count):
            store.record(sweep, trials)
            trials = []
        if len(GPUS) * (place + 1) >= count:
            break
    store.record(sweep, trials)
    store.keep_columns(sweep)  # as a coordinator does meanwhile


def main() -> None:
    """Make the sweep, write its report, and print what that took."""
    command = parser(__doc__)
    command.add_argument("--trials", type=int, default=1_000_000, help="at most a million")
    command.add_argument("--database", help="a database to keep; default: a new SQLite file")
    asked = command.parse_args()
    console().print(machine())
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(asked.database or Path(folder) / "dse.db")
        try:
            store.sweep(KEY)
        except SweepNotFound:
            fill(store, asked.trials)
        before, began, busy = peak_mib(), perf_counter(), process_time()
        path = write_report(LocalService(store), KEY, Path(folder) / "report.html")
        seconds, cpu_s, size = perf_counter() - began, process_time() - busy, path.stat().st_size / 1e6
        done = store.counts(store.sweep(KEY).id).done
        store.close()
    took = f"{seconds:.1f} s ({cpu_s:.1f} s of processor time), {size:.1f} MB"
    console().print(f"report of {done:,} trials: {took}, peak memory {before:,.0f} -> {peak_mib():,.0f} MiB")


if __name__ == "__main__":
    main()
