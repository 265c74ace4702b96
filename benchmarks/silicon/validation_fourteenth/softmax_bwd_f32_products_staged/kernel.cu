// dx = y (dy - sum(y dy)) = y dy - y sum; a block has a row.
constexpr int PACKS = COLS / VEC, WARPS = THREADS / 32;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_bwd_f32_products_staged(const Pack* __restrict__ y, const Pack* __restrict__ dy, Pack* __restrict__ dx)
{
    __shared__ Pack product[STAGED ? PACKS : 1];
    __shared__ float part[WARPS];
    const size_t row = (size_t)blockIdx.x * PACKS;
    float sum = 0.0f;
#pragma unroll 2
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack a = y[row + i], b = dy[row + i];
        Pack p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            p.f[j] = a.f[j] * b.f[j];
            sum += p.f[j];
        }
        if (STAGED) product[i] = p;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) sum += part[w];
#pragma unroll 2
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack a = y[row + i];
        Pack o;
        if (STAGED) {
            const Pack p = product[i];
#pragma unroll
            for (int j = 0; j < VEC; ++j) o.f[j] = p.f[j] - a.f[j] * sum;
        } else {
            const Pack b = dy[row + i];
#pragma unroll
            for (int j = 0; j < VEC; ++j) o.f[j] = a.f[j] * (b.f[j] - sum);
        }
        dx[row + i] = o;
    }
}
