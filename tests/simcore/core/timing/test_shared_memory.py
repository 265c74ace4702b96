"""What an access to shared memory costs by its width and its addresses, and a fence by its scope."""

from itertools import product

import numpy as np
import pytest

from simcore import Buffer, SimulationResult, compile_cuda, load_gpu, simulate
from testing.silicon_data import measured

REPEATS = 64
WARPS = 16  # enough to keep the banks busy

LOADS = """
extern "C" __global__ void loads(float* out, int repeats) {
    __shared__ __align__(16) float words[4096];
    const int lane = threadIdx.x % 32;
    float sum = 0.0f;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words)) + 4 * (AT);
    for (int i = 0; i < repeats; ++i) {
        const unsigned row = at + 512 * (i % 8);  // another address each time, in the same banks
        float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
        LOAD
        sum += (a + b) + (c + d);
    }
    out[threadIdx.x] = sum;
}"""

WORD = 'asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(row));'
PAIR = 'asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(row));'
FOUR = 'asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(row));'
MATRICES = (
    "unsigned m0, m1, m2, m3;"
    'asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"'
    ' : "=r"(m0), "=r"(m1), "=r"(m2), "=r"(m3) : "r"(row)); a = __uint_as_float(m0 ^ m1 ^ m2 ^ m3);'
)


def passes_of(load: str, at: str) -> float:
    """Cycles from one access to the next while the warps keep the banks busy."""
    cubin = compile_cuda(LOADS.replace("LOAD", load).replace("AT", at), "h200")
    few, many = (
        simulate(
            cubin=cubin,
            grid=1,
            block=32 * WARPS,
            arguments=[Buffer("float32", 32 * WARPS, fill="zeros"), np.int32(repeats)],
            gpu="h200",
        ).cycles
        for repeats in (REPEATS, 3 * REPEATS)
    )
    return (many - few) / (2 * REPEATS * WARPS)


@pytest.mark.parametrize(
    ("load", "at", "passes"),
    [
        (WORD, "lane * 8", 8),
        (PAIR, "lane * 2", 2),
        (PAIR, "lane % 16 * 2", 2),  # the halves agree, but not the neighbours
        (FOUR, "lane * 4", 4),
        (FOUR, "lane * 8", 8),
        (FOUR, "lane % 16 * 8", 8),
        (FOUR, "lane / 2 * 4", 2),  # neighbours agree: the quarters of a half go together
        (FOUR, "lane % 16 * 4", 4),
        (FOUR, "0", 2),
        (MATRICES, "lane * 4", 4),
        (MATRICES, "lane * 32", 32),  # rows of 128 bytes, not swizzled
    ],
)
def test_wide_accesses_are_served_by_parts_of_the_warp(load: str, at: str, passes: int) -> None:
    assert passes_of(load, at) == pytest.approx(passes, rel=0.2)


SHARED_LOAD, SHARED_ATOMIC = 12, 20  # operations of operation_chain


@pytest.mark.parametrize(
    ("operation", "chains", "block_size"),
    list(product((SHARED_LOAD, SHARED_ATOMIC), (1, 4), (32, 512, 1024))),
)
def test_chains_of_shared_accesses_take_as_long_as_measured(
    operation: int, chains: int, block_size: int
) -> None:
    """One warp's by its latency, sixteen and more by what the data stage serves: an access a cycle."""
    parameters = {"op": operation, "chains": chains, "block_size": block_size}
    (point,) = (
        p for p in measured("micro") if p.space == "operation_chain" and p.record["parameters"] == parameters
    )
    assert simulate(**point.launch()).time_us == pytest.approx(point.time_us, rel=0.016)


ATOMICS = """
extern "C" __global__ void atomics(int* out, int repeats) {
    __shared__ int words[32];
    words[threadIdx.x] = 0;
    __syncwarp();
    int x = 0;
    for (int i = 0; i < repeats; ++i) x = atomicAdd(&words[threadIdx.x / LANES], x & 1);
    out[threadIdx.x] = x;
}"""


def atomic_cycles(lanes: int) -> float:
    """Of one atomic, each with its lanes on words of so many."""
    cubin = compile_cuda(ATOMICS.replace("LANES", str(lanes)), "h200")
    few, many = (
        simulate(
            cubin=cubin,
            grid=1,
            block=32,
            arguments=[Buffer("int32", 32, fill="zeros"), np.int32(repeats)],
            gpu="h200",
        ).cycles
        for repeats in (REPEATS, 3 * REPEATS)
    )
    return (many - few) / (2 * REPEATS)


@pytest.mark.parametrize("lanes", [2, 8, 32])
def test_each_further_lane_on_a_word_takes_two_cycles(lanes: int) -> None:
    """62 cycles for 31 (latency.cu)."""
    further = (lanes - 1) * load_gpu("h200").atomic_shared_turn_latency
    assert atomic_cycles(lanes) - atomic_cycles(1) == pytest.approx(further, abs=0.1)


FENCES = """
extern "C" __global__ void fences(float* out, int repeats) {
    for (int i = 0; i < repeats; ++i) {
        out[threadIdx.x] = i;
        FENCE();
    }
}"""


def fenced(scope: str) -> SimulationResult:
    return simulate(
        cubin=compile_cuda(FENCES.replace("FENCE", f"__threadfence{scope}"), "h200"),
        grid=1,
        block=32,
        arguments=[Buffer("float32", 32, fill="zeros"), np.int32(REPEATS)],
        gpu="h200",
    )


def test_a_fence_costs_by_its_scope() -> None:
    block, gpu, system = fenced("_block"), fenced(""), fenced("_system")
    assert block.cycles < gpu.cycles - 150 * REPEATS
    assert gpu.cycles < system.cycles - 600 * REPEATS
    assert system.bottleneck == "membar"
