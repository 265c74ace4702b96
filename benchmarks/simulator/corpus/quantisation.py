"""References of `quantisation.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

N = 128


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.standard_normal((4, 64)).astype(np.float32)
    scales = (abs(x).max(1) / np.float32(127)).astype(np.float32)
    nibbles = random.integers(0, 1 << 32, 32, np.uint64).astype(np.uint32)
    factors = random.random(8).astype(np.float16)
    wide = (random.standard_normal(N) * 10.0 ** random.integers(-4, 5, N)).astype(np.float32)
    wide[:6] = [0, -0.0, 448, 464, 1e9, 2**-10]
    blocks = random.standard_normal((16, 32)).astype(np.float32)
    powers = np.exp2(np.ceil(np.log2(abs(blocks).max(1) / 448))).astype(np.float32)
    a, b = (random.standard_normal(N).astype(np.float16) for _ in "ab")
    fraction = (nibbles[:, None] >> np.arange(0, 32, 4, dtype=np.uint32) & 15).astype(
        np.float16
    ) - np.float16(8)
    e4m3, e5m2 = _nearest(wide, 4, 3), _nearest(wide, 5, 2)
    f = _bfloats(wide)
    return [
        Case(
            "bytes_by_rows",
            [x, np.zeros(256, np.int8), np.zeros(4, np.float32)],
            {1: np.rint(x / scales[:, None]), 2: scales},
            block=N,
        ),
        Case(
            "nibbles_to_halves",
            [nibbles, factors, np.zeros(256, np.float16)],
            {2: fraction * factors.repeat(4)[:, None]},
        ),
        Case(
            "fp8_of_both_kinds",
            [wide, np.zeros(N, np.uint8), np.zeros(N, np.uint8), np.zeros(2 * N, np.float32)],
            {
                1: e4m3,
                2: e5m2,
                3: np.append(_values(4, 3)[e4m3 & 127], _values(5, 2)[e5m2 & 127])
                * np.tile(np.copysign(1, wide), 2),
            },
            block=N,
        ),
        Case(
            "fp8_by_blocks",
            [blocks, np.zeros(512, np.uint8), np.zeros(16, np.float32)],
            {1: _nearest((blocks / powers[:, None]).ravel(), 4, 3), 2: powers},
            block=N,
        ),
        Case(
            "halves_and_bfloats",
            [wide, np.zeros(2 * N, np.float16), np.zeros(2 * N, np.uint16), np.zeros(N, np.float32)],
            {1: _halves(wide), 2: np.append(f, (wide.view(np.uint32) >> 16).astype(np.uint16))},
            block=N,
        ),
        Case("half_arithmetic", [a, b, np.zeros(6 * N, np.float16)], {2: _arithmetic(a, b)}, block=64),
    ]


def _values(exponent_bits: int, fraction_bits: int) -> Array:
    """The positive values of an eight-bit type, by their bits."""
    code, bias = np.arange(128), (1 << exponent_bits - 1) - 1
    exponent, fraction = code >> fraction_bits, code & (1 << fraction_bits) - 1
    normal = (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)
    return np.where(exponent == 0, fraction * 2.0 ** (1 - bias - fraction_bits), normal)


def _nearest(x: Array, exponent_bits: int, fraction_bits: int) -> Array:
    """The nearest value's bits, the even one at a tie, never beyond the largest."""
    largest = 126 if fraction_bits == 3 else 123
    table = _values(exponent_bits, fraction_bits)[: largest + 1]
    distance = abs(table[None] - np.minimum(abs(x.astype(np.float64)), table[-1])[:, None])
    tie = np.arange(largest + 1) & 1
    code = np.lexsort((np.broadcast_to(tie, distance.shape), distance), axis=1)[:, 0]
    codes: Array = (code | np.signbit(x) * 128).astype(np.uint8)
    return codes


def _halves(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return x.astype(np.float16)


def _bfloats(x: Array) -> Array:
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def _arithmetic(a: Array, b: Array) -> Array:
    fused = (a.astype(np.float64) * b + a).astype(np.float16)
    return np.array([a + b, a * b, fused, np.maximum(a, b), -abs(a), (a >= b).astype(np.float16)])
