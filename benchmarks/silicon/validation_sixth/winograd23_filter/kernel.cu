// 768 x 384 filters of 3 x 3: U = G g G^T.
#include <cuda_fp16.h>

constexpr int FILTERS = 294912;

#if HALVES
typedef __half Out;
__device__ Out made(float x) { return __float2half(x); }
#else
typedef float Out;
__device__ Out made(float x) { return x; }
#endif

extern "C" __global__ void __launch_bounds__(THREADS) winograd23_filter(const float* __restrict__ filters, Out* __restrict__ out)
{
    const int filter = blockIdx.x * THREADS + threadIdx.x;
    float g[3][3];
#if STAGED
    __shared__ float all[THREADS * 9];
    for (int i = threadIdx.x; i < THREADS * 9; i += THREADS) all[i] = filters[(size_t)blockIdx.x * THREADS * 9 + i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 9; ++i) g[i / 3][i % 3] = all[threadIdx.x * 9 + i];
#else
#pragma unroll
    for (int i = 0; i < 9; ++i) g[i / 3][i % 3] = filters[(size_t)filter * 9 + i];
#endif
    float t[4][3];
#pragma unroll
    for (int j = 0; j < 3; ++j) {
        t[0][j] = g[0][j];
        t[1][j] = 0.5f * (g[0][j] + g[1][j] + g[2][j]);
        t[2][j] = 0.5f * (g[0][j] - g[1][j] + g[2][j]);
        t[3][j] = g[2][j];
    }
    float u[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        u[i * 4] = t[i][0];
        u[i * 4 + 1] = 0.5f * (t[i][0] + t[i][1] + t[i][2]);
        u[i * 4 + 2] = 0.5f * (t[i][0] - t[i][1] + t[i][2]);
        u[i * 4 + 3] = t[i][2];
    }
#if PLANES
#pragma unroll
    for (int i = 0; i < 16; ++i) out[(size_t)i * FILTERS + filter] = made(u[i]);
#else
    struct alignas(16) Part { Out v[16 / sizeof(Out)]; };
    constexpr int PER = 16 / sizeof(Out);
#pragma unroll
    for (int p = 0; p < 16 / PER; ++p) {
        Part part;
#pragma unroll
        for (int i = 0; i < PER; ++i) part.v[i] = made(u[p * PER + i]);
        reinterpret_cast<Part*>(out)[(size_t)filter * (16 / PER) + p] = part;
    }
#endif
}
