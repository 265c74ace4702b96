// y = A x; a warp has EACH neighbouring rows of 4,096 numbers.
constexpr int WIDE = 4096 / VEC;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
gemv_f32_warp_rows(const Pack* __restrict__ a, const Pack* __restrict__ x, float* __restrict__ y)
{
    __shared__ Pack xs[STAGED ? WIDE : 1];
    const int row = (blockIdx.x * 8 + threadIdx.y) * EACH;
    if (STAGED) {
        for (int i = threadIdx.y * 32 + threadIdx.x; i < WIDE; i += 256) xs[i] = x[i];
        __syncthreads();
    }
    float acc[EACH] = {};
#pragma unroll 4
    for (int i = threadIdx.x; i < WIDE; i += 32) {
        const Pack v = STAGED ? xs[i] : x[i];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const Pack p = a[(size_t)(row + e) * WIDE + i];
#pragma unroll
            for (int j = 0; j < VEC; ++j) acc[e] += p.v[j] * v.v[j];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int d = 16; d; d >>= 1) acc[e] += __shfl_xor_sync(~0u, acc[e], d);
        if (threadIdx.x == e) y[row + e] = acc[e];
    }
}
