"""What a form reads and leaves; numpy alone, for GPU machines."""

import numpy as np
from numpy.typing import NDArray

THREADS, BLOCKS = 1024, 2
"""The threads of the first block have the special values in pairs, those of the second random ones."""
OPERANDS = 4
COLUMNS = 2
"""Words of 64 bits that a thread leaves: a result, and what else there is."""

Words = NDArray[np.uint64]

_PAIRS = 32
"""Special values of a type: as many as the root of THREADS."""


def _bits(values: list[float], of: type) -> list[int]:
    return [int(v) for v in np.array(values, of).view(f"u{np.dtype(of).itemsize}")]


_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -3.5, 3.0, 1 / 3, 1e-3, 255.5, -128.5, 65504.0]
_OF_SINGLES = [
    *_bits([*_FLOATS, 2147483648.0, -2147483904.0, 4294967296.0, 9.3e18, 3.4e38, 88.5, 1e-30, -1e30], np.float32),
    *(0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFF80_0001, 1, 0x807F_FFFF, 0x0080_0000, 0x7F7F_FFFF, 0x3380_0000),
    0x4B00_0001,
]  # fmt: skip
_OF_DOUBLES = [
    *_bits([*_FLOATS, 2147483648.5, -2147483904.0, 4294967296.0, 9.3e18, 3.5e38, 709.5, 1e-300, -1e300], np.float64),
    *(0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, (0xFFF0 << 48) + 1, 1, (0x8010 << 48) - 1, 0x0010 << 48),
    *((0x7FF0 << 48) - 1, 0x3E70_0000_0000_0000, 0x4330_0000_0000_0001),
]  # fmt: skip
_OF_HALVES = [
    *_bits([*_FLOATS, 2048.0, 2049.0, 6e-5, -6e-8, 1000.0, -4.0, 7.75, 0.1], np.float16),
    *(0x7C00, 0xFC00, 0x7E00, 0xFC01, 1, 0x83FF, 0x0400, 0x7BFF, 0x1400, 0x6401),
]  # fmt: skip
_OF_BFLOATS = [bits >> 16 for bits in _OF_SINGLES[:22]] + [
    *(0x7F80, 0xFF80, 0x7FC0, 0xFF81, 1, 0x807F, 0x0080, 0x7F7F, 0x3380, 0x4B01),
]  # fmt: skip
_OF_WORDS = [
    *(0, 1, 2, 3, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x80_0000),
    *(0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FF80, 0x7F80_FF01, 0x0102_0304),
    *(0xFEDC_BA98, 0x5555_5555, 0xAAAA_AAAA),
]  # fmt: skip
_OF_LONGS = [
    *_OF_WORDS[:22],
    *(1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, (1 << 64) - 1, (1 << 64) - 2, 0xFFFF_FFFF, 1 << 40),
    0x0123_4567_89AB_CDEF,
]  # fmt: skip

SPECIAL = {
    "f": _OF_SINGLES,
    "d": _OF_DOUBLES,
    "h": _OF_HALVES,
    "b": _OF_BFLOATS,
    "r": _OF_WORDS,
    "l": _OF_LONGS,
}
"""By the letters of `forms`."""
_BITS = {"f": 32, "d": 64, "h": 16, "b": 16, "r": 32, "l": 64, "x": 32, "y": 32}
_HALVES_OF = {"x": "h", "y": "b"}
"""Words of two: of half floats, of bfloat16s."""


def inputs(kinds: str) -> Words:
    """[operand, thread]: values of the operands' types."""
    random = np.random.default_rng(17)
    columns = [_values(kind, place, random) for place, kind in enumerate(kinds)]
    columns += [np.zeros(THREADS * BLOCKS, np.uint64)] * (OPERANDS - len(kinds))
    return np.array(columns)


def _values(kind: str, place: int, random: np.random.Generator) -> Words:
    if kind in _HALVES_OF:
        low, high = (_values(_HALVES_OF[kind], place + turn, random) for turn in (0, 2))
        return low | high << np.uint64(16)
    special = np.array(SPECIAL[kind], np.uint64)
    assert len(special) == _PAIRS, kind
    thread = np.arange(THREADS)
    chosen = (thread // _PAIRS, thread % _PAIRS)[place] if place < 2 else random.integers(0, _PAIRS, THREADS)
    drawn = random.integers(0, 1 << 64, THREADS, np.uint64, endpoint=False) >> np.uint64(64 - _BITS[kind])
    if kind in "rl":
        drawn >>= random.integers(0, _BITS[kind] - 1, THREADS).astype(np.uint64) * (
            random.random(THREADS) < 0.5
        )
    elif kind in "fd":
        drawn = np.where(random.random(THREADS) < 0.7, _moderate(drawn, kind), drawn)
    return np.concatenate([special[chosen], drawn])


def _moderate(bits: Words, kind: str) -> Words:
    """Floats of which a sum loses some bits, but not all."""
    fraction, bias = (23, 127) if kind == "f" else (52, 1023)
    sign = bits >> np.uint64(fraction + (8 if kind == "f" else 11)) << np.uint64(63 if kind == "d" else 31)
    exponent = np.uint64(bias - 12) + (bits >> np.uint64(fraction)) % np.uint64(24)
    return np.asarray(sign | exponent << np.uint64(fraction) | bits & np.uint64((1 << fraction) - 1))


def empty() -> Words:
    """[column, thread] before a launch."""
    return np.zeros((COLUMNS, THREADS * BLOCKS), np.uint64)
