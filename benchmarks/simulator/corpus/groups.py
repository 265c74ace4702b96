"""References of `groups.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

N = 128


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.integers(0, 95, N).astype(np.int32)
    more = random.integers(0, 95, 256).astype(np.int32)
    out, t = np.zeros(6 * N, np.int32), np.arange(N)
    sixteen, eight, warps = x.reshape(8, 16), x.reshape(16, 8), x.reshape(4, 32)
    bitwise = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)
    reduced = [sixteen.min(1), sixteen.max(1), *(f.reduce(sixteen, axis=1) for f in bitwise), sixteen.max(1)]
    kept = x % 3 == 0
    active = np.where(kept, np.repeat((x * kept).reshape(4, 32).sum(1), 32), 0)
    ranks = sum(int(n) * (int(n) - 1) // 2 for n in kept.reshape(4, 32).sum(1))
    return [
        *(Case(f"tiles_of_{size}", [x, out], {1: _tiles(x, size)}, block=N) for size in (32, 16, 8, 4, 2)),
        Case("reductions", [x, out], {1: np.repeat(np.array(reduced), 16, axis=1)}, block=N),
        Case(
            "scans",
            [x, out],
            {1: np.array([eight.cumsum(1), eight.cumsum(1) - eight, np.maximum.accumulate(eight, 1)])},
            block=N,
        ),
        Case(
            "coalesced",
            [x, out, out[:1]],
            {
                1: np.concatenate([[kept.sum(), ranks], np.zeros(126), active]).astype(np.int32),
                2: np.array([kept.sum()]),
            },
            block=N,
        ),
        Case("partitions", [x, out], {1: np.concatenate([_labeled(warps), _split(warps)])}, block=N),
        Case("block_group", [x, out], {1: np.append(x[127 - t] + 32, 2 * x[(t + 1) % N])}, block=N),
        Case("copy_of_a_group", [more, out], {1: more[255 - t] - more[t]}, block=N),
        Case("one_of_a_group", [out], {0: np.append(16, t // 8 * 7)}, block=N),
        Case("atomics_of_tiles", [x, out], {1: _tile_bins(x)}, block=N),
    ]


def _tiles(x: Array, size: int) -> Array:
    rows, t = x.reshape(-1, size).astype(np.int64), np.arange(N)
    sums = np.repeat(rows.sum(1), size)
    ballots = np.repeat(((rows & 1) << np.arange(size)).sum(1), size)
    votes = np.repeat((rows == 3).any(1) | (rows < 90).all(1) << 1, size)
    return np.concatenate([sums + t % size * 1000 + t // size * 100000, ballots, votes, sums]).astype(
        np.int32
    )


def _labeled(warps: Array) -> Array:
    result = []
    for warp in warps % 5:
        result += [int((warp == v).sum()) * 100 + int((warp[:k] == v).sum()) for k, v in enumerate(warp)]
    return np.array(result)


def _split(warps: Array) -> Array:
    high = warps > 40
    sums = [np.where(h, row[h].sum(), row[~h].sum()) for row, h in zip(warps, high, strict=True)]
    return np.concatenate(sums)


def _tile_bins(x: Array) -> Array:
    tiles = x.reshape(-1, 4)
    bins = np.bincount(tiles.max(1) % 8, minlength=10)
    bins[8] = (tiles[:, 0] - tiles[:, 2]).sum()
    bins[9] = sum(int((tile & 1 == v & 1).sum()) for tile in tiles for v in tile)
    return bins
