// Sparse matrix of dense blocks by a vector, a warp a row of blocks: a lane takes one row of every 32 / SIDE-th block,
// blocks stored by rows or by columns. Row r's blocks begin at r MEAN + hash(r) % MEAN.
__device__ __forceinline__ int blocks_of(unsigned r) { return r * MEAN + ((r * 0x9E3779B1u) >> 15) % MEAN; }

extern "C" __global__ void bsr_spmv(const int* __restrict__ columns, const float* __restrict__ values,
                                    const float* __restrict__ x, float* __restrict__ y, int block_rows)
{
    const int block_row = (blockIdx.x * THREADS + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (block_row >= block_rows) return;
    const int r = lane % SIDE, end = blocks_of(block_row + 1);
    float sum = 0.0f;
    for (int b = blocks_of(block_row) + lane / SIDE; b < end; b += 32 / SIDE) {
        const float* block = values + (size_t)b * SIDE * SIDE;
        const float* from = x + columns[b] * SIDE;
#pragma unroll
        for (int c = 0; c < SIDE; ++c) sum += (BY_COLUMNS ? block[c * SIDE + r] : block[r * SIDE + c]) * from[c];
    }
#pragma unroll
    for (int m = SIDE; m < 32; m <<= 1) sum += __shfl_xor_sync(0xffffffff, sum, m);
    if (lane < SIDE) y[block_row * SIDE + r] = sum;
}
