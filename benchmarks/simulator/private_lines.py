"""How well lines that each thread or SM has for itself are predicted: their times, and what L2 holds of them.

    python -m benchmarks.simulator.private_lines [--gpu h100-sxm,h200] [--every N]
    python -m benchmarks.simulator.private_lines --capacity

The first predicts the measured rows of `tests/silicon/private_lines.csv`, with the hits of L1 and the traffic of DRAM
that the model sees. The second derives `l2_usable_share` from `tests/silicon/private_capacity.csv`.
"""

import argparse
import csv
from dataclasses import dataclass
from math import exp
from pathlib import Path
from statistics import median

from rich.table import Table

from benchmarks.figures import console, figures, parser
from dse.evaluation.contents import device_arguments
from search_spaces import load_space
from simcore import Gpu, compile_cuda, load_gpu
from simcore.core.timing.state import COUNT_DRAM_BYTES, COUNT_L2_SECTORS
from simcore.session.request import TimingRequest
from simcore.session.timing import run_launch

ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "tests" / "silicon"
KERNEL = ROOT / "benchmarks" / "silicon" / "micro" / "l2" / "private_lines"
PARAMETERS = ("unroll", "n", "stride", "blocks")
THREADS = 256
"""Of a block of the kernel."""


def main() -> None:
    """Print the one or the other."""
    command = parser(__doc__)
    command.add_argument("--gpu", default="h100-sxm,h200")
    command.add_argument("--every", type=int, default=1, help="only every N-th row")
    command.add_argument("--capacity", action="store_true", help="what L2 holds, instead of times")
    asked: argparse.Namespace = command.parse_args()
    gpus = asked.gpu.split(",")
    console().print(capacities(gpus) if asked.capacity else times(gpus, asked.every))


def rows(file: str, gpus: list[str]) -> list[dict[str, str]]:
    """The measured rows of some GPUs."""
    with (MEASURED / file).open() as lines:
        return [row for row in csv.DictReader(lines) if row["gpu"] in gpus]


@dataclass(frozen=True)
class Predicted:
    """A predicted row.

    Attributes:
        time_us: of one launch.
        l1_hits: share of the sectors that lanes read, of the timed SM.
        dram_share: bytes from DRAM relative to the bytes that its lanes read.
    """

    time_us: float
    l1_hits: float
    dram_share: float


def predict(gpu: str, point: dict[str, int]) -> Predicted:
    """Time one launch of the kernel, and count what the timed SM brought."""
    space = load_space(KERNEL)
    launch = space.launch(point)
    cubin = compile_cuda(space.source, gpu, space.defines(point), space.register_cap(point))
    run = run_launch(
        TimingRequest(
            cubin=cubin,
            grid=launch.grid,
            block=launch.block,
            arguments=device_arguments(space.arguments(point)),
            gpu=gpu,
        )
    )
    loads = len(run.blocks) * THREADS * point["n"]
    return Predicted(
        time_us=run.cycles / run.session.gpu.clock_mhz,
        l1_hits=1 - float(run.sm.counters[COUNT_L2_SECTORS]) / loads,
        dram_share=float(run.sm.counters[COUNT_DRAM_BYTES]) / (4 * loads),
    )


def times(gpus: list[str], every: int) -> Table:
    """Measured and predicted times, with what explains them."""
    table = figures(
        None, "series", "GPU", *PARAMETERS, "measured us", "predicted us", "error", "L1 hits", "DRAM / data"
    )
    for row in rows("private_lines.csv", gpus)[::every]:
        found = predict(row["gpu"], {name: int(row[name]) for name in PARAMETERS})
        measured = float(row["time_us"])
        table.add_row(
            row["series"],
            row["gpu"],
            *(row[name] for name in PARAMETERS),
            f"{measured:.0f}",
            f"{found.time_us:.0f}",
            f"{found.time_us / measured - 1:+.0%}",
            f"{found.l1_hits:.0%}",
            f"{found.dram_share:.2f}",
        )
    return table


def capacities(gpus: list[str]) -> Table:
    """The capacity that explains each measured bandwidth below L2's, and their median.

    DRAM is taken to be what limits these: the share of lines that it brings is its bandwidth, that of the largest
    region, relative to the measured one.
    """
    table = figures(None, "GPU", "MiB", "from DRAM", "capacity MiB", "of l2_bytes")
    for name in gpus:
        gpu = load_gpu(name)
        measured = {int(row["mib"]): float(row["gb_per_s"]) for row in rows("private_capacity.csv", [name])}
        dram, highest = measured[max(measured)], max(measured.values())
        found = []
        for mib, rate in measured.items():
            missing = dram / rate
            if rate < 0.85 * highest and missing < 0.9 and mib * 2**20 > gpu.l2_bytes / 2:
                found.append(capacity(gpu, mib, missing))
                share = found[-1] * 2**20 / gpu.l2_bytes
                table.add_row(name, str(mib), f"{missing:.0%}", f"{found[-1]:.1f}", f"{share:.2f}")
        middle = median(found)
        table.add_row(name, "median", "", f"{middle:.1f}", f"{middle * 2**20 / gpu.l2_bytes:.2f}")
    return table


def capacity(gpu: Gpu, mib: float, missing: float) -> float:
    """MiB of a cache that loses this share of regions of `mib` MiB that are read again and again.

    Lines are dealt to its sets at random, and a set with more lines than ways loses all of them.
    """
    low, high = mib / 4, mib * 4.0
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (
            (middle, high) if lost(gpu.l2_ways, gpu.l2_ways * mib / middle) > missing else (low, middle)
        )
    return low


def lost(ways: int, mean: float) -> float:
    """Share of lines in sets with more than `ways` lines, when sets have `mean` of them: `ways` or more others."""
    term = exp(-mean)
    fitting = 0.0
    for others in range(ways):
        fitting += term
        term *= mean / (others + 1)
    return 1 - fitting


if __name__ == "__main__":
    main()
