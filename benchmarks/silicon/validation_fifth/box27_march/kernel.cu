// 27-point stencil with a weight for centre, faces, edges and corners; periodic grid of 256 x 256 x 128.
constexpr int NX = 256, NY = 256, NZ = 128;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
box27_march(const float* __restrict__ u, float* __restrict__ v)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y, z0 = blockIdx.z * CHUNK;
#if IN_SHARED
    __shared__ float tile[BLOCK_Y + 2][BLOCK_X + 2];
#endif
    const int xl = (x + NX - 1) % NX, xr = (x + 1) % NX, yl = (y + NY - 1) % NY, yr = (y + 1) % NY;
    float centre[3] = {}, side[3] = {}, corner[3] = {};
#pragma unroll 3
    for (int z = z0 - 1; z <= z0 + CHUNK; ++z) {
        const float* plane = u + (z + NZ) % NZ * (NX * NY);
        centre[0] = centre[1], centre[1] = centre[2];
        side[0] = side[1], side[1] = side[2];
        corner[0] = corner[1], corner[1] = corner[2];
#if IN_SHARED
        __syncthreads();
        for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < (BLOCK_X + 2) * (BLOCK_Y + 2); i += BLOCK_X * BLOCK_Y) {
            const int tx = i % (BLOCK_X + 2), ty = i / (BLOCK_X + 2);
            const int gx = (blockIdx.x * BLOCK_X + tx + NX - 1) % NX, gy = (blockIdx.y * BLOCK_Y + ty + NY - 1) % NY;
            tile[ty][tx] = plane[gy * NX + gx];
        }
        __syncthreads();
        const int i = threadIdx.y + 1, j = threadIdx.x + 1;
        centre[2] = tile[i][j];
        side[2] = tile[i][j - 1] + tile[i][j + 1] + tile[i - 1][j] + tile[i + 1][j];
        corner[2] = tile[i - 1][j - 1] + tile[i - 1][j + 1] + tile[i + 1][j - 1] + tile[i + 1][j + 1];
#else
        centre[2] = plane[y * NX + x];
        side[2] = plane[y * NX + xl] + plane[y * NX + xr] + plane[yl * NX + x] + plane[yr * NX + x];
        corner[2] = plane[yl * NX + xl] + plane[yl * NX + xr] + plane[yr * NX + xl] + plane[yr * NX + xr];
#endif
        if (z > z0)
            v[(z - 1) * (NX * NY) + y * NX + x] = 0.3f * centre[1] + 0.06f * (side[1] + centre[0] + centre[2]) +
                                                 0.02f * (corner[1] + side[0] + side[2]) + 0.0125f * (corner[0] + corner[2]);
    }
}
