"""References of `algorithms.cu`."""

from itertools import pairwise

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

EMPTY = 0xFFFFFFFF


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""

    def small(*shape: int) -> Array:
        return random.integers(-5, 6, shape).astype(np.float32)

    def real(*shape: int) -> Array:
        return random.standard_normal(shape).astype(np.float32)

    a, b, rows, plane, gain = small(32, 48), small(48, 32), real(4, 100), real(3, 128), real(128)
    q, k, v = real(64, 16), real(64, 16), real(64, 16)
    starts = np.append(0, random.integers(0, 20, 16).cumsum()).astype(np.int32)
    columns = random.integers(0, 50, starts[-1]).astype(np.int32)
    values, x = small(int(starts[-1])), small(50)
    graph = [random.choice(64, 3, replace=False) for _ in range(64)]
    neighbours = np.concatenate(graph).astype(np.int32)
    depth = np.full(64, -1, np.int32)
    depth[0] = 0
    signal = real(64, 2)
    distances = random.integers(1, 100, (16, 16)).astype(np.int32)
    words = [random.integers(97, 101, 32).astype(np.int8) for _ in "ab"]
    cells = random.integers(0, 2, 256).astype(np.uint8)
    merged = [np.sort(random.integers(0, 99, 128)).astype(np.int32) for _ in "ab"]
    points, centres = small(128, 4), small(8, 4)
    line = small(128 * 2 + 6)
    keys = random.integers(0, 300, 128).astype(np.uint32)
    out, outf = np.zeros(256, np.int32), np.zeros(2048, np.float32)
    exponents = np.exp(rows - rows.max(1, keepdims=True))
    return [
        Case("multiply_tiled", [a, b, outf], {2: a @ b}, (2, 2), 256),
        Case(
            "softmax_online",
            [rows, outf],
            {1: exponents / exponents.sum(1, keepdims=True)},
            block=128,
            close=1e-6,
        ),
        Case("layer_norm", [plane, gain, outf], {2: _normal(plane) * gain}, 3, 128, close=1e-5),
        Case("attention", [q, k, v, outf], {3: _attention(q, k, v)}, block=64, close=1e-5),
        Case(
            "sparse_rows",
            [starts, columns, values, x, outf],
            {4: _sparse(starts, columns, values, x)},
            block=128,
        ),
        Case(
            "breadth_first",
            [np.arange(0, 195, 3, dtype=np.int32), neighbours, depth],
            {2: _breadth(graph)},
            block=32,
        ),
        Case(
            "fourier",
            [signal, outf[:128]],
            {1: np.fft.fft(signal @ [1, 1j]).astype(np.complex64).view(np.float32)},
            block=64,
            close=1e-6,
        ),
        Case("all_shortest_paths", [distances], {0: _shortest(distances)}, block=256),
        Case("edit_distance", [*words, out], {2: np.array([_edits(*words)])}, block=64),
        Case("game_of_life", [cells, np.zeros(256, np.uint8), np.int32(5)], {1: _life(cells, 5)}, block=256),
        Case("merge_by_paths", [*merged, out], {2: np.sort(np.concatenate(merged))}, block=64),
        _centres(points, centres, out),
        Case(
            "stencil",
            [line, outf],
            {1: np.correlate(line, np.arange(1, 8, dtype=np.float32), "valid")},
            2,
            128,
        ),
        Case("mandelbrot", [out], {0: _mandelbrot()}, block=128),
        Case(
            "hash_table",
            [keys, np.full(256, EMPTY, np.uint32), out],
            {2: np.isin(keys + (np.arange(128) & 1), keys)},
            block=128,
        ),
    ]


def _normal(x: Array) -> Array:
    mean = x.mean(1, keepdims=True, dtype=np.float64)
    normal: Array = (x - mean) / np.sqrt(x.var(1, keepdims=True, dtype=np.float64) + 1e-5)
    return normal


def _attention(q: Array, k: Array, v: Array) -> Array:
    scores = np.where(np.tri(64, dtype=bool), q.astype(np.float64) @ k.T / 4, -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    products: Array = weights / weights.sum(1, keepdims=True) @ v
    return products


def _sparse(starts: Array, columns: Array, values: Array, x: Array) -> Array:
    products = values * x[columns]
    return np.array([products[m:n].sum() for m, n in pairwise(starts)])


def _breadth(graph: list[Array]) -> Array:
    depth, frontier, level = np.full(64, -1), [0], 0
    depth[0] = 0
    while frontier:
        level += 1
        reached = sorted({int(n) for node in frontier for n in graph[node] if depth[n] < 0})
        depth[reached] = level
        frontier = reached
    return depth


def _shortest(distances: Array) -> Array:
    d = distances.copy()
    for k in range(16):
        d = np.minimum(d, d[:, k : k + 1] + d[k])
    return d


def _edits(a: Array, b: Array) -> int:
    row = list(range(33))
    for i in range(1, 33):
        above, row[0] = row[0], i
        for j in range(1, 33):
            above, row[j] = row[j], min(row[j - 1] + 1, row[j] + 1, above + int(a[i - 1] != b[j - 1]))
    return row[32]


def _life(cells: Array, rounds: int) -> Array:
    grid = np.pad(cells.reshape(16, 16).astype(int), 1)
    for _ in range(rounds):
        near = sum(np.roll(grid, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)
        inner = (near == 3) | (near == 2) & (grid == 1)
        grid = np.pad(inner[1:-1, 1:-1].astype(int), 1)
    return grid[1:-1, 1:-1]


def _centres(points: Array, centres: Array, out: Array) -> Case:
    nearest = ((points[:, None, :3] - centres[None, :, :3]) ** 2).sum(2).argmin(1)
    expected = {2: nearest, 3: np.bincount(nearest, minlength=8)}
    return Case("nearest_centre", [points, centres, out, out[:8]], expected, block=128)


def _mandelbrot() -> Array:
    t = np.arange(128)
    c = [(t % 16 * 0.1875 - 2).astype(np.float32), (t // 16 * 0.25 - 1).astype(np.float32)]
    counts = np.zeros(128, np.int32)
    for lane in range(128):
        cx, cy, x, y = c[0][lane], c[1][lane], np.float32(0), np.float32(0)
        while counts[lane] < 64 and x * x + y * y < 4:
            x, y = x * x - y * y + cx, np.float32(2) * x * y + cy
            counts[lane] += 1
    return counts
