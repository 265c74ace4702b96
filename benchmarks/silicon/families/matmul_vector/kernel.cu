// C = A B with a column strip of THREAD_ROWS outputs a thread, float4 loads into shared memory, optional double buffer.
extern "C" __global__ void matmul_vector(const float4* __restrict__ a, const float4* __restrict__ b,
                                         float* __restrict__ c, int n) {
    constexpr int columns = 64;
    constexpr int rows = THREAD_ROWS * (BLOCK_SIZE / columns);
    constexpr int depth = 16;
    __shared__ float4 tile_a[STAGES][rows][depth / 4];
    __shared__ float4 tile_b[STAGES][depth][columns / 4];
    int tx = threadIdx.x % columns;
    int ty = threadIdx.x / columns;
    float sum[THREAD_ROWS] = {};
    int stage = 0;
    for (int base = 0; base < n; base += depth) {
        for (int i = threadIdx.x; i < rows * depth / 4; i += BLOCK_SIZE)
            tile_a[stage][i / (depth / 4)][i % (depth / 4)] =
                a[((blockIdx.y * rows + i / (depth / 4)) * n + base) / 4 + i % (depth / 4)];
        for (int i = threadIdx.x; i < depth * columns / 4; i += BLOCK_SIZE)
            tile_b[stage][i / (columns / 4)][i % (columns / 4)] =
                b[((base + i / (columns / 4)) * n + blockIdx.x * columns) / 4 + i % (columns / 4)];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < depth / 4; ++k) {
            const float* right = &tile_b[stage][4 * k][0].x + tx;
            float r0 = right[0], r1 = right[columns], r2 = right[2 * columns], r3 = right[3 * columns];
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; ++i) {
                float4 left = tile_a[stage][ty * THREAD_ROWS + i][k];
                sum[i] += left.x * r0 + left.y * r1 + left.z * r2 + left.w * r3;
            }
        }
        if (STAGES == 1) __syncthreads();
        else stage ^= 1;
    }
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; ++i)
        c[(blockIdx.y * rows + ty * THREAD_ROWS + i) * n + blockIdx.x * columns + tx] = sum[i];
}
