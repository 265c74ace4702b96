// Gradients of RMS norm by its input and its weights; a block has a run of rows and keeps its sums for the weights.
constexpr int OWN = COLS / 4 / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_bwd_f32_weight_sums(const float4* __restrict__ dy, const float4* __restrict__ x, const float4* __restrict__ weight,
                            const float* __restrict__ factor, float4* __restrict__ dx, float4* __restrict__ dweight)
{
    __shared__ float parts[2][THREADS / 32];
    float4 w[OWN], sums[OWN];
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        w[i] = weight[i * THREADS + threadIdx.x];
        sums[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll 1
    for (int r = 0; r < RUN; ++r) {
        const int row = blockIdx.x * RUN + r;
        const size_t base = (size_t)row * (COLS / 4) + threadIdx.x;
        const float f = factor[row];
        float4 g[OWN], h[OWN];
        float dot = 0.0f;
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            g[i] = dy[base + i * THREADS];
            h[i] = x[base + i * THREADS];
        }
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            h[i].x *= f;
            h[i].y *= f;
            h[i].z *= f;
            h[i].w *= f;
            sums[i].x += g[i].x * h[i].x;
            sums[i].y += g[i].y * h[i].y;
            sums[i].z += g[i].z * h[i].z;
            sums[i].w += g[i].w * h[i].w;
            g[i].x *= w[i].x;
            g[i].y *= w[i].y;
            g[i].z *= w[i].z;
            g[i].w *= w[i].w;
            dot += g[i].x * h[i].x + g[i].y * h[i].y + g[i].z * h[i].z + g[i].w * h[i].w;
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) dot += __shfl_xor_sync(~0u, dot, d);
        if (threadIdx.x % 32 == 0) parts[r & 1][threadIdx.x / 32] = dot;
        __syncthreads();
        dot = 0.0f;
#pragma unroll
        for (int i = 0; i < THREADS / 32; ++i) dot += parts[r & 1][i];
        dot *= 1.0f / COLS;
#pragma unroll
        for (int i = 0; i < OWN; ++i)
            dx[base + i * THREADS] = make_float4(f * (g[i].x - h[i].x * dot), f * (g[i].y - h[i].y * dot),
                                                 f * (g[i].z - h[i].z * dot), f * (g[i].w - h[i].w * dot));
    }
#pragma unroll
    for (int i = 0; i < OWN; ++i) dweight[blockIdx.x * (COLS / 4) + i * THREADS + threadIdx.x] = sums[i];
}
