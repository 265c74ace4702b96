// Entry j of row i is at j * rows + i, so neighbouring rows of a thread come in one access.
#include <cuda_bf16.h>
constexpr int N = 262144;
struct alignas(ROWS * 4) Columns { int c[ROWS]; };
struct alignas(ROWS * 2) Values { __nv_bfloat16 h[ROWS]; };
struct alignas(ROWS * 4) Sums { float f[ROWS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
ell_bf16_neighbour_rows(const Columns* __restrict__ columns, const Values* __restrict__ values, const float* __restrict__ x, Sums* __restrict__ y)
{
    constexpr int U = UNROLL;
    const int id = blockIdx.x * THREADS + threadIdx.x;
    Sums s = {};
#pragma unroll U
    for (int j = 0; j < WIDTH; ++j) {
        const Columns c = columns[j * (N / ROWS) + id];
        const Values v = values[j * (N / ROWS) + id];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) s.f[r] += __bfloat162float(v.h[r]) * x[c.c[r]];
    }
    y[id] = s;
}
