"""What becomes of one launch, or of several strides: prints it."""

import argparse
from dataclasses import dataclass
from math import ceil

from benchmarks.figures import console, figures, parser
from benchmarks.simulator.private_lines_replay import __doc__ as about
from benchmarks.simulator.private_lines_replay.machine import (
    LOADS,
    SMS,
    STEP,
    STEPS,
    WARPS,
    Launch,
    machine,
    run,
)
from benchmarks.simulator.private_lines_replay.places import blocks_on_sms, load_cycles, partitions, slices

CLOCK_MHZ = 1980.0


@dataclass(frozen=True)
class Replayed:
    """What came of a launch.

    Attributes:
        time_us: until its last warp is done.
        l1_hits: share of the loaded words.
        requests: that L2 got, 32 bytes each.
        requests_busiest: of the busiest slice, relative to the mean.
        misses_busiest: the same of the misses.
        dram_mb: that were fetched.
    """

    time_us: float
    l1_hits: float
    requests: int
    requests_busiest: float
    misses_busiest: float
    dram_mb: float


def replay(stride: int, unroll: int, elements: int = 512, blocks: int = 1024, seed: int = 1) -> Replayed:
    """Replay the kernel of `benchmarks/silicon/micro/l2/private_lines` in blocks of 256 threads."""
    near, home = slices(ceil(blocks * WARPS * 32 * stride * 4 / (2 << 20)) + 1)
    m = machine(blocks_on_sms(blocks), seed)
    run(m, Launch(stride, unroll, elements, load_cycles(stride), near, home, partitions("sm")))
    return Replayed(
        time_us=float(m.counts[STEPS] * STEP / CLOCK_MHZ),
        l1_hits=float(1 - m.requests.sum() / m.counts[LOADS]),
        requests=int(m.requests.sum()),
        requests_busiest=float(m.requests.max() / m.requests.mean()),
        misses_busiest=float(m.misses.max() / m.misses.mean()),
        dram_mb=float(m.fetch_end.sum() * 64 / 1e6),
    )


def main() -> None:
    """Print what came of one launch."""
    command = parser(about)
    command.add_argument(
        "--stride", default="512", help="floats, or several numbers with commas between them"
    )
    command.add_argument("--unroll", type=int, default=1)
    command.add_argument("--elements", type=int, default=512, help="of a thread, a multiple of --unroll")
    command.add_argument("--blocks", type=int, default=1024, help="at most 1,056: all run at once")
    command.add_argument("--seed", type=int, default=1, help="of the order in which warps begin")
    asked: argparse.Namespace = command.parse_args()
    if not 1 <= asked.blocks <= SMS * 8 or asked.unroll < 1 or asked.elements % asked.unroll:
        command.error("--blocks is from 1 to 1,056, and --elements a multiple of --unroll")
    table = figures(None, "stride", "us", "L1 hits", "requests", "busiest slice", "its misses", "DRAM MB")
    for stride in asked.stride.split(","):
        found = replay(int(stride), asked.unroll, asked.elements, asked.blocks, asked.seed)
        table.add_row(
            stride,
            f"{found.time_us:.0f}",
            f"{found.l1_hits:.1%}",
            f"{found.requests / 1e6:.1f} M",
            f"{found.requests_busiest:.2f}",
            f"{found.misses_busiest:.2f}",
            f"{found.dram_mb:.0f}",
        )
    console().print(table)


if __name__ == "__main__":
    main()
