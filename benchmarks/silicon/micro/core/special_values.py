"""What the special function unit gives for every argument, up to powers of two. Runs on the GPU, with CuPy.

    python special_values.py OUTPUT_FOLDER

- `<function>.npy.xz`: the words of the results for all arguments that its tables tell apart, in their order: the first
  word, then differences. RCP, EX2 and LG2: the floats from 1 to 2. RSQ and SQRT: from 1 to 4. SIN: the steps of a
  quarter turn, each of which comes from a float that `sin.approx` multiplies into it.
- `words.npz`: arguments of all exponents and signs, special ones among them, and their results, by function.
"""

import lzma
import sys
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Floats = NDArray[np.float32]

ONE = 0x3F80_0000
BINADE = 1 << 23
STEPS_PER_TURN = 2.0**25
PER_RADIAN = np.float32(0.15915494)
"""What the compiler multiplies arguments of `sin.approx` with, the product cut off."""

APPROXIMATIONS = ("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos")
DOMAINS = {"rcp": 1, "rsqrt": 2, "sqrt": 2, "ex2": 1, "lg2": 1}
"""Binades of arguments, from one on."""

DRAWN = 1 << 14
SPECIAL = (0, 1, 0x007F_FFFF, 0x0080_0000, 0x3F80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7FC0_0000)

SOURCE = """
#define APPROXIMATION(name) \\
    extern "C" __global__ void approximate_##name(const float* x, float* y, int n) { \\
        int i = blockIdx.x * blockDim.x + threadIdx.x; \\
        if (i < n) asm volatile(#name ".approx.ftz.f32 %0, %1;" : "=f"(y[i]) : "f"(x[i])); \\
    }
""" + "".join(f"APPROXIMATION({name})\n" for name in APPROXIMATIONS)


def results(module: Any, function: str, arguments: Floats) -> Words:
    """The words that a function gives."""
    given, left = cupy.asarray(arguments), cupy.empty(arguments.shape, cupy.float32)
    blocks = ((arguments.size + 255) // 256,)
    module.get_function(f"approximate_{function}")(blocks, (256,), (given, left, np.int32(arguments.size)))
    found: Floats = cupy.asnumpy(left)
    return found.view(np.uint32)


def from_one(binades: int) -> Floats:
    """All floats of some binades from one on."""
    return np.arange(ONE, ONE + binades * BINADE, dtype=np.uint32).view(np.float32)


def steps_of_a_quarter() -> Floats:
    """For each step of a quarter turn a float that is cut to it."""
    steps = np.arange(BINADE, dtype=np.float64)
    nearest = ((steps + 0.5) / STEPS_PER_TURN / np.float64(PER_RADIAN)).astype(np.float32)
    found = np.full(BINADE, np.nan, np.float32)
    for off in range(-3, 4):
        near = (nearest.view(np.int32) + off).view(np.float32)
        found = np.where(np.floor(_cut_product(near) * STEPS_PER_TURN) == steps, near, found)
    assert not np.isnan(found).any()
    return found


def _cut_product(arguments: Floats) -> NDArray[np.float64]:
    exact = arguments.astype(np.float64) * np.float64(PER_RADIAN)
    rounded = exact.astype(np.float32)
    return np.where(rounded > exact, np.nextafter(rounded, np.float32(0)), rounded).astype(np.float64)


def drawn() -> Floats:
    """Arguments of all exponents, more of them near one, and special ones."""
    numbers = np.random.default_rng(1)
    anywhere = numbers.integers(0, 1 << 32, DRAWN, dtype=np.uint64).astype(np.uint32)
    near_one = numbers.integers(ONE - 28 * BINADE, ONE + 8 * BINADE, DRAWN).astype(np.uint32)
    signs = numbers.integers(0, 2, DRAWN).astype(np.uint32) << np.uint32(31)
    special = np.array(SPECIAL, np.uint32)
    return np.concatenate([anywhere, near_one | signs, special, special | np.uint32(1 << 31)]).view(
        np.float32
    )


def main() -> None:
    """Measure and write."""
    folder = Path(sys.argv[1])
    module = cupy.RawModule(code=SOURCE, backend="nvrtc")
    for function in (*DOMAINS, "sin"):
        arguments = from_one(DOMAINS[function]) if function in DOMAINS else steps_of_a_quarter()
        words = results(module, function, arguments).view(np.int32)
        with lzma.open(folder / f"{function}.npy.xz", "wb") as file:
            np.save(file, np.diff(words, prepend=np.int32(0)))
    arguments = drawn()
    found = {function: results(module, function, arguments) for function in APPROXIMATIONS}
    np.savez_compressed(
        folder / "words.npz", allow_pickle=False, arguments=arguments.view(np.uint32), **found
    )


if __name__ == "__main__":
    main()
