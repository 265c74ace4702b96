"""The share of peak of each unit, and the regime that follows, on kernels of which both are known."""

import numpy as np
import pytest

from simcore import Buffer, SimulationResult, compile_cuda, simulate
from simcore.diagnosis.units import UNITS

SMS, BLOCKS, THREADS = 132, 132 * 8, 256

FMA = """extern "C" __global__ void fma_chain(float* out, float a, float b, int n) {
    float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    #pragma unroll 16
    for (int i = 0; i < n; ++i) {
        x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3;
}"""
MULTIPLY = FMA.replace("float", "int")
FP64 = FMA.replace("float", "double")
STREAM = """extern "C" __global__ void stream(const float4* x, float4* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}"""
CHASE = """extern "C" __global__ void chase(const int* next, int* out, int n) {
    int at = 0;
    for (int i = 0; i < n; ++i) at = next[at];
    out[0] = at;
}"""
BARRIERS = """extern "C" __global__ void barriers(float* out, int n) {
    float x = threadIdx.x;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x / 32 == i % 8)
            for (int k = 0; k < 40; ++k) x = x * x + 1;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}"""
CONFLICTS = """extern "C" __global__ void conflicts(float* out, int n) {
    __shared__ float t[8192];
    float s = 0;
    for (int i = 0; i < n; ++i) s += t[(threadIdx.x * 32 + i) & 8191];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}"""
TABLE = """__constant__ float table[1024] = {1, 2, 3};
extern "C" __global__ void look_up(float* out, int n) {
    float s = 0;
    for (int i = 0; i < n; ++i) s += table[(i * 7 + threadIdx.x / 32) & 1023];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}"""
SPILLS = """extern "C" __global__ void spills(const float* in, float* out, int n) {
    float x[48];
    #pragma unroll
    for (int k = 0; k < 48; ++k) x[k] = in[k * 256 + threadIdx.x];
    for (int i = 0; i < n; ++i) {
        #pragma unroll
        for (int k = 0; k < 48; ++k) x[k] = x[k] * x[(k + 7) % 48] + i;
    }
    #pragma unroll
    for (int k = 0; k < 48; ++k) out[k * 256 + threadIdx.x] = x[k];
}"""
INDEXED = """extern "C" __global__ void indexed(float* out, int n) {
    float x[64];
    for (int k = 0; k < 64; ++k) x[k] = k * n;
    for (int i = 0; i < n; ++i) x[(i * threadIdx.x) & 63] += i;
    out[threadIdx.x] = x[n & 63];
}"""
ATOMICS = (
    """extern "C" __global__ void count(unsigned* out) { atomicAdd(out + (threadIdx.x & 1), threadIdx.x); }"""
)


def _predict(
    source: str, *arguments: np.generic | Buffer, grid: int = BLOCKS, block: int = THREADS
) -> SimulationResult:
    cubin = compile_cuda(source, "h200")
    return simulate(cubin=cubin, grid=grid, block=block, arguments=arguments, gpu="h200")


def _out(dtype: str = "float32") -> Buffer:
    return Buffer(dtype, BLOCKS * THREADS)


def test_a_chain_of_fma_is_bound_by_the_fp32_pipes() -> None:
    result = _predict(FMA, _out(), np.float32(2), np.float32(1), np.int32(512))
    assert result.utilisation["fma"] > 0.9
    assert result.utilisation["fp64"] == 0
    assert result.regime == "compute"


def test_integer_products_are_bound_by_the_one_pipe_that_makes_them() -> None:
    result = _predict(MULTIPLY, _out("int32"), np.int32(3), np.int32(1), np.int32(512))
    assert result.utilisation["fma_heavy"] > 0.9
    assert result.utilisation["fma"] < 0.6
    assert result.regime == "compute"


def test_a_chain_of_doubles_is_bound_by_the_fp64_pipe() -> None:
    result = _predict(FP64, _out("float64"), np.float64(2), np.float64(1), np.int32(256))
    assert max(result.utilisation, key=result.utilisation.__getitem__) == "fp64"
    assert result.regime == "compute"


def test_a_stream_is_bound_by_dram() -> None:
    threads = 132 * 512 * 256
    buffers = (Buffer("float32", threads * 4), Buffer("float32", threads * 4))
    result = _predict(STREAM, *buffers, grid=132 * 512)
    assert result.utilisation["dram"] > 0.8
    assert result.limit == "bandwidth (DRAM)"
    assert max(result.utilisation, key=result.utilisation.__getitem__) == "dram"
    assert result.regime == "bandwidth"


def test_a_pointer_chase_is_bound_by_latency() -> None:
    result = _predict(
        CHASE, Buffer("int32", 1 << 16, "iota"), Buffer("int32", 1), np.int32(300), grid=1, block=32
    )
    assert result.regime == result.limit == "latency"
    assert result.bottleneck == "long_scoreboard"
    assert max(result.utilisation.values()) < 0.1


def test_unbalanced_work_between_barriers_is_synchronization() -> None:
    result = _predict(BARRIERS, _out(), np.int32(64), grid=SMS * 2)
    assert result.regime == "synchronization"
    assert result.bottleneck == "barrier"


def test_bank_conflicts_are_bound_by_the_data_stage() -> None:
    result = _predict(CONFLICTS, _out(), np.int32(64))
    assert result.utilisation["lsu"] > 0.9
    assert result.regime == "bandwidth"


def test_atomics_on_one_line_are_bound_by_l2() -> None:
    result = _predict(ATOMICS, Buffer("uint32", 2))
    assert result.utilisation["l2"] > 0.8
    assert result.regime == "bandwidth"


def test_constant_loads_are_bound_by_their_path() -> None:
    result = _predict(TABLE, _out(), np.int32(256))
    assert max(result.utilisation, key=result.utilisation.__getitem__) == "constants"
    assert result.utilisation["constants"] > 0.9
    assert result.limit == "bandwidth (LDC, S2UR)"
    assert result.advice[0].startswith("The address divergence unit (ADU) of constant loads (LDC)")


def test_spilled_registers_are_named_first() -> None:
    cubin = compile_cuda(SPILLS, "h200", register_cap=32)
    buffers = Buffer("float32", 48 * THREADS), Buffer("float32", 48 * THREADS)
    result = simulate(cubin=cubin, grid=SMS, block=THREADS, arguments=(*buffers, np.int32(64)), gpu="h200")
    assert result.memory["spills"] == 1
    assert 0.1 < result.memory["local_instructions"] < 0.9
    assert result.memory["local_sectors"] > 0.9
    assert result.advice[0].startswith(
        f"Registers are spilled: {result.local_bytes_per_thread} bytes per thread"
    )
    assert "raise register_cap" in result.advice[0]


def test_an_array_in_local_memory_is_no_spill() -> None:
    result = _predict(INDEXED, _out(), np.int32(100), grid=SMS)
    assert result.memory["spills"] == 0
    assert result.advice[0].startswith("An array is indexed at run time: 256 bytes per thread")


def test_a_kernel_without_local_memory_has_no_rates_of_it() -> None:
    result = _predict(CONFLICTS, _out(), np.int32(64))
    assert not {"local_instructions", "local_sectors", "spills"} & set(result.memory)
    assert result.limit == "bandwidth (L1 data)"


def test_shares_are_of_known_units_and_never_above_one() -> None:
    result = _predict(STREAM, Buffer("float32", THREADS * 4), Buffer("float32", THREADS * 4), grid=1)
    assert {"issue", *result.utilisation} == set(UNITS)
    assert all(0 <= share <= 1 for share in result.utilisation.values())
    # One SM cannot draw what DRAM can give to all.
    assert result.utilisation["dram"] == pytest.approx(0, abs=0.1)
