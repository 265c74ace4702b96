// Particle in cell: bilinear weights to a grid of CELLS x CELLS. ORDERED places the particles along rows, as after a
// sort; otherwise they are anywhere.
extern "C" __global__ void charge_deposit(const float* __restrict__ px, const float* __restrict__ py,
                                          const float* __restrict__ weight, float* __restrict__ density)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int p = first + k * THREADS;
        float x = px[p], y = py[p];
        if (ORDERED) {
            const float along = (p + x) * (1.0f / 524288.0f) * CELLS;
            x = along - floorf(along);
            y = (floorf(along) + y) / CELLS;
        }
        const float gx = x * CELLS, gy = y * CELLS;
        const int ix = min((int)gx, CELLS - 1), iy = min((int)gy, CELLS - 1);
        const float fx = gx - ix, fy = gy - iy, q = weight[p];
        float* cell = density + iy * (CELLS + 1) + ix;
        atomicAdd(cell, q * (1 - fx) * (1 - fy));
        atomicAdd(cell + 1, q * fx * (1 - fy));
        atomicAdd(cell + CELLS + 1, q * (1 - fx) * fy);
        atomicAdd(cell + CELLS + 2, q * fx * fy);
    }
}
