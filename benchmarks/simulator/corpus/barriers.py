"""References of `barriers.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

TMA = "TMA"


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.integers(0, 1000, 1024).astype(np.int32)
    f = random.integers(0, 8, 640).astype(np.float32)
    out, outf = np.zeros(1024, np.int32), np.zeros(64, np.float32)
    t, first = np.arange(128), x[:128].astype(np.int64)
    tiles = np.int32(7)
    return [
        Case("arrive_and_test", [x, out], {1: 15 * first[t ^ 77]}, block=128),
        Case(
            "wait_for_parity",
            [x, out],
            {1: np.sum([first[(127 - t - r) % 128] + r for r in range(6)], axis=0)},
            block=128,
        ),
        Case("producer_and_consumers", [x, out, tiles], {1: _chained(x, 96, 7, 3)[::-1]}, block=128),
        Case(
            "lanes_wait_for_a_lane",
            [x, out],
            {1: np.where(np.arange(32) == 5, 0, x[7] + np.arange(32))},
        ),
        Case(
            "arrive_with_count",
            [np.array([1 << 20, 0, 0, 0], np.int32)],
            {0: np.array([128 * 3 - 127 * 2, 128 * 3, 0, 128])},
            block=128,
        ),
        Case("drop_out", [out], {0: np.array([64, 64, 64])}, block=128),
        Case("init_again", [out], {0: np.array([0, 128, 128, 128])}, block=128),
        Case("copies_arrive", [x, out], {1: _copied(x[:512])}, block=128),
        Case(
            "ring_of_copies",
            [f, outf, np.int32(10)],
            {1: (f.reshape(10, 64)[:, ::-1] * np.arange(1, 11)[:, None]).sum(0)},
            block=64,
        ),
        Case(
            "cpp_barrier",
            [x, out],
            {1: np.sum([first[(t + 33) % 128] + r + first * r for r in range(4)], axis=0)},
            block=128,
        ),
        Case("cpp_barrier_drop", [out], {0: np.arange(1, 33)}, block=128),
        Case("cpp_barrier_of_warps", [x, out], {1: 2 * x[:64] + 1}, block=128),
        Case("cpp_pipeline_of_a_thread", [x, out, tiles], {1: _chained(x, 128, 7, 5)}, block=128),
        Case("cpp_pipeline_of_a_block", [x, out, tiles], {1: _chained(x, 128, 7, 5)[::-1]}, block=128),
        Case("cpp_pipeline_with_roles", [x, out, tiles], {1: _chained(x, 96, 7, 3)[::-1]}, block=128),
        Case(
            "cpp_copy_with_barrier",
            [x, out],
            {1: x[127 - t]},
            block=128,
            refused=dict.fromkeys(("h200", "b200", "rtx5090"), TMA),
        ),
        Case("awbarrier_primitives", [x, out], {1: x[t ^ 1]}, block=128),
        Case("named_barriers", [x, out], {1: x[63 - np.arange(64)] + 1}, block=128),
        Case("spin_on_a_flag", [x, out], {1: x[3] + np.arange(32)}, block=64),
    ]


def _chained(x: Array, width: int, tiles: int, factor: int) -> Array:
    result = np.zeros(width, np.int64)
    for tile in x[: width * tiles].reshape(tiles, width):
        result = result * factor + tile
    return result.astype(np.int32)


def _copied(x: Array) -> Array:
    t = np.arange(128)
    parts = [x[(t * 5 + 128 * k) % 512] for k in range(4)]
    return np.concatenate([*parts, x[511 - (127 - t)]])
