"""Kernels as people write them, on every architecture, against numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore import MemoryFault, compile_cuda, execute, simulate

GPUS = pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
KERNEL = 'extern "C" __global__ void k'
random = np.random.default_rng(11)
Array = NDArray[Any]


def _run(source: str, block: int, arguments: list[Any], gpu: str, grid: int = 1) -> None:
    execute(cubin=compile_cuda(source, gpu), grid=grid, block=block, arguments=arguments, gpu=gpu, kernel="k")


# --- Where data lies --------------------------------------------------------------------------------------


@GPUS
def test_tables_and_counters_of_the_module(gpu: str) -> None:
    source = f"""
__device__ const int table[8] = {{3, 1, 4, 1, 5, 9, 2, 6}};
__device__ int first[2] = {{1, 2}}, second[2] = {{30, 40}}, counter;
__device__ int* tables[2] = {{first, second + 1}};
__constant__ int* constants[2] = {{second, first + 1}};
{KERNEL}(const int* x, int* out) {{
    int i = threadIdx.x;
    out[i] = table[x[i] & 7] + *tables[x[i] & 1] * 100 + *constants[x[i] & 1] * 10000;
    atomicAdd(&counter, 2);
    __syncthreads();
    if (i == 0) out[64] = counter;
}}"""
    x, out = random.integers(0, 100, 64).astype(np.int32), np.zeros(65, np.int32)
    _run(source, 64, [x, out], gpu)
    odd = x & 1
    table = np.array([3, 1, 4, 1, 5, 9, 2, 6])[x & 7]
    expected = table + np.where(odd, 40, 1) * 100 + np.where(odd, 2, 30) * 10000
    np.testing.assert_array_equal(out, [*expected, 128])


def test_pairs_of_bfloats_are_added_wherever_they_lie() -> None:
    """Their atomics take generic addresses, of which the code asks whether they are shared, with an offset, too."""
    source = f"""
#include <cuda_bf16.h>
{KERNEL}(__nv_bfloat162* sums) {{
    __shared__ __nv_bfloat162 own[4];
    const __nv_bfloat162 one = __floats2bfloat162_rn(1.0f, 2.0f);
    if (threadIdx.x < 4) own[threadIdx.x] = __floats2bfloat162_rn(0.0f, 0.0f);
    __syncthreads();
    __nv_bfloat162* to = (threadIdx.x % 4 ? sums : own) + threadIdx.x % 2 * 2;
    atomicAdd(to, one);
    atomicAdd(to + 1, one);
    __syncthreads();
    if (threadIdx.x < 4) sums[4 + threadIdx.x] = own[threadIdx.x];
}}"""
    sums = np.zeros(16, np.uint16)
    _run(source, 64, [sums], "h200")
    assert _value(sums).tolist() == [16, 32, 16, 32, 32, 64, 32, 64, 16, 32, 16, 32, 0, 0, 0, 0]


@GPUS
def test_sines_of_great_numbers_read_their_table(gpu: str) -> None:
    x, out = random.uniform(-1e12, 1e12, 64), np.zeros(64)
    _run(
        f"{KERNEL}(const double* x, double* o) {{ o[threadIdx.x] = sin(x[threadIdx.x]); }}", 64, [x, out], gpu
    )
    np.testing.assert_allclose(out, np.sin(x), rtol=0, atol=1e-15)


@GPUS
def test_one_pointer_to_shared_local_and_global_memory(gpu: str) -> None:
    source = f"""{KERNEL}(const float* x, float* out, int w) {{
    __shared__ float shared[64];
    float local[8];
    int i = threadIdx.x;
    shared[i] = x[i] * 2;
    for (int j = 0; j < 8; ++j) local[j] = x[(i + j) & 63] + 1;
    __syncthreads();
    const float* p = (i + w) % 3 == 0 ? &shared[63 - i] : (i + w) % 3 == 1 ? &local[(i * w) & 7] : &x[i];
    out[i] = *p;
    float* q = i & 1 ? &shared[i] : &out[64 + i];
    __syncthreads();
    *q = 4;
    __syncthreads();
    out[i] += shared[i];
}}"""
    x, out = random.random(64, np.float32), np.zeros(128, np.float32)
    _run(source, 64, [x, out, np.int32(1)], gpu)
    i = np.arange(64)
    picked = np.choose((i + 1) % 3, [x[63 - i] * 2, x[(i + (i & 7)) & 63] + 1, x])
    np.testing.assert_array_equal(out[:64], picked + np.where(i & 1, np.float32(4), x * 2))
    np.testing.assert_array_equal(out[64:], np.where(i & 1, 0, 4))


@GPUS
def test_atomics_through_one_pointer_to_shared_and_global_memory(gpu: str) -> None:
    source = f"""{KERNEL}(int* out, int w) {{
    __shared__ int shared[4];
    if (threadIdx.x < 4) shared[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(threadIdx.x % 2 == w ? &shared[threadIdx.x & 3] : &out[threadIdx.x & 3], 3);
    __syncthreads();
    if (threadIdx.x < 4) out[4 + threadIdx.x] = shared[threadIdx.x];
}}"""
    out = np.zeros(8, np.int32)
    _run(source, 64, [out, np.int32(1)], gpu)
    np.testing.assert_array_equal(out, [48, 0, 48, 0, 0, 48, 0, 48])


@GPUS
def test_asynchronous_copies_fill_up_with_zeros(gpu: str) -> None:
    source = f"""{KERNEL}(const float* x, float* out, int n) {{
    __shared__ __align__(16) float shared[128];
    int t = threadIdx.x;
    for (int j = 0; j < 4; ++j) shared[t + 32 * j] = 9;
    __syncwarp();
    unsigned to = __cvta_generic_to_shared(&shared[t * 4]);
    int bytes = min(max(n - t * 4, 0), 4) * 4;
    const float* from = x + (bytes ? t * 4 : 0);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes));
    asm volatile("cp.async.commit_group; cp.async.wait_all;");
    __syncwarp();
    for (int j = 0; j < 4; ++j) out[t + j * 32] = shared[t + j * 32];
}}"""
    x, out = random.random(128, np.float32), np.ones(128, np.float32)
    _run(source, 32, [x, out, np.int32(50)], gpu)
    np.testing.assert_array_equal(out, np.where(np.arange(128) < 50, x, 0))


@pytest.mark.parametrize("gpu", ["h200", "b200", "rtx5090"])
def test_atomics_on_vectors(gpu: str) -> None:
    source = f"""{KERNEL}(float* out, float* old) {{
    atomicAdd((float4*)out + (threadIdx.x & 3), make_float4(1, 2, 3, threadIdx.x));
    float2 before = atomicAdd((float2*)(out + 16), make_float2(1, threadIdx.x));
    old[threadIdx.x] = before.x;
    asm volatile("red.global.add.noftz.v4.f16x2 [%0], {{%1, %1, %1, %1}};" :: "l"(out + 20), "r"(0x40003c00));
    asm volatile("red.global.max.noftz.v2.f16x2 [%0], {{%1, %2}};" :: "l"(out + 24), "r"(0xc0003c00), "r"(threadIdx.x));
}}"""
    out, old = np.zeros(32, np.float32), np.zeros(64, np.float32)
    _run(source, 64, [out, old], gpu)
    t = np.arange(64)
    np.testing.assert_array_equal(
        out[:16].reshape(4, 4), [[16, 32, 48, t[t % 4 == k].sum()] for k in range(4)]
    )
    np.testing.assert_array_equal(out[16:18], [64, t.sum()])
    np.testing.assert_array_equal(sorted(old), t)
    np.testing.assert_array_equal(out[20:24].view(np.float16), [64, 128] * 4)
    np.testing.assert_array_equal(out[24:26].view(np.uint16), [0x3C00, 0, 63, 0])


@pytest.mark.parametrize("gpu", ["h200", "b200", "rtx5090"])
def test_matrices_are_stored_as_they_are_loaded(gpu: str) -> None:
    source = f"""{KERNEL}(const unsigned* x, unsigned* out) {{
    __shared__ __align__(16) unsigned s[256];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s + 4 * t), a = x[t], b = x[t + 32], c, d, e, f;
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {{%1, %2}};" :: "r"(at), "r"(a), "r"(b));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {{%1, %2}};" :: "r"(at + 512), "r"(a), "r"(b));
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%0, %1}}, [%2];" : "=r"(c), "=r"(d) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {{%0, %1}}, [%2];" : "=r"(e), "=r"(f) : "r"(at + 512));
    out[t] = c; out[t + 32] = d; out[t + 64] = e; out[t + 96] = f; out[t + 128] = s[t]; out[t + 160] = s[128 + t];
}}"""
    x, out = random.integers(0, 1 << 32, 64, np.uint64).astype(np.uint32), np.zeros(192, np.uint32)
    _run(source, 32, [x, out], gpu)
    np.testing.assert_array_equal(out[:128].reshape(2, 64), [x, x])
    first = x[:32].view(np.uint16).reshape(8, 8)
    np.testing.assert_array_equal(out[128:160].view(np.uint16).reshape(8, 8), first)
    np.testing.assert_array_equal(out[160:].view(np.uint16).reshape(8, 8), first.T)


@pytest.mark.parametrize("gpu", ["h200", "b200", "rtx5090"])
def test_eight_bit_floats_there_and_back(gpu: str) -> None:
    source = f"""#include <cuda_fp8.h>
{KERNEL}(const float* x, unsigned char* bytes, float* out) {{
    int t = threadIdx.x;
    __nv_fp8_e4m3 a(x[t]);
    __nv_fp8_e5m2 b(x[t]);
    bytes[t] = a.__x; bytes[t + 64] = b.__x;
    out[t] = float(a); out[t + 64] = float(b);
}}"""
    x = (random.standard_normal(64) * 10.0 ** random.integers(-4, 5, 64)).astype(np.float32)
    x[:6] = [0, -0.0, 448, 464, 1e9, 2**-10]
    stored, out = np.zeros(128, np.uint8), np.zeros(128, np.float32)
    _run(source, 64, [x, stored, out], gpu)

    def values(bits: int, bias: int, count: int) -> Array:
        code = np.arange(count)
        exponent, fraction = code >> bits, code & ((1 << bits) - 1)
        normal = (1 + fraction / (1 << bits)) * 2.0 ** (exponent - bias)
        return np.where(exponent == 0, fraction * 2.0 ** (1 - bias - bits), normal)

    for got, read, table in (
        (stored[:64], out[:64], values(3, 7, 127)),
        (stored[64:], out[64:], values(2, 15, 124)),
    ):
        np.testing.assert_array_equal(read, np.copysign(table[got & 127], x))
        nearest = abs(table[None] - np.minimum(abs(x.astype(np.float64)), table[-1])[:, None]).min(1)
        np.testing.assert_array_equal(
            abs(abs(read) - np.minimum(abs(x.astype(np.float64)), table[-1])), nearest
        )


# --- Where control goes -----------------------------------------------------------------------------------


@GPUS
def test_code_that_is_not_optimised(gpu: str) -> None:
    source = f"""{KERNEL}(const int* x, int* out, int n) {{
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = x[i] + n;
    for (int i = 0; i < n; ++i) a[i & 7] += a[(i + 3) & 7] ^ threadIdx.x;
    out[threadIdx.x] = a[(n + threadIdx.x) & 7];
}}"""
    x, optimised, other = np.arange(8, dtype=np.int32), np.zeros(32, np.int32), np.zeros(32, np.int32)
    _run(source, 32, [x, optimised, np.int32(21)], gpu)
    cubin = compile_cuda(source, gpu, options=["--ptxas-options=-O0"])
    execute(cubin=cubin, grid=1, block=32, arguments=[x, other, np.int32(21)], gpu=gpu)
    assert len(set(optimised)) > 8
    np.testing.assert_array_equal(other, optimised)


@GPUS
def test_recursion(gpu: str) -> None:
    source = f"""
__device__ __noinline__ int fibonacci(int n) {{ return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }}
{KERNEL}(int* out) {{ out[threadIdx.x] = fibonacci(threadIdx.x % 9); }}"""
    out = np.zeros(32, np.int32)
    _run(source, 32, [out], gpu)
    np.testing.assert_array_equal(out, np.array([0, 1, 1, 2, 3, 5, 8, 13, 21])[np.arange(32) % 9])


@GPUS
def test_calls_through_a_table_of_functions(gpu: str) -> None:
    source = f"""
__device__ float increment(float x) {{ return x + 1; }}
__device__ float square(float x) {{ return x * x; }}
__device__ float negate(float x) {{ return -x; }}
__device__ float (*table[])(float) = {{increment, square, negate}};
{KERNEL}(const int* which, const float* x, float* out) {{
    out[threadIdx.x] = table[which[threadIdx.x]](x[threadIdx.x]);
}}"""
    which, x = random.integers(0, 3, 64).astype(np.int32), random.random(64, np.float32)
    out = np.zeros(64, np.float32)
    _run(source, 64, [which, x, out], gpu)
    np.testing.assert_array_equal(out, np.choose(which, [x + 1, x * x, -x]))


@GPUS
@pytest.mark.parametrize("address", [0x8, 0x10_0000, 0xFFFF_FFF0])
@pytest.mark.parametrize("run", [execute, simulate])
def test_a_jump_that_leads_out_of_the_code_is_named(run: Callable[..., Any], address: int, gpu: str) -> None:
    source = f"""{KERNEL}(const unsigned long long* steps, int* out) {{
    out[threadIdx.x] = ((int (*)(int))steps[threadIdx.x])(threadIdx.x);
}}"""
    steps = np.full(32, address, np.uint64)
    place = r"^kernel\.cu:2, k\+0x\w+ \(CALL\.REL\.NOINC\), block \(0, 0, 0\), thread 0"
    named = rf"{place}: jump to -?0x\w+; the kernel has 0x\w+ bytes"
    with pytest.raises(MemoryFault, match=named):
        run(
            cubin=compile_cuda(source, gpu),
            grid=1,
            block=32,
            arguments=[steps, np.zeros(32, np.int32)],
            gpu=gpu,
        )


@GPUS
def test_a_lock_taken_by_one_lane_after_the_other(gpu: str) -> None:
    source = f"""{KERNEL}(int* lock, volatile int* sum) {{
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {{
            __threadfence();
            *sum = *sum + threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }}
}}"""
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    _run(source, 64, [lock, total], gpu, grid=2)
    assert (lock[0], total[0]) == (0, 64 * 63)


@GPUS
def test_barriers_that_count_and_combine(gpu: str) -> None:
    source = f"""{KERNEL}(const int* x, int* out) {{
    int v = x[threadIdx.x], sum = 0;
    for (int k = 0; k < 5; ++k) sum = sum * 100 + __syncthreads_count(v > k);
    out[threadIdx.x] = sum;
    out[128 + threadIdx.x] = __syncthreads_and(v < 10) * 2 + __syncthreads_or(v == 77);
}}"""
    x, out = random.integers(0, 10, 128).astype(np.int32), np.zeros(256, np.int32)
    _run(source, 128, [x, out], gpu)
    counted = 0
    for k in range(5):
        counted = counted * 100 + int((x > k).sum())
    np.testing.assert_array_equal(out[:128], np.int64(counted).astype(np.int32))
    np.testing.assert_array_equal(out[128:], 2)


# --- Arithmetic of tensor cores, halves and bytes ---------------------------------------------------------


def _bfloat(x: Array) -> Array:
    """Bits of the nearest bfloat16."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def _value(bits: Array) -> Array:
    """Values of bfloat16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


MATRIX = """{kernel}(const unsigned* a, const unsigned* b, {type}* d) {{
    int t = threadIdx.x;
    unsigned x[{na}], y[{nb}];
    for (int j = 0; j < {na}; ++j) x[j] = a[(t / 4 + j % 2 * 8) * {words} + t % 4 + j / 2 * 4];
    for (int j = 0; j < {nb}; ++j) y[j] = b[t / 4 * {words} + t % 4 + j * 4];
    {type} s[4] = {{}};
    asm volatile("mma.sync.aligned.{shape}.row.col.{kinds} {{%0,%1,%2,%3}}, {{{xs}}}, {{{ys}}}, {{%0,%1,%2,%3}};"
        : {outs} : {ins});
    for (int j = 0; j < 4; ++j) d[(t / 4 + j / 2 * 8) * 8 + t % 4 * 2 + j % 2] = s[j];
}}"""


def _matrix_kernel(shape: str, kinds: str, registers: int, words: int) -> str:
    is_integer = kinds.startswith("s32")
    places = [f"%{4 + j}" for j in range(registers + registers // 2)]
    return MATRIX.format(
        kernel=KERNEL,
        type="int" if is_integer else "float",
        shape=shape,
        kinds=kinds,
        na=registers,
        nb=registers // 2,
        words=words,
        xs=",".join(places[:registers]),
        ys=",".join(places[registers:]),
        outs=", ".join(f'"+{"r" if is_integer else "f"}"(s[{j}])' for j in range(4)),
        ins=", ".join(
            [f'"r"(x[{j}])' for j in range(registers)] + [f'"r"(y[{j}])' for j in range(registers // 2)]
        ),
    )


MATRICES = {
    "half": ("m16n8k16", "f32.f16.f16.f32", 4, 16, lambda x: x.astype(np.float16), lambda x: x),
    "bfloat": ("m16n8k16", "f32.bf16.bf16.f32", 4, 16, _bfloat, _value),
    "bfloat, short": ("m16n8k8", "f32.bf16.bf16.f32", 2, 8, _bfloat, _value),
    "tf32": ("m16n8k8", "f32.tf32.tf32.f32", 4, 8, lambda x: _value(_bfloat(x)), lambda x: x),
    "int8": ("m16n8k32", "s32.s8.s8.s32", 4, 32, lambda x: (x * 127).astype(np.int8), lambda x: x),
    "uint8": ("m16n8k16", "s32.u8.u8.s32", 2, 16, lambda x: (abs(x) * 255).astype(np.uint8), lambda x: x),
}


@GPUS
@pytest.mark.parametrize("kind", MATRICES)
def test_matrix_products(kind: str, gpu: str) -> None:
    shape, kinds, registers, depth, store, value = MATRICES[kind]
    a, b = (store(random.uniform(-1, 1, (n, depth))) for n in (16, 8))
    out = np.zeros((16, 8), np.int32 if kinds.startswith("s32") else np.float32)
    _run(_matrix_kernel(shape, kinds, registers, a.nbytes // 64), 32, [a, b, out], gpu)
    product = value(a).astype(np.float64) @ value(b).astype(np.float64).T
    np.testing.assert_allclose(out, product, rtol=0, atol=1e-5)


PACKED = {  # name: (PTX, what it does to values a, b, c)
    "fma": ("fma.rn.bf16x2 %0, %1, %2, %3", lambda a, b, c: a * b + c),
    "min": ("min.bf16x2 %0, %1, %2", lambda a, b, c: np.minimum(a, b)),
    "max": ("max.bf16x2 %0, %1, %2", lambda a, b, c: np.maximum(a, b)),
    "relu": ("fma.rn.relu.bf16x2 %0, %1, %2, %3", lambda a, b, c: np.maximum(a * b + c, 0)),
}


@GPUS
def test_two_bfloats_at_a_time(gpu: str) -> None:
    lines = "\n".join(
        f'asm("{ptx};" : "=r"(d) : "r"(a), "r"(b), "r"(c)); out[{k} * 128 + threadIdx.x] = d;'
        for k, (ptx, _) in enumerate(PACKED.values())
    )
    source = f"""{KERNEL}(const unsigned* x, const unsigned* y, const unsigned* z, unsigned* out) {{
    unsigned a = x[threadIdx.x], b = y[threadIdx.x], c = z[threadIdx.x], d;
    {lines}
}}"""
    inputs = [_bfloat(random.standard_normal(256) * scale) for scale in (1, 20, 0.1)]
    out = np.zeros((len(PACKED), 256), np.uint16)
    _run(source, 128, [*inputs, out], gpu)
    for got, (_, expected) in zip(out, PACKED.values(), strict=True):
        values = expected(*(_value(x).astype(np.float64) for x in inputs))
        # Rounded to a single first, which a bfloat16's last bit can show where it is a near tie.
        np.testing.assert_allclose(_value(got), _value(_bfloat(values)), rtol=2**-8)


@GPUS
def test_bytes_and_halfwords(gpu: str) -> None:
    source = f"""{KERNEL}(const int* x, const int* y, int* out) {{
    int a = x[threadIdx.x], b = y[threadIdx.x];
    out[threadIdx.x] = __dp2a_lo(a, b, 1);
    out[128 + threadIdx.x] = __dp2a_hi((unsigned)a, (unsigned)b, 2u);
    out[256 + threadIdx.x] = __vabsdiffu4(a, b);
    out[384 + threadIdx.x] = __usad(a, b, 7u);
    out[512 + threadIdx.x] = __sad(a, b, 7u);
    out[640 + threadIdx.x] = __vmaxs2(a, b);
}}"""
    x, y = (random.integers(0, 1 << 32, 128, np.uint64).astype(np.uint32).view(np.int32) for _ in "ab")
    out = np.zeros((6, 128), np.int32)
    _run(source, 128, [x, y, out], gpu)

    def parts(words: Array, kind: str) -> Array:
        return words.view(kind).reshape(128, -1).astype(np.int64)

    wide = [x.astype(np.int64), y.astype(np.int64)]
    unsigned = [x.view(np.uint32).astype(np.int64), y.view(np.uint32).astype(np.int64)]
    differences = abs(parts(x, "u1") - parts(y, "u1")).astype(np.uint8)
    expected = [
        (parts(x, "i2") * parts(y, "i1")[:, :2]).sum(1) + 1,
        (parts(x, "u2") * parts(y, "u1")[:, 2:]).sum(1) + 2,
        differences.view(np.int32).reshape(-1),
        abs(unsigned[0] - unsigned[1]) + 7,
        abs(wide[0] - wide[1]) + 7,
        np.maximum(x.view(np.int16), y.view(np.int16)).view(np.int32),
    ]
    for got, values in zip(out, expected, strict=True):
        np.testing.assert_array_equal(got, np.asarray(values).astype(np.int64).astype(np.int32))


@GPUS
def test_lesser_and_greater_doubles(gpu: str) -> None:
    source = f"""{KERNEL}(const double* x, const double* y, double* out) {{
    out[threadIdx.x] = fmin(x[threadIdx.x], y[threadIdx.x]);
    out[64 + threadIdx.x] = fmax(x[threadIdx.x], y[threadIdx.x]);
}}"""
    corners = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.5])
    x, y = (grid.reshape(-1).copy() for grid in np.meshgrid(corners, corners))
    out = np.zeros((2, 64))
    _run(source, 64, [x, y, out], gpu)
    np.testing.assert_array_equal(out, [np.fmin(x, y), np.fmax(x, y)])
