"""What L2 loses from launch to launch: measured, by a replay of all accesses, and by the formula for streams.

    python -m benchmarks.simulator.l2_residency [--gpu h100-sxm,h200]

The kernels are those of `benchmarks/silicon/micro/l2/residency.cu`, each by the SMs that read a chunk in the launch
before (turn 0), by others (turn 37), or in many waves of small blocks (turn -1).
"""

import csv
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import console, figures, parser
from simcore import Gpu, load_gpu
from simcore.core.l2_replay import ACCESS_LINE_SHIFT, FIRST_SIDE_BIT, SECTORS_SHIFT, WRITE_SHIFT
from simcore.model.sharing import left_in_l2, lines_of_a_side
from simcore.session.sampled_l2 import SampledL2, drawn_bits

MEASURED = Path(__file__).parents[1] / "silicon" / "micro" / "l2"
BLOCKS, CHUNK_KIB, SMALL_CHUNK_KIB = 264, 16, 4
MANY_WAVES = -1
"""The turn of the rows in which each chunk, a small one, has a block."""

LINES_OF_A_MIB = 256
"""Of the sample that is replayed."""

LAUNCHES, COUNTED = 8, 4
"""How many launches are replayed, and of how many what they miss is counted."""

SHARES = (0.45, 1.05)
"""Of L2: arrays between these are compared. All of a smaller one stays, and nothing of a larger one."""

READS = {"read": 1.0, "copy": 0.5, "update": 1.0, "combine": 1.0}
WRITES = {"read": 0.0, "copy": 0.5, "update": 1.0, "combine": 0.5}
"""Share of the bytes that is read, and that is written."""

Ints = NDArray[np.int64]


def main() -> None:
    """Print all rows, and how far they are off on average."""
    command = parser(__doc__)
    command.add_argument("--gpu", default="h100-sxm,h200")
    command.add_argument("--every", type=int, default=1, help="only every N-th row")
    asked = command.parse_args()
    for name in asked.gpu.split(","):
        gpu = load_gpu(name)
        title = f"{name}: share of what is read that comes from DRAM"
        table = figures(title, "kernel", "turn", "MiB", "measured", "replayed", "formula")
        off: list[tuple[float, float]] = []
        for mode, turn, mib, measured in rows(gpu, name)[:: asked.every]:
            found = replayed(gpu, mode, turn, mib), by_formula(gpu, mode, turn, mib)
            off.append((abs(found[0] - measured), abs(found[1] - measured)))
            table.add_row(mode, str(turn), str(mib), *(f"{share:.2f}" for share in (measured, *found)))
        console().print(table)
        by_replay, by_law = (mean(each) for each in zip(*off, strict=True))
        print(f"{name}: off by {by_replay:.3f} if replayed, by {by_law:.3f} by the formula, on average")


def rows(gpu: Gpu, name: str) -> list[tuple[str, int, int, float]]:
    """Kernel, turn, MiB and measured share of the rows to compare."""
    found = []
    with (MEASURED / f"residency.{name}.csv").open() as lines:
        for row in csv.DictReader(line for line in lines if line[0] != "#"):
            mode, mib = row["mode"], int(row["mib"])
            if mode in READS and SHARES[0] < mib * 2**20 / gpu.l2_bytes < SHARES[1]:
                found.append((mode, int(row["turn"]), mib, float(row["dram_read"]) / (READS[mode] * mib)))
    return found


def by_formula(gpu: Gpu, mode: str, turn: int, mib: int) -> float:
    """The share that comes from DRAM if each buffer is a stream."""
    size = mib * 2.0**20
    return 1.0 - left_in_l2(gpu, turn != 0, size, WRITES[mode] * size)


def replayed(gpu: Gpu, mode: str, turn: int, mib: int) -> float:
    """The share that comes from DRAM if all accesses go through a sample of L2's lines."""
    every = 2**20 // gpu.line_bytes // LINES_OF_A_MIB
    l2 = SampledL2(gpu, np.arange(mib * LINES_OF_A_MIB) * every, round(lines_of_a_side(gpu)) // every)
    for launch in range(LAUNCHES):
        if launch == LAUNCHES - COUNTED:
            l2.forget_missed()
        l2.take(accesses(mode, turn, launch, mib))
    return float(l2.missed.sum()) / COUNTED / (READS[mode] * mib * 2**20 / every)


def accesses(mode: str, turn: int, launch: int, mib: int) -> Ints:
    """What one launch does, chunk by chunk, in the order of its blocks."""
    halves = mode in ("copy", "combine")
    small = turn == MANY_WAVES
    lines = LINES_OF_A_MIB * (SMALL_CHUNK_KIB if small else CHUNK_KIB) // 1024
    count = mib * LINES_OF_A_MIB // lines // (2 if halves else 1)
    chunk, block = np.arange(count), np.arange(count) % BLOCKS
    if small:
        side = drawn_bits(chunk + count * launch, FIRST_SIDE_BIT, 1)
    else:
        chunk = chunk - block + (block + turn * launch) % BLOCKS
        chunk, block = chunk[chunk < count], block[chunk < count]
        side = block % 2
    first = np.repeat(chunk * lines, lines) + np.tile(np.arange(lines), len(chunk))
    second = first + count * lines
    side = np.repeat(side, lines)
    steps = {
        "read": [(first, 0)],
        "copy": [(first, 0), (second, 1)],
        "update": [(first, 0), (first, 1)],
        "combine": [(first, 0), (second, 0), (second, 1)],
    }[mode]
    whole = 0b1111 << SECTORS_SHIFT
    done = [line << ACCESS_LINE_SHIFT | whole | is_write << WRITE_SHIFT | side for line, is_write in steps]
    return np.stack(done, axis=1).ravel()


if __name__ == "__main__":
    main()
