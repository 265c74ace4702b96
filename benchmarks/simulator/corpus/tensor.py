"""References of `tensor.cu`; most products are of small integers, so that they are exact."""

import numpy as np

from benchmarks.simulator.corpus.case import GPUS, Array, Case


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""

    def small(*shape: int) -> Array:
        return random.integers(-4, 5, shape).astype(np.float64)

    a, b, c = small(16, 32), small(16, 32), small(16, 16)
    wide, low = small(32, 16), small(16, 8)
    x, y = small(16, 16), small(16, 16)
    p, q = small(16, 8), small(16, 8)
    i, j = (random.integers(-128, 128, shape).astype(np.int8) for shape in ((8, 16), (32, 16)))
    m, n = random.random((8, 16)), random.random((8, 16))
    ga, gb = small(32, 64), small(64, 16)
    bytes_a, bytes_b = (random.integers(-128, 128, shape).astype(np.int8) for shape in ((16, 32), (8, 32)))
    words = random.integers(0, 1 << 16, 256).astype(np.uint16)
    half, single, integer = np.float16, np.float32, np.int32
    out = np.zeros(1024, single)
    offsets = np.empty((16, 8), np.int64)
    offsets[:8], offsets[8:] = np.tile([1, 2], 4), np.tile([3, 4], 4)
    bits = random.integers(0, 1 << 32, 192, np.uint64).astype(np.uint32)
    return [
        Case(
            "wmma_half",
            [a.astype(half), b.astype(half), c.astype(single), out],
            {3: (2 * (a @ b.T + c)).astype(single)},
        ),
        Case(
            "wmma_half_in_half",
            [wide.astype(half), low.astype(half), np.zeros(256, half)],
            {2: (wide @ low + 1).astype(half)},
        ),
        Case("wmma_bfloat", [_bfloats(x), _bfloats(y), out], {2: (x @ y.T).T.astype(single)}),
        Case("wmma_tf32", [p.astype(single), q.astype(single), out], {2: (p @ q.T).astype(single)}),
        Case("wmma_int8", [i, j, out.view(integer)], {2: i.astype(int) @ j.T.astype(int) + 3}),
        Case("wmma_double", [m, n, np.zeros(64)], {2: m @ n.T}, close=1e-15),
        Case("gemm_with_ldmatrix", [ga.astype(half), gb.astype(half), out], {2: (ga @ gb).astype(single)}),
        Case(
            "mma_int8",
            [bytes_a, bytes_b, out.view(integer)],
            {2: bytes_a.astype(int) @ bytes_b.T.astype(int) + offsets},
        ),
        Case(
            "mma_half_in_half",
            [p.astype(half), q[:8].astype(half), np.zeros(128, half)],
            {2: (p @ q[:8].T).astype(half)},
        ),
        Case(
            "transposed_matrices",
            [words, np.zeros(256, np.uint16)],
            {1: words.reshape(4, 8, 8).transpose(0, 2, 1)},
        ),
        Case(
            "product_of_bits",
            [bits, bits, out.view(integer)],
            {},
            refused=dict.fromkeys(GPUS, "1-bit matrix multiplication"),
        ),
        Case(
            "sparse_product",
            [bits, bits, np.uint32(0x44444444), out],
            {},
            refused=dict.fromkeys(GPUS, "sparse matrix multiplication"),
        ),
    ]


def _bfloats(x: Array) -> Array:
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
