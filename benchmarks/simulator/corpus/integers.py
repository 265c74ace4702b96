"""References of `integers.cu`: Python's integers."""

import math
import zlib
from collections.abc import Callable, Iterable

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

COUNT = 64
LOW, LOW32 = (1 << 64) - 1, (1 << 32) - 1


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    a, b = (_wide(random) for _ in "ab")
    x, y = (random.integers(0, 1 << 32, 4 * COUNT, np.uint64).astype(np.uint32) for _ in "xy")
    i, j = x.view(np.int32), y.view(np.int32)
    message = random.integers(0, 1 << 32, 16 * COUNT, np.uint64).astype(np.uint32)
    octets = random.integers(0, 256, 16 * COUNT).astype(np.uint8)
    wide_a, wide_b = [int(v) for v in a], [int(v) for v in b]
    word_x, word_y = [int(v) for v in x[:COUNT]], [int(v) for v in y[:COUNT]]
    signed_a, signed_b = [_signed(v, 64) for v in wide_a], [_signed(v, 64) for v in wide_b]
    int_x, int_y = [_signed(v, 32) for v in word_x], [_signed(v, 32) for v in word_y]
    wide, words = np.zeros(5 * COUNT, np.uint64), np.zeros(16 * COUNT, np.uint32)

    def case(name: str, arguments: list[object], *columns: Iterable[int], bits: int = 64) -> Case:
        kind = np.uint64 if bits == 64 else np.uint32
        expected = np.array([v & (1 << bits) - 1 for column in columns for v in column], kind)
        return Case(name, arguments, {len(arguments) - 1: expected}, block=COUNT)

    def on(f: Callable[..., int], *of: list[int]) -> list[int]:
        return [f(*values) for values in zip(*of, strict=True)]

    t = list(range(COUNT))
    products = on(lambda p, q: p * q + (q << 64 | p), wide_a, wide_b)
    shifted = on(_shifted, wide_a, wide_b)
    numerators = on(lambda p, q: p << 64 | q, wide_a, wide_b)
    divisors = on(lambda p, q: (q >> (p & 31)) or 7, wide_a, signed_b)
    return [
        case("wide_multiply_add", [a, b, wide], products, (v >> 64 for v in products)),
        case("wide_shift_and_compare", [a, b, wide], shifted, (v >> 64 for v in shifted)),
        case(
            "wide_divide",
            [a, b, wide],
            on(lambda n, d: n // (d | 1), numerators, wide_b),
            on(lambda n, d: n // (d | 1) >> 64, numerators, wide_b),
            on(lambda n, d: n % (d | 1), numerators, wide_b),
        ),
        case(
            "high_products",
            [a, b, wide],
            on(lambda p, q: p * q >> 64, wide_a, wide_b),
            on(lambda p, q: p * q >> 64, signed_a, signed_b),
            on(lambda p, q: (p & LOW32) * (q & LOW32) >> 32, wide_a, wide_b),
            on(lambda p, q: _signed(p, 32) * _signed(q, 32) >> 32, wide_a, wide_b),
        ),
        case(
            "divide_64",
            [a, b, wide],
            on(_quotient, signed_a, divisors),
            on(lambda n, d: n - d * _quotient(n, d), signed_a, divisors),
            on(lambda n, d: n // (d & LOW), wide_a, divisors),
        ),
        case(
            "bit_counts",
            [a, words],
            on(lambda v: v.bit_count(), wide_a),
            on(lambda v, k: 64 - (v >> k).bit_length(), wide_a, t),
            on(lambda v, k: _first_set(v << k & LOW), wide_a, t),
            on(lambda v: (v & LOW32).bit_count(), wide_a),
            on(lambda v, k: 32 - (_signed(v, 32) >> k % 32 & LOW32).bit_length(), wide_a, t),
            on(lambda v, k: _first_set(v << k % 32 & LOW32), wide_a, t),
            bits=32,
        ),
        case("bit_moves", [a, wide], *_bit_moves(wide_a)),
        Case("carry_chain", [x, y, words], {2: _carried(x, y)}, block=COUNT),
        Case(
            "packed_bytes",
            [x[:COUNT], y[:COUNT], words],
            {2: _packed_bytes(x[:COUNT], y[:COUNT])},
            block=COUNT,
        ),
        Case(
            "packed_halfwords",
            [x[:COUNT], y[:COUNT], words],
            {2: _packed_halfwords(x[:COUNT], y[:COUNT])},
            block=COUNT,
        ),
        case(
            "dot_products",
            [x[:COUNT], y[:COUNT], words],
            on(
                lambda p, q: 5 + sum(_signed(p >> 8 * k, 8) * _signed(q >> 8 * k, 8) for k in range(4)),
                word_x,
                word_y,
            ),
            on(
                lambda p, q: 5 + sum((p >> 8 * k & 255) * (q >> 8 * k & 255) for k in range(4)),
                word_x,
                word_y,
            ),
            on(
                lambda p, q: 3 + sum(_signed(p >> 16 * k, 16) * _signed(q >> 8 * k, 8) for k in range(2)),
                word_x,
                word_y,
            ),
            bits=32,
        ),
        case("gcd", [x, y, words], on(lambda p, q: math.gcd(p >> 8, q >> 8), word_x, word_y), bits=32),
        case("power_modulo", [x, wide], on(lambda v: pow(v, v ^ 0x5BD1E995, 1000000007), word_x)),
        case("montgomery", [a, b, wide], on(_montgomery, wide_a, wide_b)),
        Case(
            "philox",
            [words, np.uint32(99)],
            {0: np.array([_philox(k, 99) for k in t], np.uint32)},
            block=COUNT,
        ),
        case("xorshift_and_splitmix", [wide], on(_splitmix, t), on(lambda k: _xorshift(_splitmix(k)), t)),
        Case(
            "crc32",
            [octets, words],
            {1: np.array([zlib.crc32(bytes(row)) for row in octets.reshape(-1, 16)], np.uint32)},
            block=COUNT,
        ),
        Case("sha256_rounds", [message, words], {1: _sha(message)}, block=COUNT),
        case(
            "saturate_and_average",
            [i, j, words],
            on(lambda p, q: _clipped(p + q), int_x, int_y),
            on(lambda p, q: _clipped(p - q), int_x, int_y),
            on(lambda p, q: p + q >> 1, int_x, int_y),
            on(lambda p, q: p + q + 1 >> 1, int_x, int_y),
            on(lambda p, q: _signed(p, 24) * _signed(q, 24), int_x, int_y),
            on(lambda p, q: abs(p - q) + 1, int_x, int_y),
            bits=32,
        ),
        case(
            "minima_of_64",
            [a, b, wide],
            on(min, signed_a, signed_b),
            on(max, signed_a, signed_b),
            on(min, wide_a, wide_b),
            on(max, wide_a, wide_b),
            on(lambda p, q: abs(p) + (p if p > q else ~q), signed_a, signed_b),
        ),
        case("square_root", [a, words], on(math.isqrt, wide_a), bits=32),
        case(
            "morton",
            [x[:COUNT], wide],
            on(lambda v: _spread(v) | _spread(v * 2654435761 & LOW32) << 1, word_x),
        ),
    ]


def _wide(random: np.random.Generator) -> Array:
    """Words of all magnitudes."""
    words: Array = random.integers(1 << 63, (1 << 64) - 1, COUNT, np.uint64) >> random.integers(
        0, 60, COUNT, np.uint64
    )
    return words


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def _clipped(value: int) -> int:
    return max(-(1 << 31), min(value, (1 << 31) - 1))


def _shifted(p: int, q: int) -> int:
    x, y = _signed(p << 64 | q, 128), _signed(q << 64 | p, 128)
    return _signed(x - y if x < y else y - x, 128) >> (p & 127)


def _quotient(n: int, d: int) -> int:
    q = abs(n) // abs(d)
    return q if (n < 0) == (d < 0) else -q


def _first_set(value: int) -> int:
    return (value & -value).bit_length()


def _bit_moves(wide_a: list[int]) -> list[list[int]]:
    columns: list[list[int]] = [[], [], [], [], []]
    for t, v in enumerate(wide_a):
        x, y, s = v & LOW32, v >> 32, t & 31
        octets = [v >> 8 * k & 255 for k in range(8)]
        permuted = [sum(octets[c >> 4 * k & 7] << 8 * k for k in range(4)) for c in (0x2705, x & 0x7777)]
        columns[0].append(int(f"{v:064b}"[::-1], 2))
        columns[1].append((v << s >> 32 & LOW32) | (v >> s & LOW32) << 32)
        columns[2].append(permuted[0] | permuted[1] << 32)
        width = min(s, 27)
        part = _signed(x >> 5, width) if width and s <= 27 else 0
        if s > 27:
            part = _signed(x, 32) >> 5
        columns[3].append((x >> s & 511) | (part & LOW32) << 32)
        columns[4].append(y & ~(2047 << 7) | (x & 2047) << 7)
    return columns


def _carried(x: Array, y: Array) -> Array:
    rows = []
    for p, q in zip(x.reshape(-1, 4), y.reshape(-1, 4), strict=True):
        m, n = (sum(int(v) << 32 * k for k, v in enumerate(r)) for r in (p, q))
        rows.append([v >> 32 * k & LOW32 for v in (m + n, m - n) for k in range(4)])
    return np.array(rows, np.uint32)


def _packed_bytes(x: Array, y: Array) -> Array:
    u, v = (w.view(np.uint8).astype(int) for w in (x, y))
    s, r = (w.view(np.int8).astype(int) for w in (x, y))
    masked = (y & 0xFF00FF).view(np.uint8).astype(int)
    results = [
        *(
            u + v,
            u - v,
            np.maximum(u, v),
            np.minimum(s, r),
            abs(u - v),
            (u > v) * 255,
            np.minimum(u + v, 255),
        ),
        *(u + v + 1 >> 1, abs(s), u == masked),
    ]
    return np.array([(w & 255).astype(np.uint8).view(np.uint32) for w in results])


def _packed_halfwords(x: Array, y: Array) -> Array:
    u, v = (w.view(np.uint16).astype(int) for w in (x, y))
    s, r = (w.view(np.int16).astype(int) for w in (x, y))
    results = [
        *(u + v, u - v, np.maximum(s, r), np.minimum(u, v), abs(s - r), (s < r) * 0xFFFF),
        *(np.clip(s - r, -32768, 32767), -s),
    ]
    return np.array([(w & 0xFFFF).astype(np.uint16).view(np.uint32) for w in results])


def _montgomery(p: int, q: int) -> int:
    modulus = 0xFFFFFFFF00000001
    return p % modulus * (q % modulus) * pow(1 << 64, -1, modulus) % modulus


def _philox(counter: int, seed: int) -> list[int]:
    c, k0, k1 = [counter, 1, 2, 3], seed, 0xCAFE
    for _ in range(10):
        m, n = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [n >> 32 ^ c[1] ^ k0, n & LOW32, m >> 32 ^ c[3] ^ k1, m & LOW32]
        k0, k1 = k0 + 0x9E3779B9 & LOW32, k1 + 0xBB67AE85 & LOW32
    return c


def _splitmix(k: int) -> int:
    z = (k + 1) * 0x9E3779B97F4A7C15 & LOW
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & LOW
    z = (z ^ z >> 27) * 0x94D049BB133111EB & LOW
    return z ^ z >> 31


def _xorshift(z: int) -> int:
    for _ in range(20):
        z ^= z << 13 & LOW
        z ^= z >> 7
        z ^= z << 17 & LOW
    return z


def _sha(words: Array) -> Array:
    def rotated(v: int, n: int) -> int:
        return (v >> n | v << 32 - n) & LOW32

    rows = []
    for block in words.reshape(-1, 16):
        s = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
        for w in map(int, block):
            mixed = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)
            t1 = s[7] + mixed + ((s[4] & s[5]) ^ (~s[4] & s[6])) + w
            t2 = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)
            t2 += (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            s = [t1 + t2 & LOW32, *s[:7]]
            s[4] = s[4] + t1 & LOW32
        rows.append(s)
    return np.array(rows, np.uint32)


def _spread(v: int) -> int:
    return sum((v >> k & 1) << 2 * k for k in range(32))
