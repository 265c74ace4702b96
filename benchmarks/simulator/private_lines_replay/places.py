"""Where lines lie, which SM has which block, and what a load of 32 lines takes: measured on an H100."""

import csv
from pathlib import Path

import numpy as np

from benchmarks.simulator.private_lines_replay.machine import NEAR, SMS, WARPS, Integers

MEASURED = Path(__file__).parents[3] / "tests" / "silicon" / "h100-sxm" / "slice_pressure"
"""Written by `benchmarks/silicon/micro/l2/slice_pressure.cu`."""


def parity(offsets: Integers, *bits: int) -> Integers:
    """Of some bits of each offset."""
    odd = np.zeros_like(offsets)
    for bit in bits:
        odd ^= offsets >> bit & 1
    return odd


def slices(pages: int) -> tuple[Integers, Integers]:
    """Near slice and home of each 256 bytes of consecutive pages of 2 MiB, as they were measured."""
    offsets = np.arange(8192, dtype=np.int64) * 256
    x = parity(offsets, 8, 12, 17, 19, 20)
    x |= parity(offsets, 10, 13, 17, 18) << 1 | parity(offsets, 11, 14, 17, 19, 20) << 2
    low = parity(offsets, 11, 12, 16, 19) | parity(offsets, 14, 18, 19) << 1
    low |= parity(offsets, 13, 14, 15, 18, 20) << 2 | parity(offsets, 11, 13, 17) << 3
    with (MEASURED / "pages.csv").open() as lines:
        rows = [tuple(int(row[name]) for name in ("x", "rotation", "xor")) for row in csv.DictReader(lines)]
    found = []
    for page in range(pages):
        turned, rotation, flip = rows[page % len(rows)]
        stack = ((8 * (offsets >> 17) + (x ^ turned)) % 5 + rotation) % 5
        found.append(stack * 16 + (low ^ flip))
    numbers = np.concatenate(found)
    near = (numbers >> 4) * 8 + numbers % 8
    return near, partitions("slice")[numbers] * NEAR + near


def partitions(what: str) -> Integers:
    """The partition of each SM, or of each slice."""
    with (MEASURED / "partitions.csv").open() as lines:
        return np.array(
            [row["partition"] == "B" for row in csv.DictReader(lines) if row["what"] == what], np.int64
        )


def blocks_on_sms(blocks: int) -> Integers:
    """The SM of each block: as measured of 1,024 blocks, in turn if there are too few for that to matter."""
    with np.load(MEASURED / "marks.npz") as marks:
        measured = marks["sm_1_512"][::WARPS].astype(np.int64)
    return measured if blocks == len(measured) else np.arange(blocks) % SMS


def load_cycles(stride: int) -> float:
    """Cycles of a load of 32 lines, words in one bank, in two, four or more; `private_mix.csv` has up to 3 more."""
    if stride % 32 == 0:
        return 32.2
    return 16.5 if stride % 16 == 0 else 11.0 if stride % 8 == 0 else 10.0
