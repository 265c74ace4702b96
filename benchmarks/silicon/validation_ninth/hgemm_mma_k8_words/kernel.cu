// C = A B with B given by columns, 1,536 x 1,536 results of depth 768; a warp has 32 x 32 of them.
#include <cuda_fp16.h>
constexpr int THREADS = BM * BN / 32, LD = BK + PAD, VECS = BK / 8;

__device__ __forceinline__ void mma1688(float* d, const unsigned* a, unsigned b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b));
}

extern "C" __global__ void __launch_bounds__(THREADS)
hgemm_mma_k8_words(const __half* __restrict__ a, const __half* __restrict__ b, __half2* __restrict__ c)
{
    __shared__ alignas(16) __half as[BM * LD], bs[BN * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int wr = warp % (BM / 32) * 32, wc = warp / (BM / 32) * 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[2][4][4] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < 768; k0 += BK) {
        for (int i = threadIdx.x; i < BM * VECS; i += THREADS)
            *reinterpret_cast<uint4*>(as + i / VECS * LD + i % VECS * 8) =
                *reinterpret_cast<const uint4*>(a + (row0 + i / VECS) * 768 + k0 + i % VECS * 8);
        for (int i = threadIdx.x; i < BN * VECS; i += THREADS)
            *reinterpret_cast<uint4*>(bs + i / VECS * LD + i % VECS * 8) =
                *reinterpret_cast<const uint4*>(b + (col0 + i / VECS) * 768 + k0 + i % VECS * 8);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            unsigned f[2][2], h[4];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j)
                    f[i][j] = *reinterpret_cast<const unsigned*>(as + (wr + i * 16 + j * 8 + g) * LD + k + 2 * t);
#pragma unroll
            for (int j = 0; j < 4; ++j) h[j] = *reinterpret_cast<const unsigned*>(bs + (wc + j * 8 + g) * LD + k + 2 * t);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) mma1688(acc[i][j], f[i], h[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int r = row0 + wr + i * 16 + g, n = (col0 + wc + j * 8) / 2 + t;
            c[r * 768 + n] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            c[(r + 8) * 768 + n] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}
