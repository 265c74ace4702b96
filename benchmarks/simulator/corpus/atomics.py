"""References of `atomics.cu`; no result depends on an order."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

HOPPER = ("h200", "b200", "rtx5090")
N = 64


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    v = random.integers(-1000, 1000, 16).astype(np.int32)
    u = random.integers(0, 1 << 32, 28, np.uint64).astype(np.uint32)
    u[20:] = 3
    integers = {0: _signed_results(v), 1: _unsigned_results(u)}
    wide, signed = np.array([5, 1 << 63, 0, ~0 & (1 << 64) - 1, 0, 9, 0, 0], np.uint64), np.zeros(2, np.int64)
    f, d = random.random(N, np.float32), random.integers(0, 100, N).astype(np.float64)
    x = random.integers(0, 100, 6 * N).astype(np.int32)
    zeros, t = np.zeros(64, np.int32), np.arange(N)
    shorts = np.arange(6, dtype=np.uint16)
    pair = np.array([7, 8], np.uint64)
    bfloats = np.full(4, 0x4180, np.uint16)  # 64 additions of 1: 64 itself
    bfloats[:] = 0x4280
    return [
        Case("on_integers", [v, u], integers, block=N),
        Case("on_shared_integers", [v, u], integers, block=N),
        Case("on_long_integers", [wide, signed], dict(enumerate(_wide_results(wide))), block=N),
        Case(
            "on_floats",
            [np.zeros(2, np.float32), np.zeros(2)],
            {0: np.array([t.sum() / 2, t.sum()]), 1: np.array([t.sum() / 4, t.sum() * 2.0])},
            block=N,
        ),
        Case(
            "on_halves",
            [np.zeros(2, np.float16), np.zeros(2, np.uint16), np.zeros(2, np.float16)],
            {
                0: np.array([64, 96], np.float16),
                1: np.array([0x4300, 0x4200], np.uint16),
                2: np.array([32, 0], np.float16),
            },
            block=N,
        ),
        Case("maximum_by_swapping", [f, np.zeros(1, np.float32)], {1: f.max(keepdims=True)}, block=N),
        Case("sum_by_swapping_64", [d, np.zeros(1)], {1: d.sum(keepdims=True)}, block=N),
        Case(
            "halves_by_swapping",
            [shorts],
            {0: np.array([k + t[t % 6 == k].sum() for k in range(6)])},
            block=N,
        ),
        Case("exchange_round", [zeros[:1], zeros[:1]], {}, block=N),
        Case("tickets", [zeros[:1], zeros], {0: np.array([N])}, block=N),
        Case("spin_lock_of_blocks", [zeros[:1], zeros[:1]], {0: np.array([0]), 1: np.array([36])}, 8),
        Case(
            "work_queue",
            [zeros[:1], zeros, np.int32(40)],
            {0: np.array([43]), 1: np.where(t < 40, 8 * t + 28, 0)},
            3,
            N,
        ),
        Case(
            "last_block_sums",
            [x, zeros, zeros[:1], zeros[:1]],
            {2: np.array([0]), 3: x.sum(keepdims=True)},
            6,
            N,
        ),
        Case(
            "scopes",
            [zeros],
            {0: np.array([64, 128, 63, -1, 192, 126, np.bitwise_xor.reduce(t * t)])},
            block=N,
        ),
        Case("release_and_acquire", [zeros, zeros[:1]], {1: np.array([42])}, 2, 1),
        Case(
            "reductions_in_ptx",
            [zeros, np.zeros(1, np.float32)],
            {0: np.array([t.sum(), 63, 64]), 1: np.array([t.sum()])},
            block=N,
        ),
        Case(
            "on_vectors",
            [np.zeros(16, np.float32)],
            {
                0: np.append(
                    np.array(
                        [32, 64, t[::2].sum(), 128, 32, 64, t[1::2].sum(), 128, t.sum(), 64, 128, 128],
                        np.float32,
                    ),
                    bfloats.view(np.float32),
                )
            },
            block=N,
            only=HOPPER,
        ),
        Case(
            "swap_of_128_bits",
            [pair, np.zeros(2, np.uint64)],
            {0: np.array([8, 10]), 1: np.array([7, 8])},
            block=1,
            only=HOPPER,
        ),
    ]


def _numbers() -> Array:
    return (np.arange(N, dtype=np.uint32) * np.uint32(2654435761)).reshape(-1, 4)


def _signed_results(v: Array) -> Array:
    x = _numbers().view(np.int32)
    columns = [
        v[:4] + x.sum(0),
        v[4:8] - x.sum(0),
        np.minimum(v[8:12], x.min(0)),
        np.maximum(v[12:], x.max(0)),
    ]
    return np.concatenate(columns).astype(np.int64).astype(np.int32)


def _unsigned_results(u: Array) -> Array:
    x = _numbers()
    columns = [
        u[:4] & np.bitwise_and.reduce(x | 0xFF),
        u[4:8] | np.bitwise_or.reduce(x & 0xFF00FF),
        u[8:12] ^ np.bitwise_xor.reduce(x),
        np.minimum(u[12:16], x.min(0)),
        np.maximum(u[16:20], x.max(0)),
        np.full(4, (3 + N // 4) % 11),
        np.full(4, (3 - N // 4) % 7),
    ]
    return np.concatenate(columns).astype(np.uint32)


def _wide_results(u: Array) -> list[Array]:
    x = np.arange(1, N + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    total = x.sum(dtype=np.uint64)
    changed = np.bitwise_xor.reduce(x)
    columns = [
        *(
            u[0] + total,
            min(u[1], x.min()),
            max(u[2], x.max()),
            np.bitwise_and.reduce(x | np.uint64(0xFFFF)) & u[3],
        ),
        *(np.bitwise_or.reduce(x & np.uint64(0xF0F0)), u[5] ^ changed, total, np.uint64(1) ^ changed),
    ]
    s = x.view(np.int64)
    return [np.array(columns, np.uint64), np.array([min(0, s.min()), max(0, s.max())])]
