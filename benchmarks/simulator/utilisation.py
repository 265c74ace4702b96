"""How much of the cores' time a sweep spends in compiling and simulating; the rest is what the service costs.

    python -m benchmarks.simulator.utilisation [SPACE] [GPU,GPU]

The sweep runs in an empty home folder with an empty compiler cache, on Ray with one worker a core, as `dse
run` does. The jitted core is compiled beforehand, which happens once an installation.
"""

import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from dse import Client
from simcore import warm_up
from simcore.paths import cache_directory


def measure(space: str, gpus: list[str]) -> None:
    """Run the sweep and print the shares."""
    cores = len(os.sched_getaffinity(0))
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        use_empty_compiler_cache(Path(folder))
        began = perf_counter()
        sweep = Client(Path(folder) / "home").submit(space, gpus).wait()
        command_s = perf_counter() - began
        progress, counts = sweep.progress, sweep.status().counts
    assert progress is not None
    print(f"{space} on {', '.join(gpus)}: {counts.done} points, {counts.failed} failed, {cores} cores")
    print(f"compiling and simulating: {progress.busy_s:.1f} core seconds")
    for phase, wall_s in (("evaluation", progress.evaluating_s), ("whole sweep", command_s)):
        share = progress.busy_s / (wall_s * cores)
        print(f"{phase}: {wall_s:.1f} s of wall clock, {share:.1%} of the cores' time")


def use_empty_compiler_cache(folder: Path) -> None:
    """Caches in a new folder, but for the jitted core's."""
    jitted = cache_directory("numba")
    (folder / "cache").mkdir()
    (folder / "cache" / "numba").symlink_to(jitted)
    os.environ["SIMCORE_CACHE"] = str(folder / "cache")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    measure(
        arguments[0] if arguments else "rsqrt_chain",
        arguments[1].split(",") if len(arguments) > 1 else ["a100-80gb", "h100-sxm", "b200"],
    )
