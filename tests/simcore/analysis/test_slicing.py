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
    "copied": (
        "__shared__ __align__(16) float t[256]; int i = threadIdx.x;"
        "unsigned to = __cvta_generic_to_shared(t + 4 * i);"
        'asm volatile("{.reg .pred p; setp.ge.s32 p, %2, 5; cp.async.cg.shared.global [%0], [%1], 16, p;}"'
        '    :: "r"(to), "l"(x + 4 * i + 256 * blockIdx.x), "r"(seen[i]));'
        'asm volatile("cp.async.commit_group; cp.async.wait_all;"); __syncthreads(); x[i] = t[i];'
    ),
    "parts": (
        "int s = __reduce_add_sync(0xfu << (threadIdx.x & 28), seen[threadIdx.x]);"
        "for (int i = 0; i < s % 7; ++i) x[s + i] += n;"
    ),
    "some": (
        "int s = seen[threadIdx.x]; unsigned those = __ballot_sync(~0u, s & 1);"
        "if (s & 1) s = __reduce_max_sync(those, s) + __popc(those); for (int i = 0; i < s; ++i) x[s + i] += n;"
    ),
    "longs": (
        "long long a = seen[threadIdx.x] * 0x100000001ll, b = a * n - (7ll << 32); int j = a < b ? a >> 32 : 3;"
        "for (int i = 0; i < min(a >> 31, 4ll); ++i) x[j + i] *= 2;"
    ),
}
DIFFERING = {"loop": 1, "guarded": 1, "shared": 1, "column": 6, "row": 18, "data": 18}


GPUS = pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200", "rtx5090"])


def compiled(name: str, gpu: str) -> bytes:
    return compile_cuda(f"{HEAD}{KERNELS[name]}\n}}", gpu)


def arguments() -> list[Argument]:
    return [Buffer("float32", ELEMENTS, "uniform"), Buffer("int32", ELEMENTS, "randint", high=9), np.int32(5)]


@GPUS
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


@GPUS
@pytest.mark.parametrize("name", KERNELS)
def test_count_is_that_of_executing_everything(name: str, gpu: str) -> None:
    contents = [a.materialise().copy() if isinstance(a, Buffer) else a for a in arguments()]
    executed = execute(cubin=compiled(name, gpu), grid=GRID, block=BLOCK, arguments=contents, gpu=gpu)
    assert count_instructions(prepared(name, gpu)).executed.sum() == executed


@pytest.mark.parametrize(("name", "blocks"), DIFFERING.items())
def test_blocks_that_may_differ(name: str, blocks: int) -> None:
    assert blocks_that_differ(prepared(name, "h200").program, GRID) == blocks


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "rtx5090"])
def test_a_predicate_decides_what_a_timed_copy_reads(gpu: str) -> None:
    """What LDGSTS reads depends on a predicate that nothing else needs."""
    launch: dict[str, Any] = {"cubin": compiled("copied", gpu), "grid": (4, 1, 1), "block": BLOCK, "gpu": gpu}
    x = np.zeros(ELEMENTS, np.float32)
    times = [
        simulate(**launch, arguments=[x, np.full(64, seen, np.int32), np.int32(5)], cold=True).cycles
        for seen in (0, 9)
    ]
    assert times[0] > times[1] + 200  # ignored copies read nothing


@GPUS
def test_stores_are_executed_where_what_they_store_is_read(gpu: str) -> None:
    """The buffer that says how often a loop runs: one that is read alone, and one that is stored to, too."""
    session = prepared("data", gpu)
    count_instructions(session)
    assert (session.mattered, session.stored) == ({1}, set())
    session = prepared("division", gpu)
    count_instructions(session)
    assert (session.mattered, session.stored) == ({0}, {0})


def test_all_stores_are_executed_where_results_of_atomics_matter() -> None:
    program = prepared("atomic", "h200").program
    np.testing.assert_array_equal(slicing.for_timing(program, False), slicing.for_timing(program))


def test_values_that_are_only_stored_are_not_loaded() -> None:
    source = 'extern "C" __global__ void k(float* y, const float* x, const int* of) {'
    source += "y[threadIdx.x] = x[of[threadIdx.x]]; }"
    buffers = [Buffer(dtype, 64, "randint", high=64) for dtype in ("float32", "float32", "int32")]
    launch: dict[str, Any] = {"cubin": compile_cuda(source, "h200"), "grid": 1, "block": 64, "gpu": "h200"}
    session = prepare(LaunchRequest(**launch, arguments=buffers))
    assert slicing.for_timing(session.program, False).tolist().count(isa.ADDRESS_ONLY) == 2
    count_instructions(session)
    assert session.mattered == {2}


def test_floating_point_is_left_out_and_its_stores_only_addressed() -> None:
    program = prepared("guarded", "h200").program
    action = {i.opcode: a for i, a in zip(program.instructions, slicing.for_timing(program), strict=True)}
    assert action["FADD"] == isa.SKIP
    assert action["LDG"] == action["STG"] == isa.ADDRESS_ONLY
    assert action["LEA" if "LEA" in action else "IMAD"] == isa.EXECUTE
