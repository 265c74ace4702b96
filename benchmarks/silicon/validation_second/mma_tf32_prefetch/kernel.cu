// FP32 matrices multiplied as TF32 by mma.sync m16n8k8. Four warps, two by two. ROUNDED converts the operands;
// otherwise their low bits are simply ignored.
constexpr int HALF_TILE = TILE / 2, MI = HALF_TILE / 16, NI = HALF_TILE / 8, LOADS = TILE * TILE_K / 4 / 128;

__device__ __forceinline__ unsigned tf32(float v)
{
#if ROUNDED
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return r;
#else
    return __float_as_uint(v);
#endif
}

extern "C" __global__ void __launch_bounds__(128)
mma_tf32_prefetch(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    constexpr int N = 1024;
    __shared__ __align__(16) float sa[TILE][TILE_K + 4], sb[TILE_K][TILE + 8];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, g = lane >> 2, q = lane & 3;
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE, wm = (warp >> 1) * HALF_TILE, wn = (warp & 1) * HALF_TILE;
    float acc[MI][NI][4] = {};
    float4 next_a[LOADS], next_b[LOADS];

    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int e = t + i * 128;
            next_a[i] = *(const float4*)&a[(m0 + e / (TILE_K / 4)) * N + k0 + e % (TILE_K / 4) * 4];
            next_b[i] = *(const float4*)&b[(k0 + e / (TILE / 4)) * N + n0 + e % (TILE / 4) * 4];
        }
    };
    if (PREFETCH) fetch(0);
    for (int k0 = 0; k0 < N; k0 += TILE_K) {
        if (!PREFETCH) fetch(k0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const int e = t + i * 128;
            *(float4*)&sa[e / (TILE_K / 4)][e % (TILE_K / 4) * 4] = next_a[i];
            *(float4*)&sb[e / (TILE / 4)][e % (TILE / 4) * 4] = next_b[i];
        }
        __syncthreads();
        if (PREFETCH && k0 + TILE_K < N) fetch(k0 + TILE_K);
#pragma unroll
        for (int k = 0; k < TILE_K; k += 8) {
            unsigned fb[NI][2];
#pragma unroll
            for (int j = 0; j < NI; ++j) {
                fb[j][0] = tf32(sb[k + q][wn + j * 8 + g]);
                fb[j][1] = tf32(sb[k + q + 4][wn + j * 8 + g]);
            }
#pragma unroll
            for (int i = 0; i < MI; ++i) {
                const float(*row)[TILE_K + 4] = &sa[wm + i * 16 + g];
                const unsigned a0 = tf32(row[0][k + q]), a1 = tf32(row[8][k + q]);
                const unsigned a2 = tf32(row[0][k + q + 4]), a3 = tf32(row[8][k + q + 4]);
#pragma unroll
                for (int j = 0; j < NI; ++j)
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(fb[j][0]), "r"(fb[j][1]));
            }
        }
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) {
            float* to = &c[(m0 + wm + i * 16 + g) * N + n0 + wn + j * 8 + q * 2];
            *(float2*)to = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)(to + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
