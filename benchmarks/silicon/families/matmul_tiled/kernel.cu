// C = A B through square shared-memory tiles, one output a thread.
extern "C" __global__ void matmul_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                        float* __restrict__ c, int n) {
    constexpr int unroll = UNROLL;
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;
    for (int base = 0; base < n; base += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + base + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * n + column];
        __syncthreads();
#pragma unroll unroll
        for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
