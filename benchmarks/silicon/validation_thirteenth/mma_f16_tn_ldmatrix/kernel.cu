// C = A^T B; both matrices have the depth as rows, so both fragments are read by ldmatrix.trans.
#include <cuda_fp16.h>
constexpr int M = 2048, N = 2048, K = 1024, THREADS = 128, LA = BM + 8, LB = BN + 8, FM = BM / 32, FN = BN / 16;
constexpr int CA = BM * BK / 8 / THREADS, CB = BN * BK / 8 / THREADS;

__device__ __forceinline__ void ldsm4t(unsigned* r, const void* p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void mma_f16_16816(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_f16_tn_ldmatrix(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c)
{
    alignas(16) __shared__ __half as[BK * LA];
    alignas(16) __shared__ __half bs[BK * LB];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int m0 = warp % 2 * (BM / 2), n0 = warp / 2 * (BN / 2), mat = lane / 8;
    float acc[FM][FN][4] = {};
    uint4 na[CA], nb[CB];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < CA; ++i) {
            const int at = t + i * THREADS;
            na[i] = *reinterpret_cast<const uint4*>(a + (k0 + at / (BM / 8)) * M + row0 + at % (BM / 8) * 8);
        }
#pragma unroll
        for (int i = 0; i < CB; ++i) {
            const int at = t + i * THREADS;
            nb[i] = *reinterpret_cast<const uint4*>(b + (k0 + at / (BN / 8)) * N + col0 + at % (BN / 8) * 8);
        }
    };
    if (AHEAD) fetch(0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (!AHEAD) fetch(k0);
#pragma unroll
        for (int i = 0; i < CA; ++i) {
            const int at = t + i * THREADS;
            *reinterpret_cast<uint4*>(as + at / (BM / 8) * LA + at % (BM / 8) * 8) = na[i];
        }
#pragma unroll
        for (int i = 0; i < CB; ++i) {
            const int at = t + i * THREADS;
            *reinterpret_cast<uint4*>(bs + at / (BN / 8) * LB + at % (BN / 8) * 8) = nb[i];
        }
        __syncthreads();
        if (AHEAD && k0 + BK < K) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned fa[FM][4];
#pragma unroll
            for (int i = 0; i < FM; ++i) ldsm4t(fa[i], as + (k + lane % 8 + mat / 2 * 8) * LA + m0 + i * 16 + mat % 2 * 8);
#pragma unroll
            for (int j = 0; j < FN; j += 2) {
                unsigned fb[4];
                ldsm4t(fb, bs + (k + lane % 8 + mat % 2 * 8) * LB + n0 + j * 8 + mat / 2 * 8);
#pragma unroll
                for (int i = 0; i < FM; ++i) {
                    mma_f16_16816(acc[i][j], fa[i], fb);
                    mma_f16_16816(acc[i][j + 1], fa[i], fb + 2);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h)
                *reinterpret_cast<__half2*>(c + (size_t)(row0 + m0 + i * 16 + lane / 4 + h * 8) * N + col0 + n0 + j * 8 + lane % 4 * 2) =
                    __floats2half2_rn(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
}
