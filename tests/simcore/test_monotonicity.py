"""A better machine is never slower: more bandwidth, lower latency, more schedulers, on idealised kernels."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from simcore import Buffer, compile_cuda, load_gpu, simulate

KERNELS = {
    "stream": """extern "C" __global__ void k(const float4* x, float4* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float4 v = x[i]; v.x += 1; y[i] = v; }""",
    "chain": """extern "C" __global__ void k(const float4* x, float4* y) {
        float v = threadIdx.x;
        for (int i = 0; i < 4096; ++i) v = v * 0.5f + 1.0f;
        y[blockIdx.x * blockDim.x + threadIdx.x].x = v; }""",
    "shared": """extern "C" __global__ void k(const float4* x, float4* y) {
        __shared__ float t[256];
        t[threadIdx.x] = threadIdx.x;
        for (int i = 0; i < 32; ++i) { __syncthreads(); t[threadIdx.x] += t[255 - threadIdx.x]; }
        y[blockIdx.x * blockDim.x + threadIdx.x].x = t[threadIdx.x]; }""",
}
BLOCKS, THREADS = 528, 256
MORE = (
    "dram_gb_per_s",
    "l2_bytes_per_cycle_per_sm",
    "l2_write_bytes_per_cycle_per_sm",
    "shared_bytes_per_cycle",
)
LESS = (
    "l1_hit_latency",
    "l2_latency",
    "dram_latency",
    "shared_latency",
    "barrier_latency",
    "barrier_data_interval",
)
SLACK = 1.03  # greedy choices, and who meets whom in a shared stage, may turn out worse by a little
SCHEDULER_SLACK = (
    1.05  # the same, of a stream of 3 us whose blocks, and requests for constants, all start at once
)


@cache
def time_of(kernel: str, **overrides: float) -> float:
    gpu = load_gpu("h200", **overrides)
    elements = 4 * BLOCKS * THREADS
    buffers = [Buffer("float32", elements), Buffer("float32", elements)]
    cubin = compile_cuda(KERNELS[kernel], gpu)
    return simulate(cubin=cubin, grid=BLOCKS, block=THREADS, arguments=buffers, gpu=gpu, cold=True).time_us


def bandwidth(field: str, value: float) -> dict[str, float]:
    """A bandwidth, and what an SM alone gets at least that."""
    alone = field.replace("_per_sm", "_one_sm")
    return {alone: max(value, getattr(load_gpu("h200"), alone)), field: value}


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=12, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
@given(field=st.sampled_from(MORE), factors=st.tuples(st.floats(0.5, 4), st.floats(1, 4)))
def test_more_bandwidth_never_slows(kernel: str, field: str, factors: tuple[float, float]) -> None:
    base = getattr(load_gpu("h200"), field) * factors[0]
    more = time_of(kernel, **bandwidth(field, base * factors[1]))
    assert more <= SLACK * time_of(kernel, **bandwidth(field, base))


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=12, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
@given(field=st.sampled_from(LESS), share=st.floats(0.5, 1))
def test_lower_latency_never_slows(kernel: str, field: str, share: float) -> None:
    full = getattr(load_gpu("h200"), field)
    assert time_of(kernel, **{field: type(full)(full * share)}) <= SLACK * time_of(kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_more_schedulers_never_slow(kernel: str) -> None:
    times = [time_of(kernel, schedulers_per_sm=n) for n in (1, 2, 4, 8)]
    assert all(more <= SCHEDULER_SLACK * fewer for fewer, more in pairwise(times)), times


def test_what_bounds_a_kernel_decides_its_time() -> None:
    """Half the DRAM bandwidth slows a stream, and a chain of arithmetic does not notice."""
    half = load_gpu("h200").dram_gb_per_s / 2
    assert time_of("stream", dram_gb_per_s=half) > 1.12 * time_of("stream")
    assert time_of("chain", dram_gb_per_s=half) < 1.05 * time_of("chain")
    assert time_of("chain", schedulers_per_sm=1) > 1.5 * time_of("chain")


def test_a_bigger_grid_is_never_faster() -> None:
    cubin = compile_cuda(KERNELS["chain"], "h200")
    times = [
        simulate(
            cubin=cubin, grid=blocks, block=THREADS, gpu="h200",
            arguments=[np.zeros(4, np.float32), Buffer("float32", 4 * blocks * THREADS)],
        ).time_us
        for blocks in (1, 132, 133, 264, 1056, 2112)
    ]  # fmt: skip
    assert times == sorted(times)
