// Distances of a query to product-quantised vectors: sums of PARTS entries of a table in shared memory.
#include <cuda_fp16.h>
constexpr int COUNT = 2097152, RUN = 8;
#if SMALL
typedef __half number;
#else
typedef float number;
#endif

extern "C" __global__ void __launch_bounds__(128)
pq_distance_scan(const unsigned char* __restrict__ codes, const float* __restrict__ table, float* __restrict__ distance)
{
    __shared__ number lut[PARTS * 256];
    for (int i = threadIdx.x; i < PARTS * 256; i += 128) lut[i] = (number)table[i];
    __syncthreads();
    constexpr int U = UNROLL;
#pragma unroll U
    for (int r = 0; r < RUN; ++r) {
        const int id = (blockIdx.x * RUN + r) * 128 + threadIdx.x;
        float sum = 0.0f;
        if (PLANES) {
#pragma unroll
            for (int m = 0; m < PARTS; ++m) sum += (float)lut[m * 256 + codes[(size_t)m * COUNT + id]];
        } else {
#pragma unroll
            for (int m = 0; m < PARTS; m += 8) {
                const uint2 w = *reinterpret_cast<const uint2*>(codes + (size_t)id * PARTS + m);
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    sum += (float)lut[(m + i) * 256 + (w.x >> 8 * i & 255)];
                    sum += (float)lut[(m + 4 + i) * 256 + (w.y >> 8 * i & 255)];
                }
            }
        }
        distance[id] = sum;
    }
}
