// Transpose of a row-major FP32 matrix by a vector: a thread owns VEC columns, rows are split over the threads of a
// block and over blocks, whose sums are added by atomics.
struct alignas(4 * VEC) Pack { float v[VEC]; };

extern "C" __global__ void gemv_transposed(const Pack* __restrict__ a, const float* __restrict__ x,
                                           float* __restrict__ y, int rows, int rows_block)
{
    __shared__ float part[BLOCK_Y][32 * VEC];
    const int packs = COLS / VEC, column = blockIdx.x * 32 + threadIdx.x;
    const int first = blockIdx.y * rows_block, last = min(first + rows_block, rows);
    float sum[VEC] = {};
#pragma unroll 4
    for (int r = first + threadIdx.y; r < last; r += BLOCK_Y) {
        const Pack p = a[(size_t)r * packs + column];
        const float f = x[r];
#pragma unroll
        for (int k = 0; k < VEC; ++k) sum[k] += p.v[k] * f;
    }
#pragma unroll
    for (int k = 0; k < VEC; ++k) part[threadIdx.y][threadIdx.x * VEC + k] = sum[k];
    __syncthreads();
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 32 * VEC; i += 32 * BLOCK_Y) {
        float total = 0.0f;
#pragma unroll
        for (int j = 0; j < BLOCK_Y; ++j) total += part[j][i];
        atomicAdd(y + blockIdx.x * 32 * VEC + i, total);
    }
}
