// A word quadruple of w has a lane's fragments of two steps of the depth; no fragment goes through shared memory.
#include <cuda_bf16.h>
constexpr int THREADS = 32 * WARPS, MT = M / 16, STEPS = 128 / WARPS;

__device__ __forceinline__ void mma16816bf(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_packed_weights_bf16(const __nv_bfloat16* __restrict__ a, const uint4* __restrict__ w, float* __restrict__ c)
{
    __shared__ float sums[WARPS][M * NT * 8];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    float acc[MT][NT][4] = {};
#pragma unroll 1
    for (int s = warp * STEPS; s < (warp + 1) * STEPS; s += UNROLL) {
        uint4 f[UNROLL][NT];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
#pragma unroll
            for (int n = 0; n < NT; ++n) f[u][n] = w[((blockIdx.x * NT + n) * 128 + s + u) * 32 + lane];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
#pragma unroll
            for (int k = 0; k < 2; ++k)
#pragma unroll
                for (int m = 0; m < MT; ++m) {
                    const unsigned* from = reinterpret_cast<const unsigned*>(a + (m * 16 + g) * 4096 + (s + u) * 32 + k * 16 + 2 * t);
                    const unsigned h[4] = {from[0], from[8 * 2048], from[4], from[8 * 2048 + 4]};
#pragma unroll
                    for (int n = 0; n < NT; ++n) {
                        const unsigned b[2] = {k ? f[u][n].z : f[u][n].x, k ? f[u][n].w : f[u][n].y};
                        mma16816bf(acc[m][n], h, b);
                    }
                }
    }
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int n = 0; n < NT; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) sums[warp][(m * 16 + j / 2 * 8 + g) * (NT * 8) + n * 8 + 2 * t + j % 2] = acc[m][n][j];
    __syncthreads();
    for (int i = threadIdx.x; i < M * NT * 8; i += THREADS) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < WARPS; ++k) sum += sums[k][i];
        c[i / (NT * 8) * 4096 + blockIdx.x * NT * 8 + i % (NT * 8)] = sum;
    }
}
