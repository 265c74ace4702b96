"""References of `warp.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.integers(-50, 100, 128).astype(np.int32)
    positive = abs(x)
    f = random.permutation(128).astype(np.float32)
    wide = random.integers(-(1 << 40), 1 << 40, 128)
    head = (random.random(128) < 0.2).astype(np.int32)
    a, v = random.random((4, 96), np.float32), random.random(96, np.float32)
    out, out64, outf = np.zeros(128, np.int32), np.zeros(128, np.int64), np.zeros(128, np.float32)
    rows = x.reshape(4, 32)
    lane = np.arange(32)
    return [
        Case("reduce_down", [x, out[:4]], {1: rows.sum(1)}, 2, 64),
        Case("reduce_butterfly_max", [f, outf], {1: np.repeat(f.reshape(4, 32).max(1), 32)}, block=128),
        Case("scan_up", [x, out], {1: rows.cumsum(1)}, block=128),
        Case(
            "scan_exclusive_64",
            [wide, out64],
            {1: wide.reshape(4, 32).cumsum(1) - wide.reshape(4, 32)},
            block=128,
        ),
        Case(
            "compact_by_ballot",
            [x, out, out[:4]],
            {1: _compacted(rows), 2: (rows > 50).sum(1)},
            block=128,
        ),
        Case(
            "histogram_by_match", [positive, out[:8]], {1: np.bincount(positive & 7, minlength=8)}, block=128
        ),
        Case("segmented_sum", [x, head, out], {2: _segmented(rows, head.reshape(4, 32))}, block=128),
        Case("bitonic_sort", [x.view(np.uint32), out], {1: np.sort(rows.view(np.uint32), 1)}, block=128),
        Case(
            "transpose_by_shuffle",
            [np.arange(256, dtype=np.int32), np.zeros(256, np.int32)],
            {1: (np.arange(8)[:, None] * 32 + lane % 8 * 4 + lane // 8)},
        ),
        Case("redux_all", [x, out[:32]], {1: _redux(rows)}, block=128),
        Case("argmax", [f, out[:4]], {1: f.reshape(4, 32).argmax(1) + 32 * np.arange(4)}, block=128),
        Case("matrix_vector", [a, v, outf[:4]], {2: a @ v}, block=128, close=1e-6),
        Case("votes", [x, out], {1: np.repeat(_votes(rows), 32)}, block=128),
        Case("segments_of_eight", [x, out], {1: np.repeat(x.reshape(16, 8).sum(1), 8)}, block=128),
        Case("divergent_halves", [x, out], {1: _halves(x)}, block=128),
    ]


def _compacted(rows: Array) -> Array:
    result = np.zeros(rows.shape, np.int32)
    for row, kept in zip(rows, result, strict=True):
        kept[: (row > 50).sum()] = row[row > 50]
    return result


def _segmented(rows: Array, heads: Array) -> Array:
    result = rows.copy()
    for row, head in zip(result, heads, strict=True):
        for lane in range(1, 32):
            if not head[lane]:
                row[lane] += row[lane - 1]
    return result


def _redux(rows: Array) -> Array:
    u = rows.view(np.uint32)
    columns = [
        *(rows.sum(1), rows.min(1), rows.max(1), u.min(1).view(np.int32), u.max(1).view(np.int32)),
        *(
            f.reduce(v, axis=1).view(np.int32)
            for f, v in ((np.bitwise_and, u | 3), (np.bitwise_or, u), (np.bitwise_xor, u))
        ),
    ]
    return np.array(columns, np.int32).T


def _votes(rows: Array) -> Array:
    quotient = np.trunc(rows / 128).astype(int)
    same = (quotient == quotient[:, :1]).all(1)
    votes: Array = (rows < 100).all(1) | (rows == 13).any(1) << 1 | same << 2 | 8
    return votes


def _halves(x: Array) -> Array:
    parts = x.reshape(4, 2, 16)
    return np.repeat(np.stack([parts[:, 0].sum(1), parts[:, 1].max(1)], 1), 16)
