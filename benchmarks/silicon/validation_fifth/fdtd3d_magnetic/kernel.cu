// H -= k curl E on a grid of 128 x 128 x 96; in a column, the electric field of the next plane is kept in registers.
constexpr int NX = 128, NY = 128, NZ = 96, PLANE = NX * NY;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
fdtd3d_magnetic(const float* __restrict__ ex, const float* __restrict__ ey, const float* __restrict__ ez,
                float* __restrict__ hx, float* __restrict__ hy, float* __restrict__ hz, float k)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y, z0 = blockIdx.z * CHUNK;
    int at = z0 * PLANE + y * NX + x;
    const bool right = x < NX - 1, up = y < NY - 1;
    float ax = ex[at], ay = ey[at];
#pragma unroll 4
    for (int z = z0; z < z0 + CHUNK; ++z, at += PLANE) {
        const bool above = z < NZ - 1;
        const float az = ez[at], nx = above ? ex[at + PLANE] : 0.0f, ny = above ? ey[at + PLANE] : 0.0f;
        const float zx = right ? ez[at + 1] : 0.0f, zy = up ? ez[at + NX] : 0.0f;
        const float yx = right ? ey[at + 1] : 0.0f, xy = up ? ex[at + NX] : 0.0f;
        hx[at] -= k * ((zy - az) - (ny - ay));
        hy[at] -= k * ((nx - ax) - (zx - az));
        hz[at] -= k * ((yx - ay) - (xy - ax));
        ax = nx;
        ay = ny;
    }
}
