// 4,096 square matrices by a vector each; LANES lanes a row.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int PACKS = DIM / VEC;

extern "C" __global__ void __launch_bounds__(256)
batched_matvec_lanes(const Pack* __restrict__ a, const Pack* __restrict__ x, float* __restrict__ y)
{
    const int row = (blockIdx.x * 256 + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    const Pack* from = a + (size_t)row * PACKS;
    const Pack* by = x + row / DIM * PACKS;
    float sum = 0.0f;
#pragma unroll
    for (int k = lane; k < PACKS; k += LANES) {
        const Pack p = from[k], q = by[k];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum += p.v[j] * q.v[j];
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
