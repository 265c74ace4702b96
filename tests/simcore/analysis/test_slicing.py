"""What is left out changes neither the cycles nor the counts."""

from typing import Any

import numpy as np
import pytest

from simcore import Buffer, compile_cuda, execute, simulate
from simcore.analysis import slicing
from simcore.analysis.uniformity import blocks_that_differ
from simcore.core import isa
from simcore.model.arguments import Argument
from simcore.session.counting import count_instructions
from simcore.session.request import LaunchRequest
from simcore.session.session import Session, prepare

HEAD = 'extern "C" __global__ void k(float* x, const int* seen, int n) {\n'
GRID, BLOCK, ELEMENTS = (6, 3, 1), (64, 1, 1), 4096

KERNELS = {
    "loop": "float s = 0; for (int i = 0; i < n; ++i) s = s * x[i] + 1; x[threadIdx.x] = s;",
    "column": "float s = 0; for (int i = 0; i < blockIdx.x + n; ++i) s += x[i]; x[threadIdx.x] = s;",
    "row": "float s = 0; for (int i = 0; i < blockIdx.y + n; ++i) s += x[i]; x[threadIdx.x] = s;",
    "data": "float s = 0; for (int i = 0; i < seen[blockIdx.x]; ++i) s += x[i]; x[threadIdx.x] = s;",
    "guarded": (
        "int i = threadIdx.x; float v = x[i] + 1; int j = i < n ? 3 * i : i;if (i & 1) j += 7; x[j] = v;"
    ),
    "shared": (
        "__shared__ int t[64]; t[threadIdx.x] = threadIdx.x * 5 % 64; __syncthreads();"
        "int j = t[63 - threadIdx.x]; for (int i = 0; i < j % 5; ++i) x[j + i] += n;"
    ),
    "division": (
        "float v = x[threadIdx.x]; for (int i = 0; i < n; ++i) v = v / (x[i] + 3);x[threadIdx.x] = v;"
    ),
    "atomic": "int *p = (int*)x + 2048; int j = atomicAdd(p + threadIdx.x % n, 1) % 9; x[j] = x[j + 1] * 2;",
    "table": (
        "float v = 0; for (int i = 0; i < n; ++i) switch ((threadIdx.x / 32 + i) % 6) {"
        "case 0: v += 1; break; case 1: v *= x[i]; break; case 2: v -= x[3]; break; case 3: v = v * v; break;"
        "case 4: v += x[i + 1]; break; default: v = sqrtf(v); } x[threadIdx.x] = v;"
    ),
}
DIFFERING = {"loop": 1, "guarded": 1, "shared": 1, "column": 6, "row": 18, "data": 18}


def compiled(name: str, gpu: str) -> bytes:
    return compile_cuda(f"{HEAD}{KERNELS[name]}\n}}", gpu)


def arguments() -> list[Argument]:
    return [Buffer("float32", ELEMENTS, "uniform"), Buffer("int32", ELEMENTS, "randint", high=9), np.int32(5)]


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
@pytest.mark.parametrize("name", KERNELS)
def test_cycles_are_those_of_executing_everything(
    name: str, gpu: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch: dict[str, Any] = {"cubin": compiled(name, gpu), "grid": GRID, "block": BLOCK, "gpu": gpu}
    sliced = simulate(**launch, arguments=arguments())
    monkeypatch.setattr(slicing, "for_timing", slicing.everything)
    assert simulate(**launch, arguments=arguments()) == sliced


def prepared(name: str, gpu: str) -> Session:
    cubin = compiled(name, gpu)
    return prepare(LaunchRequest(cubin=cubin, grid=GRID, block=BLOCK, arguments=arguments(), gpu=gpu))


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
@pytest.mark.parametrize("name", KERNELS)
def test_count_is_that_of_executing_everything(name: str, gpu: str) -> None:
    contents = [a.materialise().copy() if isinstance(a, Buffer) else a for a in arguments()]
    executed = execute(cubin=compiled(name, gpu), grid=GRID, block=BLOCK, arguments=contents, gpu=gpu)
    assert count_instructions(prepared(name, gpu)).executed.sum() == executed


@pytest.mark.parametrize(("name", "blocks"), DIFFERING.items())
def test_blocks_that_may_differ(name: str, blocks: int) -> None:
    assert blocks_that_differ(prepared(name, "h200").program, GRID) == blocks


def test_floating_point_is_left_out_and_its_stores_only_addressed() -> None:
    program = prepared("guarded", "h200").program
    action = {i.opcode: a for i, a in zip(program.instructions, slicing.for_timing(program), strict=True)}
    assert action["FADD"] == isa.SKIP
    assert action["LDG"] == action["STG"] == isa.ADDRESS_ONLY
    assert action["LEA" if "LEA" in action else "IMAD"] == isa.EXECUTE
