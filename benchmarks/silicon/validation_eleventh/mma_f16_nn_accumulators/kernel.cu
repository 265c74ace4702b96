// FP16 product of row-major matrices by mma.sync with fragments by ldmatrix, sums in FP16 or FP32.
#include <cuda_fp16.h>
constexpr int M = 2048, N = 2048, K = 1024, BM = 128, WM = BM / 4, WN = BN / 2, THREADS = 256;
constexpr int LDA = BK + 8, LDB = BN + 8, FM = WM / 16, FN = WN / 8;

__device__ __forceinline__ void ldmatrix_x4(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void ldmatrix_x4_trans(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void mma16816_f16(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void mma16816_f16acc(unsigned* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_f16_nn_accumulators(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c)
{
    alignas(16) __shared__ __half as[BM * LDA];
    alignas(16) __shared__ __half bs[BK * LDB];
    constexpr int LA = BM * BK / 8 / THREADS, LB = (BK * BN / 8 + THREADS - 1) / THREADS;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wy = warp / 2 * WM, wx = warp % 2 * WN;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[FM][FN][4] = {};
    unsigned acc2[FM][FN][2] = {};
    uint4 ra[LA], rb[LB];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            ra[i] = *reinterpret_cast<const uint4*>(a + (size_t)(row0 + e / (BK / 8)) * K + k0 + e % (BK / 8) * 8);
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            if (e < BK * BN / 8) rb[i] = *reinterpret_cast<const uint4*>(b + (size_t)(k0 + e / (BN / 8)) * N + col0 + e % (BN / 8) * 8);
        }
    };
    fetch(0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            *reinterpret_cast<uint4*>(as + e / (BK / 8) * LDA + e % (BK / 8) * 8) = ra[i];
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            if (e < BK * BN / 8) *reinterpret_cast<uint4*>(bs + e / (BN / 8) * LDB + e % (BN / 8) * 8) = rb[i];
        }
        __syncthreads();
        if (k0 + BK < K) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned fa[FM][4];
#pragma unroll
            for (int i = 0; i < FM; ++i) ldmatrix_x4(fa[i], as + (wy + i * 16 + lane % 16) * LDA + k + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < FN; j += 2) {
                unsigned fb[4];
                ldmatrix_x4_trans(fb, bs + (k + lane % 16) * LDB + wx + j * 8 + lane / 16 * 8);
#pragma unroll
                for (int i = 0; i < FM; ++i) {
                    if (ACC16) {
                        mma16816_f16acc(acc2[i][j], fa[i], fb);
                        mma16816_f16acc(acc2[i][j + 1], fa[i], fb + 2);
                    } else {
                        mma16816_f16(acc[i][j], fa[i], fb);
                        mma16816_f16(acc[i][j + 1], fa[i], fb + 2);
                    }
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
            for (int r = 0; r < 2; ++r) {
                __half2 h = __floats2half2_rn(acc[i][j][2 * r], acc[i][j][2 * r + 1]);
                if (ACC16) h = *reinterpret_cast<__half2*>(&acc2[i][j][r]);
                *reinterpret_cast<__half2*>(c + (size_t)(row0 + wy + i * 16 + r * 8 + lane / 4) * N + col0 + wx + j * 8 + lane % 4 * 2) = h;
            }
}
