"""References of `atomics.cu`; no result depends on an order."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

HOPPER = ("h200", "b200", "rtx5090")
N = 64
THREADS = np.arange(N)


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    return [*_of_each_type(random), *_by_swapping(random), *_among_threads(random), *_in_ptx()]


def _of_each_type(random: np.random.Generator) -> list[Case]:
    v = random.integers(-1000, 1000, 16).astype(np.int32)
    u = random.integers(0, 1 << 32, 28, np.uint64).astype(np.uint32)
    u[20:] = 3
    integers = {0: _signed_results(v), 1: _unsigned_results(u)}
    wide, signed = np.array([5, 1 << 63, 0, ~0 & (1 << 64) - 1, 0, 9, 0, 0], np.uint64), np.zeros(2, np.int64)
    total = THREADS.sum()
    singles_and_doubles = {0: np.array([total / 2, total]), 1: np.array([total / 4, total * 2.0])}
    halves = {
        0: np.array([64, 96], np.float16),
        1: np.array([0x4300, 0x4200], np.uint16),
        2: np.array([32, 0], np.float16),
    }
    pairs: list[object] = [np.zeros(2, np.float16), np.zeros(2, np.uint16), np.zeros(2, np.float16)]
    return [
        Case("on_integers", [v, u], integers, block=N),
        Case("on_shared_integers", [v, u], integers, block=N),
        Case("on_long_integers", [wide, signed], dict(enumerate(_wide_results(wide))), block=N),
        Case("on_floats", [np.zeros(2, np.float32), np.zeros(2)], singles_and_doubles, block=N),
        Case("on_halves", pairs, halves, block=N),
    ]


def _by_swapping(random: np.random.Generator) -> list[Case]:
    """Compare and swap until nobody came between, and exchange."""
    f, d = random.random(N, np.float32), random.integers(0, 100, N).astype(np.float64)
    sixths = np.array([k + THREADS[k == THREADS % 6].sum() for k in range(6)])
    return [
        Case("maximum_by_swapping", [f, np.zeros(1, np.float32)], {1: f.max(keepdims=True)}, block=N),
        Case("sum_by_swapping_64", [d, np.zeros(1)], {1: d.sum(keepdims=True)}, block=N),
        Case("halves_by_swapping", [np.arange(6, dtype=np.uint16)], {0: sixths}, block=N),
        Case("exchange_round", [_zeros(1), _zeros(1)], {}, block=N),
    ]


def _among_threads(random: np.random.Generator) -> list[Case]:
    """Locks, queues and the last block."""
    x = random.integers(0, 100, 6 * N).astype(np.int32)
    squares = np.bitwise_xor.reduce(THREADS * THREADS)
    queued = np.where(THREADS < 40, 8 * THREADS + 28, 0)
    summed = {2: np.array([0]), 3: x.sum(keepdims=True)}
    return [
        Case("tickets", [_zeros(1), _zeros(64)], {0: np.array([N])}, block=N),
        Case("spin_lock_of_blocks", [_zeros(1), _zeros(1)], {0: np.array([0]), 1: np.array([36])}, 8),
        Case("work_queue", [_zeros(1), _zeros(64), np.int32(40)], {0: np.array([43]), 1: queued}, 3, N),
        Case("last_block_sums", [x, _zeros(64), _zeros(1), _zeros(1)], summed, 6, N),
        Case("scopes", [_zeros(64)], {0: np.array([64, 128, 63, -1, 192, 126, squares])}, block=N),
        Case("release_and_acquire", [_zeros(64), _zeros(1)], {1: np.array([42])}, 2, 1),
    ]


def _in_ptx() -> list[Case]:
    """What C++ has no function for."""
    total, even, odd = (THREADS[each].sum() for each in (slice(None), slice(0, None, 2), slice(1, None, 2)))
    reduced = {0: np.array([total, 63, 64]), 1: np.array([total])}
    singles = np.array([32, 64, even, 128, 32, 64, odd, 128, total, 64, 128, 128], np.float32)
    bfloats = np.full(4, 0x4280, np.uint16)  # 64, as often as 1 is added
    vectors = {0: np.append(singles, bfloats.view(np.float32))}
    swapped: list[object] = [np.array([7, 8], np.uint64), np.zeros(2, np.uint64)]
    before_and_after = {0: np.array([8, 10]), 1: np.array([7, 8])}
    return [
        Case("reductions_in_ptx", [_zeros(64), np.zeros(1, np.float32)], reduced, block=N),
        Case("on_vectors", [np.zeros(16, np.float32)], vectors, block=N, only=HOPPER),
        Case("swap_of_128_bits", swapped, before_and_after, block=1, only=HOPPER),
    ]


def _zeros(count: int) -> Array:
    return np.zeros(count, np.int32)


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
