"""The public call: the same bits every run, every warp-cycle accounted, errors that say what and where."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from simcore import Buffer, Pointer, SimulationResult, Struct, compile_cuda, execute, load_gpu, simulate
from simcore.core.timing.state import COUNT_RESIDENT
from simcore.errors import (
    CycleLimitExceeded,
    Deadlock,
    KernelTrap,
    LaunchError,
    MemoryFault,
    UnsupportedInstruction,
)
from simcore.session.counting import count_instructions
from simcore.session.request import TimingRequest
from simcore.session.timing import run_launch
from testing.silicon_data import measured, smallest_of_each

SCALE = """extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}"""
ELEMENTS = 4096


def scale_launch(**changes: Any) -> dict[str, Any]:
    launch = {
        "cubin": compile_cuda(SCALE, changes.get("gpu", "h200")),
        "grid": ELEMENTS // 128,
        "block": 128,
        "arguments": [Buffer("float32", ELEMENTS, "ones"), np.float32(2), np.int32(ELEMENTS)],
        "gpu": "h200",
    }
    return {**launch, **changes}


def run(source: str, *arguments: Any, gpu: str = "h200", block: int = 32, **more: Any) -> SimulationResult:
    cubin = compile_cuda(source, gpu)
    return simulate(cubin=cubin, grid=1, block=block, arguments=arguments, gpu=gpu, **more)


# --- Reproducible -----------------------------------------------------------------------------------------


def test_the_same_bits_every_run() -> None:
    for point in smallest_of_each(measured("families"), 3e5):
        launch = point.launch()
        assert simulate(**launch) == simulate(**launch), point


TINY = """
import json, dataclasses
import numpy as np
from simcore import compile_cuda, simulate, execute
source = '''extern "C" __global__ void tiny(float* x, int n) {
    __shared__ float t[64];
    float s = 0;
    for (int i = 0; i < n; ++i) s += x[threadIdx.x + i] / 3;
    t[threadIdx.x] = s + __shfl_xor_sync(-1u, s, 1);
    __syncthreads();
    x[threadIdx.x] = t[63 - threadIdx.x];
}'''
x = np.arange(80, dtype=np.float32)
cubin = compile_cuda(source, "h200")
launch = {"cubin": cubin, "grid": 2, "block": 64, "arguments": [x, np.int32(3)], "gpu": "h200"}
np.seterr(all="ignore")
result = dataclasses.asdict(simulate(**launch))
print(json.dumps([result, execute(**launch), x.tolist()]))
"""


def _run_tiny(**environment: str) -> Any:
    run = subprocess.run(
        [sys.executable, "-c", TINY], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


def test_plain_python_gives_the_same_result() -> None:
    assert _run_tiny(NUMBA_DISABLE_JIT="1") == _run_tiny()


# --- Accounts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gpu", ["h200", "a100-80gb", "b200"])
def test_every_warp_cycle_has_one_reason(gpu: str) -> None:
    for point in smallest_of_each(measured("families"), 2e6)[::3]:
        run = run_launch(TimingRequest(**point.launch(gpu)))
        sm = run.sm
        assert sm.ledger.stalls.sum() == sm.counters[COUNT_RESIDENT], point
        assert sm.issues.sum() == count_instructions(run.session).executed[run.blocks].sum(), point
        assert (sm.ledger.stalls >= 0).all(), point


def test_the_result_is_consistent() -> None:
    result = simulate(**scale_launch(grid=132 * 64, arguments=_many_elements(132 * 64 * 128)))
    gpu = load_gpu("h200")
    assert result.stalls["selected"] == pytest.approx(1.0)
    assert result.ipc == pytest.approx(result.issue_active * gpu.schedulers_per_sm)
    assert 0 < result.achieved_occupancy <= result.occupancy.theoretical == 1.0
    # Warps per issue, summed over all states, is what Little's law says.
    resident = result.achieved_occupancy * gpu.max_warps_per_sm
    assert sum(result.stalls.values()) == pytest.approx(resident / result.ipc)
    assert result.time_us >= result.cycles / gpu.clock_mhz
    assert result.bottleneck == max(
        (k for k in result.stalls if k != "selected"), key=result.stalls.__getitem__
    )
    assert result.label == "calibrated"
    assert (
        result.registers_per_thread == result.occupancy.limits["registers"] or result.registers_per_thread > 0
    )


def _many_elements(n: int) -> list[Any]:
    return [Buffer("float32", n, "ones"), np.float32(2), np.int32(n)]


def test_simulating_changes_no_argument() -> None:
    x = np.ones(ELEMENTS, np.float32)
    simulate(**scale_launch(arguments=[x, np.float32(2), np.int32(ELEMENTS)]))
    assert (x == 1).all()
    execute(**scale_launch(arguments=[x, np.float32(2), np.int32(ELEMENTS)]))
    assert (x == 2).all()


def test_warm_caches_are_faster_and_move_fewer_bytes() -> None:
    warm, cold = simulate(**scale_launch()), simulate(**scale_launch(cold=True))
    assert warm.cycles < cold.cycles
    assert warm.dram_bytes < cold.dram_bytes
    assert warm.warp_instructions == cold.warp_instructions


def test_one_buffer_passed_twice_is_two_buffers_of_the_same_contents() -> None:
    source = """extern "C" __global__ void shift(const float* a, float* b) {
        b[threadIdx.x] = a[31 - threadIdx.x];
    }"""
    cubin = compile_cuda(source, "h200")
    a, b = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    execute(cubin=cubin, grid=1, block=32, arguments=[a, b], gpu="h200")
    assert (b == a[::-1]).all()


# --- Errors -----------------------------------------------------------------------------------------------


def test_too_few_arguments() -> None:
    with pytest.raises(LaunchError, match=r"scale takes 3 arguments, not 2; their sizes are 8, 4, 4 bytes"):
        simulate(**scale_launch(arguments=[Buffer("float32", 4), np.float32(2)]))


def test_an_argument_of_the_wrong_size() -> None:
    with pytest.raises(LaunchError, match=r"argument 1 of scale is a float64 of 8 bytes.* takes 4 bytes"):
        simulate(**scale_launch(arguments=[Buffer("float32", 4), np.float64(2), np.int32(4)]))


def test_a_buffer_where_a_value_belongs() -> None:
    with pytest.raises(LaunchError, match=r"argument 2 of scale is a buffer.* takes 4 bytes"):
        simulate(**scale_launch(arguments=[Buffer("float32", 4), np.float32(2), Buffer("int32", 1)]))


def test_a_plain_number_has_no_type() -> None:
    with pytest.raises(LaunchError, match=r"argument 1 of scale is a float; .*np\.int32\(7\)"):
        simulate(**scale_launch(arguments=[Buffer("float32", 4), 2.0, np.int32(4)]))


def test_a_block_larger_than_the_launch_bounds() -> None:
    source = SCALE.replace("void scale", "void __launch_bounds__(128) scale")
    launch = scale_launch() | {"cubin": compile_cuda(source, "h200")}
    assert simulate(**launch).cycles > 0
    message = "the block has 256 threads, but the __launch_bounds__ of scale allow 128; launch smaller"
    with pytest.raises(LaunchError, match=message):
        simulate(**launch | {"block": (16, 16)})


def test_a_block_of_1025_threads() -> None:
    with pytest.raises(LaunchError, match=r"1,?025"):
        simulate(**scale_launch(block=1025))


@pytest.mark.parametrize("grid", [0, (1, 2, 3, 4), (1, -1)])
def test_a_grid_of_the_wrong_shape(grid: Any) -> None:
    with pytest.raises(LaunchError, match="grid"):
        simulate(**scale_launch(grid=grid))


def test_too_much_shared_memory() -> None:
    with pytest.raises(LaunchError, match="shared"):
        simulate(**scale_launch(dynamic_shared_bytes=232449))


def test_a_cubin_for_another_architecture() -> None:
    with pytest.raises(LaunchError, match=r"scale was compiled for sm_90, but a100-80gb is sm_80"):
        simulate(**{**scale_launch(), "gpu": "a100-80gb"})


def test_beyond_a_buffers_end() -> None:
    x = np.ones(ELEMENTS - 100, np.float32)
    with pytest.raises(MemoryFault) as caught:
        execute(**scale_launch(arguments=[x, np.float32(2), np.int32(ELEMENTS)]))
    message = str(caught.value)
    # Thread 28 of block 31 is the first whose element, 3,996, is not there.
    assert re.match(r"kernel\.cu:\d+, scale\+0x", message)
    assert "block (31, 0, 0), thread 28" in message
    assert "byte 15,984 of argument 0, which has 15,984 bytes: 4 bytes out of bounds" in message


BEYOND = {
    "last block": "x[blockIdx.x * 32 + threadIdx.x + blockIdx.x / (gridDim.x - 1)] = 1;",
    "last row": "x[threadIdx.x + 8160 + blockIdx.y / 39] = 1;",
    "some block, by data": "if (x[blockIdx.x] == 7) x[1 << 20] = 1;",
}


@pytest.mark.parametrize("place", BEYOND)
def test_beyond_a_buffers_end_in_a_block_of_another_sm(place: str) -> None:
    source = f'extern "C" __global__ void k(float* x) {{ {BEYOND[place]} }}'
    x = np.zeros(8192, np.float32)
    x[77] = 7
    grid = (1, 40) if "row" in place else 256
    with pytest.raises(MemoryFault, match="argument 0"):
        simulate(cubin=compile_cuda(source, "h200"), grid=grid, block=32, arguments=[x], gpu="h200")


VIEW = """struct View { int n; int* data; };
extern "C" __global__ void k(View x, View y) { y.data[threadIdx.x] = 2 * x.data[threadIdx.x] + x.n; }"""


def view(data: np.ndarray, n: int) -> Struct:
    return Struct(np.array([n, 0, 0, 0], np.int32).tobytes(), [Pointer(8, data, "data")])


def test_structs_that_point_to_buffers() -> None:
    x, y = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    launch: dict[str, Any] = {
        "cubin": compile_cuda(VIEW, "h200"),
        "grid": 1,
        "block": 32,
        "gpu": "h200",
    }
    execute(**launch, arguments=[view(x, 7), view(y, 0)])
    assert (y == 2 * x + 7).all()
    with pytest.raises(MemoryFault, match=r"byte 124 of y\.data \(argument 1\), which has 124 bytes"):
        execute(**launch, arguments=[view(x, 7), view(y[:31], 0)], argument_names=["x", "y"])
    with pytest.raises(
        LaunchError, match=r"argument 1 of k is a struct of 8 bytes, but the parameter takes 16"
    ):
        execute(**launch, arguments=[view(x, 7), Struct(bytes(8), [Pointer(0, y)])])


def test_a_trap() -> None:
    with pytest.raises(KernelTrap, match="stopped itself"):
        run(
            'extern "C" __global__ void k(int* x) { if (threadIdx.x == 3) __trap(); x[0] = 1; }',
            np.zeros(1, np.int32),
        )


def test_a_barrier_of_the_grid_is_refused_by_its_name() -> None:
    source = """#include <cooperative_groups.h>
    extern "C" __global__ void k(int* x) { cooperative_groups::this_grid().sync(); x[0] = 1; }"""
    with pytest.raises(UnsupportedInstruction, match=r"grid\.sync\(\), which needs a cooperative launch"):
        run(source, np.zeros(1, np.int32))


def test_before_a_buffers_start() -> None:
    source = 'extern "C" __global__ void k(int* a, int* b) { b[(int)threadIdx.x - 3] = a[0]; }'
    with pytest.raises(
        MemoryFault, match=r"thread 0: 4-byte access at byte -12 of argument 1.* 12 bytes out"
    ):
        run(source, Buffer("int32", 32), Buffer("int32", 32))


def test_a_misaligned_access() -> None:
    source = 'extern "C" __global__ void k(char* a) { *(int*)(a + threadIdx.x) = 1; }'
    with pytest.raises(MemoryFault, match=r"thread 1: 4-byte access at byte 1 of argument 0 is not aligned"):
        run(source, Buffer("int8", 64))


def test_beyond_shared_memory() -> None:
    source = """extern "C" __global__ void k(int* a, int n) {
        __shared__ int t[32]; t[threadIdx.x + n] = a[0];
        __syncthreads(); a[threadIdx.x] = t[31 - threadIdx.x]; }"""
    with pytest.raises(MemoryFault, match=r"thread 22: .*shared.* the block has 128 bytes"):
        run(source, Buffer("int32", 32), np.int32(10))


def test_an_endless_loop() -> None:
    source = 'extern "C" __global__ void k(volatile int* a) { while (a[0] == 0) {} }'
    with pytest.raises(CycleLimitExceeded, match="may loop forever"):
        run(source, Buffer("int32", 1), cycle_limit=100_000)


def test_a_barrier_that_some_warps_never_reach() -> None:
    source = """extern "C" __global__ void k(int* a) {
        if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); a[threadIdx.x] = 1; }"""
    with pytest.raises(Deadlock, match="barrier"):
        run(source, Buffer("int32", 64), block=64)


UNSUPPORTED: dict[str, tuple[str, str, list[Any]]] = {
    "texture": (
        """extern "C" __global__ void k(unsigned long long t, float* a) { float x, y, z, w;
        asm("tex.1d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5}];"
            : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(t), "r"(0));
        a[0] = x; }""",
        "TEX|TLD",
        [np.uint64(0), Buffer("float32", 1)],
    ),
    "bulk_copy": (
        """extern "C" __global__ void k(const int4* g, int* a) { __shared__ __align__(128) int4 s[8];
        __shared__ unsigned long long m;
        unsigned sa = __cvta_generic_to_shared(s), ma = __cvta_generic_to_shared(&m);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [%0], [%1], 128, [%2];" :: "r"(sa), "l"(g), "r"(ma)); a[0] = s[0].x; }""",
        "UBLKCP|SYNCS",
        [Buffer("int32", 64), Buffer("int32", 1)],
    ),
    "matrix_group": (
        """extern "C" __global__ void k(float* a) { asm volatile("wgmma.fence.sync.aligned;"); a[0] = 1; }""",
        "WARPGROUP|WGMMA|GMMA",
        [Buffer("float32", 1)],
    ),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_an_instruction_that_is_not_modelled_is_named(name: str) -> None:
    source, opcode, arguments = UNSUPPORTED[name]
    cubin = compile_cuda(source, "h200")
    with pytest.raises(UnsupportedInstruction) as caught:
        simulate(cubin=cubin, grid=1, block=128, arguments=arguments, gpu="h200")
    assert "is not modelled" in str(caught.value)
    assert re.search(rf"({opcode}).* at kernel\.cu:\d+, k\+0x[0-9a-f]+", str(caught.value))
    assert caught.value.address % 16 == 0


def test_a_barrier_passed_by_predicate_is_not_arrived_at() -> None:
    """The compiler turns a short `if` around a barrier into a guard."""
    source = """extern "C" __global__ void k(int* a) {
        if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;"); a[threadIdx.x] = 1; }"""
    a = np.zeros(96, np.int32)
    assert run(source, a, block=96).warp_instructions == execute(
        cubin=compile_cuda(source, "h200"), grid=1, block=96, arguments=[a], gpu="h200"
    )
    assert (a == 1).all()
