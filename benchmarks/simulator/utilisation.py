"""How much of the cores' time a sweep spends in compiling and simulating; the rest is what the service costs.

    python -m benchmarks.simulator.utilisation [SPACE] [--gpu a100-80gb,h100-sxm,b200] [--trials N]

The sweep runs in an empty home folder with an empty compiler cache, on Ray with one worker a core, as `dse
run` does. The jitted core is compiled beforehand, which happens once an installation.
"""

import os
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.caches import empty_caches
from benchmarks.clocked import Clocked
from benchmarks.figures import machine, parser
from dse import Client
from dse.evaluation.evaluate import evaluate, prepare
from dse.runners.ray import RayRunner
from simcore import warm_up


def main() -> None:
    """Run the sweep and print the shares."""
    command = parser(__doc__)
    command.add_argument("space", nargs="?", default="rsqrt_chain", help="a name of the catalog, or a folder")
    command.add_argument("--gpu", default="a100-80gb,h100-sxm,b200")
    command.add_argument("--trials", type=int, help="as many points at random; without it, every point")
    asked = command.parse_args()
    print(machine())
    warm_up()
    with empty_caches() as folder:
        measure(folder / "home", asked.space, asked.gpu.split(","), asked.trials)


def measure(home: Path, space: str, gpus: list[str], trials: int | None) -> None:
    """Run one sweep and print what share of the cores' time its evaluations took."""
    cores = len(os.sched_getaffinity(0))
    client = Client(home, partial(RayRunner, Clocked(evaluate, prepare), cores, prepare=prepare))
    began = perf_counter()
    sampler = "random" if trials else None
    sweep = client.submit(space, gpus, trials=trials, sampler=sampler).wait()
    whole_s = perf_counter() - began
    counts = sweep.status().counts
    metrics = [trial.metrics for trial in sweep.trials("state = 'complete'")]
    busy_s = sum(each["ended"] - each["began"] for each in metrics)
    evaluating_s = max(each["ended"] for each in metrics) - min(each["began"] for each in metrics)
    print(f"{space} on {', '.join(gpus)}: {counts.complete} points complete, {counts.failed} failed")
    print(f"compiling and simulating: {busy_s:.1f} core seconds")
    for phase, wall_s in (("evaluation", evaluating_s), ("whole sweep", whole_s)):
        print(f"{phase}: {wall_s:.1f} s of wall clock, {busy_s / (wall_s * cores):.1%} of the cores' time")


if __name__ == "__main__":
    main()
