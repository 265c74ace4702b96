// One warp fills a shared buffer from global memory while the others compute on the one before; a barrier a stage.
extern "C" __global__ void barrier_pipeline(const float* __restrict__ input, float* __restrict__ out, int stages) {
    __shared__ float buffer[2][TILE];
    const float* mine = input + (size_t)blockIdx.x * stages * TILE;
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (warp == 0)
        for (int i = lane; i < TILE; i += 32) buffer[0][i] = mine[i];
    __syncthreads();
    float sum = 0.0f;
    for (int s = 0; s < stages; ++s) {
        if (warp == 0) {
            if (s + 1 < stages)
                for (int i = lane; i < TILE; i += 32) buffer[(s + 1) & 1][i] = mine[(s + 1) * TILE + i];
        } else {
            for (int i = threadIdx.x - 32; i < TILE; i += BLOCK_SIZE - 32) {
                float value = buffer[s & 1][i];
#pragma unroll
                for (int k = 0; k < WORK; ++k) value = value * 0.99f + 0.01f;
                sum += value;
            }
        }
        __syncthreads();
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
