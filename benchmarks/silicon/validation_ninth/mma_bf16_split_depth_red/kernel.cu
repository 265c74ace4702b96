// C += A B with B by columns; a block has BM x 64 results of a SPLITS-th of the depth, a warp 32 x WN.
#include <cuda_bf16.h>
constexpr int THREADS = BM * 64 / WN, LD = BK + 8, VECS = BK / 8, NB = WN / 8;

__device__ __forceinline__ void mma16816(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_bf16_split_depth_red(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b, float* __restrict__ c)
{
    __shared__ alignas(16) unsigned short as[BM * LD], bs[64 * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int wr = warp % (BM / 32) * 32, wc = warp / (BM / 32) * WN, row0 = blockIdx.y * BM, col0 = blockIdx.x * 64;
    const int begin = blockIdx.z * (8192 / SPLITS);
    float acc[2][NB][4] = {};
#pragma unroll 1
    for (int k0 = begin; k0 < begin + 8192 / SPLITS; k0 += BK) {
        for (int i = threadIdx.x; i < BM * VECS; i += THREADS)
            *reinterpret_cast<uint4*>(as + i / VECS * LD + i % VECS * 8) =
                *reinterpret_cast<const uint4*>(a + (row0 + i / VECS) * 8192 + k0 + i % VECS * 8);
        for (int i = threadIdx.x; i < 64 * VECS; i += THREADS)
            *reinterpret_cast<uint4*>(bs + i / VECS * LD + i % VECS * 8) =
                *reinterpret_cast<const uint4*>(b + (col0 + i / VECS) * 8192 + k0 + i % VECS * 8);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned f[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    f[i][j] = *reinterpret_cast<const unsigned*>(as + (wr + i * 16 + j % 2 * 8 + g) * LD + k + j / 2 * 8 + 2 * t);
#pragma unroll
            for (int n = 0; n < NB; ++n) {
                const unsigned* from = reinterpret_cast<const unsigned*>(bs + (wc + n * 8 + g) * LD + k + 2 * t);
                const unsigned h[2] = {from[0], from[4]};
#pragma unroll
                for (int i = 0; i < 2; ++i) mma16816(acc[i][n], f[i], h);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < NB; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                atomicAdd(c + (row0 + wr + i * 16 + j / 2 * 8 + g) * 512 + col0 + wc + n * 8 + 2 * t + j % 2, acc[i][n][j]);
}
