"""Words between registers and memory, natively: of neighbours, of lanes that agree, and of any."""

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore import compile_cuda, execute
from simcore.session import counting

ELEMENTS, BLOCK, GRID = 4096, 64, 8
TYPES = {"float": 1, "float2": 2, "float4": 4}
INDICES = ("i", "511 - i", "3 * i % 512", "i / 32 * 5", "i ^ 1")
"""Of neighbours, of neighbours backwards, apart, the same for a warp, of pairs that are swapped."""
SOURCE = """
extern "C" __global__ void k({type}* y, const {type}* x, int lanes)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < lanes) y[{to}] = x[{index}];
}}
"""


@pytest.mark.parametrize("lanes", [32, 29])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("to", ["i", "i ^ 1"])
@pytest.mark.parametrize("index", INDICES)
def test_every_lane_gets_its_words(
    index: str, to: str, kind: str, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "WORTH_COMPILING", 0)
    x = np.arange(ELEMENTS, dtype=np.float32).reshape(-1, TYPES[kind])
    y, expected = np.zeros_like(x), np.zeros_like(x)
    i = np.arange(GRID * BLOCK)
    i = i[i % 32 < lanes]
    expected[at(to, i)] = x[at(index, i)]
    cubin = compile_cuda(SOURCE.format(type=kind, to=to, index=index), "h200")
    execute(cubin=cubin, grid=GRID, block=BLOCK, arguments=[y, x, np.int32(lanes)], gpu="h200")
    np.testing.assert_array_equal(y, expected)


def at(expression: str, i: NDArray[np.int64]) -> NDArray[np.int64]:
    """What an expression of C++ gives for each thread."""
    found: NDArray[np.int64] = eval(expression.replace("/", "//"), {"i": i})
    return found


PARTS = {"char": np.int8, "unsigned char": np.uint8, "short": np.int16, "unsigned short": np.uint16}
OF_PARTS = """
extern "C" __global__ void k({type}* y, const {type}* x, int lanes, int turn)
{{
    __shared__ {type} tile[64];
    {type} own[8];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < lanes) tile[threadIdx.x ^ 3] = x[{index}];
    __syncthreads();
    for (int j = 0; j < 8; ++j) own[j ^ turn] = tile[(threadIdx.x + j) % 64 ^ 3] + j;
    if (threadIdx.x % 32 < lanes - 8) y[i] = own[turn];
}}
"""


@pytest.mark.parametrize("lanes", [32, 29])
@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("index", INDICES)
def test_every_lane_gets_its_part_of_a_word(
    index: str, kind: str, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "WORTH_COMPILING", 0)
    x = np.arange(-300, ELEMENTS - 300).astype(PARTS[kind])
    y, expected = np.zeros_like(x), np.zeros_like(x)
    i = np.arange(GRID * BLOCK)
    i = i[i % 32 < lanes - 8]
    expected[i] = x[at(index, i)]
    cubin = compile_cuda(OF_PARTS.format(type=kind, index=index), "h200")
    execute(cubin=cubin, grid=GRID, block=BLOCK, arguments=[y, x, np.int32(lanes), np.int32(5)], gpu="h200")
    np.testing.assert_array_equal(y, expected)
