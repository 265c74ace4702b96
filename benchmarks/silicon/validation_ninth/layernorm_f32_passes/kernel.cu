// Layer norm of FP32 rows; with TWO the variance is summed from differences to the mean after the mean is known.
constexpr int PARTS = COLS / THREADS / VEC, WARPS = THREADS / 32;
struct alignas(VEC * 4) Pack { float v[VEC]; };

__device__ __forceinline__ float2 block_sums(float a, float b, float2* part)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        a += __shfl_xor_sync(~0u, a, d);
        b += __shfl_xor_sync(~0u, b, d);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(a, b);
    __syncthreads();
    a = b = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
        a += part[w].x;
        b += part[w].y;
    }
    return make_float2(a, b);
}

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_f32_passes(const Pack* __restrict__ x, const Pack* __restrict__ gamma, const Pack* __restrict__ beta,
                     Pack* __restrict__ y)
{
    __shared__ float2 part[2][WARPS];
    const size_t at = (size_t)blockIdx.x * (COLS / VEC) + threadIdx.x;
    Pack f[PARTS];
    float s = 0.0f, q = 0.0f;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) f[i] = x[at + i * THREADS];
#pragma unroll
    for (int i = 0; i < PARTS; ++i)
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            s += f[i].v[j];
            if (!TWO) q += f[i].v[j] * f[i].v[j];
        }
    const float2 first = block_sums(s, q, part[0]);
    const float mean = first.x / COLS;
    float variance = first.y / COLS - mean * mean;
    if (TWO) {
        q = 0.0f;
#pragma unroll
        for (int i = 0; i < PARTS; ++i)
#pragma unroll
            for (int j = 0; j < VEC; ++j) q += (f[i].v[j] - mean) * (f[i].v[j] - mean);
        variance = block_sums(q, 0.0f, part[1]).x / COLS;
    }
    const float r = rsqrtf(variance + 1.0e-5f);
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        const Pack g = gamma[i * THREADS + threadIdx.x], b = beta[i * THREADS + threadIdx.x];
        Pack p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.v[j] = (f[i].v[j] - mean) * r * g.v[j] + b.v[j];
        y[at + i * THREADS] = p;
    }
}
