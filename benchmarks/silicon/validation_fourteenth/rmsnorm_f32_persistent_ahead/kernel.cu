// Blocks stay and take row after row; a thread has the same columns of all of them.
constexpr int ROWS = 8388608 / COLS, PACKS = COLS / 4, EACH = PACKS / THREADS, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_f32_persistent_ahead(const float4* __restrict__ x, const float4* __restrict__ w, float4* __restrict__ y)
{
    __shared__ float part[2][WARPS];
    const int t = threadIdx.x;
    float4 g[EACH], p[EACH], q[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        g[i] = w[i * THREADS + t];
        if (AHEAD) q[i] = x[(size_t)blockIdx.x * PACKS + i * THREADS + t];
    }
    int side = 0;
#pragma unroll 1
    for (int row = blockIdx.x; row < ROWS; row += BLOCKS, side ^= 1) {
        const int later = row + BLOCKS < ROWS ? row + BLOCKS : row;
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            if (AHEAD) {
                p[i] = q[i];
                q[i] = x[(size_t)later * PACKS + i * THREADS + t];
            } else {
                p[i] = x[(size_t)row * PACKS + i * THREADS + t];
            }
        }
#pragma unroll
        for (int i = 0; i < EACH; ++i) sum += p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z + p[i].w * p[i].w;
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (t % 32 == 0) part[side][t / 32] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int k = 0; k < WARPS; ++k) sum += part[side][k];
        const float scale = rsqrtf(sum * (1.0f / COLS) + 1e-6f);
#pragma unroll
        for (int i = 0; i < EACH; ++i)
            y[(size_t)row * PACKS + i * THREADS + t] =
                make_float4(p[i].x * scale * g[i].x, p[i].y * scale * g[i].y, p[i].z * scale * g[i].z, p[i].w * scale * g[i].w);
    }
}
