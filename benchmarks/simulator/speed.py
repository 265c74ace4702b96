"""How fast the simulator is: time a prediction, a warp instruction and a simulated cycle; start-up; memory.

    python -m benchmarks.simulator.speed [--skip-start]

Machines differ, so each time is also given in units of a fixed numpy workload that runs on the same machine
in the same minutes: these ratios are what to compare between machines and between versions.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.figures import console, figures, machine, parser, peak_mib
from dse.evaluation.contents import device_arguments
from search_spaces import Space, load_space
from simcore import SimulationResult, compile_cuda, simulate, warm_up
from simcore.analysis import slicing
from simcore.core import isa
from simcore.execution import execute_prepared
from simcore.lowering.program import Program
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare

GPU = "h200"
FAMILIES = Path(__file__).parents[1] / "silicon" / "families"
VALIDATION = Path(__file__).parents[1] / "silicon" / "validation"
REPEATS = 5

WORKLOADS: tuple[tuple[str | Path, dict[str, int | None]], ...] = (
    ("fma_chain", {"chains": 4, "unroll": 16, "block_size": 256, "register_cap": None}),
    ("rsqrt_chain", {"unroll": 4, "n": 512, "block_size": 256, "register_cap": None}),
    ("dot", {"accumulators": 4, "blocks": 264, "block_size": 256, "register_cap": None}),
    (
        "sum_reduction",
        {"accumulators": 4, "elements_per_thread": 16, "block_size": 256, "register_cap": None},
    ),
    (FAMILIES / "matmul_tiled", {"tile": 16, "unroll": 4, "size": 512}),
    (FAMILIES / "stencil_2d", {"block_x": 128, "block_y": 8, "rows": 4, "size": 4096}),
    (VALIDATION / "spmm_rows", {"dense": 64, "rows_block": 8, "unroll": 1}),
)
"""Spaces and the point of each that is timed; they stay as they are, or no two runs compare."""

EXECUTED = ("integer_hash", "collatz", "saxpy", "stencil_2d", "reduction_tree")
"""Families whose last point is executed for its results: arithmetic first, then loads and stores."""


@dataclass(frozen=True)
class Speed:
    """One workload's measurements.

    Attributes:
        seconds: the median call of `simulate`, without the compilation to machine code.
        executed: share of the code's computing instructions that are executed to predict the time.
    """

    name: str
    seconds: float
    result: SimulationResult
    executed: float

    @property
    def timed_instructions(self) -> float:
        """Warp instructions on the SM that is timed."""
        return self.result.ipc * self.result.cycles


@dataclass(frozen=True)
class Start:
    """What a new process takes before its first prediction, in seconds, and its peak memory in MiB."""

    imports: float
    core: float
    peak_mib: float


def main() -> None:
    """Measure and print."""
    command = parser(__doc__)
    command.add_argument(
        "--skip-start", action="store_true", help="leave out the new processes, which take minutes"
    )
    asked = command.parse_args()
    reference = median_seconds(reference_workload)
    console().print(machine())
    console().print(
        f"reference (numpy, {REFERENCE_PASSES} passes over 1 Mi float32): {reference * 1e3:.1f} ms"
    )
    warm_up()
    speeds = [measure(load_space(space), point) for space, point in WORKLOADS]
    console().print(speed_table(speeds, reference))
    console().print(execution_table())
    console().print(f"peak memory of this process: {peak_mib():.0f} MiB")
    if not asked.skip_start:
        console().print(start_table(reference))


REFERENCE_PASSES = 100


def reference_workload() -> None:
    """Fixed vector arithmetic on 4 MiB."""
    x = np.linspace(0, 1, 1 << 20, dtype=np.float32)
    for _ in range(REFERENCE_PASSES):
        np.sqrt(x, out=x)
        np.multiply(x, np.float32(0.75), out=x)
        np.add(x, np.float32(0.25), out=x)


def median_seconds(call: Callable[[], object]) -> float:
    """The median of several calls, after one that warms up."""
    call()
    times = []
    for _ in range(REPEATS):
        began = perf_counter()
        call()
        times.append(perf_counter() - began)
    return float(np.median(times))


def measure(space: Space, point: dict[str, int | None]) -> Speed:
    """Time the prediction of one point."""
    keywords = _launch(space, point)
    results: list[SimulationResult] = []
    seconds = median_seconds(lambda: results.append(simulate(**keywords)))
    program = prepare(LaunchRequest(**keywords)).program
    return Speed(space.kernel, seconds, results[-1], executed_share(program))


def executed_share(program: Program) -> float:
    """Of the instructions that compute or access memory, the share whose results the timing needs, if nobody reads what
    the kernel stores."""
    computing = program.code["operation"] >> isa.FAMILY_BITS != isa.CONTROL
    return float((slicing.for_timing(program, stores_matter=False)[computing] == isa.EXECUTE).mean())


def speed_table(speeds: list[Speed], reference: float) -> Table:
    """A row for each workload."""
    headings = ("cycles", "ns a cycle", "M warp instr/s, timed SM", "whole grid", "code executed")
    table = figures(f"Predictions for the {GPU}", "kernel", "ms", "x reference", *headings)
    for speed in speeds:
        table.add_row(
            speed.name,
            f"{speed.seconds * 1e3:.1f}",
            f"{speed.seconds / reference:.2f}",
            f"{speed.result.cycles:,}",
            f"{speed.seconds / speed.result.cycles * 1e9:.0f}",
            f"{speed.timed_instructions / speed.seconds / 1e6:.1f}",
            f"{speed.result.warp_instructions / speed.seconds / 1e6:.0f}",
            f"{speed.executed:.0%}",
        )
    return table


def execution_table() -> Table:
    """A row for each kernel whose whole grid is executed."""
    table = figures("Execution for results", "kernel", "M warp instr", "s", "M warp instr/s")
    for name in EXECUTED:
        count, seconds = execution_of(load_space(FAMILIES / name))
        table.add_row(name, f"{count / 1e6:.1f}", f"{seconds:.3f}", f"{count / seconds / 1e6:.0f}")
    return table


def execution_of(space: Space) -> tuple[int, float]:
    """Warp instructions of a space's last point, and the median seconds that they take."""
    *_, point = space.points()
    request = LaunchRequest(**_launch(space, point))
    counts: list[int] = []
    seconds = median_seconds(lambda: counts.append(execute_prepared(prepare(request))))
    return counts[0], seconds


def _launch(space: Space, point: Mapping[str, Any]) -> dict[str, Any]:
    """A point's launch as keywords."""
    launch = space.launch(point)
    return {
        "cubin": compile_cuda(space.source, GPU, space.defines(point), space.register_cap(point)),
        "kernel": space.kernel,
        "grid": launch.grid,
        "block": launch.block,
        "arguments": device_arguments(space.arguments(point)),
        "gpu": GPU,
        "dynamic_shared_bytes": launch.dynamic_shared_bytes,
    }


def start_table(reference: float) -> Table:
    """A new process with an empty cache, then one that finds the core compiled."""
    table = figures("A new process", "", "imports, s", "core, s", "x reference", "peak MiB")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("compiles the core", "loads the core"):
            start = measure_start(Path(folder))
            table.add_row(
                name,
                f"{start.imports:.1f}",
                f"{start.core:.1f}",
                f"{start.core / reference:.0f}",
                f"{start.peak_mib:.0f}",
            )
    return table


_START = """
import json, resource
from time import perf_counter
began = perf_counter()
import numpy as np
from simcore import compile_cuda, simulate, warm_up
imported = perf_counter()
warm_up()
source = 'extern "C" __global__ void first(int* out) { out[blockIdx.x * 32 + threadIdx.x] = 0; }'
cubin = compile_cuda(source, "h200")
simulate(cubin=cubin, grid=2, block=32, arguments=[np.zeros(64, np.int32)], gpu="h200")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([imported - began, perf_counter() - imported, peak]))
"""


def measure_start(cache: Path) -> Start:
    """Start a process that keeps its caches in a folder, and predict with it."""
    run = subprocess.run(
        [sys.executable, "-c", _START],
        env=os.environ | {"SIMCORE_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Start(*json.loads(run.stdout))


if __name__ == "__main__":
    main()
