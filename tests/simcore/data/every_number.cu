// Small kernels that together use every part of a GPU: see test_numbers.py. n is a power of two, the words of x.
#include <cuda_fp16.h>
#include <mma.h>

#define KERNEL(name) extern "C" __global__ void name(float* x, float* y, int* h, int n)
#define THREAD int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32

__constant__ float table[8192];

KERNEL(copy) {
    THREAD;
    y[i] = x[i] + lane;
}

KERNEL(fp32) {
    THREAD;
    float a = lane, b = i;
    for (int r = 0; r < 64; ++r) { a = a * 1.5f + b; b = b * 0.5f + a; }
    y[i] = a + b;
}

KERNEL(fp64) {
    THREAD;
    double a = lane;
    for (int r = 0; r < 16; ++r) a = a * 1.5 + 0.25;
    y[i] = a;
}

KERNEL(integers) {
    THREAD;
    unsigned a = lane, b = n;
    for (int r = 0; r < 32; ++r) { a = (a ^ b) + (a << 3); b = b ^ (a >> 5); }
    y[i] = a + b;
}

KERNEL(halves) {
    THREAD;
    __half2 a = __float2half2_rn(lane), b = a;
    for (int r = 0; r < 32; ++r) { a = __hfma2(a, b, b); b = __hfma2(b, a, a); }
    y[i] = __low2float(__hadd2(a, b));
}

KERNEL(special) {
    THREAD;
    float a = lane + 1;
    for (int r = 0; r < 16; ++r) a = __expf(a) + __logf(a);
    y[i] = a;
}

KERNEL(tensor) {
    using namespace nvcuda::wmma;
    THREAD;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c, d;
    fill_fragment(a, __float2half(lane));
    fill_fragment(b, __float2half(2));
    fill_fragment(c, 0.f);
    fill_fragment(d, 0.f);
    for (int r = 0; r < 16; ++r) { mma_sync(c, a, b, c); mma_sync(d, a, b, d); }
    store_matrix_sync(y + 512 * (i / 32 % 128), c, 16, mem_row_major);
    store_matrix_sync(y + 512 * (i / 32 % 128) + 256, d, 16, mem_row_major);
}

KERNEL(lanes) {
    THREAD;
    int a = lane;
    for (int r = 0; r < 8; ++r) {
        a += __shfl_xor_sync(~0u, a, 1);
        a += __popc(__match_any_sync(~0u, a & 7));
        a += __reduce_add_sync(~0u, a);
        a += __popc(__ballot_sync(~0u, a & 1));
    }
    y[i] = a;
}

KERNEL(shared_words) {
    THREAD;
    __shared__ float t[2048];
    t[threadIdx.x] = x[i];
    float a = 0;
    for (int r = 0; r < 8; ++r) {
        __syncthreads();
        a += t[threadIdx.x * 2 % 256];
        t[threadIdx.x] = a;
        atomicAdd((int*)t + 512 + lane / 8, lane);
    }
    y[i] = a + t[512];
}

KERNEL(wide) {
    THREAD;
    __shared__ float4 t[512];
    const float4* wide_x = (const float4*)x;
    t[threadIdx.x] = wide_x[i % 4096];
    __syncthreads();
    float4 a = t[threadIdx.x ^ 1], b = t[threadIdx.x / 32];
    for (int r = 0; r < 8; ++r) {
        float4 c = wide_x[(i + 32 * r) % 512], d = wide_x[r + lane / 32];
        a.x += c.x + d.y;
        a.y += c.y + d.z;
    }
    ((float4*)y)[i % 65536] = make_float4(a.x + b.x, a.y, b.z, a.w);
}

KERNEL(gather) {
    THREAD;
    float a = 0;
    for (int r = 0; r < 8; ++r) a += x[(i * 3201 + r * 4099) & (n - 1)];
    y[i] = a;
}

KERNEL(reuse) {
    THREAD;
    float a = 0;
    for (int r = 0; r < 8; ++r) a += x[(lane * 32 + r) & 4095] + x[(i * 8) & 16383] + x[(i * 64 + r * 512) & 65535];
    y[i] = a;
}

KERNEL(scatter) {
    THREAD;
    y[(i * 16 + 1) & (n - 1)] = i;
    ((char*)x)[(i * 4) & (n - 1)] = lane;
    y[(i * 24 + 2) & (n - 1)] = i;
    for (int r = 0; r < 8; ++r) ((float4*)y)[(i + r * 8192) & (n / 4 - 1)] = make_float4(i, i, i, lane);
}

KERNEL(atomics) {
    THREAD;
    atomicAdd(h + lane % 4, lane);
    atomicAdd(y + 64, float(lane));
    atomicAdd(h + (i & (n - 1)), 1);
    atomicAdd(h + 8 * (i % 8192), lane);
    y[i] = atomicAdd(h + 1024 + lane, lane);
}

KERNEL(own_atomics) {
    THREAD;
    for (int r = 0; r < 4; ++r) atomicAdd(h + ((i * 8 + r * 1024) & (n - 1)), lane);
}

KERNEL(row_of_atomics) {
    THREAD;
    for (int r = 0; r < 4; ++r) atomicAdd(h + ((i + r * 8192) & (n - 1)), lane);
}

KERNEL(one_float) {
    THREAD;
    atomicAdd(y, float(lane));
}

KERNEL(hot_line) {
    THREAD;
    atomicAdd(h + lane, lane);
}

KERNEL(branches) {
    THREAD;
    int a = lane;
    for (int r = 0; r < 12; ++r) {
        if ((a + r) % 3 == 0) a += x[a & 7] > 0 ? 3 : 2;
        else a ^= h[r & 7] + 1;
        switch ((a * 7 + r) & 15) {
            case 0: a += 5; break;
            case 1: a ^= n; break;
            case 2: a *= h[2]; break;
            case 3: a -= h[3]; break;
            case 4: a = a << 2 | 1; break;
            case 5: a += n * 3; break;
            case 6: a ^= h[6]; break;
            case 7: a = -a; break;
            case 9: a = h[a & 31]; break;
            case 12: a = a * a + 1; break;
            default: a += 9;
        }
    }
    y[i] = a;
}

KERNEL(fence) {
    THREAD;
    y[i] = lane;
    __threadfence();
    x[i] = lane;
}

template <int LENGTH>
__device__ float chain(float a, float b, int times) {
#pragma unroll 1
    for (int q = 0; q < times; ++q) {
#pragma unroll
        for (int r = 0; r < LENGTH; ++r) { a = a * 1.5f + b; b = b * 0.5f + a; }
    }
    return a + b;
}

KERNEL(code_for_l0) {
    THREAD;
    y[i] = chain<300>(lane, i, n >> 16);
}

KERNEL(code_for_l1) {
    THREAD;
    y[i] = chain<900>(lane, i, n >> 16);
}

KERNEL(code_for_l15) {
    THREAD;
    y[i] = chain<3000>(lane, i, n >> 17);
}

KERNEL(code_for_l2) {
    THREAD;
    y[i] = chain<6000>(lane, i, n >> 17);
}

KERNEL(constants) {
    THREAD;
    float a = 0;
    for (int q = 0; q < 3; ++q) {
#pragma unroll
        for (int r = 0; r < 48; ++r) a += table[r * 24] * 1.5f;
        for (int r = 0; r < 16; ++r) a += table[(r * 97 + n + q) & 8191];
    }
    y[i] = a + lane;
}
