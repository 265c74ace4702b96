// A block a row; KEPT holds the row in registers between the two passes.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int PACKS = COLS / VEC, PER = PACKS / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_float4_rows(const Pack* __restrict__ x, const Pack* __restrict__ gain, Pack* __restrict__ y)
{
    __shared__ float partial[THREADS / 32];
    const Pack* row = x + (size_t)blockIdx.x * PACKS;
#if KEPT
    Pack kept[PER];
#endif
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        const Pack p = row[threadIdx.x + k * THREADS];
#if KEPT
        kept[k] = p;
#endif
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum += p.v[j] * p.v[j];
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < THREADS / 32; ++w) total += partial[w];
    const float scale = rsqrtf(total / COLS + 1e-6f);
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        const int i = threadIdx.x + k * THREADS;
#if KEPT
        Pack p = kept[k];
#else
        Pack p = row[i];
#endif
        const Pack g = gain[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.v[j] *= scale * g.v[j];
        y[(size_t)blockIdx.x * PACKS + i] = p;
    }
}
