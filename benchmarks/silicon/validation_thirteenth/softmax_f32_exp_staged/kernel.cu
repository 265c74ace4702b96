// Softmax of FP32 rows, a block a row; exponentials wait in shared memory or are computed once more.
constexpr int PACKS = COLS / VEC, U = 2, WARPS = THREADS / 32;
struct alignas(VEC * 4) Pack { float f[VEC]; };

__device__ __forceinline__ float over_block(float v, bool greatest, float* part)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float o = __shfl_xor_sync(~0u, v, d);
        v = greatest ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
#pragma unroll
    for (int w = 1; w < WARPS; ++w) v = greatest ? fmaxf(v, part[w]) : v + part[w];
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_f32_exp_staged(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    __shared__ Pack kept[STAGED ? PACKS : 1];
    __shared__ float part[WARPS];
    const Pack* row = x + (size_t)blockIdx.x * PACKS;
    float top = -1e30f, sum = 0.0f;
#pragma unroll U
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = row[i];
        if (STAGED) kept[STAGED ? i : 0] = p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) top = fmaxf(top, p.f[j]);
    }
    top = over_block(top, true, part);
#pragma unroll U
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        Pack p = STAGED ? kept[STAGED ? i : 0] : row[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            p.f[j] = __expf(p.f[j] - top);
            sum += p.f[j];
        }
        if (STAGED) kept[STAGED ? i : 0] = p;
    }
    sum = 1.0f / over_block(sum, false, part);
#pragma unroll U
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        Pack p = STAGED ? kept[STAGED ? i : 0] : row[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.f[j] = (STAGED ? p.f[j] : __expf(p.f[j] - top)) * sum;
        y[(size_t)blockIdx.x * PACKS + i] = p;
    }
}
