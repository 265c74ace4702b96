// A row has 128 words; the bits of two rows in common are counted.
constexpr int STEPS = 128 / (LANES * VEC);
struct alignas(VEC * 4) Pack { unsigned w[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
bitset_common_neighbours(const Pack* __restrict__ bits, const int* __restrict__ head, const int* __restrict__ tail,
                         int* __restrict__ count)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, edge = id / LANES, lane = id % LANES;
    const Pack *a = bits + head[edge] * (128 / VEC) + lane, *b = bits + tail[edge] * (128 / VEC) + lane;
    int sum = 0;
#pragma unroll 4
    for (int i = 0; i < STEPS; ++i) {
        const Pack p = a[i * LANES], q = b[i * LANES];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum += __popc(p.w[j] & q.w[j]);
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) count[edge] = sum;
}
