"""References of `integers.cu`: Python's integers."""

import math
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

COUNT = 64
LOW, LOW32 = (1 << 64) - 1, (1 << 32) - 1


@dataclass(frozen=True)
class Inputs:
    """What the kernels compute with: two of 64 bits for each thread, and four times two of 32.

    Attributes:
        a, b: the wide ones.
        x, y: the words, of which most kernels use one for each thread.
    """

    a: Array
    b: Array
    x: Array
    y: Array

    @classmethod
    def drawn(cls, random: np.random.Generator) -> "Inputs":
        a, b = (_wide(random) for _ in "ab")
        x, y = (random.integers(0, 1 << 32, 4 * COUNT, np.uint64).astype(np.uint32) for _ in "xy")
        return cls(a, b, x, y)

    @cached_property
    def wide(self) -> list[list[int]]:
        """The wide ones as Python's integers."""
        return [[int(v) for v in values] for values in (self.a, self.b)]

    @cached_property
    def signed(self) -> list[list[int]]:
        """The same with signs."""
        return [[_signed(v, 64) for v in values] for values in self.wide]

    @cached_property
    def words(self) -> list[list[int]]:
        """The first words of the threads as Python's integers."""
        return [[int(v) for v in values[:COUNT]] for values in (self.x, self.y)]


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    drawn = Inputs.drawn(random)
    return [
        *_of_128_bits(drawn),
        *_of_64_bits(drawn),
        *_on_bits(drawn),
        *_packed(drawn),
        *_on_words(drawn),
        *_number_theory(drawn),
        *_hashes(random),
    ]


def _case(name: str, arguments: list[object], *columns: Iterable[int], bits: int = 64) -> Case:
    """A kernel whose last argument gets a column of results after the other."""
    kind = np.uint64 if bits == 64 else np.uint32
    expected = np.array([v & (1 << bits) - 1 for column in columns for v in column], kind)
    output = np.zeros((5 if bits == 64 else 16) * COUNT, kind)
    return Case(name, [*arguments, output], {len(arguments): expected}, block=COUNT)


def _rows(name: str, arguments: list[object], expected: Array) -> Case:
    """A kernel whose last argument gets words."""
    return Case(name, [*arguments, np.zeros(16 * COUNT, np.uint32)], {len(arguments): expected}, block=COUNT)


def _on(f: Callable[..., int], *of: Iterable[int]) -> list[int]:
    return [f(*values) for values in zip(*of, strict=True)]


def _of_128_bits(drawn: Inputs) -> list[Case]:
    given: list[object] = [drawn.a, drawn.b]
    products = _on(lambda p, q: p * q + (q << 64 | p), *drawn.wide)
    shifted = _on(_shifted, *drawn.wide)
    numerators = _on(lambda p, q: p << 64 | q, *drawn.wide)
    divisors = [d | 1 for d in drawn.wide[1]]
    return [
        _case("wide_multiply_add", given, products, (v >> 64 for v in products)),
        _case("wide_shift_and_compare", given, shifted, (v >> 64 for v in shifted)),
        _case(
            "wide_divide",
            given,
            _on(lambda n, d: n // d, numerators, divisors),
            _on(lambda n, d: n // d >> 64, numerators, divisors),
            _on(lambda n, d: n % d, numerators, divisors),
        ),
    ]


def _of_64_bits(drawn: Inputs) -> list[Case]:
    given: list[object] = [drawn.a, drawn.b]
    divisors = _on(lambda p, q: (q >> (p & 31)) or 7, drawn.wide[0], drawn.signed[1])
    return [
        _case(
            "high_products",
            given,
            _on(lambda p, q: p * q >> 64, *drawn.wide),
            _on(lambda p, q: p * q >> 64, *drawn.signed),
            _on(lambda p, q: (p & LOW32) * (q & LOW32) >> 32, *drawn.wide),
            _on(lambda p, q: _signed(p, 32) * _signed(q, 32) >> 32, *drawn.wide),
        ),
        _case(
            "divide_64",
            given,
            _on(_quotient, drawn.signed[0], divisors),
            _on(lambda n, d: n - d * _quotient(n, d), drawn.signed[0], divisors),
            _on(lambda n, d: n // (d & LOW), drawn.wide[0], divisors),
        ),
        _case(
            "minima_of_64",
            given,
            _on(min, *drawn.signed),
            _on(max, *drawn.signed),
            _on(min, *drawn.wide),
            _on(max, *drawn.wide),
            _on(lambda p, q: abs(p) + (p if p > q else ~q), *drawn.signed),
        ),
        _case("square_root", [drawn.a], _on(math.isqrt, drawn.wide[0]), bits=32),
    ]


def _on_bits(drawn: Inputs) -> list[Case]:
    wide, threads = drawn.wide[0], range(COUNT)
    return [
        _case(
            "bit_counts",
            [drawn.a],
            _on(lambda v: v.bit_count(), wide),
            _on(lambda v, k: 64 - (v >> k).bit_length(), wide, threads),
            _on(lambda v, k: _first_set(v << k & LOW), wide, threads),
            _on(lambda v: (v & LOW32).bit_count(), wide),
            _on(lambda v, k: 32 - (_signed(v, 32) >> k % 32 & LOW32).bit_length(), wide, threads),
            _on(lambda v, k: _first_set(v << k % 32 & LOW32), wide, threads),
            bits=32,
        ),
        _case("bit_moves", [drawn.a], *_bit_moves(wide)),
        _rows("carry_chain", [drawn.x, drawn.y], _carried(drawn.x, drawn.y)),
        _case(
            "morton",
            [drawn.x[:COUNT]],
            _on(lambda v: _spread(v) | _spread(v * 2654435761 & LOW32) << 1, drawn.words[0]),
        ),
    ]


def _packed(drawn: Inputs) -> list[Case]:
    """Bytes and halfwords in words."""
    x, y = drawn.x[:COUNT], drawn.y[:COUNT]

    def dot(start: int, f: Callable[[int, int, int], int], count: int) -> list[int]:
        return _on(lambda p, q: start + sum(f(p, q, k) for k in range(count)), *drawn.words)

    return [
        _rows("packed_bytes", [x, y], _packed_bytes(x, y)),
        _rows("packed_halfwords", [x, y], _packed_halfwords(x, y)),
        _case(
            "dot_products",
            [x, y],
            dot(5, lambda p, q, k: _signed(p >> 8 * k, 8) * _signed(q >> 8 * k, 8), 4),
            dot(5, lambda p, q, k: (p >> 8 * k & 255) * (q >> 8 * k & 255), 4),
            dot(3, lambda p, q, k: _signed(p >> 16 * k, 16) * _signed(q >> 8 * k, 8), 2),
            bits=32,
        ),
    ]


def _on_words(drawn: Inputs) -> list[Case]:
    signed = [[_signed(v, 32) for v in values] for values in drawn.words]
    return [
        _case(
            "saturate_and_average",
            [drawn.x.view(np.int32), drawn.y.view(np.int32)],
            _on(lambda p, q: _clipped(p + q), *signed),
            _on(lambda p, q: _clipped(p - q), *signed),
            _on(lambda p, q: p + q >> 1, *signed),
            _on(lambda p, q: p + q + 1 >> 1, *signed),
            _on(lambda p, q: _signed(p, 24) * _signed(q, 24), *signed),
            _on(lambda p, q: abs(p - q) + 1, *signed),
            bits=32,
        ),
    ]


def _number_theory(drawn: Inputs) -> list[Case]:
    power = _on(lambda v: pow(v, v ^ 0x5BD1E995, 1000000007), drawn.words[0])
    return [
        _case("gcd", [drawn.x, drawn.y], _on(lambda p, q: math.gcd(p >> 8, q >> 8), *drawn.words), bits=32),
        _case("power_modulo", [drawn.x], power),
        _case("montgomery", [drawn.a, drawn.b], _on(_montgomery, *drawn.wide)),
    ]


def _hashes(random: np.random.Generator) -> list[Case]:
    """Random numbers and digests."""
    message = random.integers(0, 1 << 32, 16 * COUNT, np.uint64).astype(np.uint32)
    octets = random.integers(0, 256, 16 * COUNT).astype(np.uint8)
    threads = range(COUNT)
    philox = np.array([_philox(k, 99) for k in threads], np.uint32)
    words = np.zeros(16 * COUNT, np.uint32)
    checked = np.array([zlib.crc32(bytes(row)) for row in octets.reshape(-1, 16)], np.uint32)
    mixed = [_splitmix(k) for k in threads]
    return [
        Case("philox", [words, np.uint32(99)], {0: philox}, block=COUNT),
        _case("xorshift_and_splitmix", [], mixed, map(_xorshift, mixed)),
        _rows("crc32", [octets], checked),
        _rows("sha256_rounds", [message], _sha(message)),
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
