// C = A^T B with A of K rows and M columns; the next tile is fetched to registers while one is multiplied.
constexpr int SIDE = TILE / MICRO, THREADS = SIDE * SIDE, PACKS = BK * TILE / 4, ROUNDS = (PACKS + THREADS - 1) / THREADS;
constexpr int GROUPS = MICRO / 4, SPAN = TILE / GROUPS;

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_tn_double(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k)
{
    __shared__ __align__(16) float sa[BUFFERS][BK][TILE], sb[BUFFERS][BK][TILE];
    const int t = threadIdx.x, tx = t % SIDE, ty = t / SIDE, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float4 ra[ROUNDS], rb[ROUNDS];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int r = 0; r < ROUNDS; ++r) {
            const int i = r * THREADS + t, kk = i / (TILE / 4), at = i % (TILE / 4) * 4;
            if (PACKS % THREADS == 0 || i < PACKS) {
                ra[r] = *(const float4*)(a + (k0 + kk) * m + row0 + at);
                rb[r] = *(const float4*)(b + (k0 + kk) * n + col0 + at);
            }
        }
    };
    auto store = [&](int buffer) {
#pragma unroll
        for (int r = 0; r < ROUNDS; ++r) {
            const int i = r * THREADS + t, kk = i / (TILE / 4), at = i % (TILE / 4) * 4;
            if (PACKS % THREADS == 0 || i < PACKS) {
                *(float4*)&sa[buffer][kk][at] = ra[r];
                *(float4*)&sb[buffer][kk][at] = rb[r];
            }
        }
    };
    float sum[MICRO][MICRO] = {};
    fetch(0);
    store(0);
    __syncthreads();
    int now = 0;
    for (int k0 = 0; k0 < k; k0 += BK) {
        const bool more = k0 + BK < k;
        if (more) fetch(k0 + BK);
#pragma unroll
        for (int kk = 0; kk < BK; ++kk) {
            float x[MICRO], y[MICRO];
#pragma unroll
            for (int g = 0; g < GROUPS; ++g) {
                *(float4*)&x[g * 4] = *(const float4*)&sa[now][kk][g * SPAN + ty * 4];
                *(float4*)&y[g * 4] = *(const float4*)&sb[now][kk][g * SPAN + tx * 4];
            }
#pragma unroll
            for (int i = 0; i < MICRO; ++i)
#pragma unroll
                for (int j = 0; j < MICRO; ++j) sum[i][j] += x[i] * y[j];
        }
        if (BUFFERS == 1) __syncthreads();
        if (BUFFERS == 2) now ^= 1;
        if (more) store(now);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int g = 0; g < GROUPS; ++g)
            *(float4*)(c + (row0 + i / 4 * SPAN + ty * 4 + i % 4) * n + col0 + g * SPAN + tx * 4) =
                make_float4(sum[i][g * 4], sum[i][g * 4 + 1], sum[i][g * 4 + 2], sum[i][g * 4 + 3]);
}
