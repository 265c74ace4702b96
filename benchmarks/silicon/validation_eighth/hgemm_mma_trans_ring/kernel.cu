// C = A B in FP16, 2,048 x 2,048 x 1,024, both by rows; four warps; chunks of 16 bytes swizzled by row or not.
#include <cuda_fp16.h>
constexpr int K = 1024, N = 2048, BK = 32, STEPS = K / BK, MT = BM / 32, NT = BN / 16, BC = BN / 8;

__device__ __forceinline__ unsigned address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void cp_async16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(address(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void ldm4(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"(address(p)) : "memory");
}
__device__ __forceinline__ void ldm4t(unsigned* f, const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"(address(p)) : "memory");
}
__device__ __forceinline__ void mma16816(float* d, const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(128)
hgemm_mma_trans_ring(const uint4* __restrict__ a, const uint4* __restrict__ b, __half2* __restrict__ c)
{
    __shared__ __align__(16) uint4 as[STAGES][BM * 4], bs[STAGES][BK * BC];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp / 2 * (BM / 2), wn = warp % 2 * (BN / 2);
    auto at_a = [](int r, int q) { return r * 4 + (SWIZZLE ? q ^ (r / 2 % 4) : q); };
    auto at_b = [](int r, int q) { return r * BC + (SWIZZLE ? q ^ (r % 8) : q); };
    auto fill = [&](int step) {
        const int s = step % STAGES;
#pragma unroll
        for (int i = threadIdx.x; i < BM * 4; i += 128)
            cp_async16(&as[s][at_a(i / 4, i % 4)], a + (blockIdx.y * BM + i / 4) * (K / 8) + step * 4 + i % 4);
#pragma unroll
        for (int i = threadIdx.x; i < BK * BC; i += 128)
            cp_async16(&bs[s][at_b(i / BC, i % BC)], b + (step * BK + i / BC) * (N / 8) + blockIdx.x * BC + i % BC);
    };
    float acc[MT][NT][4] = {};
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        fill(s);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        __syncthreads();
        if (step + STAGES - 1 < STEPS) fill(step + STAGES - 1);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const int s = step % STAGES;
#pragma unroll
        for (int k = 0; k < BK / 16; ++k) {
            unsigned fa[MT][4], fb[NT][2];
#pragma unroll
            for (int m = 0; m < MT; ++m) ldm4(fa[m], &as[s][at_a(wm + m * 16 + lane % 16, k * 2 + lane / 16)]);
#pragma unroll
            for (int n = 0; n < NT; n += 2) ldm4t(fb[n], &bs[s][at_b(k * 16 + lane % 16, wn / 8 + n + lane / 16)]);
#pragma unroll
            for (int m = 0; m < MT; ++m)
#pragma unroll
                for (int n = 0; n < NT; ++n) mma16816(acc[m][n], fa[m], fb[n]);
        }
    }
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int n = 0; n < NT; ++n)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const int row = blockIdx.y * BM + wm + m * 16 + lane / 4 + h * 8;
                const int col = blockIdx.x * BN + wn + n * 8 + lane % 4 * 2;
                c[(row * N + col) / 2] = __floats2half2_rn(acc[m][n][h * 2], acc[m][n][h * 2 + 1]);
            }
}
