// C = A B of 1,024 x 1,024 x 512, all by rows; tiles of BM x 64, a ring of STAGES tiles filled by cp.async.
constexpr int N = 1024, K = 512, LINE = BK + 4, THREADS = BM / TM * 8, RT = BM / TM, STEPS = K / BK;

__device__ __forceinline__ void cp_async16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_cp_async_stages(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ __align__(16) float as[STAGES][BM * LINE], bs[STAGES][BK * 64];
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8, r0 = blockIdx.y * BM, c0 = blockIdx.x * 64;
    auto fill = [&](int step) {
        const int s = step % STAGES, k0 = step * BK;
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
            const int r = i / (BK / 4), k = i % (BK / 4) * 4;
            cp_async16(&as[s][r * LINE + k], a + (r0 + r) * K + k0 + k);
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * 16; i += THREADS)
            cp_async16(&bs[s][i * 4], b + (k0 + i / 16) * N + c0 + i % 16 * 4);
    };
    float acc[TM][8] = {};
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
        const float* ta = as[step % STAGES];
        const float* tb = bs[step % STAGES];
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float fa[TM];
            const float4 p = *reinterpret_cast<const float4*>(tb + k * 64 + tx * 4);
            const float4 q = *reinterpret_cast<const float4*>(tb + k * 64 + 32 + tx * 4);
            const float fb[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < TM; ++i) fa[i] = ta[(ty + i * RT) * LINE + k];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] += fa[i] * fb[j];
        }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h)
            *reinterpret_cast<float4*>(c + (r0 + ty + i * RT) * N + c0 + h * 32 + tx * 4) =
                make_float4(acc[i][h * 4], acc[i][h * 4 + 1], acc[i][h * 4 + 2], acc[i][h * 4 + 3]);
}
