// FP16 matrix product A B^T by mma.sync, rows padded by 16 bytes, a ring of STAGES tiles in dynamic shared memory.
#include <cuda_fp16.h>
constexpr int M = 2048, N = 2048, K = 1024, WM = 32, WN = BN / 2, THREADS = BM / WM * 2 * 32, LD = BK + 8, MI = WM / 16, NI = WN / 8;
constexpr int STAGE = (BM + BN) * LD;

__device__ __forceinline__ void mma16816_f16(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void ldmatrix_x4(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}

__device__ __forceinline__ void cp_async16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void cp_async_commit()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}

template <int LEFT>
__device__ __forceinline__ void cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;" : : "n"(LEFT) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
hgemm_cp_async_nt_ring(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c)
{
    extern __shared__ __align__(16) __half ring[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wr = warp / 2 * WM, wc = warp % 2 * WN;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const auto load = [&](int tile) {
        __half* to = ring + tile % STAGES * STAGE;
#pragma unroll
        for (int i = threadIdx.x; i < (BM + BN) * BK / 8; i += THREADS) {
            const int r = i / (BK / 8), k = i % (BK / 8) * 8;
            const __half* from = r < BM ? a + (size_t)(row0 + r) * K : b + (size_t)(col0 + r - BM) * K;
            cp_async16(to + r * LD + k, from + tile * BK + k);
        }
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        load(s);
        cp_async_commit();
    }
    float acc[MI][NI][4] = {};
#pragma unroll 1
    for (int tile = 0; tile < K / BK; ++tile) {
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        if (tile + STAGES - 1 < K / BK) load(tile + STAGES - 1);
        cp_async_commit();
        const __half* as = ring + tile % STAGES * STAGE;
        const __half* bs = as + BM * LD;
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned fa[MI][4], fb[NI / 2][4];
#pragma unroll
            for (int i = 0; i < MI; ++i) ldmatrix_x4(fa[i], as + (wr + i * 16 + lane % 16) * LD + k + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < NI / 2; ++j) ldmatrix_x4(fb[j], bs + (wc + j * 16 + lane / 16 * 8 + lane % 8) * LD + k + lane / 8 % 2 * 8);
#pragma unroll
            for (int i = 0; i < MI; ++i)
#pragma unroll
                for (int j = 0; j < NI; ++j) mma16816_f16(acc[i][j], fa[i], fb[j / 2] + j % 2 * 2);
        }
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                *reinterpret_cast<__half2*>(c + (size_t)(row0 + wr + i * 16 + r * 8 + lane / 4) * N + col0 + wc + j * 8 + lane % 4 * 2) =
                    __floats2half2_rn(acc[i][j][2 * r], acc[i][j][2 * r + 1]);
}
