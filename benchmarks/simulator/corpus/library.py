"""References of `library.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

N, ITEMS = 128, 4
COUNT = N * ITEMS


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.integers(-50, 50, COUNT).astype(np.int32)
    keys = (random.standard_normal(COUNT) * 10.0 ** random.integers(-3, 3, COUNT)).astype(np.float32)
    octets = random.integers(0, 20, COUNT).astype(np.uint8)
    runs = random.integers(0, 3, COUNT).astype(np.int32)
    labels = random.integers(0, 40, N).astype(np.int32)
    out, zeros = np.zeros(16 * COUNT, np.int32), np.zeros(9, np.int32)
    points = random.standard_normal((N, 2)).astype(np.float32)
    order = np.argsort(-keys, kind="stable")
    bins = np.bincount(octets, minlength=256)
    return [
        Case("block_reductions", [x, out], {1: np.full(3, x.sum())}, block=N),
        Case("block_scans", [x, out], {1: _scans(x)}, block=N),
        Case("block_radix_sort", [keys, keys * 0, out], {1: keys[order], 2: order}, block=N),
        Case("block_merge_sort", [abs(x) * 37, out, np.int32(500)], {1: _merged(abs(x) * 37, 500)}, block=N),
        Case("block_histograms", [octets, out], {1: np.append(bins, bins)}, block=N),
        Case("block_flags", [runs, out], {1: _flags(runs)}, block=N),
        Case("warp_primitives", [x, out], {1: _warps(x)}, block=N),
        Case("groups_of_labels", [labels, out], {1: _labelled(labels)}, block=N),
        Case(
            "standard_library",
            [points, points * 0, zeros],
            {1: _complex(points), 2: _counted()},
            block=N,
            close=1e-6,
        ),
    ]


def _scans(x: Array) -> Array:
    sums = np.append(0, x.cumsum()[:-1])
    greatest = np.maximum.accumulate(x) + x.sum()
    greatest[0] -= x.sum()
    return np.append(sums, greatest)


def _merged(x: Array, valid: int) -> Array:
    order = np.argsort(x[:valid] % 1000, kind="stable")
    return np.asarray(x[:valid][order])


def _flags(x: Array) -> Array:
    differ = x[1:] != x[:-1]
    flags = np.append(True, differ) + 2 * np.append(differ, True)
    less = np.append(x[0], np.diff(x))
    return np.concatenate([flags, less, x, np.roll(x[::ITEMS], -5)])


def _warps(x: Array) -> Array:
    items = x.reshape(N, ITEMS)
    heads = np.zeros(N, int)
    for t in range(N):
        if t % 8 % 3 == 0:
            end = t - t % 8 + min(t % 8 + 3, 8)
            heads[t] = items[t:end, 0].sum()
    inclusive = items[:, 1].reshape(-1, 32).cumsum(1)
    exclusive = np.concatenate([np.zeros((N // 32, 1), int), inclusive[:, :-1]], 1)
    ordered = np.sort(x.reshape(N // 16, 16 * ITEMS), 1)
    return np.concatenate([heads, inclusive.ravel(), exclusive.ravel(), ordered.ravel()])


def _labelled(x: Array) -> Array:
    warps, halves = x.reshape(-1, 32), x.reshape(-1, 64)
    same = warps[:, :, None] % 5 == warps[:, None, :] % 5
    sums = (same * warps[:, None, :]).sum(2)
    odd = warps[:, :, None] & 1 == warps[:, None, :] & 1
    ranks = odd.sum(2) * 100 + np.tril(odd, -1).sum(2)
    greatest = np.repeat(halves.max(1), 64)
    before = np.concatenate([np.zeros((N // 32, 1), int), warps.cumsum(1)[:, :-1]], 1)
    told = np.repeat(halves[:, 37] + (halves == 3).any(1), 64)
    return np.concatenate([sums.ravel(), ranks.ravel(), greatest, before.ravel(), told, warps.sum(1)])


def _complex(points: Array) -> Array:
    z = points[:, 0].astype(np.float64) + 1j * points[:, 1]
    w = z * (2 - 1j) + z.conj() / (1 + 1j)
    return np.stack([w.real, w.imag], 1)


def _counted() -> Array:
    counts = np.zeros(9, np.int64)
    counts[8] = N
    for t in range(N):
        counts[t % 8] += 10 * sum((t * i + i * i) % 4 == t % 4 for i in range(16)) + t.bit_count()
    return counts
