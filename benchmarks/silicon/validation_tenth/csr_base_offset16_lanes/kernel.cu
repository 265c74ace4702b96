// 131,072 rows; with PAIR a lane reads two offsets and two values at once.
constexpr int STEPS = 64 / LANES / (1 + PAIR);

extern "C" __global__ void __launch_bounds__(256)
csr_base_offset16_lanes(const int* __restrict__ base, const unsigned short* __restrict__ offset, const float* __restrict__ value,
                        const float* __restrict__ x, float* __restrict__ y)
{
    const int id = blockIdx.x * 256 + threadIdx.x, row = id / LANES, lane = id % LANES;
    const float* from = x + base[row];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < STEPS; ++i) {
        if (PAIR) {
            const ushort2 o = reinterpret_cast<const ushort2*>(offset)[row * 32 + i * LANES + lane];
            const float2 v = reinterpret_cast<const float2*>(value)[row * 32 + i * LANES + lane];
            sum += v.x * from[o.x] + v.y * from[o.y];
        } else {
            sum += value[row * 64 + i * LANES + lane] * from[offset[row * 64 + i * LANES + lane]];
        }
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
