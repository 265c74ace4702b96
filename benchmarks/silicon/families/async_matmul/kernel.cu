// Tiled matrix product whose tiles arrive by cp.async in a double buffer; two outputs a thread.
__device__ void copy_async(float* shared, const float* global) {
    unsigned address = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(global));
}

extern "C" __global__ void async_matmul(const float* __restrict__ a, const float* __restrict__ b,
                                        float* __restrict__ c, int n) {
    __shared__ float tile_a[2][2 * TILE][TILE];
    __shared__ float tile_b[2][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * TILE + tx;
    int row = blockIdx.y * 2 * TILE + ty;
    float upper = 0.0f, lower = 0.0f;
    int tiles = n / TILE;
    for (int t = 0; t <= tiles; ++t) {
        if (t < tiles) {
            int side = t & 1;
            copy_async(&tile_a[side][ty][tx], a + row * n + t * TILE + tx);
            copy_async(&tile_a[side][ty + TILE][tx], a + (row + TILE) * n + t * TILE + tx);
            copy_async(&tile_b[side][ty][tx], b + (t * TILE + ty) * n + column);
        }
        asm volatile("cp.async.commit_group;");
        if (t > 0) {
            asm volatile("cp.async.wait_group 1;");
            __syncthreads();
            int side = (t - 1) & 1;
#pragma unroll
            for (int k = 0; k < TILE; ++k) {
                upper += tile_a[side][ty][k] * tile_b[side][k][tx];
                lower += tile_a[side][ty + TILE][k] * tile_b[side][k][tx];
            }
            __syncthreads();
        }
    }
    c[row * n + column] = upper;
    c[(row + TILE) * n + column] = lower;
}
