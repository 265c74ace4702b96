"""References of `mathematics.cu`: numpy in double precision, and Python's integers and `math`."""

import math
from collections.abc import Callable

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

N = 128
_FEW_ULP = 2e-6


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = (random.standard_normal(N) * 100).astype(np.float32)
    d = random.standard_normal(N) * 100
    words = random.integers(0, 1 << 64, N, np.uint64, endpoint=False) >> random.integers(0, 60, N, np.uint64)
    pairs = np.stack([x, x * np.float32(1e-8)], 1)
    halves = (random.standard_normal(2 * N) * 3).astype(np.float16)
    bfloats = _bfloats(random.standard_normal(2 * N) * 3)
    out, wide, whole = np.zeros(16 * N, np.float32), np.zeros(16 * N), np.zeros(8 * N, np.int32)
    shorts = np.zeros(32 * N, np.uint16)
    return [
        *_columns("circular", x, out, _circular(x.astype(np.float64))),
        *_columns("circular_of_doubles", d, wide, _circular_of_doubles(d), 1e-14),
        *_columns("powers", x, out, _powers(x.astype(np.float64))),
        *_columns("powers_of_doubles", d, wide, _powers_of_doubles(d), 1e-14),
        *_columns("special", d, wide, _special(d * 0.01)),
        Case("parts", [x, out, whole], dict(zip((1, 2), _parts(x), strict=True)), block=N),
        Case("divisions", [words, np.zeros(14 * N, np.uint64)], {1: _divided(words)}, block=N),
        Case("two_singles", [pairs, pairs * 0], {1: _two_singles(pairs)}, block=N, close=1e-13),
        Case("denormals", [x, out], {1: _denormals(x)}, block=N),
        Case(
            "narrow_functions",
            [halves, bfloats, shorts, shorts],
            {2: _halves(halves), 3: _of_bfloats(bfloats)},
            block=N,
        ),
    ]


def _columns(kernel: str, x: Array, out: Array, columns: list[Array], close: float = _FEW_ULP) -> list[Case]:
    return [Case(kernel, [x, out], {1: np.array(columns)}, block=N, close=close)]


def _circular(x: Array) -> list[Array]:
    far = (x.astype(np.float32) * np.float32(1e20)).astype(np.float64)
    thousandth = (x.astype(np.float32) * np.float32(1e-3)).astype(np.float64)
    s, c = np.sin(x), np.cos(x)
    return [
        s,
        c,
        np.tan(x),
        np.arctan2(x, _other(x)),
        np.sin(np.pi * thousandth),
        np.cos(far),
        np.arcsin(s),
        np.arccos(c / 2),
    ]


def _circular_of_doubles(x: Array) -> list[Array]:
    return [np.sin(x), np.cos(x), np.tan(x), np.arctan2(x, _other(x)), np.cos(x * 1e200)]


def _powers(x: Array) -> list[Array]:
    a, thousandth = abs(x), (x.astype(np.float32) * np.float32(1e-3)).astype(np.float64)
    return [
        np.exp(x * 0.01), np.log(a), a**1.7, np.cbrt(x), np.expm1(thousandth), np.log1p(a), 10**thousandth,
        np.hypot(x, 3), a**-0.5, 2 ** (x * 0.01), x**3, 1 / np.cbrt(x),
    ]  # fmt: skip


def _powers_of_doubles(x: Array) -> list[Array]:
    a = abs(x)
    return [
        np.exp(x * 0.01), np.log(a), a**1.7, np.cbrt(x), np.expm1(x * 0.001), np.log1p(a), np.sqrt(a), np.hypot(x, 3),
        a**-0.5, np.tanh(x * 0.01), np.arcsinh(x), np.log10(a),
    ]  # fmt: skip


def _special(x: Array) -> list[Array]:
    def each(f: Callable[[float], float], of: Array) -> Array:
        return np.array([f(float(v)) for v in of])

    erf, gamma, log_gamma = each(math.erf, x), each(math.gamma, x + 0.5), each(math.lgamma, x)
    return [
        erf,
        each(math.erfc, x),
        gamma,
        log_gamma,
        erf,
        gamma,
        log_gamma,
        each(lambda v: math.erfc(-v * 0.5**0.5) / 2, x),
        each(_bessel, x),
    ]


def _bessel(x: float) -> float:
    """J0 by its integral."""
    return float(np.cos(x * np.sin((np.arange(64) + 0.5) * np.pi / 64)).mean())


def _other(x: Array) -> Array:
    return x.reshape(-1, 2)[:, ::-1].ravel()


def _parts(x: Array) -> tuple[Array, Array]:
    y = _other(x)
    fraction, exponent = np.frexp(x)
    rest, integral = np.modf(x)
    t = np.arange(N)
    quotients = np.rint(x.astype(np.float64) / y).astype(np.int64)
    remainders = np.array(
        [math.remainder(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)], np.float32
    )
    half = x * np.float32(0.5)
    away = np.trunc(half + np.copysign(np.float32(0.5), half))
    floats = [
        fraction, rest, np.fmod(x, y), remainders, integral, np.ldexp(x, t - 64), np.ldexp(x, -140), np.nextafter(x, y),
        np.copysign(x, y), np.maximum(x - y, 0), remainders, away,
    ]  # fmt: skip
    low = np.where(quotients < 0, -(-quotients & 7), quotients & 7) & 7
    whole = [exponent, low, exponent - 1, np.rint(half), away, 4 * np.signbit(x) + 8]
    return np.concatenate(floats).astype(np.float32), np.concatenate(whole).astype(np.int32)


def _divided(words: Array) -> Array:
    columns = []
    for bits, signed in ((8, 0), (8, 1), (16, 0), (16, 1), (32, 0), (64, 0), (64, 1)):
        pairs = [_divided_one([int(v) for v in words], t, bits, signed) for t in range(N)]
        columns += [[v & (1 << 64) - 1 for v in column] for column in zip(*pairs, strict=True)]
    return np.array(columns, np.uint64)


def _divided_one(words: list[int], t: int, bits: int, signed: int) -> tuple[int, int]:
    a, b = (_of_width(v, bits, signed) for v in (words[t], words[t ^ 3] >> (t & 7)))
    b = b or 3
    q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return q, a - q * b


def _of_width(value: int, bits: int, signed: int) -> int:
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits) if signed else value


def _two_singles(pairs: Array) -> Array:
    """The sums; their parts may be split otherwise where an operation is fused."""
    a = pairs.astype(np.float64).sum(1)
    total = a * _other(a) + a
    high = total.astype(np.float32)
    return np.stack([high, (total - high).astype(np.float32)], 1)


def _denormals(x: Array) -> Array:
    v = x * np.float32(1e-38)
    flushed = (x * np.float32(1e-30)) * np.array(0x2B8CBCCC, np.uint32).view(np.float32)
    flushed = np.where(abs(flushed) < 2.0**-126, np.copysign(np.float32(0), flushed), flushed)
    fused = (v.astype(np.float64) * np.float32(0.01) + np.float32(1e-39)).astype(np.float32)
    return np.concatenate(
        [v * np.float32(0.01), fused, flushed, np.sqrt(abs(v) * np.float32(1e-4)), v / np.float32(300)]
    ).astype(np.float32)


def _halves(x: Array) -> Array:
    v, other = x.astype(np.float64), _other(x.astype(np.float64))
    results = [
        np.floor(v), np.rint(v), np.clip(v * v, 0, 1), np.maximum(v * v - v, 0), abs(v), np.maximum(v, other),
        np.trunc(v), v > 1, np.sqrt(abs(v)), v / 3,
    ]  # fmt: skip
    return np.concatenate(results).astype(np.float16).view(np.uint16)


def _bfloats(values: Array) -> Array:
    """The nearest bfloat16s' bits, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    return np.asarray((bits + 0x7FFF + (bits >> 16 & 1)) >> 16, np.uint16)


def _of_bfloats(y: Array) -> Array:
    w = (y.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    third = (np.array([_bfloats(np.array([0.3]))[0]], np.uint32) << 16).view(np.float32).astype(np.float64)
    low = np.repeat(w[::2], 2)
    return np.concatenate(
        [_bfloats(r) for r in (w + w, w * low, np.ceil(w), np.minimum(w, -w), w - third, 1 / w)]
    )
