// Batched products for attention scores; four warps, each with 32 x 32 results.
constexpr int D = DEPTH, LD = DEPTH + 4, THREADS = 128;

__device__ __forceinline__ unsigned bits(float f)
{
#if ROUNDED
    unsigned u;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(f));
    return u;
#else
    return __float_as_uint(f);
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_tf32_batched_64_blocks(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[STAGED ? 64 * LD : 4];
    alignas(16) __shared__ float bs[STAGED ? 64 * LD : 4];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, g = lane / 4, q = lane % 4, m0 = warp / 2 * 32, n0 = warp % 2 * 32;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; ++turn) {
        const int pair = blockIdx.x * TURNS + turn;
        const float* pa = a + (size_t)pair * 64 * D;
        const float* pb = b + (size_t)pair * 64 * D;
        if (STAGED) {
            __syncthreads();
#pragma unroll
            for (int i = t; i < 64 * D / 4; i += THREADS) {
                const int r = i / (D / 4), k = i % (D / 4) * 4;
                *reinterpret_cast<float4*>(as + r * LD + k) = *reinterpret_cast<const float4*>(pa + i * 4);
                *reinterpret_cast<float4*>(bs + r * LD + k) = *reinterpret_cast<const float4*>(pb + i * 4);
            }
            __syncthreads();
        }
        const float* fa0 = STAGED ? as : pa;
        const float* fb0 = STAGED ? bs : pb;
        constexpr int L = STAGED ? LD : D;
        float acc[2][4][4] = {};
#pragma unroll
        for (int k = 0; k < D; k += 8) {
            unsigned fa[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const float* p = fa0 + (m0 + i * 16 + g) * L + k + q;
                fa[i][0] = bits(p[0]);
                fa[i][1] = bits(p[8 * L]);
                fa[i][2] = bits(p[4]);
                fa[i][3] = bits(p[8 * L + 4]);
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float* p = fb0 + (n0 + j * 8 + g) * L + k + q;
                const unsigned b0 = bits(p[0]), b1 = bits(p[4]);
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    float* d = acc[i][j];
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(b0), "r"(b1));
                }
            }
        }
        float* to = c + (size_t)pair * 4096;
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int h = 0; h < 2; ++h)
                    *reinterpret_cast<float2*>(to + (m0 + i * 16 + g + h * 8) * 64 + n0 + j * 8 + q * 2) = make_float2(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
    }
}
