// Gradient of a bias: column sums of 16,384 rows of 1,024 floats. A warp reads a stretch of one row; the rows of a
// block are added in shared memory.
struct alignas(4 * VEC) Pack { float v[VEC]; };

extern "C" __global__ void bias_gradient(const Pack* __restrict__ dout, float* __restrict__ dbias)
{
    __shared__ float part[BLOCK_Y][32 * VEC];
    const int column = blockIdx.x * 32 + threadIdx.x, rows = 16384 / CHUNKS;
    float sum[VEC];
    for (int k = 0; k < VEC; ++k) sum[k] = 0.0f;
#pragma unroll 4
    for (int r = threadIdx.y; r < rows; r += BLOCK_Y) {
        const Pack p = dout[(blockIdx.y * rows + r) * (1024 / VEC) + column];
        for (int k = 0; k < VEC; ++k) sum[k] += p.v[k];
    }
    for (int k = 0; k < VEC; ++k) part[threadIdx.y][threadIdx.x * VEC + k] = sum[k];
    __syncthreads();
    const int t = threadIdx.y * 32 + threadIdx.x;
    if (t < 32 * VEC) {
        float total = 0.0f;
        for (int y = 0; y < BLOCK_Y; ++y) total += part[y][t];
        atomicAdd(dbias + blockIdx.x * 32 * VEC + t, total);
    }
}
