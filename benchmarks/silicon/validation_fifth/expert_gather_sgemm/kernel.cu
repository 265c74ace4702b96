// Grouped matrix product of a mixture of experts: up to 128 gathered tokens an expert, 4 x 4 results a thread.
constexpr int DEPTH = 512, COLS = 512, CAPACITY = 128, THREADS = TILE_M * TILE_N / 16, TX = TILE_N / 4;

struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
expert_gather_sgemm(const int* __restrict__ tokens, const float* __restrict__ x, const float* __restrict__ w,
                    float* __restrict__ y)
{
    __shared__ float sx[BK][TILE_M + 4];
    __shared__ __align__(16) float sw[BK][TILE_N];
    __shared__ int who[TILE_M];
    const int expert = blockIdx.z, row0 = blockIdx.y * TILE_M, col0 = blockIdx.x * TILE_N, t = threadIdx.x;
    const int count = CAPACITY - expert * 37 % 96;
    if (row0 >= count) return;
    if (t < TILE_M) who[t] = row0 + t < count ? tokens[expert * CAPACITY + row0 + t] : -1;
    __syncthreads();
    const int tx = t % TX, ty = t / TX;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < DEPTH; k0 += BK) {
#pragma unroll
        for (int i = t; i < TILE_M * BK / VEC; i += THREADS) {
            const int m = i / (BK / VEC), kk = i % (BK / VEC) * VEC;
            Pack p = {};
            if (who[m] >= 0) p = *(const Pack*)(x + who[m] * DEPTH + k0 + kk);
#pragma unroll
            for (int v = 0; v < VEC; ++v) sx[kk + v][m] = p.v[v];
        }
#pragma unroll
        for (int i = t; i < TILE_N * BK / VEC; i += THREADS) {
            const int kk = i / (TILE_N / VEC), n = i % (TILE_N / VEC) * VEC;
            *(Pack*)&sw[kk][n] = *(const Pack*)(w + (expert * DEPTH + k0 + kk) * COLS + col0 + n);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; ++kk) {
            const float4 b = *(const float4*)&sw[kk][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float a = sx[kk][ty * 4 + i];
                sum[i][0] += a * b.x;
                sum[i][1] += a * b.y;
                sum[i][2] += a * b.z;
                sum[i][3] += a * b.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (row0 + ty * 4 + i < count)
            *(float4*)(y + (expert * CAPACITY + row0 + ty * 4 + i) * COLS + col0 + tx * 4) =
                make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
