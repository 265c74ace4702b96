// Velocities of elastic waves on a staggered grid, 2nd or 4th order in space: three velocities from nine differences of
// six stresses, Z_EACH points along z a thread. The border of two points is left out.
constexpr int NX = 132, NY = 100, NZ = 100;

__device__ __forceinline__ float difference(const float* p, int step, int from)
{
    const float* q = p + from * step;
#if ORDER == 2
    return q[0] - q[-step];
#else
    return 1.125f * (q[0] - q[-step]) - 0.0416667f * (q[step] - q[-2 * step]);
#endif
}

extern "C" __global__ void staggered_elastic(const float* __restrict__ xx, const float* __restrict__ yy,
                                             const float* __restrict__ zz, const float* __restrict__ xy,
                                             const float* __restrict__ xz, const float* __restrict__ yz,
                                             const float* __restrict__ buoyancy, float* __restrict__ vx,
                                             float* __restrict__ vy, float* __restrict__ vz, float dt)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x + 2, y = blockIdx.y * BLOCK_Y + threadIdx.y + 2;
    if (x >= NX - 2 || y >= NY - 2) return;
    for (int k = 0; k < Z_EACH; ++k) {
        const int z = blockIdx.z * Z_EACH + k + 2;
        if (z >= NZ - 2) return;
        const int i = (z * NY + y) * NX + x;
        const float b = dt * buoyancy[i];
        vx[i] += b * (difference(xx + i, 1, 0) + difference(xy + i, NX, 1) + difference(xz + i, NX * NY, 1));
        vy[i] += b * (difference(xy + i, 1, 1) + difference(yy + i, NX, 0) + difference(yz + i, NX * NY, 1));
        vz[i] += b * (difference(xz + i, 1, 1) + difference(yz + i, NX, 1) + difference(zz + i, NX * NY, 0));
    }
}
