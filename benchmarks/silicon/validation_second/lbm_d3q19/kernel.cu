// D3Q19 on 128 x 128 x 64 cells, a plane of memory a velocity, periodic. PUSH collides first and writes to the
// neighbours; otherwise the populations are gathered from the neighbours and written in place of the cell.
__device__ __forceinline__ int neighbour(int x, int y, int z, int dx, int dy, int dz)
{
    return (((z + dz) & 63) << 14) | (((y + dy) & 127) << 7) | ((x + dx) & 127);
}

extern "C" __global__ void lbm_d3q19(const float* __restrict__ old, float* __restrict__ next, float omega)
{
    constexpr int ex[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    constexpr int ey[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    constexpr int ez[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    constexpr int CELLS = 1048576;
    const int cell = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int x = cell & 127, y = cell >> 7 & 127, z = cell >> 14;

    float f[19], rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int q = 0; q < 19; q++) {
        f[q] = old[q * CELLS + (PUSH ? cell : neighbour(x, y, z, -ex[q], -ey[q], -ez[q]))];
        rho += f[q];
        if (ex[q]) ux += ex[q] > 0 ? f[q] : -f[q];
        if (ey[q]) uy += ey[q] > 0 ? f[q] : -f[q];
        if (ez[q]) uz += ez[q] > 0 ? f[q] : -f[q];
    }
    const float inv = 1.0f / rho;
    ux *= inv;
    uy *= inv;
    uz *= inv;
    const float u2 = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int q = 0; q < 19; q++) {
        const float w = q == 0 ? 1.0f / 3 : q < 7 ? 1.0f / 18 : 1.0f / 36;
        const float eu = 3.0f * (ex[q] * ux + ey[q] * uy + ez[q] * uz);
        const float eq = w * rho * (1.0f + eu + 0.5f * eu * eu - u2);
        next[q * CELLS + (PUSH ? neighbour(x, y, z, ex[q], ey[q], ez[q]) : cell)] = f[q] + omega * (eq - f[q]);
    }
}
