"""Special functions give what an H100 and an H200 give, to the bit."""

import lzma
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from testing.tiny_kernels import evaluate

MEASURED = Path(__file__).parents[3] / "silicon" / "h100-sxm" / "special_values"
FUNCTIONS = ("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos")
EVERY = 97

Words = NDArray[np.uint32]


def given(function: str, arguments: Words) -> Words:
    """What the simulator gives for arguments, which are padded to whole warps."""
    padded = np.resize(arguments, -(-len(arguments) // 32) * 32).view(np.float32)
    assembly = f'asm("{function}.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));'
    prelude = f"__device__ float approximated(float x) {{ float r; {assembly} return r; }}"
    results = evaluate({"r": "approximated(a)"}, [padded], "float32", prelude=prelude)["r"]
    return results[: len(arguments)].view(np.uint32)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arguments_of_all_exponents(function: str) -> None:
    with np.load(MEASURED / "words.npz") as measured:
        arguments, expected = measured["arguments"], measured[function]
    got = given(function, arguments)
    wrong = np.flatnonzero(got != expected)
    assert not len(wrong), [(hex(arguments[i]), hex(got[i]), hex(expected[i])) for i in wrong[:5]]


@pytest.mark.parametrize(
    ("function", "binades"), [("rcp", 1), ("rsqrt", 2), ("sqrt", 2), ("ex2", 1), ("lg2", 1)]
)
def test_all_intervals_of_the_tables(function: str, binades: int) -> None:
    with lzma.open(MEASURED / f"{function}.npy.xz") as file:
        expected = np.cumsum(np.load(file), dtype=np.int32).view(np.uint32)[::EVERY]
    arguments = np.arange(0x3F80_0000, 0x3F80_0000 + (binades << 23), EVERY, dtype=np.uint32)
    np.testing.assert_array_equal(given(function, arguments), expected)
