"""Latencies: chains of dependent loads, operations, products and barriers."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from benchmarks.published.rates import PRODUCTS, REAL
from benchmarks.published.runs import Argument, Defines, Launch, Took, kernel
from simcore.model.launch import FIRST_ADDRESS

LINE_BYTES = 128
FEWEST_STEPS = 4096
COLD_STEPS = 1024


def chase(gpu: str, level: str, kib: int = 4, indexed: bool = False) -> Took:
    """One thread follows pointers, or indices, through `kib` KiB; work in steps.

    Args:
        level: l1 or l2: round after round through all lines; dram: lines that no cache has yet; shared: shared memory.
    """
    defines: Defines = (("INDEXED", 1),) if indexed else ()
    if level == "shared":
        cubin = kernel("chase", gpu, (("SHARED", 1), *defines))
        return _chased(Launch(gpu, cubin, 1, 1), [np.zeros(1, np.uint32)], FEWEST_STEPS)
    lines = kib * 1024 // LINE_BYTES
    cold = level == "dram"
    table = ring(lines, 2 * COLD_STEPS if cold else lines, indexed)
    launch = Launch(gpu, kernel("chase", gpu, defines), 1, 1, cold)
    steps = COLD_STEPS if cold else lines * ceil(FEWEST_STEPS / lines)
    return _chased(launch, [table, np.zeros(1, table.dtype)], steps)


def _chased(launch: Launch, arguments: list[Argument], steps: int) -> Took:
    """What so many steps take after as many others."""
    cycles, time_us = launch.slope(lambda many: [*arguments, np.int32(many)], steps, 2 * steps)
    return Took(cycles, time_us, steps)


def ring(lines: int, steps: int, indexed: bool) -> NDArray[np.generic]:
    """A table whose lines lead from one to the next in a random order, `steps` of them, the first line first."""
    order = np.random.default_rng(1).permutation(np.arange(1, lines))[: steps - 1]
    order = np.concatenate([[0], order])
    onward = np.roll(order, -1)
    words = LINE_BYTES // (4 if indexed else 8)
    table: NDArray[np.generic] = np.zeros(lines * words, np.int32 if indexed else np.uint64)
    table[order * words] = (onward * words) if indexed else (FIRST_ADDRESS + onward * LINE_BYTES)
    return table


def chain(gpu: str, operation: str) -> Took:
    """One warp, each of whose operations waits for the one before; work in operations."""
    few, many = 8, 24
    kind = REAL.get(operation, "uint32")
    one = np.ones(1, kind)[0]
    cubin = kernel("pipe", gpu, ((operation, 1), ("CHAINS", 1)))
    sink = np.zeros(32, kind)
    cycles, time_us = Launch(gpu, cubin, 1, 32).slope(
        lambda steps: [sink, one, one, np.int32(steps)], few, many
    )
    return Took(cycles, time_us, 256 * (many - few))


def product_chain(gpu: str, product: str) -> Took:
    """One warp, each of whose products of `mma.sync` adds to the sums of the one before; work in products."""
    few, many = 4, 12
    kind = PRODUCTS[product]
    cubin = kernel("matrix", gpu, (*kind.defines, ("CHAINS", 1)))
    sink = np.zeros(32, kind.sum)
    cycles, time_us = Launch(gpu, cubin, 1, 32).slope(
        lambda steps: [sink, np.uint32(1), np.int32(steps)], few, many
    )
    return Took(cycles, time_us, 64 * (many - few))


def barrier(gpu: str, warps: int) -> Took:
    """One block of some warps at its barrier; work in barriers."""
    few, many = 256, 1024
    sink = np.zeros(1024, np.int32)
    cycles, time_us = Launch(gpu, kernel("barrier", gpu), 1, 32 * warps).slope(
        lambda steps: [sink, np.int32(steps)], few, many
    )
    return Took(cycles, time_us, many - few)
