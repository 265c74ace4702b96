"""`bounds="warn"`: reads beside a buffer give zero and are counted; all else outside stays an error."""

from typing import Any

import numpy as np
import pytest

from simcore import compile_cuda, execute, simulate
from simcore.errors import LaunchError, MemoryFault

READ = """extern "C" __global__ void k(const float* x, float4* y, int ahead) {
    y[threadIdx.x] = ((const float4*)x)[(int)threadIdx.x + ahead];
}"""
COPY = """extern "C" __global__ void k(const float* x, float4* y, int ahead) {
    __shared__ float4 t[32];
    const unsigned to = (unsigned)__cvta_generic_to_shared(t + threadIdx.x);
    const float4* from = (const float4*)x + (int)threadIdx.x + ahead;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    y[threadIdx.x] = t[threadIdx.x];
}"""
STORE = 'extern "C" __global__ void k(float* x, float4* y, int ahead) { x[threadIdx.x + ahead * 4] = 1; }'
ADD = 'extern "C" __global__ void k(float* x, float4* y, int ahead) { atomicAdd(x + threadIdx.x + ahead * 4, 1); }'
ELEMENTS = 126
"""The last of 32 vectors has two of its four words."""


def launch(source: str, ahead: int, bounds: Any = "warn") -> dict[str, Any]:
    x, y = np.arange(1, ELEMENTS + 1, dtype=np.float32), np.full(128, 7, np.float32)
    cubin = compile_cuda(source, "h200")
    arguments = [x, y, np.int32(ahead)]
    return {"cubin": cubin, "grid": 1, "block": 32, "arguments": arguments, "gpu": "h200", "bounds": bounds}


@pytest.mark.parametrize("source", [READ, COPY])
def test_what_lies_in_the_buffer_is_read_and_the_rest_is_zero(source: str) -> None:
    asked = launch(source, 2)
    execute(**asked)
    x, y, _ = asked["arguments"]
    np.testing.assert_array_equal(y, np.append(x[8:], np.zeros(10, np.float32)))


def test_such_reads_are_counted_and_named() -> None:
    result = simulate(**launch(READ, 2))
    assert result.reads_out_of_bounds == 3
    assert result.advice[0] == "3 reads of threads lie outside of all buffers and give zero."
    within = simulate(**launch(READ, -(2**10)))
    assert within.reads_out_of_bounds == 32


def test_by_default_they_are_errors() -> None:
    with pytest.raises(MemoryFault, match=r"thread 31: .*argument 0, which has 504 bytes: 8 bytes out"):
        simulate(**launch(READ, 0, "error"))


@pytest.mark.parametrize(("source", "ahead"), [(STORE, 30), (ADD, 30), (READ, 1 << 19), (READ, -(1 << 19))])
def test_stores_and_what_is_far_away_stay_errors(source: str, ahead: int) -> None:
    with pytest.raises(MemoryFault, match="argument"):
        execute(**launch(source, ahead))


def test_an_unknown_word() -> None:
    with pytest.raises(LaunchError, match=r"bounds is 'ignore'; it is one of: error, warn"):
        execute(**launch(READ, 0, "ignore"))
