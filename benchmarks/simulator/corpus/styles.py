"""References of `styles.cu`."""

import heapq
from collections.abc import Iterator

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

LOW = (1 << 64) - 1


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    a, b = (random.integers(0, 1 << 32, (64, 8), np.uint64).astype(np.uint32) for _ in "ab")
    states = random.integers(0, LOW, (32, 25), np.uint64)
    edges = random.integers(0, 200, (180, 2)).astype(np.int32)
    text, other = (random.integers(0, 4, 64).astype(np.int8) for _ in "ab")
    messages = random.choice(8, (64, 40), p=[0.4, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05]).astype(np.uint8)
    words = random.integers(0, 1 << 32, 64, np.uint64).astype(np.uint32)
    x = random.standard_normal(1000).astype(np.float32)
    halves = random.standard_normal(128).astype(np.float16)
    strikes = np.linspace(60, 140, 8).astype(np.float32)
    m, v = random.standard_normal((64, 5, 5)), random.standard_normal((64, 5))
    lengths = (random.random(64) * 20).astype(np.float32)
    q, k = (random.standard_normal((n, 16)).astype(np.float32) for n in (64, 1))
    whole = random.integers(0, 1000, 64).astype(np.int32)
    out, floats = np.zeros(1024, np.int32), np.zeros(1024, np.float32)
    return [
        Case("product_of_256_bits", [a, b, np.zeros((64, 16), np.uint32)], {2: _product(a, b)}, block=64),
        Case("keccak", [states], {0: np.array([_keccak([int(w) for w in s]) for s in states], np.uint64)}),
        Case(
            "connected_components",
            [edges, np.arange(200, dtype=np.int32), out, np.int32(200)],
            {2: _components(edges)},
            block=180,
        ),
        Case("local_alignment", [text, other, out], {2: np.array([_aligned(text, other)])}, block=64),
        Case(
            "huffman_decode",
            [*_huffman(messages), np.zeros_like(messages), np.int32(40)],
            {3: messages},
            block=64,
        ),
        Case("utf8_lengths", [words, out], {1: _utf8(words)}, block=64),
        Case("smallest_eight", [x, floats, np.int32(1000)], {1: _smallest(x)}, block=64),
        Case("queens", [np.int32(8), out], {1: np.array([92])}, block=64),
        Case("rotary", [halves, halves * 0, np.int32(37)], {1: _rotated(halves, 37)}, block=64, close=2e-3),
        Case("binomial_option", [strikes, floats], {1: _priced(strikes)}, 8, 128, 1e-4),
        Case(
            "solve_five",
            [m, v, np.zeros((64, 5))],
            {2: np.linalg.solve(m, v[:, :, None])[:, :, 0]},
            block=64,
            close=1e-9,
        ),
        Case("shapes", [lengths, floats], {1: _areas(lengths)}, block=64, close=1e-6),
        Case("fp8_attention_scores", [q, k, floats], {2: _scores(q, k[0])}, block=64, close=1e-5),
        Case("warp_synchronous", [whole, out], {1: np.array([whole.sum()])}),
    ]


def _numbers(rows: Array) -> list[int]:
    return [sum(int(v) << 32 * k for k, v in enumerate(row)) for row in rows]


def _product(a: Array, b: Array) -> Array:
    products = [p * q for p, q in zip(_numbers(a), _numbers(b), strict=True)]
    return np.array([[p >> 32 * k & 0xFFFF_FFFF for k in range(16)] for p in products], np.uint32)


def _rotated_word(v: int, n: int) -> int:
    return (v << n | v >> 64 - n) & LOW


def _keccak(a: list[int]) -> list[int]:
    lfsr = 1
    for _ in range(24):
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        a = [v ^ c[(i + 4) % 5] ^ _rotated_word(c[(i + 1) % 5], 1) for i, v in enumerate(a)]
        last, x, y = a[1], 1, 0
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            last, a[5 * y + x] = a[5 * y + x], _rotated_word(last, (t + 1) * (t + 2) // 2 % 64)
        a = [v ^ (~a[i - i % 5 + (i + 1) % 5] & a[i - i % 5 + (i + 2) % 5] & LOW) for i, v in enumerate(a)]
        for j in range(7):
            a[0] ^= (lfsr & 1) << (1 << j) - 1
            lfsr = (lfsr << 1 ^ (lfsr >> 7) * 0x171) & LOW
    return a


def _components(edges: Array) -> Array:
    root = np.arange(200)
    for _ in range(200):
        for u, v in edges:
            root[root == max(root[u], root[v])] = min(root[u], root[v])
    return root


def _aligned(a: Array, b: Array) -> int:
    h = np.zeros((65, 65), int)
    for i in range(64):
        for j in range(64):
            match = h[i, j] + (3 if a[i] == b[j] else -2)
            h[i + 1, j + 1] = max(match, h[i, j + 1] - 1, h[i + 1, j] - 1, 0)
    return int(h.max())


def _huffman(messages: Array) -> tuple[Array, Array, Array]:
    """The bits of each message, for each length the first code and how many there are, and the symbols in order."""
    counts = np.bincount(messages.ravel(), minlength=8)
    heap = [(int(n), symbol, [symbol]) for symbol, n in enumerate(counts)]
    depth = [0] * 8
    heapq.heapify(heap)
    while len(heap) > 1:
        (n, tie, s), (m, _, t) = heapq.heappop(heap), heapq.heappop(heap)
        for symbol in s + t:
            depth[symbol] += 1
        heapq.heappush(heap, (n + m, tie, s + t))
    order = sorted(range(8), key=lambda symbol: (depth[symbol], symbol))
    first, codes, code = np.zeros((32, 2), np.uint32), {}, 0
    for place, symbol in enumerate(order):
        code <<= depth[symbol] - depth[order[place - 1]] if place else 0
        if not first[depth[symbol], 1]:
            first[depth[symbol], 0] = code
        first[depth[symbol], 1] += 1
        codes[symbol] = f"{code:0{depth[symbol]}b}"
        code += 1
    texts = ["".join(codes[int(s)] for s in message).ljust(512, "0") for message in messages]
    words = [[int(text[k : k + 32], 2) for k in range(0, 512, 32)] for text in texts]
    return np.array(words, np.uint32), first, np.array(order, np.uint8)


def _utf8(words: Array) -> Array:
    octets = words.view(np.uint8).reshape(-1, 4).astype(int)
    continuation = (octets & 0xC0 == 0x80).sum(1)
    two, three = (octets & 0xE0 == 0xC0).sum(1), (octets & 0xF0 == 0xE0).sum(1)
    apart = abs(octets - octets[:, ::-1]).sum(1)
    low = words.view(np.int16).astype(int)
    greatest = np.maximum(low, np.where(low == -32768, low, -low)).astype(np.int16).view(np.uint32)
    signed = octets.astype(np.uint8).view(np.int8).astype(int)
    total = signed + ~signed
    mean = (total + (total >= 0) >> 1).astype(np.int8).view(np.uint32).ravel()
    return np.concatenate([4 - continuation, two + 256 * three, apart, greatest ^ mean]).astype(np.uint32)


def _smallest(x: Array) -> Array:
    return np.array([np.sort(x[t::64])[:8] for t in range(64)])


def _rotated(halves: Array, position: int) -> Array:
    z = halves.astype(np.float64).reshape(-1, 2) @ [1, 1j]
    z = z * np.exp(1j * position * 2.0 ** (-np.arange(64) * 13.2877 / 64))
    return np.stack([z.real, z.imag], 1).reshape(1, -1)


def _priced(strikes: Array) -> Array:
    prices = []
    for strike in strikes.astype(np.float64):
        value = np.maximum(100 * 1.01 ** (2.0 * np.arange(129) - 128) - strike, 0)
        for _ in range(128):
            value = 0.9999 * (0.5025 * value[1:] + (1 - 0.5025) * value[:-1])
        prices.append(value[0])
    return np.array(prices)


def _areas(x: Array) -> Array:
    def areas() -> Iterator[float]:
        for t in range(64):
            yield sum(_area((t + k) % 3 % 2, float(x[(t + k) % 64]), t * 0.5) for k in range(6))

    return np.array(list(areas()))


def _area(ring: int, v: float, inner: float) -> float:
    if not ring:
        return v * v
    return {0: inner, 1: v - inner, 2: v * 3 - inner, 3: inner * inner, 4: -v, 5: v / 4}.get(
        int(v) & 7, v + 100
    )


def _scores(q: Array, k: Array) -> Array:
    scale = abs(q).max(1, keepdims=True) / np.float32(448)
    a, b = _narrow(q / scale, 3, 7), _narrow(k, 2, 15)
    return np.asarray((a * b).sum(1) * scale[:, 0])


def _narrow(x: Array, fraction_bits: int, bias: int) -> Array:
    """The nearest floats with so many bits, ties to even; none here is too large."""
    exponent = np.maximum(np.floor(np.log2(np.maximum(abs(x), 1e-30))), 1 - bias)
    step = 2.0 ** (exponent - fraction_bits)
    return np.asarray(np.rint(x / step) * step)
