"""Kernels of the catalog against numpy, at points of each method, on small inputs."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from search_spaces import load_space
from simcore import compile_cuda, execute

Array = NDArray[Any]
Point = Mapping[str, Any]
RANDOM = np.random.default_rng(1)


def _uniform(*shape: int) -> Array:
    return RANDOM.random(shape, np.float32)


def _sgemm(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    tile, k = point["tile"], 16
    a, b = _uniform(tile, k), _uniform(k, 2 * tile)
    out = np.zeros((tile, 2 * tile), np.float32)
    return (2, 1), [a, b, out, np.int32(2 * tile), np.int32(k)], a.astype(np.float64) @ b


def _stencil_2d(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    r, width, height = point["radius"], 64, point["block_size"] // 32 * point["rows"]
    x = _uniform(height + 2 * r, width + 2 * r)

    def shifted(down: int, right: int) -> Array:
        return x.astype(np.float64)[r + down : r + down + height, r + right : r + right + width]

    ring = sum(shifted(0, k) + shifted(0, -k) + shifted(k, 0) + shifted(-k, 0) for k in range(1, r + 1))
    out = np.zeros((height, width), np.float32)
    arguments = [x, out, np.int32(width + 2 * r), np.float32(0.5), np.float32(0.125)]
    return (2, 1), arguments, 0.5 * shifted(0, 0) + 0.125 * ring


def _softmax(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    x = _uniform(2 * point["block_size"] // point["lanes"], point["columns"])
    powers = np.exp(x.astype(np.float64))
    return (2, 1), [x, np.zeros_like(x)], powers / powers.sum(axis=1, keepdims=True)


def _layer_norm(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    x, gamma, beta = _uniform(2, point["columns"]), _uniform(point["columns"]), _uniform(point["columns"])
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    normal = centred / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    return (2, 1), [x, gamma, beta, np.zeros_like(x)], normal * gamma + beta


def _attention(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    rows = 2 * max(point["queries"], point["keys"])
    q, k, v = (_uniform(2, rows, 64).astype(np.float16) for _ in range(3))
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / 8
    if point["causal"]:
        scores[:, np.triu(np.ones((rows, rows), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    expected = weights / weights.sum(axis=-1, keepdims=True) @ v.astype(np.float64)
    return (rows // point["queries"], 2), [q, k, v, np.zeros_like(v), np.int32(rows)], expected


def _scan(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    x = _uniform(2 * 2 * point["block_size"] * point["items"] // point["segment"], point["segment"])
    return (2, 1), [x, np.zeros_like(x), np.int32(2)], x.astype(np.float64).cumsum(axis=1)


def _matmul_inner(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    k, n = 16, 2 * point["block_size"]
    a, b = _uniform(3, k), _uniform(k, n)
    return (2, 3), [a, b, np.zeros((3, n), np.float32), np.int32(n), np.int32(k)], a.astype(np.float64) @ b


def _transpose(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    x = _uniform(64, 64)
    return (2, 2), [x, np.zeros_like(x), np.int32(64)], x if point["method"] == 0 else x.T


def _histogram(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    data = RANDOM.integers(0, point["used"], 2 * point["items"] * point["block_size"], dtype=np.uint32)
    return (2, 1), [data, np.zeros(256, np.uint32)], np.bincount(data, minlength=256)


def _smith_waterman(point: Point) -> tuple[tuple[int, int], list[Any], Array]:
    pairs = point["block_size"]
    query, target = (RANDOM.integers(0, 4, (words, 8, pairs), dtype=np.uint32) for words in (1, 4))
    places = 4 * np.arange(8, dtype=np.uint32)[None, :, None]
    packed = [(bases << places).sum(axis=1).astype(np.uint32) for bases in (query, target)]
    scores = _scores(query.reshape(8, pairs), target.reshape(32, pairs))
    return (1, 1), [*packed, np.zeros(pairs, np.int32), np.int32(1), np.int32(4)], scores


def _scores(query: Array, target: Array) -> Array:
    """The textbook's recurrence, for all pairs at once."""
    shape = (len(query) + 1, len(target) + 1, query.shape[1])
    best, across, down = np.zeros(shape, np.int64), np.full(shape, -5), np.full(shape, -5)
    for i, letter in enumerate(query, 1):
        for j, other in enumerate(target, 1):
            across[i, j] = np.maximum(across[i, j - 1] - 2, best[i, j - 1] - 5)
            down[i, j] = np.maximum(down[i - 1, j] - 2, best[i - 1, j] - 5)
            paired = best[i - 1, j - 1] + np.where(letter == other, 2, -3)
            best[i, j] = np.maximum.reduce([paired, across[i, j], down[i, j], np.zeros_like(paired)])
    scores: Array = best.max(axis=(0, 1))
    return scores


CASES: list[tuple[str, int, Callable[[Point], tuple[tuple[int, int], list[Any], Array]]]] = [
    *(("sgemm", place, _sgemm) for place in (3, -1)),
    *(("stencil_2d", place, _stencil_2d) for place in (0, 30, -1)),
    *(("softmax", place, _softmax) for place in (0, 6, 12, 20, -1)),
    *(("layer_norm", place, _layer_norm) for place in (0, 10, -1)),
    *(("attention", place, _attention) for place in (0, -1)),
    *(("scan", place, _scan) for place in (0, 9, -1)),
    *(("matmul_inner", place, _matmul_inner) for place in (0, -1)),
    *(("transpose", place, _transpose) for place in (0, 3, 6, 9, 12)),
    *(("histogram", place, _histogram) for place in (0, 4, 8, -1)),
    *(("smith_waterman", place, _smith_waterman) for place in (0, -1)),
]


@pytest.mark.parametrize(("name", "place", "make"), CASES)
def test_a_kernel_computes_what_numpy_does(
    name: str, place: int, make: Callable[[Point], tuple[tuple[int, int], list[Any], Array]]
) -> None:
    space = load_space(name)
    point = list(space.points())[place]
    grid, arguments, expected = make(point)
    execute(
        cubin=compile_cuda(space.source, "h200", space.defines(point), space.register_cap(point)),
        grid=grid,
        block=space.launch(point).block,
        arguments=arguments,
        gpu="h200",
        dynamic_shared_bytes=space.launch(point).dynamic_shared_bytes,
    )
    out = [each for each in arguments if isinstance(each, np.ndarray)][-1]
    rtol = 1e-3 if out.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(out, expected, rtol=rtol, atol=rtol, err_msg=f"{point}")
