// C = A B^T / K in FP16; both matrices have rows along k. Blocks of 128 x BN, two rows of WARPS_N warps.
#include <cuda_fp16.h>

constexpr int THREADS = WARPS_N * 64, BM = 128, PITCH = BK + 8, WN = BN / WARPS_N, MT = 4, NT = WN / 8;
constexpr int AR = BM * BK / 8 / THREADS, BR = BN * BK / 8 / THREADS;

__device__ void matrices(unsigned* r, const __half* at)
{
    const unsigned address = (unsigned)__cvta_generic_to_shared(at);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_half_sums(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c, int n, int k)
{
    __shared__ __align__(16) __half sa[BM * PITCH], sb[BN * PITCH];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, wm = warp / WARPS_N * 64, wn = warp % WARPS_N * WN;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
#if WIDE_SUMS
    float sum[MT][NT][4] = {};
#else
    unsigned sum[MT][NT][2] = {};
#endif
    uint4 ra[AR], rb[BR];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int r = 0; r < AR; ++r) {
            const int i = r * THREADS + t;
            ra[r] = *(const uint4*)(a + (size_t)(row0 + i / (BK / 8)) * k + k0 + i % (BK / 8) * 8);
        }
#pragma unroll
        for (int r = 0; r < BR; ++r) {
            const int i = r * THREADS + t;
            rb[r] = *(const uint4*)(b + (size_t)(col0 + i / (BK / 8)) * k + k0 + i % (BK / 8) * 8);
        }
    };
    fetch(0);
    for (int k0 = 0; k0 < k; k0 += BK) {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < AR; ++r) {
            const int i = r * THREADS + t;
            *(uint4*)(sa + i / (BK / 8) * PITCH + i % (BK / 8) * 8) = ra[r];
        }
#pragma unroll
        for (int r = 0; r < BR; ++r) {
            const int i = r * THREADS + t;
            *(uint4*)(sb + i / (BK / 8) * PITCH + i % (BK / 8) * 8) = rb[r];
        }
        __syncthreads();
        if (k0 + BK < k) fetch(k0 + BK);
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            unsigned fa[MT][4], fb[NT / 2][4];
#pragma unroll
            for (int i = 0; i < MT; ++i) matrices(fa[i], sa + (wm + i * 16 + lane % 16) * PITCH + kk + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < NT / 2; ++j)
                matrices(fb[j], sb + (wn + j * 16 + lane / 16 * 8 + lane % 8) * PITCH + kk + lane / 8 % 2 * 8);
#pragma unroll
            for (int i = 0; i < MT; ++i)
#pragma unroll
                for (int j = 0; j < NT; ++j) {
                    const unsigned b0 = fb[j / 2][j % 2 * 2], b1 = fb[j / 2][j % 2 * 2 + 1];
#if WIDE_SUMS
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(b0), "r"(b1));
#else
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
                                 "{%6, %7}, {%0, %1};"
                                 : "+r"(sum[i][j][0]), "+r"(sum[i][j][1])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(b0), "r"(b1));
#endif
                }
        }
    }
    const float scale = 1.0f / k;
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
        for (int j = 0; j < NT; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
#if WIDE_SUMS
                const __half2 out = __floats2half2_rn(sum[i][j][h * 2] * scale, sum[i][j][h * 2 + 1] * scale);
#else
                const __half2 out = __hmul2(*(const __half2*)&sum[i][j][h], __float2half2_rn(scale));
#endif
                const int row = row0 + wm + i * 16 + h * 8 + lane / 4, col = col0 + wn + j * 8 + lane % 4 * 2;
                *(__half2*)(c + (size_t)row * n + col) = out;
            }
}
