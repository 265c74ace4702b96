"""References of `memory.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import GPUS, Array, Case

N = 128


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.integers(0, 1000, 1024).astype(np.int32)
    f = random.random(2048, np.float32)
    out, outf, t = np.zeros(1024, np.int32), np.zeros(2048, np.float32), np.arange(N)
    c, s = random.integers(-128, 128, N).astype(np.int8), random.integers(0, 1 << 16, N).astype(np.uint16)
    octets = random.integers(0, 256, 5 * N + 5).astype(np.uint8)
    at = random.permutation(N).astype(np.int32)
    row = x[:N]
    first = row & 3
    particles = np.zeros(N, [("x", "f4"), ("y", "f4"), ("id", "i4"), ("kind", "i1"), ("pad", "V3")])
    particles["x"], particles["y"], particles["id"], particles["kind"] = f[:N], f[N : 2 * N], row, c
    whole = random.integers(0, 9, 5 * 128).astype(np.float32)
    return [
        Case("transpose_tile", [f, outf], {1: f.reshape(2, 32, 32).transpose(0, 2, 1)}, 2, 256),
        Case(
            "vector_widths",
            [f[:512], outf],
            {
                1: np.concatenate(
                    [f[:512].reshape(N, 4)[:, ::-1].ravel(), f[:256].reshape(N, 2)[:, ::-1].ravel(), f[:256]]
                )
            },
            block=N,
        ),
        Case("narrow_types", [c, s, out], {2: _narrow(c, s)}, block=N),
        Case(
            "unaligned_words",
            [octets, out.view(np.uint32)],
            {
                1: octets[t[:, None] * 5 + 1 + np.arange(4)].astype(np.uint32)
                @ (1 << 8 * np.arange(4)).astype(np.uint32)
            },
            block=N,
        ),
        Case("constants_and_globals", [row, out], {1: _from_tables(row)}, block=N),
        Case(
            "cache_hints", [row, out], {1: np.array([10 * row, row[t ^ 1], 10 * row - row[t ^ 1]])}, block=N
        ),
        Case("ordered_accesses", [row, out], {1: np.array([row + 1, row])}, block=N),
        Case(
            "dynamic_shared",
            [x[:300], out, np.int32(300)],
            {1: x[:300][::-1] + 3 * x[:300]},
            block=N,
            shared=300 * 6,
        ),
        Case("gather_and_scatter", [at, f, outf], {2: f[t ^ 3] + np.float32(1)}, block=N),
        Case(
            "structures",
            [particles.view(np.uint8), np.zeros(N * 16, np.uint8)],
            {1: _moved(particles)},
            block=N,
        ),
        Case(
            "any_space",
            [row, out],
            {1: np.choose(t % 3, [row[127 - t] * 2 + 1000, np.where(first == 0, t, first + 1), row + 3000])},
            block=N,
        ),
        Case(
            "two_dimensions",
            [x[:600], out, np.int32(40), np.int32(15)],
            {1: x[:600].reshape(15, 40).T},
            2,
            16,
        ),
        Case(
            "pipelined_copies",
            [whole, outf, np.int32(5)],
            {1: (whole.reshape(5, 32, 4) @ np.arange(1, 5)).sum(0)[::-1]},
        ),
        Case("copies_of_8_with_zeros", [x, out, np.int32(37)], {1: np.where(np.arange(64) < 37, x[:64], 0)}),
        Case("texture_read", [np.uint64(7), outf], {}, refused=dict.fromkeys(GPUS, "texture access")),
        Case(
            "loads_of_256_bits",
            [f, outf],
            {1: f[:1024].reshape(N, 8)[:, ::-1]},
            block=N,
            only=("b200", "rtx5090"),
        ),
    ]


def _narrow(c: Array, s: Array) -> Array:
    result = np.zeros(384, np.int32)
    result[:N] = c.astype(int) + s.astype(int) * 256
    result[128:160] = (c.astype(int) * 3 & 255).astype(np.uint8).view(np.int32)
    result[160:224] = (s ^ 0x1234).view(np.int32)
    result[256:] = np.tile(c.view(np.uint8).reshape(-1, 4).astype(int) @ np.arange(1, 5), 4)
    return result


def _from_tables(row: Array) -> Array:
    table = np.array([1, 2, 4, 8, 16, 32, 64, 128, 3, 5, 7, 11, 13, 17, 19, 23])
    weights = np.array([4, 2, 16, 32])
    values = table[row & 15] + table[np.arange(N) // 32] + weights[row & 3]
    return np.append(values, 5 + 12)


def _moved(particles: Array) -> Array:
    moved = particles.copy()
    moved["x"] += moved["y"]
    moved["id"] = moved["id"] * 2 + moved["kind"]
    moved["kind"] ^= 5
    return moved[::-1].copy().view(np.uint8)
