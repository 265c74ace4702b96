// C = A B; cp.async, ldmatrix and mma.m16n8k16 with sums of either width.
#include <cuda_fp16.h>
constexpr int M = 2048, N = 2048, K = 1024, BK = 16, THREADS = 128, LA = BK + 8, LB = BN + 8, FM = BM / 32, FN = BN / 16, STEPS = K / BK;

__device__ __forceinline__ unsigned at_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at_shared(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void ldsm4(unsigned* r, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared(p)) : "memory");
}
__device__ __forceinline__ void ldsm4t(unsigned* r, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared(p)) : "memory");
}
#if WIDE
struct Sums { float f[4]; };
__device__ __forceinline__ void mma(Sums& d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d.f[0]), "+f"(d.f[1]), "+f"(d.f[2]), "+f"(d.f[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ __half2 pair(const Sums& d, int h) { return __floats2half2_rn(d.f[2 * h], d.f[2 * h + 1]); }
#else
struct Sums { unsigned u[2]; };
__device__ __forceinline__ void mma(Sums& d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                 : "+r"(d.u[0]), "+r"(d.u[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ __half2 pair(const Sums& d, int h) { return *reinterpret_cast<const __half2*>(&d.u[h]); }
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
mma_f16_sums_f16_async_nn(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c)
{
    alignas(16) __shared__ __half as[STAGES][BM * LA];
    alignas(16) __shared__ __half bs[STAGES][BK * LB];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int m0 = warp / 2 * (BM / 2), n0 = warp % 2 * (BN / 2), mat = lane / 8;
    Sums acc[FM][FN] = {};
    auto start = [&](int step) {
        if (step < STEPS) {
            const int s = step % STAGES, k0 = step * BK;
#pragma unroll
            for (int i = t; i < BM * 2; i += THREADS) copy16(&as[s][i / 2 * LA + i % 2 * 8], a + (size_t)(row0 + i / 2) * K + k0 + i % 2 * 8);
#pragma unroll
            for (int i = t; i < BK * BN / 8; i += THREADS) copy16(&bs[s][i / (BN / 8) * LB + i % (BN / 8) * 8], b + (size_t)(k0 + i / (BN / 8)) * N + col0 + i % (BN / 8) * 8);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) start(s);
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        start(step + STAGES - 1);
        const __half* sa = as[step % STAGES];
        const __half* sb = bs[step % STAGES];
        unsigned fa[FM][4];
#pragma unroll
        for (int i = 0; i < FM; ++i) ldsm4(fa[i], sa + (m0 + i * 16 + lane % 16) * LA + lane / 16 * 8);
#pragma unroll
        for (int j = 0; j < FN; j += 2) {
            unsigned fb[4];
            ldsm4t(fb, sb + (lane % 8 + mat % 2 * 8) * LB + n0 + j * 8 + mat / 2 * 8);
#pragma unroll
            for (int i = 0; i < FM; ++i) {
                mma(acc[i][j], fa[i], fb);
                mma(acc[i][j + 1], fa[i], fb + 2);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h)
                *reinterpret_cast<__half2*>(c + (size_t)(row0 + m0 + i * 16 + lane / 4 + h * 8) * N + col0 + n0 + j * 8 + lane % 4 * 2) = pair(acc[i][j], h);
}
