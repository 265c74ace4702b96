"""A sweep over a dot product as a store holds it, with results nobody evaluated."""

from dse.evaluation.tasks import Outcome
from dse.store import Store, SweepSpec, Trial, TrialQuery
from dse.store.records import TrialSource

SPEC = SweepSpec(
    name="dot",
    space_yaml="kernel: dot\n",
    source='extern "C" __global__ void dot() {}\n',
    gpus=("h200", "a100-80gb"),
    parameters={
        "unroll": (1, 2, 4),
        "register_cap": (None, 32),
        "layout": ("row", "column"),
        "mixed": ("auto", 8, 16.5),
    },
    total=24,
    headers={"scale.h": "#define SCALE 2\n"},
)


def result(point_hash: str, time_us: float = 1.0, **metrics: object) -> Outcome:
    return Outcome(
        point_hash, "complete", metrics={"time_us": time_us, **metrics}, compile_s=0.25, simulate_s=0.5
    )


def failure(point_hash: str, reason: str) -> Outcome:
    is_final = reason in ("CompileError", "LaunchError")
    return Outcome.failure(point_hash, reason, f"{reason} said why", final=is_final)


def trial(
    index: int, gpu: str = "h200", outcome: Outcome | None = None, source: TrialSource = "new"
) -> Trial:
    parameters = {
        "unroll": (1, 2, 4)[index % 3],
        "register_cap": (None, 32)[index % 2],
        "layout": ("row", "column")[index // 6 % 2],
        "mixed": ("auto", 8, 16.5)[index % 3],
    }
    return Trial(index, gpu, index, parameters, outcome or result(f"{gpu}-{index}", 10.0 - index), source)


def indices(store: Store, sweep: int, filter: str, order_by: str | None = None) -> list[int]:
    return [found.point_index for found in store.trials(sweep, TrialQuery(filter, order_by))]
