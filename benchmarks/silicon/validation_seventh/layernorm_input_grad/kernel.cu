// dx of layer norm in FP32, a block a row, two sums in one reduction.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int PACKS = COLS / VEC, PER = PACKS / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_input_grad(const Pack* __restrict__ dy, const Pack* __restrict__ x, const Pack* __restrict__ gamma,
                     const float* __restrict__ mean, const float* __restrict__ rstd, Pack* __restrict__ dx)
{
    __shared__ float2 partial[THREADS / 32];
    const size_t base = (size_t)blockIdx.x * PACKS;
    const float m = mean[blockIdx.x], r = rstd[blockIdx.x];
#if STASH
    Pack h[PER], g[PER];
#endif
    float s0 = 0.0f, s1 = 0.0f;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        const int i = threadIdx.x + k * THREADS;
        Pack a = x[base + i], b = dy[base + i];
        const Pack w = gamma[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            a.v[j] = (a.v[j] - m) * r;
            b.v[j] *= w.v[j];
            s0 += b.v[j];
            s1 += b.v[j] * a.v[j];
        }
#if STASH
        h[k] = a;
        g[k] = b;
#endif
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        s0 += __shfl_down_sync(~0u, s0, d);
        s1 += __shfl_down_sync(~0u, s1, d);
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = make_float2(s0, s1);
    __syncthreads();
    s0 = s1 = 0.0f;
#pragma unroll
    for (int w = 0; w < THREADS / 32; ++w) {
        s0 += partial[w].x;
        s1 += partial[w].y;
    }
    s0 /= COLS;
    s1 /= COLS;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        const int i = threadIdx.x + k * THREADS;
#if STASH
        const Pack a = h[k];
        Pack b = g[k];
#else
        Pack a = x[base + i], b = dy[base + i];
        const Pack w = gamma[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            a.v[j] = (a.v[j] - m) * r;
            b.v[j] *= w.v[j];
        }
#endif
#pragma unroll
        for (int j = 0; j < VEC; ++j) b.v[j] = (b.v[j] - s0 - a.v[j] * s1) * r;
        dx[base + i] = b;
    }
}
