// Narrow columns and entries save bandwidth; a group of lanes has a row.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(THREADS)
csr_u16_columns_f32(const int* __restrict__ offsets, const unsigned short* __restrict__ columns, const __half* __restrict__ values,
                    const float* __restrict__ x, float* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / LANES, lane = id % LANES, end = offsets[row + 1];
    float sum[AHEAD] = {};
    for (int k = offsets[row] + lane; k < end; k += LANES * AHEAD) {
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            const int at = k + u * LANES;
            if (at < end) sum[u] += (HALF ? __half2float(values[at]) : reinterpret_cast<const float*>(values)[at]) * x[columns[at]];
        }
    }
    __syncwarp();
    if (AHEAD == 2) sum[0] += sum[AHEAD - 1];
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum[0] += __shfl_xor_sync(~0u, sum[0], d);
    if (lane == 0) y[row] = sum[0];
}
