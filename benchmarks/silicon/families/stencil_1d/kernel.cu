// One-dimensional stencil of radius RADIUS through shared memory with a halo.
extern "C" __global__ void stencil_1d(const float* __restrict__ input, float* __restrict__ out, int n) {
    __shared__ float tile[BLOCK_SIZE + 2 * RADIUS];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int t = threadIdx.x + RADIUS;
    tile[t] = input[i];
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = i >= RADIUS ? input[i - RADIUS] : 0.0f;
        tile[t + BLOCK_SIZE] = i + BLOCK_SIZE < n ? input[i + BLOCK_SIZE] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[t + k];
    out[i] = sum / (2 * RADIUS + 1);
}
