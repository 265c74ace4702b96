"""Sweeps as a store holds them, made without evaluating anything."""

from dse.evaluation.tasks import Outcome
from dse.store import SweepSpec, Trial

GPUS = ("h200", "a100-80gb")
SPACE = """\
kernel: dot
parameters: {unroll: [1, 2, 4], register_cap: [none]}
gpu: [h200, a100-80gb]
launch: {grid: 1, block: 32}
arguments: []
"""
SOURCE = 'extern "C" __global__ void dot() {}\n'


def spec(total: int) -> SweepSpec:
    return SweepSpec("dot", SPACE, SOURCE, GPUS, {"unroll": (1, 2, 4), "register_cap": (None,)}, total=total)


def trial(index: int, gpu: str = "h200", time_us: float | None = None, reason: str | None = None) -> Trial:
    metrics = {
        "time_us": time_us or 100.0 - index % 90,
        "cycles": 1000.0,
        "registers_per_thread": 32,
        "achieved_occupancy": 0.5,
        "stall_long_scoreboard": 3.25,
        "regime": "latency",
        "label": "derived",
        "utilisation": {"fp32": 0.25},
        "advice": ["unroll more"],
    }
    point_hash = f"{gpu}-{index}"
    outcome = Outcome(point_hash, "complete", metrics=metrics, compile_s=0.5, simulate_s=0.25)
    if reason:
        outcome = Outcome.failure(point_hash, reason, f"{reason}: why", final=reason != "WorkerLost")
    return Trial(index, gpu, index, {"unroll": 4, "register_cap": None}, outcome)
