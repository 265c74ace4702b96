// y = rms_norm(x * gate * sigmoid(gate)) * weight; KEEP: 0 registers, 1 shared memory, 2 computed again.
#include <cuda_bf16.h>
constexpr int PARTS = COLS / THREADS / 8, WARPS = THREADS / 32;

__device__ __forceinline__ void gated(float* f, uint4 a, uint4 b)
{
    const unsigned u[4] = {a.x, a.y, a.z, a.w}, v[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        const float p = __uint_as_float(j % 2 ? u[j / 2] & 0xffff0000u : u[j / 2] << 16);
        const float g = __uint_as_float(j % 2 ? v[j / 2] & 0xffff0000u : v[j / 2] << 16);
        f[j] = p * __fdividef(g, 1.0f + __expf(-g));
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
gated_rmsnorm_bf16x8(const uint4* __restrict__ x, const uint4* __restrict__ gate, const float4* __restrict__ weight,
                     uint4* __restrict__ y)
{
    __shared__ float part[WARPS];
    alignas(16) __shared__ float row[KEEP == 1 ? COLS : 4];
    const size_t at = (size_t)blockIdx.x * (COLS / 8) + threadIdx.x;
    float f[KEEP == 0 ? PARTS : 1][8], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        float* p = f[KEEP == 0 ? i : 0];
        gated(p, x[at + i * THREADS], gate[at + i * THREADS]);
#pragma unroll
        for (int j = 0; j < 8; ++j) sum += p[j] * p[j];
        if (KEEP == 1) {
            float4* to = reinterpret_cast<float4*>(row);
            to[i * THREADS + threadIdx.x] = make_float4(p[0], p[1], p[2], p[3]);
            to[COLS / 8 + i * THREADS + threadIdx.x] = make_float4(p[4], p[5], p[6], p[7]);
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (WARPS > 1) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) sum += part[w];
    }
    const float r = rsqrtf(sum / COLS + 1.0e-6f);
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        float* p = f[KEEP == 0 ? i : 0];
        if (KEEP == 1) {
            const float4* from = reinterpret_cast<const float4*>(row);
            const float4 a = from[i * THREADS + threadIdx.x], b = from[COLS / 8 + i * THREADS + threadIdx.x];
            p[0] = a.x, p[1] = a.y, p[2] = a.z, p[3] = a.w, p[4] = b.x, p[5] = b.y, p[6] = b.z, p[7] = b.w;
        }
        if (KEEP == 2) gated(p, x[at + i * THREADS], gate[at + i * THREADS]);
        const float4 a = weight[2 * (i * THREADS + threadIdx.x)], b = weight[2 * (i * THREADS + threadIdx.x) + 1];
        const __nv_bfloat162 q[4] = {__floats2bfloat162_rn(p[0] * r * a.x, p[1] * r * a.y), __floats2bfloat162_rn(p[2] * r * a.z, p[3] * r * a.w),
                                     __floats2bfloat162_rn(p[4] * r * b.x, p[5] * r * b.y), __floats2bfloat162_rn(p[6] * r * b.z, p[7] * r * b.w)};
        const unsigned* u = reinterpret_cast<const unsigned*>(q);
        y[at + i * THREADS] = make_uint4(u[0], u[1], u[2], u[3]);
    }
}
