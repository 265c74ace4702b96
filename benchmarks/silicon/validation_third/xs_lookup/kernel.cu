// Macroscopic cross sections of Monte Carlo neutron transport: the energy of a lookup is searched in a common grid, or
// in that of every nuclide, then five reactions of each nuclide are interpolated and added up.
constexpr int NUCLIDES = 64;

struct Point { float energy, xs[5]; };

__device__ __forceinline__ int search(const float* grid, int n, float e)
{
    int low = 0, length = n;
    while (length > 1) {
        const int half = length >> 1;
        if (grid[low + half] <= e) low += half;
        length -= half;
    }
    return low;
}

extern "C" __global__ void xs_lookup(const float* __restrict__ energies, const float* __restrict__ grid,
                                     const Point* __restrict__ points, const int* __restrict__ material,
                                     float* __restrict__ out, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const float e = energies[i] * (GRID - 2);
    float total[5] = {};
#if COMMON
    const int at = search(grid, GRID, e);
#endif
    for (int k = 0; k < USED; ++k) {
        const int nuclide = material[(i >> 7) % 12 * USED + k];
#if !COMMON
        const int at = search(grid + nuclide, GRID - NUCLIDES, e * 0.98f + nuclide);
#endif
        const Point low = points[nuclide * GRID + at], high = points[nuclide * GRID + at + 1];
        const float f = (high.energy - energies[i]) / (high.energy - low.energy + 1.5f);
#pragma unroll
        for (int x = 0; x < 5; ++x) total[x] += high.xs[x] - f * (high.xs[x] - low.xs[x]);
    }
#pragma unroll
    for (int x = 0; x < 5; ++x) out[5 * i + x] = total[x];
}
